// At a conflict the joints that contradict each other can be relaxed, and the page says how far each gave.
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, vi } from 'vitest';
import type { Page } from '../store/store';

import Assemble from '../panels/Assemble';
import { studioWith, within, type Request } from './studio';

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);

const asked: Request[] = [];
const studioOf = (page: unknown) => {
  asked.length = 0;
  const studio = studioWith((request) => {
    asked.push(request);
    return {
      ok: true,
      status: 'converged',
      reason: '',
      iterations: 12,
      restarts: 0,
      milliseconds: 1,
      start_error: 0.5,
      max_error: 0,
      frames: [],
      yielded: [
        { joint: 'left', metres: 0.2, radians: 0, weight: 1 },
        { joint: 'right', metres: 0.3, radians: 0.25, weight: 1 },
        { joint: 'knee', coordinate: 'angle', metres: 0, radians: 0.1, weight: 5 },
      ],
    };
  });
  studio.set(page as Partial<Page>);
  return studio;
};

const verdict = {
  dof: 1,
  redundant: 0,
  redundant_joints: [],
  conflicts: [
    ['left', 'middle'],
    ['middle', 'right'],
  ],
  conflicts_complete: true,
  conflicts_share: ['middle'],
  singular: false,
  error: 0.5,
  words: 'The joints cannot all be closed.',
};
const settings = { method: 'energy', solver: 'direct', iterations: 1, tolerance: 0, alpha: 0, beta: 0, dt: 0.01, budget: 4 };
const scene = {
  title: '',
  name: 'x',
  gravity: [0, 0, 0],
  duration: 1,
  solids: [],
  joints: [],
  floors: [],
  springs: [],
  parameters: [],
  problems: [],
  settings,
};

it('relaxes the joints of all conflicts and says how far each gave', async () => {
  const studio = studioOf({ scene, verdict });
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  await act(async () => {
    root.render(within(studio, <Assemble />));
    await Promise.resolve();
  });
  const relax = [...host.querySelectorAll('button')].find((button) => button.textContent === 'Relax these');
  await act(async () => {
    relax?.click();
    await Promise.resolve();
  });
  expect(asked).toEqual([{ do: 'assemble', yield: [{ joint: 'left' }, { joint: 'middle' }, { joint: 'right' }], trace: true }]);
  const said = [...host.querySelectorAll('.assemble-gave li')].map((line) => line.textContent);
  expect(said).toEqual(['right by 300 mm and 0.25 rad', 'left by 200 mm', 'knee (angle) by 0.1 rad']);
  await act(() => root.unmount());
});

it('offers nothing to relax where nothing contradicts', async () => {
  const studio = studioOf({ scene, verdict: { ...verdict, conflicts: [] } });
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  await act(async () => {
    root.render(within(studio, <Assemble />));
    await Promise.resolve();
  });
  expect(host.textContent).not.toContain('Relax these');
  await act(() => root.unmount());
});
