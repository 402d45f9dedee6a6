// From any pose to closed joints, with the way there shown; and a verdict on the joints in words.
import { useEffect, useId, useState } from 'react';
import type { Page } from '../store/store';
import { counted, errorWords, milliseconds, short } from './numbers';
import { areFlat } from './flat';
import Icon from './icons';
import NumberBox from './NumberBox';
import { usePage, useStudio } from './use';
import './Assemble.css';

const statusWords: Record<string, string> = {
  converged: 'Assembled',
  budget: 'Ran out of iterations',
  stalled: 'Stuck',
  inconsistent: 'No pose closes all joints',
  memory: 'Memory ran out',
};

interface Yielded {
  joint: string;
  coordinate?: string;
  metres: number;
  radians: number;
  weight: number;
}

interface Report {
  status: string;
  reason: string;
  iterations: number;
  restarts: number;
  milliseconds: number;
  start_error: number | null;
  max_error: number | null;
  yielded: Yielded[];
  way: { iteration: number; error: number | null }[];
}

// Error by iteration, on a logarithmic scale: a curve that says how it converged.
function Way({ way }: { way: Report['way'] }) {
  const points = way.filter((at): at is { iteration: number; error: number } => at.error !== null);
  if (points.length < 3) return null;
  const width = 240;
  const height = 56;
  const log = (error: number): number => Math.log10(Math.max(error, 1e-14));
  const top = Math.max(...points.map((at) => log(at.error)));
  const bottom = Math.min(...points.map((at) => log(at.error)), top - 1);
  const last = points[points.length - 1].iteration;
  const line = points
    .map((at) => `${((at.iteration / last) * (width - 4) + 2).toFixed(1)},${(((top - log(at.error)) / (top - bottom)) * (height - 6) + 3).toFixed(1)}`)
    .join(' ');
  return (
    <svg
      className="assemble-way"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Error from ${short(points[0].error)} to ${short(points[points.length - 1].error)} in ${counted(last, 'iteration')}`}>
      <polyline points={line} fill="none" stroke="currentColor" strokeWidth="1.5" vectorEffect="non-scaling-stroke" />
    </svg>
  );
}

// Sets of joints that belong together: a click selects one; those that cannot all hold are marked in view and outliner, too.
function Chips({ sets, label, kind }: { sets: string[][]; label: string; kind: 'calm' | 'error' }) {
  const { set } = useStudio();
  const shown = usePage((page) => (kind === 'error' ? page.highlight : page.selection.joints));
  if (sets.length === 0) return null;
  return (
    <ul className="assemble-sets" aria-label={label}>
      {sets.map((joints) => {
        const key = joints.join('\n');
        const on = joints.length === shown.length && joints.every((name) => shown.includes(name));
        return (
          <li key={key}>
            <button
              type="button"
              className={`chip ${kind}`}
              aria-pressed={on}
              title="Show these joints"
              onClick={() =>
                set({
                  highlight: on || kind === 'calm' ? [] : joints,
                  ...(on && kind === 'error' ? {} : { selection: { solids: [], joints: on ? [] : joints } }),
                })
              }>
              {joints.slice(0, 4).join(' · ')}
              {joints.length > 4 ? ` +${joints.length - 4}` : ''}
            </button>
          </li>
        );
      })}
    </ul>
  );
}

// 'elbow by 12 mm', 'elbow (angle) by 0.2 rad'
function gaveWords({ joint, coordinate, metres, radians }: Yielded): string {
  const far = [
    ...(metres > 1e-12 || radians <= 1e-12 ? [metres > 1e-12 ? errorWords(metres) : 'nothing'] : []),
    ...(radians > 1e-12 ? [`${short(radians)} rad`] : []),
  ];
  return `${joint}${coordinate ? ` (${coordinate})` : ''} by ${far.join(' and ')}`;
}

// How far each joint gave way, those that gave most first.
function Gave({ yielded }: { yielded: Yielded[] }) {
  if (yielded.length === 0) return null;
  const size = (one: Yielded): number => Math.max(one.metres, one.radians);
  const sorted = [...yielded].sort((a, b) => size(b) - size(a));
  return (
    <>
      <p className="hint">These gave way:</p>
      <ul className="assemble-gave" aria-label="Joints that gave way">
        {sorted.map((one) => (
          <li key={`${one.joint} ${one.coordinate ?? ''}`}>{gaveWords(one)}</li>
        ))}
      </ul>
    </>
  );
}

// Redundant constraints that do not contradict each other are no fault.
function redundancyWords(sets: string[][], { scene, poses }: Page): string {
  if (scene && sets.length > 0 && sets.every((joints) => areFlat(scene, poses, joints)))
    return 'This is normal for a flat linkage in space. Every joint also holds its solids in the plane. That is more than the linkage needs, and the joints agree.';
  return 'These constraints agree with each other, so the motion is well defined. The forces are not: the joints could share them in many ways.';
}

export default function Assemble() {
  const { get, engine } = useStudio();
  const verdict = usePage((page) => (page.verdict?.stale ? null : page.verdict));
  const open = usePage((page) => page.scene !== null);
  const name = usePage((page) => page.scene?.name);
  const task = usePage((page) => page.task);
  const methods = usePage((page) => page.catalogue?.assembly) ?? [];
  const [chosen, setMethod] = useState<string | null>(null);
  const method = chosen ?? methods[0];
  const [seed, setSeed] = useState(1);
  const [report, setReport] = useState<Report | null>(null);
  const [busy, setBusy] = useState(false);
  const id = useId();

  useEffect(() => setReport(null), [name]);
  // Large scenes have no verdict until somebody looks here.
  useEffect(() => {
    if (open && !verdict && !get().playing) void engine.run({ ask: 'verdict' });
    // eslint-disable-next-line react-hooks/exhaustive-deps -- asked once for each scene, not whenever there is no verdict
  }, [open, name]);

  // Joints that are to yield do so by equal weights, and by the session's own method, which knows of it.
  const assemble = async (yielding: string[] = []): Promise<void> => {
    setBusy(true);
    const how = yielding.length > 0 ? { yield: yielding.map((joint) => ({ joint })) } : method ? { method } : {};
    const answer = await engine.run({ do: 'assemble', ...how, trace: true });
    setBusy(false);
    if (!answer.ok) return;
    const frames = (answer.frames ?? []) as Report['way'];
    const end = { iteration: Number(answer.iterations), error: answer.max_error as number | null };
    setReport({
      ...(answer as unknown as Report),
      yielded: (answer.yielded ?? []) as Yielded[],
      way: [{ iteration: 0, error: answer.start_error as number | null }, ...frames, end],
    });
  };
  const scatter = async (): Promise<void> => {
    await engine.run({ do: 'scatter', seed });
    setSeed(seed + 1);
    setReport(null);
  };

  return (
    <div className="panel">
      <div className="panel-body">
        <section aria-labelledby={`${id}-assemble`}>
          <h3 className="panel-title" id={`${id}-assemble`}>
            Assemble
          </h3>
          <div className="row assemble-do">
            <button type="button" className="button primary" disabled={!open || busy} onClick={() => void assemble()}>
              Assemble
            </button>
            <label className="visually-hidden" htmlFor={`${id}-method`}>
              Method of assembly
            </label>
            <select id={`${id}-method`} value={method} onChange={(event) => setMethod(event.target.value)}>
              {methods.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </div>
          <div className="row assemble-do">
            <button
              type="button"
              className="button"
              disabled={!open}
              onClick={() => void scatter()}
              title="Put every solid at a random pose, to assemble again">
              <Icon name="dice" /> Scatter
            </button>
            <label htmlFor={`${id}-seed`} className="dim">
              seed
            </label>
            <NumberBox id={`${id}-seed`} value={seed} min={0} max={1e9} onCommit={(value) => setSeed(Math.round(value))} />
          </div>
          {report && (
            <div className="assemble-report" aria-live="polite">
              <p>
                <b className={report.status === 'converged' ? 'good' : 'bad'}>{statusWords[report.status] ?? report.status}</b>
                {`: error ${report.yielded.length > 0 ? 'of all others ' : ''}${errorWords(report.start_error)} → ${errorWords(report.max_error)}, ${counted(report.iterations, 'iteration')}`}
                {report.restarts > 0 && `, ${counted(report.restarts, 'restart')}`}, {milliseconds(report.milliseconds)}.
              </p>
              {report.reason && <p className="hint">{`${report.reason.charAt(0).toUpperCase()}${report.reason.slice(1)}.`}</p>}
              <Gave yielded={report.yielded} />
              <Way way={report.way} />
              {task?.fraction !== undefined && <progress aria-label="Iterations shown" value={task.fraction} max={1} />}
            </div>
          )}
        </section>
        <section aria-labelledby={`${id}-verdict`}>
          <div className="row assemble-head">
            <h3 className="panel-title" id={`${id}-verdict`}>
              Verdict
            </h3>
            <button type="button" className="button quiet" disabled={!open} onClick={() => void engine.run({ ask: 'verdict' })}>
              Examine
            </button>
          </div>
          {verdict ? (
            <>
              <div className="assemble-numbers">
                <div>
                  <b className="number">{verdict.dof}</b>
                  <span>{verdict.dof === 1 ? 'degree' : 'degrees'} of freedom</span>
                </div>
                <div>
                  <b className="number">{verdict.redundant}</b>
                  <span>{verdict.redundant === 1 ? 'redundant constraint' : 'redundant constraints'}</span>
                </div>
                <div className={verdict.conflicts.length > 0 ? 'bad' : ''}>
                  <b className="number">{verdict.conflicts.length}</b>
                  <span>{verdict.conflicts.length === 1 ? 'conflict' : 'conflicts'}</span>
                </div>
              </div>
              <p>{verdict.words}</p>
              {verdict.conflicts.length > 0 && <p className="hint">These joints cannot all hold:</p>}
              <Chips sets={verdict.conflicts} label="Joints that contradict each other" kind="error" />
              {verdict.conflicts.length > 0 && (
                <button
                  type="button"
                  className="button"
                  disabled={busy}
                  title="Assemble the scene, and let these joints open as little as they must"
                  onClick={() => void assemble([...new Set(verdict.conflicts.flat())])}>
                  Relax these
                </button>
              )}
              {verdict.redundant > 0 && verdict.conflicts.length === 0 && (
                <p className="hint assemble-calm">{redundancyWords(verdict.redundant_joints, get())}</p>
              )}
              {verdict.redundant > 0 && verdict.conflicts.length > 0 && <p className="hint">Joints that share redundant constraints:</p>}
              <Chips sets={verdict.redundant_joints} label="Redundant joints" kind="calm" />
            </>
          ) : (
            <p className="hint">{open ? 'There is no verdict on this pose yet. Press Examine.' : 'No scene is open.'}</p>
          )}
        </section>
      </div>
    </div>
  );
}
