import { Ray, Vector3 } from 'three';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { initialPage, type Joint, type Page, type Scene, type SessionState } from '../store/store';
import { clicked, flipPin, pinNear } from './actions';
import { Gestures, type GestureActions, longPress, type PointerInput, type Target } from './gestures';
import { Hands } from './hands';
import { createMenu, type Menu } from './menu';
import { menuFor, type MenuItem } from './menu-model';
import { nextSolid } from './next';
import { dragged, planeThrough } from './plane';

const nothing: Target = { solid: null, joint: null, grabbable: false };
const arm: Target = { solid: 'arm', joint: null, grabbable: true };
const wall: Target = { solid: 'wall', joint: null, grabbable: false };

function played() {
  const log: string[] = [];
  let under: Target = nothing;
  const note =
    (name: string) =>
    (...values: unknown[]) =>
      void log.push(
        [name, ...values.map((v) => (typeof v === 'object' ? '' : typeof v === 'number' ? Math.round(v * 100) / 100 : v))].filter((v) => v !== '').join(' '),
      );
  const actions: GestureActions<Target> = {
    pick: () => under,
    click: (target, input) => void log.push(`click ${target.joint ?? target.solid}${input.shift ? ' shift' : ''}${input.add ? ' add' : ''}`),
    menu: (target) => void log.push(`menu ${target.solid}`),
    grab: (id) => void log.push(`grab ${id}`),
    move: note('move'),
    release: note('release'),
    turn: note('turn'),
    pan: note('pan'),
    zoom: note('zoom'),
  };
  const gestures = new Gestures(actions);
  const down = (id: number, x: number, y: number, on: Target, more: Partial<PointerInput> = {}, now = 0) => {
    under = on;
    gestures.down({ id, kind: 'mouse', x, y, button: 0, shift: false, add: false, ...more }, now);
  };
  return { log, gestures, down };
}

describe('gestures', () => {
  it('selects by a click that shakes a little', () => {
    const { log, gestures, down } = played();
    down(1, 10, 10, arm);
    gestures.move(1, 12, 11);
    gestures.up(1, 12, 11);
    down(1, 10, 10, nothing, { add: true });
    gestures.up(1, 10, 10);
    expect(log).toEqual(['click arm', 'click null add']);
  });
  it('grabs a solid that moves, turns the view by one that does not', () => {
    const { log, gestures, down } = played();
    down(1, 10, 10, arm);
    gestures.move(1, 20, 10);
    gestures.move(1, 30, 10);
    gestures.up(1, 30, 10);
    down(1, 10, 10, wall);
    gestures.move(1, 20, 10);
    gestures.up(1, 20, 10);
    expect(log).toEqual(['grab 1', 'move 1 20 10', 'move 1 30 10', 'release 1', 'turn 10 0']);
  });
  it('grabs with several fingers at once', () => {
    const { log, gestures, down } = played();
    down(1, 10, 10, arm, { kind: 'touch' });
    gestures.move(1, 30, 10);
    down(2, 100, 10, arm, { kind: 'touch' });
    gestures.move(2, 130, 10);
    gestures.up(1, 30, 10);
    gestures.cancel(2);
    expect(log).toEqual(['grab 1', 'move 1 30 10', 'grab 2', 'move 2 130 10', 'release 1', 'release 2']);
  });
  it('zooms and moves with two fingers on nothing, and goes on with one', () => {
    const { log, gestures, down } = played();
    down(1, 0, 0, nothing, { kind: 'touch' });
    down(2, 100, 0, nothing, { kind: 'touch' });
    gestures.move(2, 200, 0);
    gestures.up(1, 0, 0);
    gestures.move(2, 210, 0);
    gestures.up(2, 210, 0);
    expect(log).toEqual(['zoom 0.5 100 0', 'pan 50 0', 'turn 10 0']);
  });
  it('opens the menu by the right button or a long press, once', () => {
    const { log, gestures, down } = played();
    down(1, 0, 0, arm, { button: 2 });
    gestures.up(1, 0, 0);
    down(2, 0, 0, arm, { kind: 'touch' }, 1000);
    gestures.tick(1000 + longPress - 1);
    gestures.tick(1000 + longPress);
    gestures.tick(9999);
    gestures.move(2, 50, 50);
    gestures.up(2, 50, 50);
    expect(log).toEqual(['menu arm', 'menu arm']);
  });
  it('moves the view by the right button or Shift, turns it by the middle one', () => {
    const { log, gestures, down } = played();
    down(1, 0, 0, arm, { button: 2 });
    gestures.move(1, 10, 0);
    gestures.up(1, 10, 0);
    down(1, 0, 0, arm, { button: 1 });
    gestures.move(1, 1, 0);
    gestures.up(1, 1, 0);
    down(1, 0, 0, nothing, { shift: true });
    gestures.move(1, 10, 0);
    gestures.up(1, 10, 0);
    down(1, 0, 0, arm, { shift: true });
    gestures.up(1, 0, 0);
    expect(log).toEqual(['pan 10 0', 'turn 1 0', 'pan 10 0', 'click arm shift']);
  });
  it('lets go of everything when the window loses the focus', () => {
    const { log, gestures, down } = played();
    down(1, 10, 10, arm);
    gestures.move(1, 30, 10);
    gestures.cancelAll();
    expect(log.at(-1)).toBe('release 1');
    expect(gestures.state).toBe('none');
  });
});

describe('dragging in a plane', () => {
  const ray = (x: number, y: number) => new Ray(new Vector3(0, 0, 10), new Vector3(x, y, -10).normalize());
  it('keeps the point under the pointer, and its distance if it was beside it', () => {
    const point = new Vector3(1, 0, 0);
    const plane = planeThrough(point, new Vector3(0, 0, -1), ray(1, 0));
    expect(dragged(plane, ray(1, 0))!.distanceTo(point)).toBeLessThan(1e-12);
    expect(dragged(plane, ray(2, 1))!.distanceTo(new Vector3(2, 1, 0))).toBeLessThan(1e-12);
    const beside = planeThrough(point, new Vector3(0, 0, -1), ray(1.2, 0));
    expect(dragged(beside, ray(1.2, 0))!.distanceTo(point)).toBeLessThan(1e-12);
  });
  it('has no answer behind the eye', () => {
    const plane = planeThrough(new Vector3(), new Vector3(0, 0, -1), ray(0, 0));
    expect(dragged(plane, new Ray(new Vector3(0, 0, 10), new Vector3(0, 0, 1)))).toBeNull();
  });
  it('tells the engine once a frame where hands are, and at the end', () => {
    const engine = { grab: vi.fn(), move: vi.fn(), release: vi.fn() };
    const hands = new Hands(engine);
    const id = hands.grab(7, 'arm', new Vector3(0.1, 0, 0), new Vector3(1, 0, 0), new Vector3(0, 0, -1), ray(1, 0));
    expect(engine.grab).toHaveBeenCalledWith(id, 'arm', [0.1, 0, 0], [1, 0, 0]);
    hands.move(7, ray(2, 0));
    hands.move(7, ray(3, 0));
    hands.tell();
    hands.tell();
    expect(engine.move).toHaveBeenCalledTimes(1);
    expect(engine.move.mock.calls[0]![1][0]).toBeCloseTo(3);
    hands.move(7, ray(4, 0));
    expect(hands.release(7)).toBe(id);
    expect(engine.move).toHaveBeenCalledTimes(2);
    expect(engine.release).toHaveBeenCalledWith(id);
    expect(hands.release(7)).toBeNull();
  });
});

const joint = (name: string, solid1: string, solid2: string) => ({ name, kind: 'pin', solid1, solid2 }) as Joint;
const solid = (name: string, kind = 'dynamic') => ({ name, kind }) as Scene['solids'][number];
const pageWith = (state: Partial<SessionState> = {}): Page => ({
  ...initialPage,
  scene: { solids: [solid('a'), solid('b'), solid('wall', 'immobile')], joints: [joint('k', 'a', 'b'), joint('l', '', 'a')] } as Scene,
  state: { pins: [], frozen: [], merged: [], ...state } as SessionState,
});
const labels = (entries: ReturnType<typeof menuFor>) => entries.filter((e): e is MenuItem => e !== 'line').map((e) => e.label);

describe('what clicks and the menu do', () => {
  it('selects one, or more with Ctrl', () => {
    const none = { solids: [], joints: [] };
    expect(clicked({ solids: ['b'], joints: ['k'] }, { solid: 'a', joint: null }, false)).toEqual({ solids: ['a'], joints: [] });
    expect(clicked({ solids: ['b'], joints: [] }, { solid: 'a', joint: null }, true).solids).toEqual(['b', 'a']);
    expect(clicked({ solids: ['b', 'a'], joints: [] }, { solid: 'a', joint: null }, true).solids).toEqual(['b']);
    expect(clicked({ solids: ['b'], joints: [] }, { solid: 'a', joint: 'k' }, false)).toEqual({ solids: [], joints: ['k'] });
    expect(clicked({ solids: ['b'], joints: [] }, { solid: null, joint: null }, false)).toEqual(none);
  });
  it('pins a point, and takes the nearest pin away', () => {
    const pins = [
      { solid: 'a', point: [0, 0, 0], target: [0, 0, 0] },
      { solid: 'a', point: [1, 0, 0], target: [0, 0, 0] },
      { solid: 'b', point: null, target: [0, 0, 0] },
    ] as SessionState['pins'];
    expect(pinNear(pins, 'a', [0.95, 0, 0], 0.1)).toBe(1);
    expect(pinNear(pins, 'a', [0.5, 0, 0], 0.1)).toBeNull();
    expect(pinNear(pins, 'b', [9, 9, 9], 0.1)).toBe(2);
    expect(flipPin(pageWith({ pins }), 'a', [0, 0, 0.01], 0.1)).toEqual({ do: 'unpin', pin: 0 });
    expect(flipPin(pageWith(), 'a', [0, 0, 0.01], 0.1)).toEqual({ do: 'pin', solid: 'a', point: [0, 0, 0.01] });
  });
  it('offers what makes sense', () => {
    const target = { solid: 'a', joint: null, local: [0, 0, 0] as [number, number, number] };
    expect(labels(menuFor(target, pageWith(), 0.1))).toEqual([
      'Pin this point',
      'Pin the whole solid',
      'Freeze its 2 joints',
      'Freeze all joints except its own',
      'Merge with b',
      'Limits of k…',
      'Limits of l…',
      'Frame',
      'Rename…',
      'Delete',
    ]);
    const held = labels(menuFor(target, pageWith({ pins: [{ solid: 'a', point: [0, 0, 0], target: [0, 0, 0] }], frozen: ['k'], merged: ['l'] }), 0.1));
    expect(held).toContain('Unpin here');
    expect(held).toContain('Unfreeze joint k');
    expect(held).toContain('Unmerge');
    expect(held).not.toContain('Merge with b');
    expect(labels(menuFor({ solid: 'wall', joint: null, local: [0, 0, 0] }, pageWith(), 0.1))).toEqual(['Frame', 'Rename…', 'Delete']);
    expect(labels(menuFor({ solid: null, joint: 'k', local: null }, pageWith({ frozen: ['k'] }), 0))).toEqual([
      'Unfreeze',
      'Freeze all others',
      'Limits…',
      'Frame',
      'Rename…',
      'Delete',
    ]);
    const empty = menuFor({ solid: null, joint: null, local: null }, pageWith(), 0);
    expect(empty.at(-1)).not.toBe('line');
    expect(labels(empty)[0]).toBe('Frame all');
  });
  it('tells namesakes apart', () => {
    const page = pageWith();
    page.scene!.joints = [
      joint('left.hip', 'a', 'left.thigh'),
      joint('right.hip', 'a', 'right.thigh'),
      joint('waist', 'a', 'x.chest'),
      joint('spare', 'x.chest', 'a'),
    ];
    const said = labels(menuFor({ solid: 'a', joint: null, local: null }, page, 0));
    expect(said.filter((label) => label.startsWith('Merge'))).toEqual(['Merge with left.thigh', 'Merge with right.thigh', 'Merge with chest']);
    expect(said).toContain('Limits of right.hip…');
  });
  it('goes through the solids', () => {
    expect(nextSolid(pageWith(), 1).solids).toEqual(['a']);
    expect(nextSolid({ ...pageWith(), selection: { solids: ['wall'], joints: [] } }, 1).solids).toEqual(['a']);
    expect(nextSolid(pageWith(), -1).solids).toEqual(['wall']);
    expect(nextSolid(initialPage, 1).solids).toEqual([]);
  });
});

describe('the menu', () => {
  let menu: Menu;
  beforeEach(() => {
    document.body.innerHTML = '<button id="from">x</button><div id="host"></div>';
    document.getElementById('from')!.focus();
    menu = createMenu(document.getElementById('host')!);
  });
  const press = (key: string) => document.activeElement!.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
  const show = (act = vi.fn()) => {
    menu.show('a', menuFor({ solid: null, joint: 'k', local: null }, pageWith(), 0), 5, 5, act);
    return act;
  };
  it('takes the focus, follows keys and gives it back', () => {
    const act = show();
    expect(document.activeElement!.textContent).toContain('Freeze');
    press('ArrowDown');
    expect(document.activeElement!.textContent).toContain('Freeze all others');
    press('End');
    expect(document.activeElement!.textContent).toContain('Delete');
    press('ArrowDown');
    press('l');
    expect(document.activeElement!.textContent).toContain('Limits');
    press('Enter');
    expect(act).toHaveBeenCalledWith({ kind: 'limits', joint: 'k' });
    expect(document.querySelector('[role=menu]')).toBeNull();
    expect(document.activeElement!.id).toBe('from');
  });
  it('closes by Escape and by a press elsewhere', () => {
    show();
    press('Escape');
    expect(document.querySelector('[role=menu]')).toBeNull();
    const act = show();
    document.body.dispatchEvent(new MouseEvent('pointerdown', { bubbles: true }));
    expect(document.querySelector('[role=menu]')).toBeNull();
    expect(act).not.toHaveBeenCalled();
  });
});
