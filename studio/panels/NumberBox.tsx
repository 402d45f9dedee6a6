// A number that is taken on Enter or when the field is left, and put back on Escape or if it is none.
import { useEffect, useState } from 'react';

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
  useEffect(() => setDraft(written), [written]);
  const number = Number(draft.replace(',', '.'));
  const valid = draft.trim() !== '' && Number.isFinite(number) && number >= min && number <= max;
  const commit = (): void => {
    if (!valid) setDraft(written);
    else if (draft !== written) onCommit(number);
  };
  return (
    <input id={id} type="text" inputMode="decimal" className="number" aria-label={label} aria-invalid={!valid} disabled={disabled} value={draft}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
        if (event.key === 'Escape') setDraft(written);
      }}
    />
  );
}
