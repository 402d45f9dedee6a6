import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPage, type PageStore, type SessionState } from '../../store/store';
import type { Answer } from '../client';
import { createEngine, type EngineControl, type WorkerLike } from '../engine';
import type { FromWorker, Request, ToWorker } from '../protocol';

const settings = { method: 'energy', solver: 'direct', iterations: 10, tolerance: 1e-9, alpha: 0, beta: 0, dt: 0.01, budget: 4 };
const state: SessionState = {
  time: 1.5,
  hash: null,
  frozen: ['knee'],
  merged: [],
  pins: [{ solid: 'foot', point: null, target: [0, 0, 0] }],
  grabs: [],
  forces: [],
  limits: [],
  gravity: [0, -9.81, 0],
  damp: 0,
  settings,
  undo: ['Pin foot'],
  redo: [],
};

class FakeWorker implements WorkerLike {
  onmessage: WorkerLike['onmessage'] = null;
  onerror: WorkerLike['onerror'] = null;
  heard: ToWorker[] = [];
  ended = false;
  deaf = false;
  postMessage(message: ToWorker): void {
    this.heard.push(message);
    if (this.deaf) return;
    if (message.type === 'start') this.say({ type: 'ready' });
    if (message.type === 'compare') this.say({ type: 'answer', id: message.id, answer: { ok: true }, also: {} });
    if (message.type !== 'request') return;
    const also = Object.fromEntries(message.also.map((name) => [name, this.question(name)]));
    this.say({ type: 'answer', id: message.id, answer: this.answer(message.request), also });
  }
  terminate(): void {
    this.ended = true;
  }
  say(message: FromWorker): void {
    queueMicrotask(() => this.onmessage?.({ data: message } as MessageEvent<FromWorker>));
  }
  question(name: string): Answer {
    if (name === 'state') return { ok: true, ...state };
    if (name === 'scene') return { ok: true, title: 'Test', name: 'test.tenon', solids: [], joints: [] };
    if (name === 'text') return { ok: true, text: 'title "Test";' };
    if (name === 'save') return { ok: true, save: { text: 'title "Test";', name: 'test.tenon', files: {}, time: 1.5 } };
    return { ok: true };
  }
  answer(request: Request): Answer {
    if (typeof request.ask === 'string') return this.question(request.ask);
    if (request.do === 'rename') return { ok: false, problems: [{ severity: 'error', file: '', line: 0, column: 0, width: 0, what: 'no', remedy: '' }] };
    if (request.do === 'assemble')
      return { ok: true, frames: [1, 2, 3].map((iteration) => ({ iteration, error: 10 ** -iteration, poses: [iteration, 0, 0, 0, 0, 0, 1] })) };
    return { ok: true };
  }
  commands(): unknown[] {
    return this.heard.flatMap((message) => (message.type === 'request' && message.request.do ? [message.request.do] : []));
  }
}

let workers: FakeWorker[];
let engine: EngineControl;
let page: PageStore;
const get = () => page.getState();
const worker = (): FakeWorker => workers[workers.length - 1];

beforeEach(() => {
  vi.useFakeTimers();
  page = createPage();
  workers = [];
  engine = createEngine(
    page,
    () => {
      workers.push(new FakeWorker());
      return worker();
    },
    () => 'http://here/',
  );
});
afterEach(() => vi.useRealTimers());

describe('requests', () => {
  it('open a scene and mirror it', async () => {
    const answer = await engine.open('title "Test";', 'test.tenon');
    expect(answer.ok).toBe(true);
    expect(get().ready).toBe(true);
    expect(get().scene?.title).toBe('Test');
    expect(get().text).toBe('title "Test";');
    expect(get().state?.undo).toEqual(['Pin foot']);
    expect(worker().heard[0]).toEqual({ type: 'start', base: 'http://here/' });
  });
  it('tell why they were refused', async () => {
    await engine.open('', 'a');
    await engine.run({ do: 'rename', path: 'a', to: 'b' });
    expect(get().notices).toEqual([{ text: 'No.', kind: 'error' }]);
  });
  it('that take long are a task that can be cancelled', async () => {
    await engine.open('', 'a');
    worker().deaf = true;
    const answer = engine.run({ do: 'assemble' });
    await vi.advanceTimersByTimeAsync(500);
    expect(get().task?.label).toBe('Assembling');
    get().task?.cancel?.();
    expect((await answer).ok).toBe(false);
    expect(workers).toHaveLength(2);
    expect(workers[0].ended).toBe(true);
  });
  it('show the way to an assembled pose, and then what is', async () => {
    await engine.open('', 'a');
    await engine.run({ do: 'assemble', trace: true });
    const end = new Float32Array([9, 0, 0, 0, 0, 0, 1]);
    worker().say({
      type: 'frame',
      poses: end,
      time: 0,
      measures: null,
      milliseconds: 1,
      rate: 1,
      unexplained: 0,
      posing: null,
      ghosts: [],
      past: [],
      save: null,
    });
    await vi.advanceTimersByTimeAsync(140);
    expect(get().poses[0]).toBe(1);
    expect(get().task?.label).toContain('Iteration 1');
    await vi.advanceTimersByTimeAsync(2000);
    expect(get().poses[0]).toBe(9);
    expect(get().task).toBeNull();
  });
});

describe('motion', () => {
  it('plays and pauses', async () => {
    await engine.open('', 'a');
    engine.play(true);
    expect(get().playing).toBe(true);
    engine.play(false);
    expect(worker().heard.filter((message) => message.type === 'play')).toEqual([
      { type: 'play', on: true },
      { type: 'play', on: false },
    ]);
  });
  it('ends with a reset', async () => {
    await engine.open('', 'a');
    engine.play(true);
    await engine.run({ do: 'reset' });
    expect(get().playing).toBe(false);
  });
  it('ends where the worker says', async () => {
    await engine.open('', 'a');
    engine.play(true);
    worker().say({ type: 'halt', what: 'The scene stops here, as its text says.', error: false });
    await vi.advanceTimersByTimeAsync(1);
    expect(get()).toMatchObject({ playing: false, notices: [{ text: 'The scene stops here, as its text says.', kind: 'info' }] });
  });
  it('grabs by the means that the page says', async () => {
    await engine.open('', 'a');
    page.setState({ dragMode: 'physics' });
    engine.grab(1, 'hand', [0, 0, 0], [1, 0, 0]);
    expect(worker().heard.find((message) => message.type === 'grab')).toMatchObject({ physics: true, solid: 'hand' });
  });
  it('takes frames, and says that it did', async () => {
    await engine.open('', 'a');
    worker().say({
      type: 'frame',
      poses: new Float32Array(7),
      time: 0,
      measures: null,
      milliseconds: 1,
      rate: 1,
      unexplained: 0,
      posing: null,
      ghosts: [],
      past: [],
      save: null,
    });
    await vi.advanceTimersByTimeAsync(1);
    expect(get().frame).toBe(1);
    expect(worker().heard.some((message) => message.type === 'seen')).toBe(true);
  });
});

describe('a worker that dies', () => {
  it('is started anew with what was saved', async () => {
    await engine.open('title "Test";', 'test.tenon');
    await engine.run({ do: 'pin', solid: 'foot' });
    await vi.advanceTimersByTimeAsync(2500);
    expect(engine.saved()?.save.name).toBe('test.tenon');
    worker().say({ type: 'trap', what: 'unreachable' });
    await vi.advanceTimersByTimeAsync(10);
    expect(workers).toHaveLength(2);
    expect(worker().commands()).toEqual(['restore']); // what is held is in the save
    expect(get().notices.at(-1)?.text).toContain('as it was at 1.50 s');
    expect(get().task).toBeNull();
  });
  it('answers what waited, and gives up after the third time', async () => {
    await engine.open('title "Test";', 'test.tenon');
    await vi.advanceTimersByTimeAsync(2500);
    worker().deaf = true;
    const waiting = engine.run({ ask: 'state' });
    worker().onerror?.({ message: 'out of memory' } as ErrorEvent);
    expect((await waiting).ok).toBe(false);
    await vi.advanceTimersByTimeAsync(10);
    worker().say({ type: 'trap', what: 'again' });
    await vi.advanceTimersByTimeAsync(10);
    expect(worker().commands()[0]).toBe('open');
    worker().say({ type: 'trap', what: 'again' });
    await vi.advanceTimersByTimeAsync(10);
    expect(workers).toHaveLength(3);
    expect(get().ready).toBe(false);
  });
  it('that never loaded is not started again and again', async () => {
    const opened = engine.open('', 'a');
    worker().say({ type: 'failed', what: 'no tenon.js' });
    await vi.advanceTimersByTimeAsync(10);
    await opened;
    expect(workers).toHaveLength(1);
    expect(get().notices.at(-1)?.text).toContain('no tenon.js');
  });
});
