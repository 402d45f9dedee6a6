// Which text is whose: the session's, the editor's, a file's; over tools, crashes and reloads.
import { EditorView } from '@codemirror/view';
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { allKept, type Kept } from '../engine/autosave';
import type { Answer } from '../engine/client';
import { isUnsaved } from '../engine/mirror';
import type { FromWorker, Request, ToWorker } from '../engine/protocol';
import { emptyScene, mainOf } from '../panels/documents';
import { createStudio } from '../panels/studio';
import TextEditor from '../panels/TextEditor';
import { within } from './studio';

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
Range.prototype.getClientRects = () => [] as unknown as DOMRectList; // the editor asks where its cursor is

const problem = { severity: 'error', file: '', line: 1, column: 1, width: 1, what: 'oops', remedy: '' } as const;

// A session of texts alone: one with `oops` in it has errors, and so has one that includes what is not there. Its pose is a
// word, which `pull` changes and the text has behind `start kept;`.
class Session {
  static now: Session;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null = null;
  onerror = null;
  text = '';
  name = '';
  files: Record<string, string> = {};
  pose = '';
  moving = false;
  undo: string[] = []; // texts
  labels: string[] | null = null; // of them, where a test gives them
  refused: Answer['problems'] = []; // what a text cannot have
  done: string[] = [];
  constructor() {
    Session.now = this;
  }
  terminate(): void {}
  say(message: FromWorker): void {
    queueMicrotask(() => this.onmessage?.({ data: message } as MessageEvent<FromWorker>));
  }
  postMessage(message: ToWorker): void {
    if (message.type === 'start') this.say({ type: 'ready' });
    if (message.type !== 'request') return;
    const answer = this.answer(message.request);
    this.say({ type: 'answer', id: message.id, answer, also: Object.fromEntries(message.also.map((name) => [name, this.question(name)])) });
  }
  question(name: string): Answer {
    if (this.name === '') return { ok: false };
    if (name === 'text') return { ok: true, text: this.text, files: this.files };
    if (name === 'state')
      return { ok: true, time: 0, complete: this.kept() === this.text, undo: this.labels ?? [...this.undo], redo: [], grabs: [], pins: [{}], frozen: ['p'] };
    if (name === 'kept') return { ok: true, text: this.kept(), complete: this.kept() === this.text, moving: this.moving, problems: this.refused };
    if (name === 'scene') return { ok: true, name: this.name, solids: [], joints: [], problems: [] };
    if (name === 'save') return { ok: true, save: { text: this.text, name: this.name, files: this.files, time: 0, pose: this.pose } };
    return { ok: true };
  }
  kept(): string {
    return this.pose === '' ? this.text : `${this.text.replace(/start kept;.*\n/, '')}start kept; // ${this.pose}\n`;
  }
  answer(request: Request): Answer {
    if (typeof request.ask === 'string') return this.question(request.ask);
    this.done.push(String(request.do));
    const before = this.text;
    if (request.do === 'open' || request.do === 'restore') {
      const { text, name, files = {} } = (request.save ?? request) as Kept['save'];
      const missing = [...text.matchAll(/include "(.*?)"/g)].some(([, file]) => files[file as string] === undefined);
      if (text.includes('oops') || missing) return { ok: false, problems: [problem] };
      const pose = (request.save as { pose?: string } | undefined)?.pose ?? /start kept; \/\/ (.*)/.exec(text)?.[1] ?? '';
      Object.assign(this, { text, name, files, pose, undo: [] });
      return { ok: true, problems: [] };
    }
    if (request.do === 'edit') {
      if (String(request.text).includes('oops')) return { ok: false, problems: [problem] };
      this.text = String(request.text);
    }
    if (request.do === 'set') this.text = this.text.replace(String(request.from), String(request.to));
    if (request.do === 'pull') this.pose = String(request.to);
    if (request.do === 'keep') {
      this.text = this.kept();
      return { ok: true, edits: [], problems: this.refused, moving: this.moving, pins: 1, frozen: 0, merged: 0, limits: 2, forces: 0 };
    }
    if (request.do === 'undo') this.text = this.undo.pop() ?? this.text;
    else this.undo.push(before);
    return { ok: true, problems: [] };
  }
}

const a = 'title "A";\nparam size 1;\n';
const b = 'title "B" oops;\ninclude "part";\n';
const mended = b.replace(' oops', '');
let puts: { path: string; match: string | null; text: string }[];
let ends: (() => void)[];

// The page as it is loaded, and loaded anew.
async function load() {
  for (const end of ends.splice(0)) end();
  const studio = createStudio(document.body.appendChild(document.createElement('div')), { address: true });
  const { get, set, engine, documents } = studio;
  documents.state.setState({ server: true });
  ends.push(studio.end);
  const peace = () => vi.advanceTimersByTimeAsync(3000);
  return { studio, get, set, engine, allKept, peace, emptyScene, mainOf, ...documents };
}
type Loaded = Awaited<ReturnType<typeof load>>;
async function loadAnew(before?: Loaded) {
  before?.engine.leave();
  const loaded = await load();
  const found = await loaded.keptHere(window.location.href);
  if (!found) throw new Error('nothing was kept');
  expect(await loaded.restoreKept(found)).toBe(true);
  return loaded;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('Worker', Session);
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {}
      disconnect(): void {}
    },
  );
  localStorage.clear();
  sessionStorage.clear();
  window.history.replaceState(null, '', '/');
  puts = [];
  ends = [];
  const answers: Record<string, string> = { 'api/files/b.tenon': b, 'api/files/part': 'param p 1;' };
  vi.stubGlobal('fetch', (path: string, how?: RequestInit) => {
    const headers = new Headers(how?.headers);
    if (how?.method === 'PUT') puts.push({ path, match: headers.get('If-Match'), text: String(how.body) });
    const text = how?.method === 'PUT' ? '' : answers[path];
    return Promise.resolve({
      ok: text !== undefined,
      status: text === undefined ? 404 : 200,
      headers: new Headers({ ETag: '"1"' }),
      text: () => Promise.resolve(text),
    });
  });
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  vi.useRealTimers();
});

describe('a file that is opened with errors', () => {
  it('is what is saved, whatever becomes of the scene that was there', async () => {
    const page = await load();
    await page.openText(a, 'a.tenon');
    expect(await page.openServerFile('b.tenon')).toBe(false);
    expect([page.get().text, page.written()]).toEqual([a, b]);
    expect(page.isDirty()).toBe(false);
    await page.engine.run({ do: 'set', from: 'size 1', to: 'size 2' });
    expect(page.get().text).toContain('size 2');
    await page.save();
    page.engine.kill();
    await page.peace();
    await page.save();
    expect(puts).toEqual(Array(2).fill({ path: 'api/files/b.tenon', match: '"1"', text: b }));
    expect((await page.sharedScene()).text).toBe(b);
  });
  it('is still that after a reload', async () => {
    const before = await load();
    await before.openText(a, 'a.tenon');
    await before.openServerFile('b.tenon');
    await before.peace();
    const page = await loadAnew();
    expect(page.written()).toBe(b);
    await page.save();
    expect(puts).toEqual([{ path: 'api/files/b.tenon', match: '"1"', text: b }]);
  });
  it('becomes the scene once it is mended, with what it includes, before and after a reload', async () => {
    for (const again of [false, true]) {
      let page = await load();
      await page.openText(a, 'a.tenon');
      await page.openServerFile('b.tenon');
      await page.peace();
      if (again) page = await loadAnew();
      Session.now.done = [];
      await page.commitText(mended);
      expect(Session.now).toMatchObject({ text: mended, name: 'b.tenon', files: { part: 'param p 1;' }, done: ['open'] });
      expect(page.get()).toMatchObject({ text: mended, draft: null });
      expect(page.get().origin).toMatchObject({ path: 'b.tenon', pending: null });
    }
  });
  it('does not get what is typed while another one is being opened', async () => {
    const page = await load();
    await page.openText(a, 'a.tenon');
    const opened = page.openText(mended, 'b.tenon', { part: '' });
    await page.commitText(`${a}solid`);
    await opened;
    expect(page.written()).toBe(mended);
    expect(Session.now.text).toBe(mended);
  });
});

describe('a draft', () => {
  const typed = `${a}oops`;
  const both = typed.replace('size 1', 'size 2');
  const start = async () => {
    const page = await load();
    await page.openServerFile('b.tenon');
    await page.commitText(mended);
    await page.commitText(a);
    await page.commitText(typed);
    expect(page.get()).toMatchObject({ text: a, draft: typed });
    return page;
  };
  const change = { do: 'set', from: 'size 1', to: 'size 2' };

  it('has what tools change, and is saved and mended with it', async () => {
    const page = await start();
    await page.engine.run(change);
    expect(page.written()).toBe(both);
    await page.save();
    expect(puts.map((put) => put.text)).toEqual([both]);
    await page.commitText(page.written().replace('oops', ''));
    expect(page.get()).toMatchObject({ text: a.replace('size 1', 'size 2'), draft: null });
  });
  it('has what is undone', async () => {
    const page = await start();
    await page.commitText(a);
    await page.engine.run(change);
    await page.commitText(both);
    await page.engine.run({ do: 'undo' });
    expect(page.get()).toMatchObject({ text: a, draft: typed });
  });
  it('has it after a reload, and after a crash', async () => {
    const before = await start();
    await before.engine.run(change);
    await before.peace();
    const page = await loadAnew();
    expect(page.written()).toBe(both);
    page.engine.kill();
    await page.peace();
    expect(page.written()).toBe(both);
  });
  it('is over when a tool makes the text what was typed', async () => {
    const page = await start();
    await page.engine.run({ do: 'set', from: 'size 1;\n', to: 'size 1;\noops' });
    expect(page.get()).toMatchObject({ text: typed, draft: null, problems: [] });
  });
  it('holds what was typed while the session reads what was typed before', async () => {
    const page = await start();
    const first = page.commitText(`${a}solid`);
    const second = page.commitText(`${a}solid b`);
    expect(page.written()).toBe(`${a}solid b`);
    await first;
    expect(page.written()).toBe(`${a}solid b`);
    await second;
    expect(page.get()).toMatchObject({ text: `${a}solid b`, draft: null });
  });
  it('does not take back what a tool did just before', async () => {
    const page = await start();
    const tool = page.engine.run(change);
    await page.commitText(`${a}solid`);
    await tool;
    const all = `${a}solid`.replace('size 1', 'size 2');
    expect(page.get()).toMatchObject({ text: all, draft: null });
    expect(Session.now.text).toBe(all);
  });
  it('that is typed back to the text changes nothing', async () => {
    const page = await start();
    Session.now.done = [];
    await page.commitText(a);
    expect(page.get()).toMatchObject({ text: a, draft: null, problems: [] });
    expect(Session.now.done).toEqual([]);
  });
  it('stands in the editor', async () => {
    const page = await start();
    const host = document.body.appendChild(document.createElement('div'));
    const root = createRoot(host);
    await act(async () => root.render(within(page.studio, <TextEditor />)));
    ends.push(() => act(() => root.unmount()));
    const view = EditorView.findFromDOM(host.querySelector('.cm-editor') as HTMLElement) as EditorView;
    const shown = () => view.state.doc.toString();
    expect(shown()).toBe(typed);
    await act(async () => {
      await page.engine.run(change);
    });
    expect(shown()).toBe(both);
    // Typed, and not read yet, when a tool changes something.
    view.dispatch({ changes: { from: shown().length, insert: '!' } });
    await act(async () => {
      await page.engine.run({ do: 'undo' });
    });
    expect(shown()).toBe(`${typed}!`);
    expect(page.written()).toBe(typed);
    await act(() => page.peace());
    expect(page.written()).toBe(`${typed}!`);
    view.dispatch({ changes: { from: a.length, to: shown().length } });
    await act(() => page.peace());
    expect(page.get()).toMatchObject({ text: a, draft: null, problems: [] });
    await act(async () => {
      await page.openServerFile('b.tenon');
    });
    await act(async () => {
      await page.engine.run(change);
    });
    expect(shown()).toBe(b);
  });
});

describe('a page that is loaded anew', () => {
  it('has a file of this computer, or a new scene, that was only opened', async () => {
    const before = await load();
    await before.newScene();
    await before.peace();
    expect((await before.allKept())[0]?.changed).toBe(false);
    const page = await loadAnew();
    expect(page.get().text).toBe(page.emptyScene);
  });
  it('takes what an earlier version kept', async () => {
    const page = await load();
    const old = { save: { text: a, name: 'a.tenon', time: 0 }, changed: true, origin: { address: 'http://localhost:3000/', path: null, etag: null, saved: a } };
    localStorage.setItem('tenon-studio.autosave', JSON.stringify(old));
    const found = await page.keptHere('http://localhost:3000/');
    expect(found?.record).toMatchObject({ id: 'autosave', unsaved: true });
    expect(await page.restoreKept(found as NonNullable<typeof found>)).toBe(true);
    expect(page.get()).toMatchObject({ text: a, draft: null });
    expect(page.state.getState().pending).toBeNull();
  });
  it('has what its address asks for, unless that was changed', async () => {
    const { keptHere } = await load();
    const record = (id: string, changed: boolean, address: string): Kept => ({
      id,
      at: 1,
      save: { text: '', name: '', time: 0 },
      changed,
      unsaved: changed,
      draft: null,
      origin: { document: id, address, path: null, folder: '', etag: null, saved: '', made: false, pending: null },
    });
    const goesOn = async (kept: Kept, address: string, same: boolean): Promise<boolean> => {
      localStorage.clear();
      localStorage.setItem(`tenon-studio.${kept.id}`, JSON.stringify(kept));
      window.history.replaceState(same ? { document: kept.id } : null, '');
      return (await keptHere(address)) !== null;
    };
    const [bare, scene, file, link] = ['', '?scene=x', '?file=x', '#s=x'].map((part) => `http://here/${part}`) as [string, string, string, string];
    for (const asks of [scene, file, link]) {
      for (const same of [true, false]) {
        expect(await goesOn(record('1', true, asks), asks, same)).toBe(true);
        expect(await goesOn(record('1', false, asks), asks, same)).toBe(false);
      }
      expect(await goesOn(record('1', true, bare), asks, false)).toBe(false);
      expect(await goesOn(record('1', true, asks), bare, false)).toBe(true);
      expect(await goesOn({ ...record('1', true, asks), discarded: true }, asks, false)).toBe(false);
      expect(await goesOn(record('1', false, asks), bare, false)).toBe(false);
    }
    expect(await goesOn(record('1', false, bare), bare, true)).toBe(true);
    expect(await goesOn(record('1', false, bare), bare, false)).toBe(false);
  });
  it('has what was seen last, and says so only then', async () => {
    const before = await load();
    await before.openText(a, 'a.tenon');
    await before.peace();
    const frame = {
      type: 'frame' as const,
      poses: new Float32Array(7),
      time: 0,
      measures: null,
      milliseconds: 1,
      rate: 1,
      unexplained: 0,
      posing: null,
      ghosts: [],
      past: [],
    };
    Session.now.say({ ...frame, save: { text: a, name: 'a.tenon', time: 0, pose: 'seen' } as Kept['save'] });
    await vi.advanceTimersByTimeAsync(1);
    const page = await loadAnew(before);
    expect(Session.now.pose).toBe('seen');
    expect(page.get().notices.at(-1)?.text).toBe('Your scene is as you left it.');
    await page.peace();
    // A frame without its save, as of motion: the record is older.
    Session.now.say({ ...frame, save: null });
    await vi.advanceTimersByTimeAsync(1);
    const later = await loadAnew(page);
    expect(later.get().notices.at(-1)?.text).toMatch(/^Your scene was restored to how it was at /);
  });
});

describe('documents of several tabs', () => {
  it('do not touch each other, and those of no tab can be recovered', async () => {
    const one = await load();
    await one.openServerFile('b.tenon');
    await one.commitText(mended);
    await one.peace();
    const first = window.history.state;
    window.history.replaceState(null, '', '/?scene=x'); // another tab
    const two = await load();
    await two.openText(a, 'a.tenon', {}, { address: '?scene=x' });
    await two.commitText(`${a}param more 1;\n`);
    await two.peace();
    const again = await loadAnew(two);
    expect(again.written()).toBe(`${a}param more 1;\n`);
    expect((await again.recoverable()).map((record) => record.save.text)).toEqual([mended]);
    window.history.replaceState(first, '', '/?file=b.tenon');
    expect((await loadAnew()).written()).toBe(mended);
  });
});

describe('what was made', () => {
  const pulled = { do: 'pull', to: 'up' };
  it('is saved with the text, and it is said what', async () => {
    const page = await load();
    await page.openText(a, 'a.tenon', {}, { path: 'a.tenon' });
    expect(isUnsaved(page.get())).toBe(false);
    await page.engine.run(pulled);
    expect(isUnsaved(page.get())).toBe(true);
    Session.now.moving = true;
    await page.save();
    expect(isUnsaved(page.get())).toBe(false);
    expect(puts[0]?.text).toBe(`${a}start kept; // up\n`);
    expect(page.get().notices.at(-1)?.text).toBe('Saved a.tenon with the pose, 1 pin and 2 limits. Velocities are not saved: the scene opens at rest.');
    expect(await page.mayDiscard()).toBe(true);
  });
  it('is not called saved where the text cannot have it', async () => {
    const page = await load();
    await page.openText(a, 'a.tenon', {}, { path: 'a.tenon' });
    await page.engine.run(pulled);
    Session.now.refused = [{ ...problem, severity: 'warning', line: 0, what: "the joint 'p' is not saved as frozen, because another joint couples it" }];
    await page.save();
    const notice = page.get().notices.at(-1);
    expect(notice?.text).toBe("Saved a.tenon with the pose, 1 pin and 2 limits. The joint 'p' is not saved as frozen, because another joint couples it.");
    expect(notice?.kind).toBe('warning'); // it stays
    expect((await page.sharedScene()).lacks).toEqual(["The joint 'p' is not saved as frozen, because another joint couples it."]);
  });
  it('by motion alone is asked for, too, if the scene is not one of the gallery', async () => {
    for (const [address, asks] of [
      ['?file=a.tenon', true],
      ['', true],
      ['?scene=x', false],
    ] as const) {
      const page = await load();
      await page.openText(a, 'a.tenon', {}, { address });
      await page.engine.run(pulled);
      Session.now.labels = ['Play'];
      await page.peace();
      expect((await page.allKept())[0]?.unsaved).toBe(asks);
      const left = page.mayDiscard();
      await vi.advanceTimersByTimeAsync(1);
      expect(page.state.getState().dialog).toBe(asks ? 'discard' : null);
      page.state.getState().question?.answer('cancel');
      expect(await left).toBe(!asks);
    }
  });
  it('is kept, however many scenes are looked at afterwards', async () => {
    const page = await load();
    await page.openText(a, 'a.tenon');
    await page.engine.run(pulled);
    await page.peace();
    for (let k = 0; k < 40; k += 1) {
      await page.openText(`title "${k}";`, 'b.tenon', {}, { address: '?scene=x' });
      await page.peace();
    }
    expect((await page.recoverable()).map((record) => record.save.text)).toEqual([a]);
    expect((await page.allKept()).length).toBeLessThanOrEqual(30);
  });
  it('is asked for before another scene takes its place, and can be recovered', async () => {
    const page = await load();
    await page.openText(a, 'a.tenon');
    expect(await page.mayDiscard()).toBe(true);
    await page.engine.run(pulled);
    const kept = page.newScene();
    await vi.advanceTimersByTimeAsync(1);
    expect(page.state.getState()).toMatchObject({ dialog: 'discard', question: { losing: ['pose'] } });
    page.state.getState().question?.answer('cancel');
    await kept;
    expect(Session.now.text).toBe(a);
    const gone = page.newScene();
    await vi.advanceTimersByTimeAsync(1);
    page.state.getState().question?.answer('discard');
    await gone;
    expect(Session.now.text).toBe(page.emptyScene);
    const [record] = await page.recoverable();
    await page.recover(record as Kept);
    expect(Session.now).toMatchObject({ text: a, pose: 'up' });
    const again = page.newScene(); // it is still not saved
    await vi.advanceTimersByTimeAsync(1);
    expect(page.state.getState().dialog).toBe('discard');
    page.state.getState().question?.answer('cancel');
    await again;
  });
  it('that is saved first makes room for the other scene, though a name had to be given', async () => {
    const page = await load();
    await page.openText(a, 'a.tenon');
    await page.engine.run(pulled);
    const opened = page.newScene();
    await vi.advanceTimersByTimeAsync(1);
    page.state.getState().question?.answer('save');
    await vi.advanceTimersByTimeAsync(1);
    expect(page.state.getState().dialog).toBe('save-as');
    expect(Session.now.text).toBe(a);
    await page.saveAs('mine.tenon');
    await opened;
    expect(puts[0]?.text).toContain('start kept;');
    expect(Session.now.text).toBe(page.emptyScene);
    // Who gives no name keeps the scene.
    await page.engine.run(pulled);
    const kept = page.newScene();
    await vi.advanceTimersByTimeAsync(1);
    page.state.getState().question?.answer('save');
    await vi.advanceTimersByTimeAsync(1);
    page.state.setState({ dialog: null });
    await kept;
    expect(Session.now.pose).toBe('up');
  });
  it('goes with a link', async () => {
    const page = await load();
    await page.openText(a, 'a.tenon');
    await page.engine.run(pulled);
    expect(await page.sharedScene()).toMatchObject({ text: `${a}start kept; // up\n` });
    expect(Session.now.text).toBe(a);
  });
  it('is asked for before a link takes its place, and Back has it', async () => {
    const { shareLink } = await import('../panels/share');
    const page = await load();
    await page.openText(a, 'a.tenon', {}, { address: '?scene=x' });
    await page.engine.run(pulled);
    const before = { state: window.history.state, href: window.location.href };
    window.history.pushState(null, '', shareLink(window.location.href, { name: 'c.tenon', text: 'title "C";', files: {} }));
    const followed = page.followAddress();
    await vi.advanceTimersByTimeAsync(1);
    page.state.getState().question?.answer('discard');
    await followed;
    expect(Session.now.text).toBe('title "C";');
    window.history.pushState(before.state, '', before.href); // as Back does
    await page.followAddress();
    expect(Session.now).toMatchObject({ text: a, pose: 'up' });
  });
});

describe('a scene that includes others', () => {
  it('is saved elsewhere with them, or after it is said what would be missing', async () => {
    const page = await load();
    page.state.setState({ list: ['b.tenon', 'sub/c.tenon'] });
    await page.openServerFile('b.tenon');
    await page.commitText(mended);
    expect(await page.saveAs('copy.tenon')).toBe(true); // beside it
    expect(await page.saveAs('sub/copy.tenon')).toBe(false);
    expect(page.state.getState()).toMatchObject({ dialog: 'includes', saving: { path: 'sub/copy.tenon', lacks: [{ name: 'part', there: false }] } });
    expect(puts).toHaveLength(1);
    expect(await page.saveToServer('sub/copy.tenon', 'new', true)).toBe(true);
    const whole = 'title "B";\n// From part:\nparam p 1;\n// End of part.\n';
    expect(puts[1]).toMatchObject({ path: 'api/files/sub/copy.tenon', text: whole });
    expect(Session.now.text).toBe(whole);
    expect(page.isDirty()).toBe(false);
  });
  it('is proposed its own folder, where the server has that', async () => {
    const page = await load();
    await page.openText(a, 'chair.tenon', {}, { folder: 'manikin/' });
    expect(page.proposedPath()).toBe('chair.tenon');
    page.state.setState({ list: ['manikin/human.tenon'] });
    expect(page.proposedPath()).toBe('manikin/chair.tenon');
  });
});

describe('files that are dropped', () => {
  it('are named if they cannot be opened', async () => {
    const page = await load();
    const file = (name: string, text = ''): File => Object.assign(new File([text], name), { text: () => Promise.resolve(text) });
    await page.openFiles([file('photo.png'), file('notes.pdf')]);
    expect(page.get().notices.at(-1)).toMatchObject({ kind: 'error', text: expect.stringMatching(/^photo.png and notes.pdf cannot be opened\. .*\.tenon/) });
    await page.openFiles([file('photo.png'), file('b.tenon', mended), file('part', 'param p 1;')]);
    expect(Session.now).toMatchObject({ name: 'b.tenon', files: { part: 'param p 1;' } });
    expect(page.get().notices.at(-1)?.text).toMatch(/^photo.png was left out/);
  });
});
