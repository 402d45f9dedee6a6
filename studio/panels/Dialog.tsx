// A modal dialog: the browser's own, which keeps the focus inside, gives it back, and closes with Esc.
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Glyph } from './glyphs';
import './Dialog.css';

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
  className?: string;
  hideTitle?: boolean;
  aside?: ReactNode;
}

export default function Dialog({ title, onClose, children, className = '', hideTitle, aside }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const close = useRef(onClose);
  close.current = onClose;
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (!dialog.open) dialog.showModal();
    dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    return () => dialog.close();
  }, []);
  return (
    <dialog
      ref={ref}
      className={`dialog ${className}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        close.current();
      }}
      onKeyDown={(event) => event.stopPropagation()}
      onPointerDown={(event) => {
        if (event.target === ref.current) close.current();
      }}>
      <div className="dialog-inner">
        <div className={hideTitle ? 'visually-hidden' : 'dialog-head'}>
          <h2 id={id}>{title}</h2>
          {aside}
          {hideTitle ? null : (
            <button type="button" className="button quiet icon" aria-label="Close" onClick={onClose}>
              <Glyph name="close" />
            </button>
          )}
        </div>
        {children}
      </div>
    </dialog>
  );
}
