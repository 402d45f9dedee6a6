// A number that is taken on Enter or when the field is left. One that cannot be taken stays there with the reason, until it
// is mended, or put back by Escape.
import { useEffect, useId, useState } from 'react';
import FieldNote from './FieldNote';
import { whyNotBetween } from './quantity';

interface Props {
  id?: string;
  label?: string;
  value: number;
  min?: number;
  max?: number;
  digits?: number;
  disabled?: boolean;
  onCommit(value: number): void;
}

export default function NumberBox({ id, label, value, min = -Infinity, max = Infinity, digits = 6, disabled, onCommit }: Props) {
  const written = String(Number(value.toPrecision(digits)));
  const [draft, setDraft] = useState(written);
  const [refused, setRefused] = useState<string | null>(null);
  const note = useId();
  const restore = (): void => {
    setDraft(written);
    setRefused(null);
  };
  useEffect(restore, [written]);
  const commit = (): void => {
    const number = draft.trim() === '' ? NaN : Number(draft.replace(',', '.'));
    const reason = Number.isFinite(number)
      ? whyNotBetween(number, min, max, String)
      : draft.trim() === ''
        ? 'Write a number here.'
        : `“${draft.trim()}” is not a number.`;
    setRefused(reason);
    if (reason === null && draft !== written) onCommit(number);
  };
  return (
    <span className="number-box">
      <input
        id={id}
        type="text"
        inputMode="decimal"
        className="number"
        aria-label={label}
        disabled={disabled}
        value={draft}
        {...(refused === null ? {} : { 'aria-invalid': true, 'aria-describedby': note })}
        onChange={(event) => {
          setDraft(event.target.value);
          setRefused(null);
        }}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') restore();
        }}
      />
      <FieldNote id={note} text={refused} />
    </span>
  );
}
