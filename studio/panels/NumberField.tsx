// A number with a unit: typed as the scene language has it (30deg, 5cm), stepped by arrows, scrubbed at its label. One that
// cannot be taken stays there with the reason, until it is mended, or put back by Escape.
import { useEffect, useId, useRef, useState } from 'react';
import type { KeyboardEvent, PointerEvent } from 'react';
import FieldNote from './FieldNote';
import { parseQuantity, short, whyNotBetween, whyNotQuantity, type Dimension } from './quantity';
import { newDrag } from './use';
import './NumberField.css';

interface Props {
  label: string;
  value: number | null; // SI; null: none
  onChange: (value: number | null, drag?: number) => void; // `drag`: the same while the label is dragged
  dimension?: Dimension;
  unit?: string; // shown, and of numbers without one
  factor?: number; // SI of one unit
  step?: number; // in units, of an arrow or four pixels
  min?: number;
  max?: number;
  empty?: string; // what the empty field says; without it a number is wanted
  hideLabel?: boolean;
  disabled?: boolean;
}

export default function NumberField({
  label,
  value,
  onChange,
  dimension = 'none',
  unit = '',
  factor = 1,
  step = 0.1,
  min = -Infinity,
  max = Infinity,
  empty,
  hideLabel,
  disabled,
}: Props) {
  const id = useId();
  const [draft, setDraft] = useState<string | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const scrub = useRef<{ x: number; from: number; drag: number } | null>(null);
  const show = (x: number): string => `${short(x / factor)}${unit === 'deg' ? '°' : unit === '' ? '' : ` ${unit}`}`;
  const shown = value === null ? '' : show(value);
  const clamp = (x: number): number => Math.min(max, Math.max(min, x));

  const restore = (): void => {
    setDraft(null);
    setRefused(null);
  };
  // What was refused is about a number that is another now.
  useEffect(() => {
    if (document.activeElement !== input.current) restore();
  }, [value]);

  const commit = (text: string): void => {
    if (text.trim() === '' && empty !== undefined) {
      restore();
      if (value !== null) onChange(null);
      return;
    }
    const parsed = parseQuantity(text, dimension, unit);
    const reason = parsed === null ? whyNotQuantity(text, dimension) : whyNotBetween(parsed, min, max, show);
    if (parsed === null || reason !== null) {
      setRefused(reason);
      return;
    }
    restore();
    if (parsed !== value) onChange(parsed);
  };
  const stepBy = (count: number): void => {
    const next = clamp((Math.round((value ?? 0) / factor / step) + count) * step * factor);
    restore();
    onChange(next);
  };
  const onKey = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key === 'Enter') commit(event.currentTarget.value);
    else if (event.key === 'Escape') {
      if (draft !== null) event.stopPropagation();
      restore();
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault();
      stepBy((event.key === 'ArrowUp' ? 1 : -1) * (event.shiftKey ? 10 : 1));
    }
  };
  const onDown = (event: PointerEvent<HTMLLabelElement>): void => {
    if (disabled || event.button !== 0) return;
    scrub.current = { x: event.clientX, from: value ?? 0, drag: newDrag() };
    event.currentTarget.setPointerCapture(event.pointerId);
  };
  const onMove = (event: PointerEvent<HTMLLabelElement>): void => {
    if (!scrub.current) return;
    const pixels = event.clientX - scrub.current.x;
    if (Math.abs(pixels) < 3) return;
    const steps = Math.round(pixels / 4) * (event.shiftKey ? 10 : event.altKey ? 0.1 : 1);
    onChange(clamp(scrub.current.from + steps * step * factor), scrub.current.drag);
  };

  return (
    <div className={`number-field${hideLabel ? ' bare' : ''}`}>
      <label
        htmlFor={id}
        className={hideLabel ? 'visually-hidden' : 'number-label'}
        title={hideLabel ? undefined : `${label}: drag to change`}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={() => {
          scrub.current = null;
        }}
        onPointerCancel={() => {
          scrub.current = null;
        }}>
        {label}
      </label>
      <input
        ref={input}
        id={id}
        type="text"
        inputMode="decimal"
        autoComplete="off"
        spellCheck={false}
        className="number"
        disabled={disabled}
        value={draft ?? shown}
        placeholder={empty}
        {...(refused === null ? {} : { 'aria-invalid': true, 'aria-describedby': `${id}-note` })}
        onFocus={(event) => event.target.select()}
        onChange={(event) => {
          setDraft(event.target.value);
          setRefused(null);
        }}
        onBlur={(event) => {
          if (draft !== null) commit(event.target.value);
        }}
        onKeyDown={onKey}
      />
      <FieldNote id={`${id}-note`} text={refused} />
    </div>
  );
}
