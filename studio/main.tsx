// The page begins: what it remembers, the theme, the scene that the address asks for.
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import App from './App';
import './app.css';
import { engine } from './engine/engine';
import { listenToKeys } from './panels/commands';
import { asksForScene, followAddress, keptHere, openFromAddress, restoreKept, tellRecoverable, written } from './panels/documents';
import { openGalleryScene } from './panels/scenes';
import { remember, remembered } from './store/remembered';
import { get, page, set, type Theme } from './store/store';
import type { View } from './viewport/view';

const firstScene = 'figures/marionette';

function followTheme(): void {
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const { theme } = get();
    document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme;
  };
  set(remembered<{ theme: Theme }>('theme', { theme: 'system' }));
  apply();
  dark.addEventListener('change', apply);
  page.subscribe((now, before) => {
    if (now.theme === before.theme) return;
    remember('theme', { theme: now.theme });
    apply();
  });
}

function followPanels(): void {
  const { panels, tab, show } = get();
  set({ panels: { ...remembered('panels', panels), gallery: false }, ...remembered('tab', { tab }), show: remembered('show', show) });
  page.subscribe((now, before) => {
    if (now.panels !== before.panels) remember('panels', now.panels);
    if (now.tab !== before.tab) remember('tab', { tab: now.tab });
    if (now.show !== before.show) remember('show', now.show);
  });
}

// What was being done at this address when the page was left; else what the address asks for; else the first scene.
async function openFirst(): Promise<void> {
  const { href } = window.location;
  const found = get().embed ? null : await keptHere(href);
  if (found && (await restoreKept(found))) return;
  if (asksForScene(href) && (await openFromAddress(href))) return;
  if (!get().scene && written() === '') await openGalleryScene(firstScene);
}

// For tests, and for those who like to look inside.
declare global {
  interface Window { tenon: { engine: typeof engine; store: typeof page; version: string; view?: View } }
}
window.tenon = { engine, store: page, version: __TENON_VERSION__ };

engine.start();
set({ embed: new URLSearchParams(window.location.search).has('embed') });
followTheme();
if (!get().embed) {
  followPanels();
  listenToKeys();
}
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
window.addEventListener('popstate', () => void (get().embed ? openFromAddress(window.location.href) : followAddress()));
window.addEventListener('pagehide', () => engine.leave());
void openFirst().then(() => (get().embed ? undefined : tellRecoverable()));
