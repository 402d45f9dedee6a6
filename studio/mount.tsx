// Puts a studio into an element of a page: its theme, its keys, what it remembers, its first scene. A page may have several;
// one of them at most has the page's address (`address`), and with it the history, and what was left behind by a reload.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import App from './App';
import './app.css';
import { listenToKeys } from './panels/commands';
import { asksForScene } from './panels/documents';
import { panelsAt } from './panels/list';
import { createStudio, StudioContext, type Studio } from './panels/studio';
import { remember, remembered } from './remembered';
import type { Theme } from './store/store';

const firstScene = 'figures/marionette';

// `element` has the theme; where the studio is the whole page, so has the page behind it.
function followTheme({ element, page, get, set }: Studio, address: boolean): () => void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const { theme } = get();
    const now = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
    element.dataset.theme = now;
    if (address) document.documentElement.dataset.theme = now;
  };
  set(remembered<{ theme: Theme }>('theme', { theme: 'system' }));
  apply();
  dark.addEventListener('change', apply);
  const stop = page.subscribe((now, before) => {
    if (now.theme === before.theme) return;
    remember('theme', { theme: now.theme });
    apply();
  });
  return () => {
    stop();
    dark.removeEventListener('change', apply);
  };
}

function followPanels({ page, get, set }: Studio): () => void {
  const { panels, tab, show } = get();
  const closed = Object.fromEntries(panelsAt('dialog').map(({ id }) => [id, false])); // at first
  set({ panels: { ...remembered('panels', panels), ...closed }, ...remembered('tab', { tab }), show: remembered('show', show) });
  return page.subscribe((now, before) => {
    if (now.panels !== before.panels) remember('panels', now.panels);
    if (now.tab !== before.tab) remember('tab', { tab: now.tab });
    if (now.show !== before.show) remember('show', now.show);
  });
}

// What was being done at this address when the page was left; else what the address asks for; else the first scene.
async function openFirst({ get, documents }: Studio): Promise<void> {
  const { href } = window.location;
  const found = get().embed ? null : await documents.keptHere(href);
  if (found && (await documents.restoreKept(found))) return;
  if (asksForScene(href) && (await documents.openFromAddress(href))) return;
  if (!get().scene && documents.written() === '') await documents.openGalleryScene(firstScene);
}

function followAddress({ get, engine, documents }: Studio): () => void {
  const go = (): void => void (get().embed ? documents.openFromAddress(window.location.href) : documents.followAddress());
  const leave = (): void => engine.leave();
  window.addEventListener('popstate', go);
  window.addEventListener('pagehide', leave);
  return () => {
    window.removeEventListener('popstate', go);
    window.removeEventListener('pagehide', leave);
  };
}

// `embed`: the view alone, with a button to play. `scene`: of the gallery, for a studio without the address.
export interface MountOptions {
  address?: boolean;
  embed?: boolean;
  scene?: string;
}

export interface Mounted {
  studio: Studio;
  remove: () => void;
}

export function mountStudio(element: HTMLElement, { address = false, embed = false, scene = firstScene }: MountOptions = {}): Mounted {
  element.classList.add('studio');
  const studio = createStudio(element, { address });
  const { engine, documents } = studio;
  engine.start();
  studio.set({ embed });
  const undo = [followTheme(studio, address)];
  if (!embed) undo.push(followPanels(studio), listenToKeys(studio));
  const root = createRoot(element);
  root.render(
    <StrictMode>
      <StudioContext.Provider value={studio}>
        <App />
      </StudioContext.Provider>
    </StrictMode>,
  );
  undo.push(() => root.unmount());
  if (address) {
    undo.push(followAddress(studio));
    void openFirst(studio).then(() => (embed ? undefined : documents.tellRecoverable()));
  } else {
    void documents.openGalleryScene(scene);
  }
  const remove = (): void => {
    for (const step of undo) step();
    studio.end();
    element.classList.remove('studio');
  };
  return { studio, remove };
}
