// What can be said of the selected thing, or of the scene. Fields come from the catalogue of joints and from the text.
import { useEffect, useId, useMemo, useRef, useState, type ReactNode } from 'react';
import type { CatalogueKind, Joint, Solid, Vec3 } from '../store/store';
import { Glyph, jointGlyph } from './glyphs';
import { openPanel } from './list';
import NumberField from './NumberField';
import { counted, errorWords } from './numbers';
import { fromSlider, rewritten, sliderOf, sliderStep, toSlider } from './parameters';
import { short, showCoordinate, writeCoordinate } from './quantity';
import { statementsOf, topStatements, written, type Statement } from './scan';
import { select } from './selection';
import Slider from './Slider';
import type { Studio } from './studio';
import TextProperty from './TextProperty';
import { latest, usePage, usePageShallow, useStudio } from './use';
import './Properties.css';

const radian = Math.PI / 180;
const vec = (v: Vec3 | number[], digits = 4): string => v.map((x) => short(x, digits)).join('  ');
const norm = (v: Vec3): number => Math.hypot(v[0], v[1], v[2]);

function Part({ title, children, aside }: { title: string; children: ReactNode; aside?: ReactNode }) {
  return (
    <section className="properties-part" aria-label={title}>
      <h3 className="properties-heading">
        {title}
        {aside}
      </h3>
      {children}
    </section>
  );
}

function Head({ glyph, name, kind, children }: { glyph: Parameters<typeof Glyph>[0]['name']; name: string; kind: string; children?: ReactNode }) {
  return (
    <div className="properties-head">
      <span className="properties-icon">
        <Glyph name={glyph} />
      </span>
      <span className="properties-name" title={name}>
        {name}
      </span>
      <span className="properties-kind">{kind}</span>
      {children}
    </div>
  );
}

// ------------------------------------------------------------------------------------------------------ joints

function Coordinate({ joint, coordinate, statements }: { joint: Joint; coordinate: CatalogueKind['coordinates'][number]; statements: Statement[] }) {
  const { run } = useStudio();
  const { name, angular, free } = coordinate;
  const value = usePage((p) => p.joints[joint.name]?.coordinates[name] ?? null);
  const live = usePage((p) => p.state?.limits.find((l) => l.joint === joint.name && l.coordinate === name) ?? null);
  const send = useRef(latest(run));
  const asked = usePage((p) => (p.limits === joint.name ? p.asked : 0));
  const rule = joint.rules.find((r) => r.kind === 'limit' && r.coordinate === name) ?? null;
  const lower = live ? live.lower : (rule?.lower ?? null);
  const upper = live ? live.upper : (rule?.upper ?? null);
  // Open where there are some, or where they were asked for.
  const [folded, setFolded] = useState(lower === null && upper === null);
  useEffect(() => {
    if (asked > 0) setFolded(false);
  }, [asked]);
  const factor = angular ? radian : 1;
  const unit = angular ? 'deg' : 'm';
  const reach = angular ? Math.PI : Math.max(1, 1.5 * Math.abs(value ?? 0));
  const move = (next: number | null, drag?: number): void => {
    if (next !== null) send.current({ do: 'coordinate', joint: joint.name, coordinate: name, value: next, drag });
  };
  const limit = (change: { lower?: number | null; upper?: number | null }, drag?: number): void =>
    void run({ do: 'limit', joint: joint.name, coordinate: name, lower, upper, ...change, drag });
  const keep = (): void => {
    const ends = [lower === null ? '' : `min ${writeCoordinate(lower, angular)}`, upper === null ? '' : `max ${writeCoordinate(upper, angular)}`];
    const values = ends.filter((e) => e !== '').join(' ');
    const has = written(statements, `limit ${name}`) !== null;
    if (values !== '') void run({ do: 'set', path: joint.name, property: `limit ${name}`, values });
    else if (has) void run({ do: 'unset', path: joint.name, property: `limit ${name}` });
  };
  const low = Math.min(lower ?? -reach, value ?? 0);
  const high = Math.max(upper ?? reach, value ?? 0);
  const field = { dimension: angular ? ('angle' as const) : ('length' as const), unit, factor, step: angular ? 1 : 0.01 };
  return (
    <div className="coordinate">
      <div className="coordinate-line">
        {free ? (
          <NumberField label={name} value={value} onChange={move} {...field} min={lower ?? -Infinity} max={upper ?? Infinity} />
        ) : (
          <>
            <span className="label">{name}</span>
            <output className="number coordinate-value">{showCoordinate(value, angular)}</output>
          </>
        )}
        <button
          type="button"
          className="button quiet icon coordinate-limits"
          aria-expanded={!folded}
          aria-label={`Limits of ${name}`}
          title={`Limits of ${name}`}
          onClick={() => setFolded(!folded)}>
          <span className={`coordinate-mark${lower !== null || upper !== null ? ' on' : ''}`} aria-hidden="true">
            [ ]
          </span>
        </button>
      </div>
      {free ? (
        <Slider
          label={`${name} of ${joint.name}`}
          value={(value ?? 0) / factor}
          min={low / factor}
          max={high / factor}
          step={angular ? 0.5 : Math.max(1e-4, (high - low) / 500)}
          onChange={(x, drag) => move(x * factor, drag)}
          text={showCoordinate(value, angular)}
        />
      ) : null}
      {folded ? null : (
        <div className="coordinate-range">
          <NumberField label="min" value={lower} onChange={(x, drag) => limit({ lower: x }, drag)} empty="none" {...field} />
          <NumberField label="max" value={upper} onChange={(x, drag) => limit({ upper: x }, drag)} empty="none" {...field} />
          {live ? (
            <button type="button" className="button" onClick={keep} title="The limit holds until you edit the text. This button writes the limit into the text">
              Write into text
            </button>
          ) : null}
        </div>
      )}
    </div>
  );
}

function JointProperties({ joint }: { joint: Joint }) {
  const { page, run } = useStudio();
  const kind = usePage((p) => p.catalogue?.kinds.find((k) => k.name === joint.kind) ?? null);
  const now = usePage((p) => p.joints[joint.name] ?? null);
  const text = usePage((p) => p.text);
  const held = usePageShallow((p) => ({ frozen: p.state?.frozen.includes(joint.name) ?? false, merged: p.state?.merged.includes(joint.name) ?? false }));
  const statements = useMemo(() => statementsOf(text, joint.name, joint.line, joint.shared), [text, joint]);
  const flip = (on: boolean, what: 'freeze' | 'merge'): void => void run({ do: on ? `un${what}` : what, joints: [joint.name] });
  const solid = (name: string) =>
    name === '' ? (
      <span className="dim">the world</span>
    ) : (
      <button type="button" className="properties-link" onClick={() => select(page, { solids: [name] })}>
        {name}
      </button>
    );
  const options = kind?.options ?? [];
  const others = ['compliance', 'damp', 'weight'];
  return (
    <>
      <Head glyph={jointGlyph(joint.kind)} name={joint.name} kind={joint.kind} />
      {kind ? (
        <p className="hint properties-summary">
          {kind.summary}
          {kind.papers !== '' && kind.papers !== '–' ? ` · ${kind.papers}` : ''} ·{' '}
          <a href="docs/joints.html" target="_blank" rel="noreferrer">
            About joints
          </a>
        </p>
      ) : null}
      <div className="properties-actions">
        <button
          type="button"
          className="button"
          aria-pressed={held.frozen}
          onClick={() => flip(held.frozen, 'freeze')}
          title="Lock this joint as it stands: its solids become one (Z)">
          <Glyph name="freeze" />
          {held.frozen ? 'Frozen' : 'Freeze'}
        </button>
        <button
          type="button"
          className="button"
          aria-pressed={held.merged}
          onClick={() => flip(held.merged, 'merge')}
          title="Freeze this joint, and show its solids as one (M)">
          <Glyph name="merge" />
          {held.merged ? 'Merged' : 'Merge'}
        </button>
      </div>
      {kind && kind.coordinates.length > 0 ? (
        <Part title="Coordinates">
          {kind.coordinates.map((c) => (
            <Coordinate key={`${joint.name} ${c.name}`} joint={joint} coordinate={c} statements={statements} />
          ))}
        </Part>
      ) : null}
      <Part title="Now">
        <dl className="properties-list">
          <dt>Error</dt>
          <dd className={`number${(now?.error ?? 0) > 1e-4 ? ' bad' : ''}`}>{now ? errorWords(now.error) : '–'}</dd>
          <dt>Force</dt>
          <dd className="number" title={now ? `${vec(now.force)} N` : undefined}>
            {now ? `${short(norm(now.force), 3)} N` : '–'}
          </dd>
          <dt>Torque</dt>
          <dd className="number" title={now ? `${vec(now.torque)} N m` : undefined}>
            {now ? `${short(norm(now.torque), 3)} N m` : '–'}
          </dd>
        </dl>
      </Part>
      <Part title="Solids that it joins">
        <dl className="properties-list">
          <dt>object1</dt>
          <dd>{solid(joint.solid1)}</dd>
          <dt>object2</dt>
          <dd>{solid(joint.solid2)}</dd>
        </dl>
      </Part>
      <Part title="In the text" aside={<Origin line={joint.line} shared={joint.shared} />}>
        <div className="fields">
          {options.map((o) => (
            <TextProperty
              key={o.name}
              path={joint.name}
              property={o.name}
              written={written(statements, o.name)}
              hint={o.unit === '' ? undefined : `in ${o.unit}, unless you write a unit`}
              fallback={joint.options[o.name]?.map((x) => short(x)).join(' ') ?? (o.required ? 'required' : short(o.fallback))}
            />
          ))}
          {others.map((p) => (
            <TextProperty
              key={p}
              path={joint.name}
              property={p}
              written={written(statements, p)}
              fallback={p === 'compliance' ? short(joint.compliance) : '–'}
            />
          ))}
        </div>
      </Part>
    </>
  );
}

// Selecting it once more makes the text scroll to it, if it is open already.
function showInText({ page, set }: Studio): void {
  openPanel(page, 'text');
  set(({ selection }) => ({ selection: { ...selection } }));
}

function Origin({ line, shared }: { line: number; shared: boolean }) {
  const studio = useStudio();
  return (
    <span className="properties-origin">
      {shared ? (
        <span title="A figure, a repetition or another file made this. A change is written as an override at the end of the text">override</span>
      ) : null}
      {line > 0 ? (
        <button type="button" className="properties-link" onClick={() => showInText(studio)}>
          line {line}
        </button>
      ) : null}
    </span>
  );
}

// ------------------------------------------------------------------------------------------------------ solids

function Position({ index, com }: { index: number; com: Vec3 }) {
  const place = usePage((p) => {
    const at = p.poses.subarray(index * 7, index * 7 + 3);
    return at.length === 3 ? Array.from(at, (x) => x.toFixed(3)).join('  ') : '–';
  });
  return (
    <>
      <dt>Position</dt>
      <dd className="number">{place}</dd>
      <dt>Centre of mass</dt>
      <dd className="number" title="In the solid’s own frame">
        {vec(com, 3)}
      </dd>
    </>
  );
}

const toHex = (c: Vec3): string =>
  `#${c
    .map((x) =>
      Math.round(255 * Math.min(1, Math.max(0, x)))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;

function ForceFields({ solid, index }: { solid: Solid; index: number }) {
  const { run } = useStudio();
  const id = 1000 + index; // the page's number of this force
  const force = usePage((p) => p.state?.forces.find((f) => f.id === id)?.force ?? null);
  const send = useRef(latest(run));
  const now: Vec3 = force ?? [0, 0, 0];
  const change = (axis: number, value: number | null, drag?: number): void => {
    const next: Vec3 = [...now];
    next[axis] = value ?? 0;
    send.current({ do: 'force', solid: solid.name, point: solid.com, force: next, id, drag });
  };
  const size = Math.max(1, solid.mass);
  return (
    <Part
      title="Force at its centre"
      aside={
        force ? (
          <button
            type="button"
            className="properties-link"
            onClick={() => void run({ do: 'force', solid: solid.name, point: solid.com, force: [0, 0, 0], id })}>
            remove
          </button>
        ) : null
      }>
      <div className="properties-vector">
        {(['x', 'y', 'z'] as const).map((axis, i) => (
          <NumberField
            key={axis}
            label={axis}
            value={now[i] ?? 0}
            onChange={(x, drag) => change(i, x, drag)}
            dimension="force"
            unit="N"
            step={10 ** Math.floor(Math.log10(size))}
          />
        ))}
      </div>
    </Part>
  );
}

function SolidProperties({ solid }: { solid: Solid }) {
  const { page, run } = useStudio();
  const index = usePage((p) => p.scene?.solids.findIndex((s) => s.name === solid.name) ?? -1);
  const joints = usePage((p) => p.scene?.joints) ?? [];
  const text = usePage((p) => p.text);
  const pinned = usePage((p) => p.state?.pins.some((pin) => pin.solid === solid.name) ?? false);
  const statements = useMemo(() => statementsOf(text, solid.name, solid.line, solid.shared), [text, solid]);
  const own = joints.filter((j) => j.solid1 === solid.name || j.solid2 === solid.name);
  const moves = solid.kind === 'dynamic';
  const colourId = useId();
  const paint = useRef(latest(run));
  const setColour = (hex: string): void => {
    const values = [1, 3, 5].map((i) => short(parseInt(hex.slice(i, i + 2), 16) / 255, 3)).join(' ');
    paint.current({ do: 'set', path: solid.name, property: 'colour', values });
  };
  const shapes = [...new Set(solid.shapes.map((s) => s.kind))];
  const size = (kind: string): string | null => (statements.filter((s) => s.keyword === kind).length === 1 ? written(statements, kind) : null);
  return (
    <>
      <Head glyph={solid.kind} name={solid.name} kind={solid.point_mass ? 'point mass' : solid.kind} />
      {moves ? (
        <div className="properties-actions">
          <button
            type="button"
            className="button"
            aria-pressed={pinned}
            onClick={() => void run({ do: pinned ? 'unpin' : 'pin', solid: solid.name })}
            title="Hold this solid exactly where it is (P)">
            <Glyph name="pin" />
            {pinned ? 'Pinned' : 'Pin'}
          </button>
          <button
            type="button"
            className="button"
            disabled={own.length === 0}
            title="Freeze the joints of this solid (Z)"
            onClick={() => void run({ do: 'freeze', joints: own.map((j) => j.name) })}>
            <Glyph name="freeze" />
            Freeze its joints
          </button>
        </div>
      ) : null}
      <Part title="Now">
        <dl className="properties-list">
          <dt>Mass</dt>
          <dd className="number">{solid.kind === 'dynamic' ? `${short(solid.mass)} kg` : 'not used'}</dd>
          <Position index={index} com={solid.com} />
        </dl>
      </Part>
      {moves ? <ForceFields solid={solid} index={index} /> : null}
      <Part title="In the text" aside={<Origin line={solid.line} shared={solid.shared} />}>
        <div className="fields">
          <TextProperty path={solid.name} property="at" written={written(statements, 'at')} fallback="0 0 0" />
          {shapes
            .filter((kind) => size(kind) !== null)
            .map((kind) => (
              <TextProperty key={kind} path={solid.name} property={kind} written={size(kind)} />
            ))}
          <TextProperty path={solid.name} property="material" written={written(statements, 'material')} fallback="none" />
          <TextProperty path={solid.name} property="density" written={written(statements, 'density')} fallback="the material’s density" hint="kg/m³" />
          <TextProperty path={solid.name} property="mass" written={written(statements, 'mass')} fallback={`${short(solid.mass)} kg`} />
          {moves ? <TextProperty path={solid.name} property="velocity" written={written(statements, 'velocity')} fallback="0 0 0" hint="m/s" /> : null}
          {moves ? <TextProperty path={solid.name} property="spin" written={written(statements, 'spin')} fallback="0 0 0" hint="rad/s, or 60rpm" /> : null}
          <label htmlFor={colourId}>colour</label>
          <span className="properties-colour">
            <input id={colourId} type="color" value={toHex(solid.colour)} onChange={(event) => setColour(event.target.value)} />
            <span className="number">{vec(solid.colour, 2)}</span>
            {written(statements, 'colour') !== null ? (
              <button
                type="button"
                className="button quiet icon"
                aria-label="Remove the colour from the text"
                title="Remove the colour from the text"
                onClick={() => void run({ do: 'unset', path: solid.name, property: 'colour' })}>
                <Glyph name="close" />
              </button>
            ) : null}
          </span>
        </div>
      </Part>
      {own.length > 0 ? (
        <Part title={own.length === 1 ? 'Its joint' : `Its ${own.length} joints`}>
          <ul className="properties-links">
            {own.slice(0, 12).map((j) => (
              <li key={j.name}>
                <button type="button" className="properties-link" onClick={() => select(page, { joints: [j.name] })}>
                  <Glyph name={jointGlyph(j.kind)} />
                  {j.name}
                </button>
                <span className="dim">{j.kind}</span>
              </li>
            ))}
            {own.length > 12 ? <li className="dim">and {own.length - 12} more</li> : null}
          </ul>
        </Part>
      ) : null}
    </>
  );
}

// ------------------------------------------------------------------------------------------------------- scene

function ParameterField({ name }: { name: string }) {
  const { get, run } = useStudio();
  const parameter = usePage((p) => p.scene?.parameters.find((x) => x.name === name) ?? null);
  const text = usePage((p) => p.text);
  const send = useRef(latest(run));
  const values = useMemo(() => written(topStatements(text), `param ${name}`), [text, name]);
  if (!parameter) return null;
  const slider = sliderOf(parameter, values);
  const property = `param ${name}`;
  const change = (value: number | null, drag?: number): void => {
    if (value === null) return;
    // The text may have gone on since this was drawn.
    const now = written(topStatements(get().text), property);
    send.current({ do: 'set', path: '', property, values: rewritten(now, slider, value), drag });
  };
  if (slider.computed)
    return (
      <div className="fields parameter">
        <TextProperty path="" property={property} label={name} written={values} />
      </div>
    );
  const shown = `${short(parameter.value / slider.factor)}${slider.unit}`;
  return (
    <div className="parameter">
      <NumberField
        label={name}
        value={parameter.value}
        onChange={change}
        unit={slider.unit}
        factor={slider.factor}
        step={
          slider.step > 0
            ? slider.step
            : slider.unit === 'deg'
              ? 1
              : Math.max(10 ** (Math.floor(Math.log10((slider.upper - slider.lower) / slider.factor)) - 2), 1e-6)
        }
        min={parameter.lower ?? -Infinity}
        max={parameter.upper ?? Infinity}
      />
      <Slider
        label={`Parameter ${name}`}
        value={toSlider(slider, parameter.value)}
        min={0}
        max={1000}
        text={shown}
        step={sliderStep(slider)}
        onChange={(at, drag) => change(fromSlider(slider, at), drag)}
      />
    </div>
  );
}

// They stay in view whatever is selected: one turns a parameter and looks at the solid.
function Parameters() {
  const names = usePageShallow((p) => p.scene?.parameters.map((parameter) => parameter.name) ?? []);
  if (names.length === 0) return null;
  return (
    <Part title="Parameters">
      {names.map((name) => (
        <ParameterField key={name} name={name} />
      ))}
    </Part>
  );
}

function SceneProperties() {
  const { run } = useStudio();
  const scene = usePage((p) => p.scene);
  const text = usePage((p) => p.text);
  const gravity = usePage((p) => p.state?.gravity ?? p.scene?.gravity ?? null);
  const damp = usePage((p) => p.state?.damp ?? 0);
  const send = useRef(latest(run));
  const statements = useMemo(() => topStatements(text), [text]);
  if (!scene) return <p className="hint properties-summary">No scene is open. Choose one from the gallery (G).</p>;
  const pull = (axis: number, value: number | null, drag?: number): void => {
    const next: Vec3 = [...(gravity ?? [0, 0, 0])] as Vec3;
    next[axis] = value ?? 0;
    send.current({ do: 'gravity', value: next, drag });
  };
  const differs = gravity !== null && gravity.some((x, i) => x !== scene.gravity[i]);
  return (
    <>
      <Head glyph="group" name={scene.title === '' ? scene.name : scene.title} kind="scene" />
      <Parameters />
      {gravity ? (
        <Part
          title="Gravity"
          aside={
            differs ? (
              <button
                type="button"
                className="properties-link"
                onClick={() => void run({ do: 'set', path: '', property: 'gravity', values: gravity.map((x) => short(x, 6)).join(' ') })}>
                write into text
              </button>
            ) : null
          }>
          <div className="properties-vector">
            {(['x', 'y', 'z'] as const).map((axis, i) => (
              <NumberField key={axis} label={axis} value={gravity[i] ?? 0} onChange={(x, drag) => pull(i, x, drag)} step={0.1} />
            ))}
          </div>
          <div className="properties-actions">
            <button
              type="button"
              className="button"
              aria-pressed={norm(gravity) === 0}
              onClick={() => void run({ do: 'gravity', value: norm(gravity) === 0 ? (norm(scene.gravity) === 0 ? [0, -9.81, 0] : scene.gravity) : [0, 0, 0] })}>
              Weightless
            </button>
          </div>
        </Part>
      ) : null}
      <Part title="Damping">
        <NumberField
          label="Damping factor (Forsey & Wilhelms)"
          value={damp}
          onChange={(x, drag) => send.current({ do: 'damp', value: x ?? 0, drag })}
          step={0.1}
          min={0}
        />
      </Part>
      <Part title="In the text">
        <div className="fields">
          <TextProperty path="" property="title" written={written(statements, 'title')} fallback={'"…"'} />
          <TextProperty path="" property="gravity" written={written(statements, 'gravity')} fallback="0 -9.81 0" />
          <TextProperty path="" property="damp" written={written(statements, 'damp')} fallback="0" />
        </div>
      </Part>
    </>
  );
}

function Several({ solids, joints }: { solids: string[]; joints: string[] }) {
  const { run } = useStudio();
  const pinned = usePage((p) => new Set(p.state?.pins.map((pin) => pin.solid)).size);
  const mass = usePage((p) => p.scene?.solids.filter((s) => s.kind === 'dynamic' && solids.includes(s.name)).reduce((sum, s) => sum + s.mass, 0) ?? 0);
  const words = [solids.length > 0 ? counted(solids.length, 'solid') : '', joints.length > 0 ? counted(joints.length, 'joint') : ''];
  const each = async (requests: Record<string, unknown>[]): Promise<void> => {
    for (const request of requests) await run(request);
  };
  return (
    <>
      <Head glyph="group" name={words.filter((w) => w !== '').join(', ')} kind="selected" />
      {solids.length > 0 ? (
        <>
          <div className="properties-actions">
            <button type="button" className="button" onClick={() => void each(solids.map((solid) => ({ do: 'pin', solid })))}>
              <Glyph name="pin" />
              Pin all
            </button>
            {pinned > 0 ? (
              <button type="button" className="button" onClick={() => void each(solids.map((solid) => ({ do: 'unpin', solid })))}>
                Unpin all
              </button>
            ) : null}
          </div>
          <Part title="All selected solids">
            <dl className="properties-list">
              <dt>Mass</dt>
              <dd className="number">{short(mass)} kg</dd>
            </dl>
          </Part>
        </>
      ) : null}
      {joints.length > 0 ? (
        <div className="properties-actions">
          <button type="button" className="button" onClick={() => void run({ do: 'freeze', joints })}>
            <Glyph name="freeze" />
            Freeze
          </button>
          <button type="button" className="button" onClick={() => void run({ do: 'freeze-but', joints })}>
            Freeze all others
          </button>
          <button type="button" className="button" onClick={() => void run({ do: 'merge', joints })}>
            <Glyph name="merge" />
            Merge
          </button>
          <button type="button" className="button quiet" onClick={() => void run({ do: 'unfreeze', joints })}>
            Unfreeze
          </button>
          <button type="button" className="button quiet" onClick={() => void run({ do: 'unmerge', joints })}>
            Unmerge
          </button>
        </div>
      ) : null}
    </>
  );
}

export default function Properties() {
  const { solids, joints } = usePage((p) => p.selection);
  const scene = usePage((p) => p.scene);
  const solid = solids.length === 1 && joints.length === 0 ? scene?.solids.find((s) => s.name === solids[0]) : undefined;
  const joint = joints.length === 1 && solids.length === 0 ? scene?.joints.find((j) => j.name === joints[0]) : undefined;
  return (
    <section className="panel properties" aria-label="Properties">
      <h2 className="visually-hidden">Properties</h2>
      <div className="properties-body">
        {solid ? (
          <SolidProperties key={solid.name} solid={solid} />
        ) : joint ? (
          <JointProperties key={joint.name} joint={joint} />
        ) : solids.length + joints.length > 1 ? (
          <Several solids={solids} joints={joints} />
        ) : (
          <SceneProperties />
        )}
      </div>
      {solids.length + joints.length > 0 ? (
        <div className="properties-scene">
          <Parameters />
        </div>
      ) : null}
    </section>
  );
}
