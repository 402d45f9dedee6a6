// Each panel of the list, whatever it is: a new one is tested by being there.
import { act, Suspense } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { commands } from '../panels/commands';
import { flagOf, isOpen, panels, showPanel, type PanelKind } from '../panels/list';
import type { Page } from '../store/store';
import { studioWith, within } from './studio';

vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', true);
vi.stubGlobal(
  'ResizeObserver',
  class {
    observe(): void {}
    disconnect(): void {}
  },
);
vi.stubGlobal('matchMedia', () => ({ matches: false, addEventListener: () => undefined, removeEventListener: () => undefined, addListener: () => undefined }));
vi.stubGlobal('fetch', () => Promise.reject(new Error('no network')));
Range.prototype.getClientRects = () => [] as unknown as DOMRectList; // the editor asks where its cursor is
// What the plots draw is not looked at.
const pen = new Proxy({}, { get: (_, name) => (name === 'measureText' ? () => ({ width: 0 }) : () => undefined), set: () => true });
HTMLCanvasElement.prototype.getContext = (() => pen) as never;
vi.stubGlobal('Path2D', function () {
  return pen;
});
afterEach(() => document.body.replaceChildren());

const kinds: readonly PanelKind[] = panels;
const settings = { method: 'energy', solver: 'direct', iterations: 1, tolerance: 0, alpha: 0, beta: 0, dt: 0.01, budget: 4 };
const opened = {
  scene: { title: '', name: 'x', gravity: [0, 0, 0], duration: 1, solids: [], joints: [], floors: [], springs: [], parameters: [], problems: [], settings },
  state: { time: 0, hash: '', frozen: [], merged: [], pins: [], grabs: [], forces: [], limits: [], gravity: [0, 0, 0], damp: 0, settings, undo: [], redo: [] },
} as unknown as Partial<Page>;

describe.each(kinds.map((panel) => [panel.id, panel] as const))('the panel %s', (id, panel) => {
  it('has a title, and a command of its own name', () => {
    expect(panel.title).toMatch(/^[A-Z]/);
    expect(kinds.filter((other) => other.id === id || other.title === panel.title)).toHaveLength(1);
    const own = commands.filter((command) => command.id === `panel-${id}`);
    expect(own.map(({ group, keys }) => ({ group, keys }))).toEqual([{ group: 'Panels', keys: panel.keys ?? [] }]);
    expect(commands.filter(({ title }) => title === own[0]?.title)).toHaveLength(1);
  });
  it('opens and closes by that command, and leaves the others as they are', () => {
    const studio = studioWith(() => ({ ok: true }));
    showPanel(studio.page, panel, false);
    const before = studio.get().panels;
    const command = commands.find((one) => one.id === `panel-${id}`);
    command?.run(studio);
    expect(isOpen(studio.get(), panel)).toBe(true);
    command?.run(studio);
    expect(isOpen(studio.get(), panel)).toBe(false);
    expect(studio.get().panels).toEqual({ ...before, [flagOf(panel)]: false });
  });
  it.each([
    ['no scene', {}],
    ['a scene', opened],
  ] as const)('shows something with %s', async (_, page) => {
    const studio = studioWith(() => ({ ok: true }));
    studio.set(page);
    const root = createRoot(studio.element);
    const Content = panel.content;
    const moment = (): Promise<void> => new Promise((done) => setTimeout(done, 20));
    await act(() =>
      root.render(
        within(
          studio,
          <Suspense fallback={null}>
            <Content />
          </Suspense>,
        ),
      ),
    );
    await vi.waitUntil(
      async () => {
        await act(moment); // some are loaded when they are first shown
        return studio.element.textContent !== '';
      },
      { timeout: 30_000 },
    );
    expect(studio.element.textContent).not.toBe('');
    await act(() => root.unmount());
  });
});
