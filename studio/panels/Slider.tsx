// A slider whose changes of one drag are one entry of the history.
import { useRef, useState } from 'react';
import { useDrag } from './use';

export default function Slider({
  label,
  value,
  min,
  max,
  step,
  onChange,
  text,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  onChange: (value: number, drag: number) => void;
  text: string;
}) {
  // While it is moved it shows where the hand is, not what the engine has come to; a moment later they are the same.
  const [own, setOwn] = useState<number | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const drag = useDrag();
  const settle = (): void => {
    drag.end();
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setOwn(null), 400);
  };
  return (
    <input
      type="range"
      aria-label={label}
      aria-valuetext={text}
      min={min}
      max={max}
      step={step}
      value={own ?? value}
      onChange={(event) => {
        clearTimeout(timer.current);
        setOwn(event.target.valueAsNumber);
        onChange(event.target.valueAsNumber, drag.now());
      }}
      onPointerUp={settle}
      onBlur={settle}
      onKeyUp={settle}
    />
  );
}
