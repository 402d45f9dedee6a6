// Tools: select, grab, pin, the context menu, keys of the canvas, the headset. The app calls
//
//   <Viewport page={page} onReady={(view) => installTools(view, studio)} />
//
// once; what it returns takes everything away again. The view itself has what commands need: `frame()`, `look('front')`,
// `flipProjection()`, `picture(width, height)`, so that a list of commands can be given the view as it is.
// Solids move by `engine.grab/move/release`, everything else is a session command through `engine.run`.
import { Vector3 } from 'three';
import type { Engine } from '../engine/client';
import { say, type PageStore, type Vec3 } from '../store/store';
import type { Hit, View } from '../viewport/view';
import { clicked, flipPin } from './actions';
import { Gestures, longPress, type PointerInput, type Target } from './gestures';
import { Hands, newHandId } from './hands';
import { createMenu } from './menu';
import { type MenuAction, menuFor, type MenuTarget, menuTitle } from './menu-model';
import { nextSolid } from './next';
import { afterRest } from './rest';
import { Xr } from './xr';
import './tools.css';

export type { View } from '../viewport/view';

interface Found extends Target {
  hit: Hit | null;
}
const triple = (v: Vector3): Vec3 => [v.x, v.y, v.z];
const pinPixels = 16; // a pin this near to the pointer is the one that is meant

// The tools of one view act on the store and the engine of its studio.
export function installTools(view: View, { page, engine }: { page: PageStore; engine: Engine }): () => void {
  const { getState: get, setState: set } = page;
  const { canvas, parent } = view;
  const menu = createMenu(parent);
  const hands = new Hands(engine);
  const aborter = new AbortController();
  const { signal } = aborter;
  const undo: (() => void)[] = [];

  const name = document.createElement('div');
  name.className = 'tool-name';
  name.hidden = true;
  name.setAttribute('aria-hidden', 'true');
  parent.append(name);

  // Why it was refused, the engine's mirror tells the user.
  const run = (request: Record<string, unknown>) => void engine.run(request);
  // How far from a point a pin of it may be, in metres.
  const pinReach = (point: Vector3) => pinPixels * view.rig.perPixel(view.rig.camera.position.distanceTo(point));

  // ---------------------------------------------------------------------------------- pointers
  const find = (x: number, y: number, kind: PointerInput['kind']): Found => {
    const hit = view.pick(x, y, kind === 'touch' ? 14 : 4);
    return { solid: hit?.solid ?? null, joint: view.pickJoint(x, y, kind === 'touch' ? 9 : 5), grabbable: hit?.grabbable ?? false, hit };
  };
  const gestures = new Gestures<Found>({
    pick: find,
    click: (target, input) => {
      if (input.shift && target.hit) {
        if (target.hit.grabbable) void run(flipPin(get(), target.hit.solid, triple(target.hit.local), pinReach(target.hit.point)));
        return;
      }
      set({ selection: clicked(get().selection, target, input.add) });
    },
    menu: (target, x, y) =>
      openMenu(
        { solid: target.joint ? null : target.solid, joint: target.joint, local: target.hit ? triple(target.hit.local) : null },
        target.hit?.point ?? null,
        x,
        y,
      ),
    grab: (pointer, { hit }, x, y) => {
      const solid = hit ? view.world.index.get(hit.solid) : undefined;
      if (!hit || solid === undefined) return;
      const id = hands.grab(pointer, hit.solid, hit.local, hit.point, view.viewDirection(), view.ray(x, y));
      view.hands.set(id, { id, solid, point: hit.local.clone(), target: hit.point.clone() });
      set({ selection: { solids: [hit.solid], joints: [] }, hovered: null });
      view.invalidate();
    },
    move: (pointer, x, y) => {
      const now = hands.move(pointer, view.ray(x, y));
      const hand = now && view.hands.get(now.id);
      if (hand) hand.target.copy(now.target);
      view.invalidate();
    },
    release: (pointer) => {
      const id = hands.release(pointer);
      if (id !== null) view.hands.delete(id);
      view.invalidate();
    },
    turn: (dx, dy) => view.rig.turn(dx, dy),
    pan: (dx, dy) => view.rig.pan(dx, dy),
    zoom: (factor, x, y) => view.rig.zoom(factor, x - view.size.width / 2, view.size.height / 2 - y),
  });
  undo.push(view.onDraw(() => hands.tell()));

  const place = (event: PointerEvent | WheelEvent | MouseEvent) => {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  let stopRest = (): void => undefined;
  canvas.addEventListener(
    'pointerdown',
    (event) => {
      menu.close();
      canvas.setPointerCapture(event.pointerId);
      const kind = event.pointerType === 'touch' || event.pointerType === 'pen' ? event.pointerType : 'mouse';
      gestures.down(
        { id: event.pointerId, kind, ...place(event), button: event.button, shift: event.shiftKey, add: event.ctrlKey || event.metaKey },
        event.timeStamp,
      );
      hover(null);
      if (kind !== 'mouse') {
        stopRest();
        stopRest = afterRest(longPress, () => gestures.tick(performance.now()));
      }
      if (event.button === 1) event.preventDefault();
      showCursor();
    },
    { signal },
  );
  let waiting: { x: number; y: number } | null = null;
  canvas.addEventListener(
    'pointermove',
    (event) => {
      const { x, y } = place(event);
      gestures.move(event.pointerId, x, y);
      if (gestures.state === 'none' && event.pointerType !== 'touch') {
        // Looking for what is under the pointer once a frame is enough.
        if (!waiting)
          requestAnimationFrame(() => {
            if (waiting && gestures.state === 'none') hover(find(waiting.x, waiting.y, 'mouse'), waiting.x, waiting.y);
            waiting = null;
          });
        waiting = { x, y };
      }
      showCursor();
    },
    { signal },
  );
  const up = (event: PointerEvent) => {
    stopRest();
    const { x, y } = place(event);
    if (event.type === 'pointerup') gestures.up(event.pointerId, x, y);
    else gestures.cancel(event.pointerId);
    showCursor();
  };
  canvas.addEventListener('pointerup', up, { signal });
  canvas.addEventListener('pointercancel', up, { signal });
  canvas.addEventListener(
    'pointerleave',
    () => {
      waiting = null;
      hover(null);
    },
    { signal },
  );
  canvas.addEventListener('contextmenu', (event) => event.preventDefault(), { signal });
  // The finger whose rest opened the menu is no click on what now lies under it.
  canvas.addEventListener('touchend', (event) => menu.isOpen() && event.preventDefault(), { passive: false, signal });
  canvas.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      menu.close();
      const { x, y } = place(event);
      const lines = event.deltaMode === 1 ? 33 : 1;
      view.rig.zoom(
        Math.exp(Math.max(-200, Math.min(200, event.deltaY * lines)) * (event.ctrlKey ? 0.008 : 0.0016)),
        x - view.size.width / 2,
        view.size.height / 2 - y,
      );
    },
    { passive: false, signal },
  );
  window.addEventListener('blur', () => gestures.cancelAll(), { signal });

  let over: Found | null = null;
  function hover(found: Found | null, x = 0, y = 0) {
    over = found;
    const hovered = found?.joint ?? found?.solid ?? null;
    if (hovered !== get().hovered) set({ hovered });
    name.hidden = hovered === null;
    if (found && hovered !== null) {
      const kind = found.joint ? get().scene?.joints.find((joint) => joint.name === found.joint)?.kind : null;
      name.replaceChildren(hovered, ...(kind ? [' ', Object.assign(document.createElement('span'), { textContent: kind })] : []));
      name.style.left = `${Math.min(x + 14, view.size.width - name.offsetWidth - 4)}px`;
      name.style.top = `${y > view.size.height - 44 ? y - 34 : y + 16}px`;
    }
  }
  function showCursor() {
    const { state } = gestures;
    canvas.dataset.over =
      state === 'grabbing'
        ? 'holding'
        : state === 'turning' || state === 'panning'
          ? 'turning'
          : over?.joint
            ? 'joint'
            : over?.solid
              ? over.grabbable
                ? 'solid'
                : 'fixed'
              : '';
  }

  // ---------------------------------------------------------------------------------- menu
  function act(action: MenuAction) {
    switch (action.kind) {
      case 'run':
        void run(action.request);
        break;
      case 'limits':
        set((page) => ({
          selection: { solids: [], joints: [action.joint] },
          panels: { ...page.panels, properties: true },
          tab: 'properties',
          asked: page.asked + 1,
          limits: action.joint,
        }));
        break;
      case 'rename':
        set((page) => ({ panels: { ...page.panels, outliner: true }, renaming: action.path }));
        break;
      case 'frame': {
        const solids = action.solids?.map((solid) => view.world.index.get(solid)).filter((s) => s !== undefined);
        view.rig.frame(view.world.corners(solids?.length ? solids : undefined));
        break;
      }
      case 'look':
        view.look(action.from);
        break;
      case 'projection':
        view.flipProjection();
    }
  }
  function openMenu(target: MenuTarget, point: Vector3 | null, x: number, y: number) {
    if (!get().scene) return;
    hover(null);
    if (target.solid !== null && !get().selection.solids.includes(target.solid)) set({ selection: { solids: [target.solid], joints: [] } });
    if (target.joint !== null && !get().selection.joints.includes(target.joint)) set({ selection: { solids: [], joints: [target.joint] } });
    menu.show(menuTitle(target), menuFor(target, get(), point ? pinReach(point) : 0), x, y, act);
  }

  // ---------------------------------------------------------------------------------- keys of the canvas
  canvas.addEventListener(
    'keydown',
    (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const step = 40,
        arrows: Record<string, [number, number]> = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
      const arrow = arrows[event.key];
      if (arrow && event.shiftKey) view.rig.pan(...arrow);
      else if (arrow) view.rig.turn(...arrow);
      else if (event.key === '+' || event.key === '=') view.rig.zoom(0.85);
      else if (event.key === '-' || event.key === '_') view.rig.zoom(1 / 0.85);
      else if (event.key === '[' || event.key === ']') set({ selection: nextSolid(get(), event.key === ']' ? 1 : -1) });
      else if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) keyMenu();
      else return;
      event.preventDefault();
    },
    { signal },
  );
  // The menu of what is selected, where it is seen.
  function keyMenu() {
    const { solids, joints } = get().selection;
    const solid = solids[0] ?? null,
      joint = solid === null ? (joints[0] ?? null) : null;
    const index = solid === null ? undefined : view.world.index.get(solid);
    const middle = index === undefined ? null : view.placeOf(solid!, view.world.bodies[index]!.box.getCenter(new Vector3()));
    const at = middle ? view.rig.project(middle) : new Vector3(view.size.width / 2, view.size.height / 2, 0);
    openMenu({ solid, joint, local: null }, middle, at.x, at.y);
  }

  // ---------------------------------------------------------------------------------- headset
  const xr = new Xr(view, engine, newHandId);
  const enter = document.createElement('button');
  enter.className = 'button tool-vr';
  enter.type = 'button';
  enter.hidden = true;
  enter.addEventListener(
    'click',
    () =>
      void (view.renderer.xr.isPresenting ? xr.leave() : xr.enter()).catch((error: unknown) =>
        say(page, `The headset could not be started: ${error instanceof Error ? error.message : String(error)}`, 'error'),
      ),
  );
  parent.append(enter);
  undo.push(
    xr.onChange(() => {
      enter.hidden = !xr.hook.supported();
      enter.style.display = enter.hidden ? 'none' : '';
      enter.textContent = xr.hook.presenting() ? 'Leave VR' : 'Enter VR';
    }),
  );

  view.headset = xr.hook;
  return () => {
    view.headset = null;
    stopRest();
    gestures.cancelAll();
    menu.close();
    aborter.abort();
    for (const step of undo) step();
    xr.dispose();
    name.remove();
    enter.remove();
  };
}
