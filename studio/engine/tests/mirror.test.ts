import { describe, expect, it } from 'vitest';
import { initialPage, type Measures, type Page, type Scene, type Verdict } from '../../store/store';
import { mirrorCommand, mirrorFrame, mirrorQuestion, prune, questionsAfter } from '../mirror';
import type { FrameMessage } from '../protocol';

const measures = (time: number): Measures => ({
  time,
  error: 1e-9,
  rms: 1e-10,
  worst: 'a',
  kinetic: 1,
  potential: 2,
  momentum: 0,
  angular_momentum: 0,
});
const frame = (time: number, methods: string[] = []): FrameMessage => ({
  type: 'frame',
  poses: new Float32Array([0, 0, 0, 0, 0, 0, 1]),
  time,
  measures: measures(time),
  milliseconds: 0.5,
  rate: 1,
  unexplained: 0,
  posing: null,
  past: [],
  save: null,
  ghosts: methods.map((method) => ({ method, poses: new Float32Array(7), measures: measures(time), milliseconds: 1 })),
});
const problem = { severity: 'error' as const, file: '', line: 3, column: 1, width: 1, what: 'no such joint', remedy: 'see its name' };
const after = (page: Page, change: Partial<Page>): Page => ({ ...page, ...change });

describe('what a command changes', () => {
  it('asks for scene and text only where they may have changed', () => {
    expect(questionsAfter('pin')).not.toContain('scene');
    expect(questionsAfter('undo')).toEqual(expect.arrayContaining(['state', 'scene', 'text']));
  });
  it('forgets selection, verdict and plots with a new scene', () => {
    const page = {
      ...initialPage,
      selection: { solids: ['a'], joints: [] },
      highlight: ['j'],
      history: [{ ...measures(1), milliseconds: 1, method: 'energy' }],
    };
    const change = mirrorCommand(page, 'open', { ok: true });
    expect(change).toMatchObject({ selection: { solids: [], joints: [] }, highlight: [], history: [], verdict: null, problems: [] });
  });
  it('says why a command was refused, but leaves faults of a text to the editor', () => {
    expect(mirrorCommand(initialPage, 'freeze', { ok: false, problems: [problem] }).notices?.[0]?.text).toBe('Line 3: no such joint: see its name.');
    const edit = mirrorCommand(initialPage, 'edit', { ok: false, problems: [problem] });
    expect(edit.problems).toEqual([problem]);
    expect(edit.notices).toBeUndefined();
  });
  it('keeps errors until they are dismissed, and warnings until the motion begins anew', () => {
    const [error, warning, hint] = (['error', 'warning', 'info'] as const).map((kind) => ({ text: kind, kind }));
    const notices = [error, warning, hint].filter((notice) => notice !== undefined);
    for (const command of ['open', 'restore', 'reset']) expect(mirrorCommand({ ...initialPage, notices }, command, { ok: true }).notices).toEqual([error]);
    expect(mirrorCommand({ ...initialPage, notices }, 'freeze', { ok: false, problems: [problem] }).notices).toEqual([
      error,
      warning,
      { text: 'Line 3: no such joint: see its name.', kind: 'error' },
    ]);
  });
  it('marks a verdict as that of before, until the next one comes', () => {
    const verdict = { dof: 1, words: '' } as Verdict;
    expect(mirrorCommand({ ...initialPage, verdict }, 'undo', { ok: true }).verdict).toEqual({ ...verdict, stale: true });
    expect(mirrorCommand({ ...initialPage, verdict }, 'open', { ok: true }).verdict).toBeNull();
    expect(mirrorQuestion('verdict', { ok: true, dof: 2 }).verdict?.stale).toBeUndefined();
  });
  it('keeps what it has where a question is refused', () => {
    expect(mirrorQuestion('scene', { ok: false })).toEqual({});
    expect(mirrorQuestion('text', { ok: true, text: 'x' })).toEqual({ text: 'x' });
  });
  it('deselects what is gone', () => {
    const scene = { solids: [{ name: 'a' }], joints: [] } as unknown as Scene;
    expect(prune({ ...initialPage, selection: { solids: ['a', 'b'], joints: ['j'] } }, scene).selection).toEqual({ solids: ['a'], joints: [] });
    expect(prune({ ...initialPage, selection: { solids: ['a'], joints: [] } }, scene)).toEqual({});
  });
});

describe('frames', () => {
  it('are counted, and sampled once for every time', () => {
    let page = after(initialPage, mirrorFrame(initialPage, frame(0.1)));
    page = after(page, mirrorFrame(page, frame(0.1)));
    page = after(page, mirrorFrame(page, frame(0.2)));
    expect(page.frame).toBe(3);
    expect(page.history.map((sample) => sample.time)).toEqual([0.1, 0.2]);
  });
  it('cut the plots off where time was turned back', () => {
    let page = initialPage;
    for (const time of [0.1, 0.2, 0.3, 0.15]) page = after(page, mirrorFrame(page, frame(time)));
    expect(page.history.map((sample) => sample.time)).toEqual([0.1, 0.15]);
  });
  it('have a sample for every ghost', () => {
    const page = after(initialPage, mirrorFrame(initialPage, frame(0.1, ['shake', 'implicit'])));
    expect(page.history.map((sample) => sample.method)).toEqual(['', 'shake', 'implicit']);
    expect(after(page, mirrorFrame(page, frame(0.1))).history).toHaveLength(1);
  });
  it('bring what was measured between them', () => {
    const past = [0.1, 0.15].map((time) => ({ measures: measures(time), milliseconds: 1, ghosts: [] }));
    const page = after(initialPage, mirrorFrame(initialPage, { ...frame(0.2), past }));
    expect(page.history.map((sample) => sample.time)).toEqual([0.1, 0.15, 0.2]);
    expect(page.frame).toBe(1);
  });
  it('are kept to a number', () => {
    let page = initialPage;
    for (let k = 0; k < 4100; ++k) page = after(page, mirrorFrame(page, frame(k)));
    expect(page.history).toHaveLength(4000);
    expect(page.history[3999].time).toBe(4099);
  });
});
