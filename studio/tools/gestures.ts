// What pointers mean: a state machine without DOM, so that tests can play gestures to it.
//
//   on a solid      drag: grab (each pointer by itself); click: select; Shift+click: pin; Ctrl+click: add
//   on nothing      drag: turn the view; two fingers: move, zoom and turn; click: select nothing
//   middle button   turn, with Shift move; right button: drag moves, click opens the menu; long press of a finger too

export interface PointerInput {
  id: number;
  kind: 'mouse' | 'pen' | 'touch';
  x: number;
  y: number;
  button: number; // 0 left, 1 middle, 2 right
  shift: boolean;
  add: boolean; // Ctrl or Cmd
}
// What is under a pointer.
export interface Target {
  solid: string | null;
  joint: string | null;
  grabbable: boolean;
}

export interface GestureActions<T extends Target> {
  pick(x: number, y: number, kind: PointerInput['kind']): T;
  click(target: T, input: PointerInput): void;
  menu(target: T, x: number, y: number): void;
  grab(id: number, target: T, x: number, y: number): void;
  move(id: number, x: number, y: number): void;
  release(id: number): void;
  turn(dx: number, dy: number): void;
  pan(dx: number, dy: number): void;
  zoom(factor: number, x: number, y: number): void;
}

export const longPress = 500; // [ms]
const slop = { mouse: 4, pen: 5, touch: 9 }; // [px] of a click that is still one

type State = 'pressed' | 'grabbing' | 'turning' | 'panning' | 'pinching' | 'spent';
interface Pressed<T> {
  input: PointerInput;
  target: T;
  state: State;
  x: number;
  y: number;
  since: number;
}

export class Gestures<T extends Target> {
  private pointers = new Map<number, Pressed<T>>();

  constructor(private actions: GestureActions<T>) {}

  get state(): State | 'none' {
    const states = [...this.pointers.values()].map((pointer) => pointer.state);
    return states.find((state) => state === 'grabbing') ?? states[0] ?? 'none';
  }
  down(input: PointerInput, now: number) {
    const target = this.actions.pick(input.x, input.y, input.kind);
    const pointer: Pressed<T> = { input, target, state: 'pressed', x: input.x, y: input.y, since: now };
    this.pointers.set(input.id, pointer);
    if (input.button === 1) pointer.state = input.shift ? 'panning' : 'turning';
    // A second finger that comes to one that turns the view, or that has done nothing yet, is a pinch.
    if (input.kind !== 'touch') return;
    const other = [...this.pointers.values()].find(
      (p) => p !== pointer && p.input.kind === 'touch' && (p.state === 'turning' || (p.state === 'pressed' && !(p.target.grabbable && target.grabbable))),
    );
    if (other) other.state = pointer.state = 'pinching';
  }
  move(id: number, x: number, y: number) {
    const pointer = this.pointers.get(id);
    if (!pointer) return;
    const dx = x - pointer.x,
      dy = y - pointer.y;
    if (pointer.state === 'pressed') {
      const { input, target } = pointer;
      if (Math.hypot(x - input.x, y - input.y) < slop[input.kind]) return;
      if (input.button === 2) pointer.state = 'panning';
      else if (target.grabbable && !input.shift && !input.add) {
        pointer.state = 'grabbing';
        this.actions.grab(id, target, input.x, input.y);
      } else pointer.state = input.shift ? 'panning' : 'turning';
    }
    if (pointer.state === 'grabbing') this.actions.move(id, x, y);
    else if (pointer.state === 'turning') this.actions.turn(dx, dy);
    else if (pointer.state === 'panning') this.actions.pan(dx, dy);
    else if (pointer.state === 'pinching') this.pinch(pointer, x, y);
    [pointer.x, pointer.y] = [x, y];
  }
  private pinch(pointer: Pressed<T>, x: number, y: number) {
    const other = [...this.pointers.values()].find((p) => p !== pointer && p.state === 'pinching');
    if (!other) return;
    const before = Math.hypot(pointer.x - other.x, pointer.y - other.y),
      after = Math.hypot(x - other.x, y - other.y);
    if (before > 1 && after > 1) this.actions.zoom(before / after, (x + other.x) / 2, (y + other.y) / 2);
    this.actions.pan((x - pointer.x) / 2, (y - pointer.y) / 2);
  }
  up(id: number, x: number, y: number) {
    const pointer = this.pointers.get(id);
    if (!pointer) return;
    this.pointers.delete(id);
    const { state, input, target } = pointer;
    if (state === 'grabbing') this.actions.release(id);
    else if (state === 'pressed') {
      if (input.button === 2) this.actions.menu(target, x, y);
      else this.actions.click(target, input);
    } else if (state === 'pinching') {
      // The finger that stays goes on turning the view.
      for (const other of this.pointers.values()) if (other.state === 'pinching') other.state = 'turning';
    }
  }
  cancel(id: number) {
    const pointer = this.pointers.get(id);
    if (!pointer) return;
    this.pointers.delete(id);
    if (pointer.state === 'grabbing') this.actions.release(id);
  }
  cancelAll() {
    for (const id of [...this.pointers.keys()]) this.cancel(id);
  }
  // To be called now and then while something is pressed.
  tick(now: number) {
    for (const pointer of this.pointers.values())
      if (pointer.state === 'pressed' && pointer.input.kind !== 'mouse' && now - pointer.since >= longPress) {
        pointer.state = 'spent';
        this.actions.menu(pointer.target, pointer.x, pointer.y);
      }
  }
}
