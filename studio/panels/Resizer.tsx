// The edge of a panel that is drawn with pointer or arrow keys.
import { useState, type KeyboardEvent, type PointerEvent } from 'react';

interface Props {
  label: string;
  axis: 'x' | 'y';
  sign: 1 | -1; // which way makes it larger
  value: number;
  min: number;
  max: number;
  onChange(value: number): void;
}

export default function Resizer({ label, axis, sign, value, min, max, onChange }: Props) {
  const [grip, setGrip] = useState<{ at: number; value: number } | null>(null);
  const clamped = (wanted: number): number => Math.round(Math.min(max, Math.max(min, wanted)));
  const place = (event: PointerEvent): number => (axis === 'x' ? event.clientX : event.clientY);
  const onKeyDown = (event: KeyboardEvent): void => {
    const grow = axis === 'x' ? 'ArrowRight' : 'ArrowDown';
    const shrink = axis === 'x' ? 'ArrowLeft' : 'ArrowUp';
    const way = event.key === grow ? 1 : event.key === shrink ? -1 : 0;
    if (way === 0) return;
    event.preventDefault();
    onChange(clamped(value + way * sign * 16));
  };
  return (
    <div
      className={`resizer ${axis}${grip ? ' active' : ''}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={axis === 'x' ? 'vertical' : 'horizontal'}
      aria-valuenow={clamped(value)}
      aria-valuemin={min}
      aria-valuemax={max}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        setGrip({ at: place(event), value });
      }}
      onPointerMove={(event) => grip && onChange(clamped(grip.value + sign * (place(event) - grip.at)))}
      onPointerUp={() => setGrip(null)}
      onPointerCancel={() => setGrip(null)}
    />
  );
}
