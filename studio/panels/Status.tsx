// What the page says: notices, a task with its progress; and the state of the scene in a line: what it has, how far its
// joints are open, what a step costs.
import { useEffect } from 'react';
import { dismiss, type Notice } from '../store/store';
import { areOpen, energyConcern } from './health';
import Icon from './icons';
import { counted, errorWords, milliseconds } from './numbers';
import { usePage, useStudio } from './use';
import './Status.css';

const readFor = 7000; // [ms] a hint stays; warnings and errors stay until they are dismissed

function Toast({ notice }: { notice: Notice }) {
  const { page } = useStudio();
  useEffect(() => {
    if (notice.kind !== 'info') return;
    const timer = setTimeout(() => dismiss(page, notice), readFor);
    return () => clearTimeout(timer);
  }, [page, notice]);
  return (
    <div className={`toast ${notice.kind}`}>
      <span>{notice.text}</span>
      <button type="button" className="button quiet icon" aria-label="Dismiss" onClick={() => dismiss(page, notice)}>
        <Icon name="close" size={14} />
      </button>
    </div>
  );
}

function Toasts() {
  const notices = usePage((page) => page.notices);
  return (
    <div className="status-message" role="status" aria-live="polite">
      {notices.map((notice) => (
        <Toast key={notice.text} notice={notice} />
      ))}
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
      {task.cancel && (
        <button type="button" className="button" onClick={task.cancel}>
          Cancel
        </button>
      )}
    </div>
  );
}

const energyAdvice = 'Choose a smaller time step, or the method “energy”';

// Where there is no status line.
function Concern() {
  const energy = usePage(energyConcern);
  return (
    energy && (
      <div className="status-concern" title={energyAdvice}>
        {energy}
      </div>
    )
  );
}

// Over the view, where one looks.
export function Notices() {
  return (
    <div className="notices">
      <TaskShown />
      <Toasts />
      <Concern />
    </div>
  );
}

export default function Status() {
  const { set } = useStudio();
  const counts = usePage(({ scene }) => (scene ? `${counted(scene.solids.length, 'solid')}, ${counted(scene.joints.length, 'joint')}` : ''));
  const dof = usePage((page) => page.verdict?.dof ?? null);
  const stale = usePage((page) => page.verdict?.stale ?? false);
  const ready = usePage((page) => page.ready);
  const error = usePage((page) => (page.measures && page.scene?.joints.length ? errorWords(page.measures.error) : null));
  const open = usePage(areOpen);
  const energy = usePage(energyConcern);
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
        <span className="status-counts">
          {counts}
          {dof !== null && (
            <span
              className={stale ? 'status-stale' : ''}
              title={stale ? 'This was counted before the last change' : undefined}>{`, ${counted(dof, 'degree')} of freedom`}</span>
          )}
        </span>
        <span className="status-space" />
        {energy !== null && (
          <span className="status-energy" title={energyAdvice}>
            {energy}
          </span>
        )}
        {error !== null && (
          <button
            type="button"
            className={`status-error${open ? ' open' : ''}`}
            onClick={pick}
            title={worst ? `The largest error is at ${worst}` : 'The largest joint error'}>
            joint error <b className="number">{error}</b>
          </button>
        )}
        {cost !== null && (
          <span className="status-cost">
            {posing ? 'update' : 'step'} <b className="number">{cost}</b>
          </span>
        )}
      </div>
    </footer>
  );
}
