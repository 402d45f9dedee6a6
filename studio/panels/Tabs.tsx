// Tabs as the keyboard knows them: one stop, arrows between them.
import { useId, type KeyboardEvent, type ReactNode } from 'react';

export interface TabItem<T extends string> {
  id: T;
  label: string;
  content: () => ReactNode;
}

interface Props<T extends string> {
  label: string;
  items: TabItem<T>[];
  active: T;
  onSelect(id: T): void;
  hidden?: boolean; // only the tabs are shown
}

export default function Tabs<T extends string>({ label, items, active, onSelect, hidden = false }: Props<T>) {
  const base = useId();
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    const at = items.findIndex((item) => item.id === active);
    const last = items.length - 1;
    const next = { ArrowRight: at === last ? 0 : at + 1, ArrowLeft: at === 0 ? last : at - 1, Home: 0, End: last }[event.key];
    const item = next === undefined ? undefined : items[next];
    if (!item) return;
    event.preventDefault();
    onSelect(item.id);
    document.getElementById(`${base}-${item.id}`)?.focus();
  };
  const shown = items.find((item) => item.id === active) ?? items[0];
  return (
    <>
      <div className="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
        {items.map(({ id, label: name }) => (
          <button
            key={id}
            id={`${base}-${id}`}
            type="button"
            role="tab"
            className="tab"
            aria-selected={id === active}
            aria-controls={hidden ? undefined : `${base}-panel`}
            tabIndex={id === active ? 0 : -1}
            onClick={() => onSelect(id)}>
            {name}
          </button>
        ))}
      </div>
      {!hidden && shown && (
        <div className="tab-panel" role="tabpanel" id={`${base}-panel`} aria-labelledby={`${base}-${shown.id}`}>
          {shown.content()}
        </div>
      )}
    </>
  );
}
