// Methods side by side: the session's own, and others as ghosts that take the same steps from the same state.
import { useEffect, useState } from 'react';
import { methodColour } from '../store/colours';
import type { Measures, Page } from '../store/store';
import { milliseconds, short } from './numbers';
import { usePage, useStudio } from './use';
import './Compare.css';

const energyOf = (measures: Measures | null | undefined): number | null =>
  measures && measures.kinetic !== null && measures.potential !== null ? measures.kinetic + measures.potential : null;

interface Line {
  method: string;
  error: number | null;
  drift: number | null;
  milliseconds: number;
}

function lines({ history, measures, ghosts, state, milliseconds: cost }: Page): Line[] {
  const begun = (method: string): number | null => energyOf(history.find((sample) => sample.method === method));
  const line = (method: string, now: Measures | null, time: number): Line => {
    const first = begun(method);
    const energy = energyOf(now);
    return { method, error: now?.error ?? null, drift: first === null || energy === null ? null : energy - first, milliseconds: time };
  };
  const own = state?.settings.method ?? '';
  return [line(own, measures, cost), ...ghosts.map((ghost) => line(ghost.method, ghost.measures, ghost.milliseconds))];
}

export default function Compare() {
  const { element, get, set, engine } = useStudio();
  const catalogue = usePage((page) => page.catalogue);
  const known = catalogue?.methods ?? [];
  const methods = known.map(({ name }) => name);
  const own = usePage((page) => page.state?.settings.method ?? '');
  const ghosts = usePage((page) => page.ghosts.map((ghost) => ghost.method).join(' '));
  const open = usePage((page) => page.scene !== null);
  const playing = usePage((page) => page.playing);
  const plots = usePage((page) => page.panels.plots);
  usePage((page) => Math.floor(page.frame / 6)); // numbers are read ten times a second
  const [chosen, setChosen] = useState<string[]>(ghosts === '' ? [] : ghosts.split(' '));
  // A comparison may be begun elsewhere.
  useEffect(() => {
    if (ghosts !== '') setChosen(ghosts.split(' '));
  }, [ghosts]);
  const others = chosen.filter((method) => method !== own);
  const on = ghosts !== '';

  const choose = (method: string, with_: boolean): void => {
    const next = with_ ? [...others, method] : others.filter((each) => each !== method);
    setChosen(next);
    if (on || next.length === 0) void engine.compare(next);
  };
  const start = async (): Promise<void> => {
    const next = others.length > 0 ? others : methods.filter((method) => method !== own).slice(0, 1);
    setChosen(next);
    // Where both have room.
    if (element.clientWidth >= 760) set({ panels: { ...get().panels, plots: true } });
    await engine.compare(next);
  };
  const again = async (): Promise<void> => {
    const went = get().playing;
    await engine.run({ do: 'reset' });
    if (went) engine.play(true);
  };
  const now = new Map(lines(get()).map((line) => [line.method, line]));

  return (
    <div className="panel">
      <div className="panel-body">
        <section>
          <h3 className="panel-title">Compare methods</h3>
          <p className="hint">The other methods run as ghosts beside the current method. They start from the same state and take the same steps.</p>
        </section>
        <table className="compare">
          <caption className="visually-hidden">Compared methods</caption>
          <thead>
            <tr>
              <th scope="col">Method</th>
              <th scope="col">Error</th>
              <th scope="col" title="Energy gained or lost [J]">
                Energy
              </th>
              <th scope="col" title="Computing time of one step">
                Step
              </th>
            </tr>
          </thead>
          <tbody>
            {known.map(({ name: method, summary }) => {
              const line = on || method === own ? now.get(method) : undefined;
              const isOwn = method === own;
              return (
                <tr key={method} className={line ? 'on' : ''}>
                  <th scope="row">
                    <label title={summary}>
                      <input
                        type="checkbox"
                        checked={isOwn || others.includes(method)}
                        disabled={isOwn || !open}
                        onChange={(event) => choose(method, event.target.checked)}
                      />
                      <span className="compare-colour" style={{ background: methodColour(catalogue, method) }} />
                      <span className="compare-name">
                        {method}
                        {isOwn && <span className="dim"> (current)</span>}
                      </span>
                    </label>
                  </th>
                  <td className="number">{line ? short(line.error) : ''}</td>
                  <td className="number">{line ? short(line.drift) : ''}</td>
                  <td className="number">{line && line.milliseconds > 0 ? milliseconds(line.milliseconds) : ''}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
        <div className="row">
          {on ? (
            <button type="button" className="button" onClick={() => void engine.compare([])}>
              End comparison
            </button>
          ) : (
            <button type="button" className="button primary" disabled={!open} onClick={() => void start()}>
              Compare{others.length > 0 ? ` ${others.length + 1} methods` : ''}
            </button>
          )}
          <button type="button" className="button" disabled={!on} onClick={() => void again()} title="Every method starts again at the pose in the text">
            Start again
          </button>
          <button type="button" className="button" disabled={!open} onClick={() => engine.play(!playing)}>
            {playing ? 'Pause' : 'Play'}
          </button>
          {!plots && (
            <button type="button" className="button quiet" onClick={() => set({ panels: { ...get().panels, plots: true } })}>
              Show plots
            </button>
          )}
        </div>
      </div>
    </div>
  );
}
