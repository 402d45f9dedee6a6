// A slider says which changes belong together.
import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { expect, it, vi } from 'vitest';
import Solver from '../panels/Solver';
import { studioWith, within, type Request } from './studio';

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);

it('gives all changes of one drag one number', async () => {
  const settings = { method: 'energy', solver: 'direct', iterations: 1, tolerance: 0, alpha: 0, beta: 0, dt: 0.01, budget: 4 };
  const asked: Request[] = [];
  const studio = studioWith((request) => {
    if ('do' in request) asked.push(request);
    return { ok: true };
  });
  studio.set({
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
  const slider = host.querySelector<HTMLInputElement>('input[aria-label="Damping"]') as HTMLInputElement;
  const setter = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set as (value: string) => void;
  const moveTo = (value: string): void =>
    act(() => {
      setter.call(slider, value);
      slider.dispatchEvent(new Event('input', { bubbles: true }));
    });
  const letGo = (): void =>
    act(() => {
      slider.dispatchEvent(new Event('pointerup', { bubbles: true }));
    });
  moveTo('1');
  moveTo('2');
  letGo();
  moveTo('3');
  expect(asked.map((request) => request.value)).toEqual([1, 2, 3]);
  const [first, second, third] = asked.map((request) => request.drag);
  expect(second).toBe(first);
  expect(third).not.toBe(first);
  await act(() => root.unmount());
});
