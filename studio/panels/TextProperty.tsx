// A statement of the scene's text as a field: what is written there, or nothing with the value that holds instead.
import { useId, useState } from 'react';
import { useStudio } from './use';

interface Props {
  path: string;
  property: string;
  label?: string;
  written: string | null;
  fallback?: string;
  hint?: string;
}

export default function TextProperty({ path, property, label = property, written, fallback = '', hint }: Props) {
  const { run } = useStudio();
  const id = useId();
  const [draft, setDraft] = useState<string | null>(null);
  const [refused, setRefused] = useState(false);
  const commit = async (text: string): Promise<void> => {
    const values = text.trim();
    if (values === (written ?? '')) {
      setDraft(null);
      setRefused(false);
      return;
    }
    const answer = values === '' ? await run({ do: 'unset', path, property }) : await run({ do: 'set', path, property, values });
    setRefused(!answer.ok);
    // What was refused stays in the field, to be mended.
    if (answer.ok) setDraft(null);
  };
  return (
    <>
      <label htmlFor={id} title={hint}>
        {label}
      </label>
      <input
        id={id}
        type="text"
        className="number"
        spellCheck={false}
        autoComplete="off"
        value={draft ?? written ?? ''}
        placeholder={fallback}
        {...(refused ? { 'aria-invalid': true } : {})}
        onChange={(event) => setDraft(event.target.value)}
        onBlur={(event) => {
          if (draft !== null) void commit(event.target.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') void commit(event.currentTarget.value);
          if (event.key === 'Escape' && draft !== null) {
            event.stopPropagation();
            setDraft(null);
            setRefused(false);
          }
        }}
      />
    </>
  );
}
