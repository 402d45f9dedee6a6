// How motion is computed, and how much time posing may take.
import { useEffect, useId } from 'react';
import type { Catalogue, CatalogueSetting, Page, Settings, Vec3, Way } from '../store/store';
import NumberBox from './NumberBox';
import { counted, errorWords, milliseconds } from './numbers';
import Icon from './icons';
import Slider from './Slider';
import { usePage, useStudio } from './use';
import './Solver.css';

const rates = [30, 60, 120, 240, 480, 960];
const leastBudget = 0.1; // [ms]
const mostBudget = 32;
const gravities: { name: string; value: Vec3 }[] = [
  { name: 'Earth', value: [0, -9.81, 0] },
  { name: 'Moon', value: [0, -1.62, 0] },
  { name: 'None', value: [0, 0, 0] },
];

function useChange(): (settings: Record<string, unknown>) => void {
  const { engine } = useStudio();
  return (settings) => void engine.run({ do: 'settings', ...settings });
}

// These have controls of their own, or none here.
const elsewhere = new Set(['method', 'dt', 'duration', 'budget']);
export function motionSettings(catalogue: Catalogue | null, method: string): CatalogueSetting[] {
  return (catalogue?.settings ?? []).filter(({ name, motion }) => !elsewhere.has(name) && !name.startsWith('pull-') && motion?.methods.includes(method));
}
// Newton follows a hand by its own solver.
export function pullSettings(catalogue: Catalogue | null, method: string): CatalogueSetting[] {
  const all = (catalogue?.settings ?? []).filter(({ name }) => name.startsWith('pull-'));
  return method === 'displacement' ? all : all.filter(({ name }) => name === 'pull-method' || name === 'pull-iterations');
}

const greek: Record<string, string> = { alpha: 'α', beta: 'β' };
export function labelOf(name: string): string {
  const words = name.replaceAll('-', ' ');
  return greek[name] ?? words[0].toUpperCase() + words.slice(1);
}
export function rangeWords({ kind, most }: CatalogueSetting): string {
  if (kind === 'switch' || kind === 'choice') return '';
  const least = kind === 'positive' ? 'more than 0' : kind === 'whole' ? 'a whole number from 0' : 'from 0';
  return most === null || most === undefined ? least : `${least}${kind === 'positive' ? ', at most' : ' to'} ${most}`;
}

// A setting of the catalogue, by its kind.
function Control({ setting, value }: { setting: CatalogueSetting; value: Settings[string] | undefined }) {
  const change = useChange();
  const { name, kind, unit, help, most, motion } = setting;
  const id = useId();
  const now = value ?? motion?.default ?? null;
  const range = rangeWords(setting);
  const label = (
    <label htmlFor={id} title={range === '' ? help : `${help} (${range})`}>
      {labelOf(name)}
    </label>
  );
  if (kind === 'switch')
    return (
      <>
        {label}
        <input id={id} type="checkbox" className="solver-switch" checked={now === true} onChange={(event) => change({ [name]: event.target.checked })} />
      </>
    );
  if (kind === 'choice')
    return (
      <>
        {label}
        <select id={id} value={String(now)} onChange={(event) => change({ [name]: event.target.value })}>
          {(motion?.words ?? [String(now)]).map((word) => (
            <option key={word}>{word}</option>
          ))}
        </select>
      </>
    );
  return (
    <>
      {label}
      <div className="row solver-number">
        <NumberBox
          id={id}
          value={Number(now)}
          min={kind === 'positive' ? Number.MIN_VALUE : 0}
          max={most ?? undefined}
          onCommit={(number) => change({ [name]: kind === 'whole' ? Math.round(number) : number })}
        />
        {unit !== '' && <span>{unit}</span>}
      </div>
    </>
  );
}

// What the budget buys: read while a hand pulls.
function Budget() {
  const change = useChange();
  const budget = usePage((page) => page.state?.settings.budget ?? 4);
  const posing = usePage((page) => page.posing);
  const error = usePage((page) => page.measures?.error ?? null);
  const id = useId();
  const place = Math.log(budget / leastBudget) / Math.log(mostBudget / leastBudget);
  const off = posing?.error ?? error;
  // From a nanometre (nothing to see) to a decimetre, by powers of ten.
  const accuracy = off === null ? 0 : Math.min(1, Math.max(0, (-1 - Math.log10(Math.max(off, 1e-12))) / 8));
  const share = posing ? Math.min(1, posing.milliseconds / Math.max(budget, posing.milliseconds)) : 0;
  return (
    <section aria-labelledby={`${id}-title`}>
      <h3 className="panel-title" id={`${id}-title`}>
        Posing budget
      </h3>
      <div className="solver-budget">
        <span>faster</span>
        <Slider
          label="Posing budget"
          value={place}
          min={0}
          max={1}
          step={0.01}
          text={milliseconds(budget)}
          onChange={(at, drag) => change({ budget: Number((leastBudget * (mostBudget / leastBudget) ** at).toPrecision(3)), drag })}
        />
        <span>more accurate</span>
        <output className="number">{milliseconds(budget)}</output>
      </div>
      <dl className="solver-meters">
        <dt>joint error</dt>
        <dd className="number">{errorWords(off)}</dd>
        <dd className="solver-bar">
          <span style={{ width: `${100 * accuracy}%` }} className={accuracy < 0.3 ? 'poor' : ''} />
        </dd>
        <dt>time taken</dt>
        <dd className="number">{posing ? milliseconds(posing.milliseconds) : '–'}</dd>
        <dd className="solver-bar">
          <span style={{ width: `${100 * share}%` }} />
        </dd>
        <dt>pointer lag</dt>
        <dd className="number">{posing ? errorWords(posing.want) : '–'}</dd>
        <dd className="hint">{posing ? counted(posing.iterations, 'iteration') : ''}</dd>
      </dl>
      <p className="hint">Each update of a drag may take this long. If joints are still open then, they close when the pointer rests.</p>
    </section>
  );
}

// Which islands the next step has, and which way each goes.
export function wayWords({ way, why, islands, solids, first }: Way): { title: string; because: string } {
  const one = islands === 1;
  const title =
    one && solids > 1 ? `1 island, ${counted(solids, 'solid')}, with ${first}` : one ? `1 island, ${first}` : `${islands} islands, ${counted(solids, 'solid')}`;
  if (way !== 'rows')
    return { title, because: `${one ? 'It has' : 'They have'} ${way === 'tree kernel' ? 'no loops' : 'loops'}, and the kernel knows all that acts there.` };
  const list = why.map((each) => each.replaceAll('`', ''));
  return { title, because: `Because of ${list.length > 1 ? `${list.slice(0, -1).join(', ')} and ${list[list.length - 1]}` : list[0]}.` };
}
// What may change the islands, as one word; not the frames of a motion, but its seconds.
export function actingKey({ scene, state, playing, measures }: Pick<Page, 'scene' | 'state' | 'playing' | 'measures'>): string | null {
  if (!scene || !state) return null;
  const { grabs, pins, frozen, merged, limits, forces, settings, damp, undo, redo } = state;
  return [
    scene.name,
    scene.solids.length,
    scene.joints.length,
    ...grabs.map(({ id }) => id),
    '-',
    pins.length,
    frozen.length,
    merged.length,
    limits.length,
    forces.length,
    settings.method,
    settings.solver,
    damp > 0,
    undo.length,
    redo.length,
    playing,
    Math.floor(measures?.time ?? 0),
  ].join(' ');
}

function Ways({ byIslands }: { byIslands: boolean }) {
  const { engine } = useStudio();
  const ways = usePage((page) => page.ways);
  const key = usePage(actingKey);
  const id = useId();
  useEffect(() => {
    if (key !== null) void engine.run({ ask: 'ways' });
  }, [engine, key]);
  return (
    <section aria-labelledby={`${id}-title`}>
      <h3 className="panel-title" id={`${id}-title`}>
        Islands
      </h3>
      {!byIslands ? (
        <p className="hint">This method moves the whole scene at once, by rows.</p>
      ) : ways === null ? null : ways.length === 0 ? (
        <p className="hint">Nothing here can move.</p>
      ) : (
        <>
          <ul className="solver-ways">
            {ways.map((way) => {
              const { title, because } = wayWords(way);
              return (
                <li key={`${way.way} ${way.why.join()}`}>
                  <span className="solver-way-title" title={title}>
                    {title}
                  </span>
                  <span className={`solver-way ${way.way === 'rows' ? 'general' : 'fast'}`}>{way.way}</span>
                  <p className="hint">{because}</p>
                </li>
              );
            })}
          </ul>
          <p className="hint">Solids that act on each other are an island. Kernels are fast. Rows can do everything, and take longer.</p>
        </>
      )}
    </section>
  );
}

export default function Solver() {
  const { engine } = useStudio();
  const change = useChange();
  const settings = usePage((page) => page.state?.settings);
  const gravity = usePage((page) => page.state?.gravity);
  const damp = usePage((page) => page.state?.damp ?? 0);
  const catalogue = usePage((page) => page.catalogue);
  const id = useId();
  if (!settings || !gravity)
    return (
      <div className="panel">
        <div className="panel-body hint">No scene is open.</div>
      </div>
    );
  const methods = catalogue?.methods ?? [];
  const method = methods.find(({ name }) => name === settings.method);
  return (
    <div className="panel">
      <div className="panel-body">
        <section aria-labelledby={`${id}-motion`}>
          <h3 className="panel-title" id={`${id}-motion`}>
            Motion
          </h3>
          <div className="fields">
            <label htmlFor={`${id}-method`}>Method</label>
            <select id={`${id}-method`} value={settings.method} onChange={(event) => change({ method: event.target.value })}>
              {(method ? methods.map(({ name }) => name) : [settings.method]).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
            <p className="hint wide">{method?.summary ?? ''}</p>
            <label htmlFor={`${id}-dt`}>Time step</label>
            <div className="row solver-step">
              <NumberBox id={`${id}-dt`} value={1000 * settings.dt} min={0.001} max={1000} digits={4} onCommit={(dt) => change({ dt: dt / 1000 })} />
              <span>ms</span>
              <select
                aria-label="Steps per second"
                value={rates.find((rate) => Math.abs(rate * settings.dt - 1) < 1e-3) ?? ''}
                onChange={(event) => change({ dt: 1 / Number(event.target.value) })}>
                <option value="" disabled>
                  rate
                </option>
                {rates.map((rate) => (
                  <option key={rate} value={rate}>
                    {rate} Hz
                  </option>
                ))}
              </select>
            </div>
            {motionSettings(catalogue, settings.method).map((setting) => (
              <Control key={setting.name} setting={setting} value={settings[setting.name]} />
            ))}
          </div>
        </section>
        <Ways byIslands={method?.islands ?? false} />
        <Budget />
        <section aria-labelledby={`${id}-pull`}>
          <h3 className="panel-title" id={`${id}-pull`}>
            Pulling
          </h3>
          <div className="fields">
            {pullSettings(catalogue, String(settings['pull-method'] ?? '')).map((setting) => (
              <Control key={setting.name} setting={setting} value={settings[setting.name]} />
            ))}
          </div>
          <p className="hint">With displacement, a hand pulls like a joint. Few iterations are fast and leave joints open. They close as the hand rests.</p>
        </section>
        <section aria-labelledby={`${id}-world`}>
          <h3 className="panel-title" id={`${id}-world`}>
            World
          </h3>
          <div className="fields">
            <span className="label" id={`${id}-gravity`}>
              Gravity
            </span>
            <div className="solver-vector" role="group" aria-labelledby={`${id}-gravity`}>
              {(['x', 'y', 'z'] as const).map((axis, k) => (
                <NumberBox
                  key={axis}
                  label={`Gravity along ${axis}, metres per second squared`}
                  value={gravity[k]}
                  digits={4}
                  onCommit={(value) => void engine.run({ do: 'gravity', value: gravity.map((old, i) => (i === k ? value : old)) })}
                />
              ))}
            </div>
            <span />
            <div className="row">
              {gravities.map(({ name, value }) => (
                <button
                  key={name}
                  type="button"
                  className="button"
                  aria-pressed={value.every((x, k) => Math.abs(x - gravity[k]) < 0.02)}
                  onClick={() => void engine.run({ do: 'gravity', value })}>
                  {name}
                </button>
              ))}
            </div>
            <span className="label">Damping</span>
            <div className="solver-damp">
              <Slider
                label="Damping"
                value={Math.min(10, damp)}
                min={0}
                max={10}
                step={0.1}
                text={damp.toFixed(1)}
                onChange={(value, drag) => void engine.run({ do: 'damp', value, drag })}
              />
              <output className="number">{damp.toFixed(1)}</output>
            </div>
            <span />
            <button type="button" className="button" title="Set all velocities to zero" onClick={() => void engine.run({ do: 'stop' })}>
              <Icon name="stop" size={14} /> Stop all motion
            </button>
          </div>
        </section>
      </div>
    </div>
  );
}
