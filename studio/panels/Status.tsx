// What the engine says: a message, a task with its progress, the largest error of the joints, the cost of a step.
import { useEffect } from 'react';
import { usePage } from '../store/hooks';
import { set } from '../store/store';
import Icon from './icons';
import { errorWords, milliseconds } from './numbers';
import './Status.css';

const readFor = 7000; // [ms] a message stays that says of no error

function Message() {
  const message = usePage((page) => page.message);
  useEffect(() => {
    if (message?.kind !== 'info') return;
    const timer = setTimeout(() => set({ message: null }), readFor);
    return () => clearTimeout(timer);
  }, [message]);
  return (
    <div className="status-message" role="status" aria-live="polite">
      {message && (
        <div className={`toast ${message.kind}`}>
          <span>{message.text}</span>
          <button type="button" className="button quiet icon" aria-label="Dismiss" onClick={() => set({ message: null })}>
            <Icon name="close" size={14} />
          </button>
        </div>
      )}
    </div>
  );
}

function TaskShown() {
  const task = usePage((page) => page.task);
  if (!task) return null;
  return (
    <div className="status-task">
      <span className="status-spinner" aria-hidden="true" />
      <span>{task.label}</span>
      <progress aria-label={task.label} value={task.fraction} max={1} />
      {task.cancel && <button type="button" className="button" onClick={task.cancel}>Cancel</button>}
    </div>
  );
}

// Over the view, where one looks.
export function Notices() {
  return (
    <div className="notices">
      <TaskShown />
      <Message />
    </div>
  );
}

export default function Status() {
  const counts = usePage((page) => (page.scene ? `${page.scene.solids.length} solids, ${page.scene.joints.length} joints` : ''));
  const dof = usePage((page) => page.verdict?.dof ?? null);
  const ready = usePage((page) => page.ready);
  const error = usePage((page) => (page.measures && page.scene?.joints.length ? errorWords(page.measures.error) : null));
  const open = usePage((page) => page.measures !== null && (page.measures.error === null || page.measures.error > 1e-4));
  const worst = usePage((page) => page.measures?.worst ?? null);
  const cost = usePage((page) => (page.milliseconds > 0 ? milliseconds(Number(page.milliseconds.toPrecision(2))) : null));
  const posing = usePage((page) => page.posing !== null);
  const pick = (): void => {
    if (worst && !worst.endsWith("'")) set({ selection: { solids: [], joints: [worst] } });
  };
  return (
    <footer className="status" aria-label="Status">
      <div className="status-facts">
        {!ready && <span>Loading the engine…</span>}
        <span className="status-counts">{counts}{dof !== null && `, ${dof} ${dof === 1 ? 'degree' : 'degrees'} of freedom`}</span>
        <span className="status-space" />
        {error !== null && (
          <button type="button" className={`status-error${open ? ' open' : ''}`} onClick={pick} title={worst ? `Largest error: ${worst}` : 'Largest error'}>
            joint error <b className="number">{error}</b>
          </button>
        )}
        {cost !== null && <span className="status-cost">{posing ? 'update' : 'step'} <b className="number">{cost}</b></span>}
      </div>
    </footer>
  );
}
