import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../client';
import { Loop } from '../loop';
import type { FrameMessage, FromWorker, Native, Request } from '../protocol';

// Sessions that count, and a clock that is turned by hand: a step costs what the test says.
class Fake implements Native {
  log: { session: number; request: Request }[] = [];
  time = new Map<number, number>();
  alive = new Set<number>();
  stepCost = 0.1;
  saveCost = 0;
  settings = { dt: 0.01, budget: 4, method: 'energy' };
  finite = true;
  problems: string[] = []; // of the next steps
  unexplained = 0;
  trap = false;
  constructor(private clock: Turned) {}
  create(): number {
    const session = this.time.size + 1;
    this.time.set(session, 0);
    this.alive.add(session);
    return session;
  }
  destroy(session: number): void {
    this.alive.delete(session);
  }
  poses(session: number): Float32Array {
    return new Float32Array([this.time.get(session) ?? 0, 0, 0, 0, 0, 0, 1]);
  }
  run(session: number, request: Request): Answer {
    if (this.trap) throw new Error('unreachable');
    this.log.push({ session, request });
    const time = this.time.get(session) ?? 0;
    if (request.value === Infinity) return { ok: false };
    if (request.do === 'step') {
      const count = Number(request.count);
      this.clock.time += count * this.stepCost;
      this.time.set(session, time + count * this.settings.dt);
      return {
        ok: true,
        steps: count,
        milliseconds: count * this.stepCost,
        finite: this.finite,
        stopped: false,
        unexplained: this.unexplained,
        problems: this.problems.map((what) => ({ severity: 'warning' as const, file: '', line: 0, column: 0, width: 0, what, remedy: '' })),
      };
    }
    if (request.do === 'pose') return { ok: true, milliseconds: 2, max_error: 1e-6, want_error: 0.1, iterations: 7 };
    if (request.do === 'reset') this.time.set(session, 0);
    if (request.ask === 'state')
      return { ok: true, settings: this.settings, frozen: [], merged: [], limits: [], pins: [], forces: [], gravity: [0, 0, 0], damp: 0 };
    if (request.ask === 'measures') return { ok: true, time };
    if (request.ask === 'save') {
      this.clock.time += this.saveCost;
      return { ok: true, save: { time } };
    }
    return { ok: true };
  }
  count(name: string, session = 1): number {
    return this.log.filter((entry) => entry.session === session && entry.request.do === name).length;
  }
}
class Turned {
  time = 1000;
  private due: { at: number; call: () => void }[] = [];
  now = (): number => this.time;
  later = (call: () => void, milliseconds: number): void => void this.due.push({ at: this.time + milliseconds, call });
  turn(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      this.due.sort((a, b) => a.at - b.at);
      if (this.due.length === 0 || this.due[0].at > end) break;
      const next = this.due.shift();
      if (!next) break;
      this.time = Math.max(this.time, next.at);
      next.call();
    }
    this.time = Math.max(this.time, end);
  }
  get idle(): boolean {
    return this.due.length === 0;
  }
}

let clock: Turned;
let native: Fake;
let posted: FromWorker[];
let loop: Loop;
let taking: boolean; // the page takes its frames
const frames = (): FrameMessage[] => posted.filter((message) => message.type === 'frame');

beforeEach(() => {
  clock = new Turned();
  native = new Fake(clock);
  posted = [];
  taking = true;
  loop = new Loop(
    native,
    (message) => {
      posted.push(message);
      if (message.type === 'frame' && taking) clock.later(() => loop.receive({ type: 'seen' }), 1);
    },
    clock,
  );
  loop.receive({ type: 'request', id: 1, request: { do: 'open', text: '' }, also: ['state'] });
  clock.turn(50);
  posted.length = 0;
});

describe('a drag', () => {
  it("is the session's: its number goes along", () => {
    for (const value of [1, 2]) loop.receive({ type: 'request', id: 2, request: { do: 'damp', value, drag: 4 }, also: [] });
    const done = native.log.map((entry) => entry.request).filter((request) => request.do === 'damp');
    expect(done).toEqual([
      { do: 'damp', value: 1, drag: 4 },
      { do: 'damp', value: 2, drag: 4 },
    ]);
  });
});

describe('playing', () => {
  it('steps at the fixed rate, in real time', () => {
    loop.receive({ type: 'play', on: true });
    clock.turn(1000);
    expect(native.time.get(1)).toBeGreaterThan(0.96);
    expect(native.time.get(1)).toBeLessThan(1.01);
    expect(frames().length).toBeGreaterThan(50);
    expect(frames().length).toBeLessThanOrEqual(62);
  });
  it('is slower at a lower speed', () => {
    loop.receive({ type: 'speed', value: 0.1 });
    loop.receive({ type: 'play', on: true });
    clock.turn(1000);
    expect(native.time.get(1)).toBeCloseTo(0.1, 1);
  });
  it('drops time that it cannot keep, and says so', () => {
    native.stepCost = 20;
    loop.receive({ type: 'play', on: true });
    clock.turn(2000);
    expect(native.time.get(1)).toBeGreaterThan(0.7);
    expect(native.time.get(1)).toBeLessThan(1.1);
    const { rate } = frames()[frames().length - 1];
    expect(rate).toBeGreaterThan(0.3);
    expect(rate).toBeLessThan(0.95);
    loop.receive({ type: 'play', on: false });
    clock.turn(100);
    const stopped = native.time.get(1);
    clock.turn(500);
    expect(native.time.get(1)).toBe(stopped);
    expect(clock.idle).toBe(true);
  });
  it('sends no more frames than the page takes', () => {
    taking = false;
    loop.receive({ type: 'play', on: true });
    clock.turn(1000);
    expect(frames()).toHaveLength(2);
    expect(native.time.get(1)).toBeGreaterThan(0.9);
    loop.receive({ type: 'seen' });
    clock.turn(20);
    expect(frames()[2].past.length).toBeGreaterThan(40); // what it missed, for the plots
  });
  it('stops where motion cannot go on', () => {
    native.finite = false;
    loop.receive({ type: 'play', on: true });
    clock.turn(100);
    expect(posted.some((message) => message.type === 'halt' && message.error)).toBe(true);
    expect(native.count('step')).toBe(1);
  });
  it('stops for a reset', () => {
    loop.receive({ type: 'play', on: true });
    clock.turn(200);
    loop.receive({ type: 'request', id: 2, request: { do: 'reset' }, also: [] });
    clock.turn(200);
    expect(native.time.get(1)).toBe(0);
  });
});

describe('what frames bring while a hand poses', () => {
  const hold = (physics: boolean): void => {
    loop.receive({ type: 'grab', id: 1, solid: 'a', point: [0, 0, 0], target: [1, 0, 0], physics });
    loop.receive({ type: 'move', id: 1, target: [2, 0, 0] });
    clock.turn(250);
  };
  const saves = (): number => frames().filter((frame) => frame.save !== null).length;
  it('is the save of these very poses', () => {
    hold(false);
    expect(saves()).toBe(frames().length);
    expect(saves()).toBeGreaterThan(5);
    posted.length = 0;
    clock.turn(1000);
    loop.receive({ type: 'release', id: 1 });
    clock.turn(50);
    expect(frames()[frames().length - 1].save).not.toBeNull();
  });
  it('is less often one that takes long, and none while time passes', () => {
    native.saveCost = 5;
    hold(false);
    expect(saves()).toBeGreaterThan(0);
    expect(saves()).toBeLessThanOrEqual(3);
    loop.receive({ type: 'release', id: 1 });
    clock.turn(1000);
    posted.length = 0;
    hold(true);
    expect(frames().length).toBeGreaterThan(5);
    expect(saves()).toBe(0);
  });
});

describe('hands', () => {
  const grab = (physics = false): void => loop.receive({ type: 'grab', id: 7, solid: 'a', point: [0, 0, 0], target: [0, 0, 0], physics });
  it('pose while nothing plays, until they rest', () => {
    grab();
    for (let k = 0; k < 10; ++k) {
      loop.receive({ type: 'move', id: 7, target: [k, 0, 0] });
      clock.turn(5);
    }
    expect(native.count('move')).toBeLessThan(6); // faster than updates: the last one counts
    const busy = native.count('pose');
    expect(busy).toBeGreaterThan(2);
    clock.turn(1000);
    expect(native.count('pose')).toBeGreaterThan(busy + 10);
    expect(clock.idle).toBe(true);
    const last = frames()[frames().length - 1];
    expect(last.posing).toMatchObject({ error: 1e-6, iterations: 7 });
  });
  it('follow the last move before they let go', () => {
    grab();
    loop.receive({ type: 'move', id: 7, target: [1, 2, 3] });
    loop.receive({ type: 'release', id: 7 });
    const names = native.log.map(({ request }) => request.do).filter(Boolean);
    expect(names.slice(-3)).toEqual(['move', 'pose', 'release']);
  });
  it('pull by physics while it plays, and change over', () => {
    grab();
    loop.receive({ type: 'play', on: true });
    const grabs = native.log.filter(({ request }) => request.do === 'grab').map(({ request }) => request.dynamic);
    expect(grabs).toEqual([false, true]);
    clock.turn(50);
    expect(native.count('pose')).toBe(0);
    expect(native.count('step')).toBeGreaterThan(0);
  });
  it('move time only while they pull by physics', () => {
    grab(true);
    clock.turn(500);
    expect(native.time.get(1)).toBeGreaterThan(0.4);
    loop.receive({ type: 'release', id: 7 });
    clock.turn(50);
    const time = native.time.get(1);
    clock.turn(500);
    expect(native.time.get(1)).toBe(time);
  });
});

describe('comparison', () => {
  it('steps ghosts alongside, from the same state', () => {
    loop.receive({ type: 'compare', id: 5, methods: ['shake', 'implicit'] });
    expect(native.log.filter(({ request }) => request.do === 'restore').map(({ session }) => session)).toEqual([2, 3]);
    native.log.length = 0;
    loop.receive({ type: 'play', on: true });
    clock.turn(500);
    const counted = (session: number): number =>
      native.log.filter((entry) => entry.session === session && entry.request.do === 'step').reduce((sum, { request }) => sum + Number(request.count), 0);
    expect(counted(1)).toBeGreaterThan(40);
    expect(counted(2)).toBe(counted(1));
    expect(frames()[frames().length - 1].ghosts.map((ghost) => ghost.method)).toEqual(['shake', 'implicit']);
    loop.receive({ type: 'compare', id: 6, methods: [] });
    expect([...native.alive]).toEqual([1]);
  });
  it('keeps the methods of ghosts when settings change', () => {
    loop.receive({ type: 'compare', id: 5, methods: ['shake'] });
    loop.receive({ type: 'request', id: 6, request: { do: 'settings', method: 'energy', dt: 0.02 }, also: [] });
    const told = native.log.filter(({ session, request }) => session === 2 && request.do === 'settings');
    expect(told[told.length - 1].request.method).toBe('shake');
  });
});

it('says that it trapped, and is silent then', () => {
  native.trap = true;
  loop.receive({ type: 'request', id: 2, request: { ask: 'state' }, also: [] });
  loop.receive({ type: 'play', on: true });
  clock.turn(100);
  expect(posted).toEqual([{ type: 'trap', what: 'unreachable' }]);
});

describe('warnings of steps', () => {
  const warned = (): string[] => posted.flatMap((message) => (message.type === 'warned' ? message.problems.map(({ what }) => what) : []));
  const step = (id: number): void => loop.receive({ type: 'request', id, request: { do: 'step', count: 1 }, also: [] });
  it('are said once each, whatever numbers they have, until the motion begins anew', () => {
    loop.receive({ type: 'request', id: 1, request: { do: 'open' }, also: [] });
    native.problems = ["'a-1' becomes active at 0.5 s", "'a-2' becomes active at 0.5 s", 'the energy rose by 3e-2 J in the step to 0.5 s'];
    step(2);
    native.problems = ["'a-1' becomes active at 0.9 s", 'the energy rose by 4 J in the step to 0.6 s'];
    step(3);
    expect(warned()).toHaveLength(3);
    loop.receive({ type: 'request', id: 4, request: { do: 'reset' }, also: [] });
    step(5);
    expect(warned()).toHaveLength(5);
  });
  it('of motion that plays are said, and steps that nothing explains are counted', () => {
    loop.receive({ type: 'request', id: 1, request: { do: 'open' }, also: [] });
    native.problems = ['the energy rose'];
    native.unexplained = 1;
    loop.receive({ type: 'play', on: true });
    clock.turn(200);
    expect(warned()).toEqual(['the energy rose']);
    expect(frames().at(-1)?.unexplained).toBeGreaterThan(1);
    native.problems = [];
    native.unexplained = 0;
    loop.receive({ type: 'request', id: 2, request: { do: 'open' }, also: [] });
    clock.turn(200);
    expect(frames().at(-1)).toMatchObject({ unexplained: 0, milliseconds: 0 });
  });
});
