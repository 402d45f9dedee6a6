// Over the view, at its right upper corner: where one looks from, and what is shown beside the solids.
import { useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import type { Show } from '../store/store';
import { toggleShow } from './commands';
import { Glyph } from './glyphs';
import { usePage, useStudio } from './use';
import type { StandardView } from './view-link';
import './ViewBar.css';

function useView() {
  const { view } = useStudio();
  return useSyncExternalStore(view.onChange, view.now);
}

// ---------------------------------------------------------------------------------------------------- directions

const reach = 27; // [px] from the middle to the balls
const axes: { view: StandardView; axis: string; name: string; at: [number, number, number] }[] = [
  { view: 'right', axis: 'x', name: 'X', at: [1, 0, 0] },
  { view: 'top', axis: 'y', name: 'Y', at: [0, 1, 0] },
  { view: 'front', axis: 'z', name: 'Z', at: [0, 0, 1] },
  { view: 'left', axis: 'x', name: '', at: [-1, 0, 0] },
  { view: 'bottom', axis: 'y', name: '', at: [0, -1, 0] },
  { view: 'back', axis: 'z', name: '', at: [0, 0, -1] },
];
const sideOf: Record<StandardView, string> = {
  front: 'the front (1)',
  back: 'the back',
  right: 'the right (3)',
  left: 'the left',
  top: 'the top (7)',
  bottom: 'below',
};

// Where a direction of the world is seen: to the right, down, and towards the eye.
export function seen([x, y, z]: [number, number, number], yaw: number, pitch: number): [number, number, number] {
  const across = Math.cos(yaw) * x - Math.sin(yaw) * z;
  const ahead = Math.sin(yaw) * x + Math.cos(yaw) * z;
  return [across, Math.sin(pitch) * ahead - Math.cos(pitch) * y, Math.cos(pitch) * ahead + Math.sin(pitch) * y];
}

function Compass() {
  const view = useView();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = box.current;
    if (!view || !element) return;
    const buttons = [...element.querySelectorAll<HTMLElement>('button')];
    const lines = [...element.querySelectorAll<SVGLineElement>('line')];
    let before = '';
    // Without React: it follows every frame of a turn.
    return view.onTurn((yaw, pitch) => {
      const now = `${yaw} ${pitch}`;
      if (now === before) return;
      before = now;
      axes.forEach(({ at }, k) => {
        const [x, y, depth] = seen(at, yaw, pitch);
        const button = buttons[k];
        if (!button) return;
        button.style.transform = `translate(${(reach * x).toFixed(1)}px, ${(reach * y).toFixed(1)}px)`;
        button.style.zIndex = String(Math.round(10 + 9 * depth));
        button.dataset.far = String(depth < -0.05);
        lines[k]?.setAttribute('x2', (reach * x).toFixed(1));
        lines[k]?.setAttribute('y2', (reach * y).toFixed(1));
      });
    });
  }, [view]);
  return (
    <div className="compass" role="group" aria-label="Look from" ref={box}>
      <svg viewBox="-38 -38 76 76" aria-hidden="true">
        {axes.map(({ view: from, axis, name }) => (name === '' ? null : <line key={from} className={axis} x1="0" y1="0" />))}
      </svg>
      {axes.map(({ view: from, axis, name }) => (
        <button
          key={from}
          type="button"
          className={`${axis}${name === '' ? ' minus' : ''}`}
          title={`Look from ${sideOf[from]}`}
          aria-label={`Look from ${sideOf[from]}`}
          onClick={() => view?.look(from)}>
          <span aria-hidden="true">{name}</span>
        </button>
      ))}
    </div>
  );
}

// --------------------------------------------------------------------------------------------------------- shown

const shown: { what: keyof Show; title: string; words: string }[] = [
  { what: 'joints', title: 'Joints', words: 'axes, balls, rails, rings' },
  { what: 'limits', title: 'Limits', words: 'arcs and cones' },
  { what: 'pins', title: 'Pins', words: '' },
  { what: 'hands', title: 'Hands', words: 'lines to the pointer' },
  { what: 'centres', title: 'Centres of mass', words: '' },
  { what: 'forces', title: 'Forces', words: 'arrows at joints' },
  { what: 'errors', title: 'Worst joint', words: 'glows while it is open' },
  { what: 'grid', title: 'Ground', words: '' },
  { what: 'shadows', title: 'Shadows', words: '' },
];

function Shown() {
  const studio = useStudio();
  const show = usePage((p) => p.show);
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  useEffect(() => {
    if (!open) return;
    const away = (event: PointerEvent): void => {
      if (!box.current?.contains(event.target as Node) && !button.current?.contains(event.target as Node)) setOpen(false);
    };
    window.addEventListener('pointerdown', away, true);
    return () => window.removeEventListener('pointerdown', away, true);
  }, [open]);
  return (
    <div
      className="view-shown"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.stopPropagation();
        event.preventDefault();
        setOpen(false);
        button.current?.focus();
      }}>
      <button
        ref={button}
        type="button"
        className="button icon"
        aria-expanded={open}
        {...(open ? { 'aria-controls': id } : {})}
        aria-label="Show or hide"
        title="Show or hide joints, limits, forces and more"
        onClick={() => setOpen(!open)}>
        <Glyph name="eye" />
      </button>
      {open ? (
        <div ref={box} id={id} className="view-list" role="group" aria-label="Show">
          {shown.map(({ what, title, words }) => (
            <label key={what}>
              <input type="checkbox" checked={show[what]} aria-label={title} onChange={() => toggleShow(studio, what)} />
              <span>{title}</span>
              {words === '' ? null : <span className="dim">{words}</span>}
            </label>
          ))}
        </div>
      ) : null}
    </div>
  );
}

export default function ViewBar() {
  const view = useView();
  const [parallel, setParallel] = useState(false);
  useEffect(() => view?.onTurn(() => setParallel(view.isParallel())), [view]);
  if (!view) return null;
  return (
    <div className="view-bar" role="toolbar" aria-label="View" aria-orientation="vertical">
      <Compass />
      <button type="button" className="button icon" aria-label="Frame the selection" title="Frame the selection, or all (F)" onClick={() => view.frame()}>
        <Glyph name="frame" />
      </button>
      <button
        type="button"
        className="button icon"
        aria-pressed={parallel}
        aria-label="Parallel"
        title={parallel ? 'Switch to perspective (5)' : 'Switch to parallel (5)'}
        onClick={() => view.flipProjection()}>
        <Glyph name="parallel" />
      </button>
      <Shown />
    </div>
  );
}
