// The Solver panel has a control for each setting of the chosen method, made from the engine's catalogue.
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, vi } from 'vitest';
import Solver, { labelOf, motionSettings, pullSettings, rangeWords } from '../panels/Solver';
import type { Catalogue, CatalogueSetting } from '../store/store';
import { studioWith, within, type Request } from './studio';

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);

const one = (name: string, kind: CatalogueSetting['kind'], methods: string[], more: Partial<CatalogueSetting> = {}, words?: string[]): CatalogueSetting => ({
  name,
  kind,
  unit: '',
  help: `What ${name} does.`,
  most: null,
  motion: { default: kind === 'switch' ? false : (words?.[0] ?? 0), methods, ...(words ? { words } : {}) },
  ...more,
});
const all = ['energy', 'displacement', 'relaxation'];
const catalogue = {
  kinds: [],
  solvers: ['direct', 'cg'],
  assembly: ['newton', 'displacement'],
  methods: all.map((name) => ({ name, summary: '', islands: name === 'energy', solver: name !== 'energy', feedback: false })),
  settings: [
    one('method', 'choice', all, {}, all),
    one('dt', 'positive', all),
    one('iterations', 'whole', all, { most: 1e9 }),
    one('guess', 'switch', ['displacement']),
    one('largest-turn', 'not-negative', ['relaxation'], { unit: 'rad', most: 100 }),
    one('on-cap', 'choice', ['relaxation'], {}, ['go', 'stop']),
    { name: 'seed', kind: 'whole', unit: '', help: 'Of newton.' },
    one('pull-method', 'choice', all, {}, ['newton', 'displacement']),
    one('pull-iterations', 'whole', all),
    one('pull-solver', 'choice', all, {}, ['direct', 'cg']),
  ],
} as unknown as Catalogue;

it('offers the settings of a method, and of pulling', () => {
  const names = (list: CatalogueSetting[]): string[] => list.map(({ name }) => name);
  expect(names(motionSettings(catalogue, 'energy'))).toEqual(['iterations']);
  expect(names(motionSettings(catalogue, 'displacement'))).toEqual(['iterations', 'guess']);
  expect(names(motionSettings(catalogue, 'relaxation'))).toEqual(['iterations', 'largest-turn', 'on-cap']);
  expect(motionSettings(null, 'energy')).toEqual([]);
  expect(names(pullSettings(catalogue, 'newton'))).toEqual(['pull-method', 'pull-iterations']);
  expect(names(pullSettings(catalogue, 'displacement'))).toEqual(['pull-method', 'pull-iterations', 'pull-solver']);
});

it('says what a setting is called and which values it may have', () => {
  expect(labelOf('linear-iterations')).toBe('Linear iterations');
  expect(labelOf('pull-solver')).toBe('Pull solver');
  expect(labelOf('alpha')).toBe('α');
  const range = (kind: CatalogueSetting['kind'], most: number | null): string => rangeWords(one('x', kind, [], { most }));
  expect(range('positive', null)).toBe('more than 0');
  expect(range('positive', 1)).toBe('more than 0, at most 1');
  expect(range('not-negative', 100)).toBe('from 0 to 100');
  expect(range('whole', null)).toBe('a whole number from 0');
  expect(range('switch', 1)).toBe('');
});

it('asks for what is chosen', async () => {
  const settings = {
    method: 'relaxation',
    solver: 'direct',
    iterations: 1,
    tolerance: 1,
    alpha: 0,
    beta: 0,
    dt: 0.01,
    budget: 4,
    'largest-turn': 0.5,
    'on-cap': 'go',
  };
  const asked: Request[] = [];
  const studio = studioWith((request) => {
    if ('do' in request) asked.push(request);
    return { ok: true };
  });
  studio.set({
    catalogue,
    scene: { title: '', name: 'x', gravity: [0, 0, 0], duration: 1, solids: [], joints: [], floors: [], springs: [], parameters: [], problems: [], settings },
    state: {
      time: 0,
      hash: '',
      frozen: [],
      merged: [],
      pins: [],
      grabs: [],
      forces: [],
      limits: [],
      gravity: [0, 0, 0],
      damp: 0,
      settings,
      undo: [],
      redo: [],
    },
  });
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  await act(() => root.render(within(studio, <Solver />)));
  const labelled = <T extends HTMLElement>(text: string): T => {
    const label = [...host.querySelectorAll('label')].find((each) => each.textContent === text) as HTMLLabelElement;
    expect(label.title).toContain('What');
    return document.getElementById(label.htmlFor) as T;
  };
  const cap = labelled<HTMLSelectElement>('On cap');
  expect([...cap.options].map(({ value }) => value)).toEqual(['go', 'stop']);
  expect(labelled<HTMLInputElement>('Largest turn').value).toBe('0.5');
  await act(() => {
    cap.value = 'stop';
    cap.dispatchEvent(new Event('change', { bubbles: true }));
  });
  expect(asked).toEqual([{ do: 'settings', 'on-cap': 'stop' }]);
  await act(() => root.unmount());
});
