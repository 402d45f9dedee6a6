// Puts the rooms together: where panels are, how large, and what of them is shown.
import { lazy, Suspense, useEffect, useRef, useState, type ReactNode } from 'react';
import { engine } from './engine/engine';
import { isUnsaved } from './engine/mirror';
import Assemble from './panels/Assemble';
import CommandPalette from './panels/CommandPalette';
import Compare from './panels/Compare';
import Files from './panels/Files';
import FirstRun from './panels/FirstRun';
import Gallery, { GalleryButton } from './panels/Gallery';
import Icon, { type IconName } from './panels/icons';
import Keys from './panels/Keys';
import Outliner from './panels/Outliner';
import Properties from './panels/Properties';
import Resizer from './panels/Resizer';
import Sight from './panels/Sight';
import Solver from './panels/Solver';
import Status, { Notices } from './panels/Status';
import Tabs, { type TabItem } from './panels/Tabs';
import Transport from './panels/Transport';
import ViewBar from './panels/ViewBar';
import { usePage } from './store/hooks';
import { remember, remembered } from './store/remembered';
import { get, set, type Panel, type Tab, type Theme } from './store/store';

// What is not seen at first is not loaded at first.
const ViewWithTools = lazy(() => import('./ViewWithTools'));
const Plots = lazy(() => import('./panels/Plots'));
const TextEditor = lazy(() => import('./panels/TextEditor'));

// [px] What is narrower, or as low as a telephone on its side, has the view and a sheet; else panels stand around the view.
const narrowBelow = 760;
const lowBelow = 480;
const sheetBeside = 600; // of a low page: the sheet stands beside the view from this width on
// [px] The motion bar has to fit into the view: panels beside it give way, down to their least width.
const leastView = 340;
const leastLeft = 180;
const leastRight = 240;

// How wide the panels are that are to be so wide: what is missing of the view, both give alike.
export function sideWidths(room: number, left: number, right: number): { left: number; right: number } {
  const spare = { left: Math.max(0, left - leastLeft), right: Math.max(0, right - leastRight) };
  const missing = Math.min(Math.max(0, left + right + leastView - room), spare.left + spare.right);
  const part = missing > 0 ? missing / (spare.left + spare.right) : 0;
  return { left: Math.round(left - part * spare.left), right: Math.round(right - part * spare.right) };
}

function Later({ children }: { children: ReactNode }) {
  return <Suspense fallback={<div className="loading">Loading…</div>}>{children}</Suspense>;
}

const showPanel = (panel: Panel, on: boolean): void => set({ panels: { ...get().panels, [panel]: on } });

function Toggle({ panel, icon, label }: { panel: Panel; icon: IconName; label: string }) {
  const on = usePage((page) => page.panels[panel]);
  return (
    <button type="button" className="button icon quiet" aria-pressed={on} aria-label={label} title={label} onClick={() => showPanel(panel, !on)}>
      <Icon name={icon} />
    </button>
  );
}

function ThemeSwitch() {
  const theme = usePage((page) => page.theme);
  const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
  const words: Record<Theme, string> = { system: 'follows the system', light: 'light', dark: 'dark' };
  const icons: Record<Theme, IconName> = { system: 'system', light: 'sun', dark: 'moon' };
  return (
    <button type="button" className="button icon quiet" aria-label={`Theme: ${words[theme]}`} title={`Theme: ${words[theme]}`}
      onClick={() => set({ theme: next[theme] })}>
      <Icon name={icons[theme]} />
    </button>
  );
}

function Travel({ how }: { how: 'undo' | 'redo' }) {
  const label = usePage((page) => page.state?.[how][0]);
  const word = how === 'undo' ? 'Undo' : 'Redo';
  return (
    <button type="button" className="button icon quiet" disabled={label === undefined} aria-label={word} title={label ? `${word}: ${label}` : word}
      onClick={() => void engine.run({ do: how })}>
      <Icon name={how} />
    </button>
  );
}

function TopBar({ narrow }: { narrow: boolean }) {
  const title = usePage((page) => page.scene?.title || page.scene?.name || '');
  const unsaved = usePage(isUnsaved);
  return (
    <header className="topbar">
      <h1 className="brand">
        <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true"><path d="M1.5 2.5h13v4.2h-4.3v7H5.8v-7H1.5z" fill="currentColor" /></svg>
        <span className={narrow ? 'visually-hidden' : ''}>Tenon</span>
        <span className="visually-hidden"> studio</span>
      </h1>
      <div className="scene-title" title={title}>
        {unsaved ? <span className="unsaved" role="img" aria-label="Not saved" title="Not saved">●</span> : null}
        {title}
      </div>
      {!narrow && <div className="spacer" />}
      <GalleryButton />
      <Travel how="undo" />
      <Travel how="redo" />
      <span className="divider" />
      <Files />
      <span className="divider" />
      <button type="button" className="button icon quiet" aria-label="Find a command" title="Find a command, solid, joint or scene (Ctrl+K)" onClick={() => set({ palette: true })}>
        <Icon name="search" />
      </button>
      {!narrow && (
        <>
          <Toggle panel="outliner" icon="left" label="Outliner" />
          <Toggle panel="plots" icon="plots" label="Plots" />
          <Toggle panel="text" icon="text" label="Text" />
          <Toggle panel="properties" icon="right" label="Properties" />
        </>
      )}
      {!narrow && (
        <a className="button icon quiet" href="docs/studio.html" target="_blank" rel="noreferrer" aria-label="Documentation" title="Documentation">
          <Icon name="help" />
        </a>
      )}
      <ThemeSwitch />
    </header>
  );
}

const rightTabs: TabItem<Tab>[] = [
  { id: 'properties', label: 'Properties', content: () => <Properties /> },
  { id: 'solver', label: 'Solver', content: () => <Solver /> },
  { id: 'assemble', label: 'Assemble', content: () => <Assemble /> },
  { id: 'compare', label: 'Compare', content: () => <Compare /> },
];

function Stage({ foot, bar = false, guide = false }: { foot: ReactNode; bar?: boolean; guide?: boolean }) {
  return (
    <div className="stage">
      <div className="fill"><Later><ViewWithTools /></Later></div>
      {bar && <ViewBar />}
      {guide && <FirstRun />}
      <div className="stage-foot"><Sight /><Notices />{foot}</div>
    </div>
  );
}

function DrawerPart({ panel, title, children }: { panel: Panel; title: string; children: ReactNode }) {
  return (
    <div className="drawer-part">
      <div className="drawer-head">
        <h2 className="panel-title">{title}</h2>
        <button type="button" className="button icon quiet" aria-label={`Close ${title.toLowerCase()}`} onClick={() => showPanel(panel, false)}>
          <Icon name="close" size={14} />
        </button>
      </div>
      <div className="drawer-body"><Later>{children}</Later></div>
    </div>
  );
}

function Wide() {
  const panels = usePage((page) => page.panels);
  const tab = usePage((page) => page.tab);
  const [sizes, setSizes] = useState(() => remembered('sizes', { left: 250, right: 330, drawer: 320 }));
  const [room, setRoom] = useState({ width: window.innerWidth, height: window.innerHeight });
  useEffect(() => remember('sizes', sizes), [sizes]);
  useEffect(() => {
    const measure = (): void => setRoom({ width: window.innerWidth, height: window.innerHeight });
    window.addEventListener('resize', measure);
    return () => window.removeEventListener('resize', measure);
  }, []);
  const mostSide = Math.max(180, Math.round(room.width * 0.4));
  const mostDrawer = Math.max(140, Math.round(room.height * 0.6));
  const widths = sideWidths(room.width, panels.outliner ? Math.min(sizes.left, mostSide) : 0, panels.properties ? Math.min(sizes.right, mostSide) : 0);
  const drawer = panels.text || panels.plots;
  return (
    <>
      {panels.outliner && (
        <aside className="side left" aria-label="Outliner" style={{ width: widths.left }}>
          <div className="side-content"><Outliner /></div>
          <Resizer label="Width of the outliner" axis="x" sign={1} value={widths.left} min={leastLeft} max={mostSide} onChange={(left) => setSizes({ ...sizes, left })} />
        </aside>
      )}
      <main className="centre">
        <Stage foot={<Transport />} bar guide />
        {drawer && (
          <div className="drawer" style={{ height: Math.min(sizes.drawer, mostDrawer) }}>
            <Resizer label="Height of the drawer" axis="y" sign={-1} value={sizes.drawer} min={140} max={mostDrawer} onChange={(height) => setSizes({ ...sizes, drawer: height })} />
            {panels.text && <DrawerPart panel="text" title="Text"><TextEditor /></DrawerPart>}
            {panels.plots && <DrawerPart panel="plots" title="Plots"><Plots /></DrawerPart>}
          </div>
        )}
      </main>
      {panels.properties && (
        <aside className="side right" aria-label="Properties and settings" style={{ width: widths.right }}>
          <Resizer label="Width of the properties" axis="x" sign={-1} value={widths.right} min={leastRight} max={mostSide} onChange={(right) => setSizes({ ...sizes, right })} />
          <div className="side-content">
            <Tabs label="Panels" items={rightTabs} active={tab} onSelect={(id) => set({ tab: id })} />
          </div>
        </aside>
      )}
      <Status />
    </>
  );
}

type SheetTab = 'outliner' | Tab | 'plots' | 'text';
const sheetTabs: TabItem<SheetTab>[] = [
  { id: 'outliner', label: 'Scene', content: () => <Outliner /> },
  ...rightTabs,
  { id: 'plots', label: 'Plots', content: () => <Later><Plots /></Later> },
  { id: 'text', label: 'Text', content: () => <Later><TextEditor /></Later> },
];

const closedHeight = 64; // [px] handle and tabs
const closedWidth = 24; // [px] handle

// `beside`: the sheet stands at the right of the view, and is drawn out from there.
function Narrow({ beside }: { beside: boolean }) {
  const panels = usePage((page) => page.panels);
  const pageTab = usePage((page) => page.tab);
  const asked = usePage((page) => page.asked);
  const [tab, setTab] = useState<SheetTab>('outliner');
  const [share, setShare] = useState(0.4); // of the window's height, or width; 0: closed
  const [grip, setGrip] = useState<{ at: number; share: number; moved: boolean } | null>(null);
  const first = useRef(true);

  const show = (id: SheetTab): void => {
    setTab(id);
    setShare((now) => (now > 0 ? now : 0.4));
  };
  // Commands that open a panel open its tab here.
  useEffect(() => {
    if (!first.current && panels.text) show('text');
  }, [panels.text]);
  useEffect(() => {
    if (!first.current && panels.plots) show('plots');
  }, [panels.plots]);
  useEffect(() => {
    if (!first.current) show(pageTab);
    first.current = false;
  }, [pageTab, asked]);

  const renaming = usePage((page) => page.renaming);
  useEffect(() => {
    if (renaming !== null) show('outliner');
  }, [renaming]);

  const most = beside ? 0.6 : 0.8;
  const settle = (wanted: number): number => (wanted < 0.18 ? 0 : wanted > most - 0.18 ? most : wanted);
  const place = (event: { clientX: number; clientY: number }): number => (beside ? event.clientX / window.innerWidth : event.clientY / window.innerHeight);
  const size = beside
    ? { width: share === 0 ? closedWidth : `${100 * Math.min(share, most)}dvw` }
    : { height: share === 0 ? closedHeight : `${100 * share}dvh` };
  return (
    <div className="narrow-body">
      <main className="centre" style={{ flex: 1 }}><Stage foot={<Transport />} bar /></main>
      <section aria-label="Panels" className={`sheet${grip ? ' dragged' : ''}`} style={size}>
        <button type="button" className="sheet-handle" aria-expanded={share > 0} aria-label={share > 0 ? 'Close the panels' : 'Open the panels'}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            setGrip({ at: place(event), share, moved: false });
          }}
          onPointerMove={(event) => {
            if (!grip) return;
            const by = grip.at - place(event);
            if (Math.abs(by) < 0.01 && !grip.moved) return;
            setGrip({ ...grip, moved: true });
            setShare(Math.min(most, Math.max(0.1, grip.share + by)));
          }}
          onPointerUp={() => {
            setShare((now) => (grip?.moved ? settle(now) : now));
            // The click that follows a drag is not one.
            setTimeout(() => setGrip(null));
          }}
          onPointerCancel={() => setGrip(null)}
          onClick={() => {
            if (!grip?.moved) setShare(share > 0 ? 0 : 0.4);
          }}
        />
        {(!beside || share > 0) && (
          <Tabs label="Panels" items={sheetTabs} active={tab} hidden={share === 0}
            onSelect={(id) => (id === tab && share > 0 && !beside ? setShare(0) : show(id))} />
        )}
      </section>
      <Status />
    </div>
  );
}

function Embedded() {
  const playing = usePage((page) => page.playing);
  const open = usePage((page) => page.scene !== null);
  const title = usePage((page) => page.scene?.title ?? '');
  const full = new URL(window.location.href);
  full.searchParams.delete('embed');
  return (
    <div className="app embed">
      <main style={{ height: '100%' }}>
        <h1 className="visually-hidden">{title || 'Tenon studio'}</h1>
        <Stage foot={
          <div className="embed-bar">
            <button type="button" className="button primary icon" disabled={!open} aria-label={playing ? 'Pause' : 'Play'} onClick={() => engine.play(!playing)}>
              <Icon name={playing ? 'pause' : 'play'} />
            </button>
            <a className="button" href={full.href} target="_blank" rel="noreferrer">Open in Tenon</a>
          </div>
        } />
      </main>
    </div>
  );
}

function useMedia(media: string): boolean {
  const [query] = useState(() => window.matchMedia(media));
  const [matches, setMatches] = useState(query.matches);
  useEffect(() => {
    const follow = (): void => setMatches(query.matches);
    follow();
    query.addEventListener('change', follow);
    return () => query.removeEventListener('change', follow);
  }, [query]);
  return matches;
}

export default function App() {
  const embed = usePage((page) => page.embed);
  const gallery = usePage((page) => page.panels.gallery);
  const narrow = useMedia(`(max-width: ${narrowBelow - 1}px), (max-height: ${lowBelow - 1}px)`);
  const beside = useMedia(`(min-width: ${sheetBeside}px) and (max-height: ${lowBelow - 1}px)`);
  if (embed) return <Embedded />;
  return (
    <div className={narrow ? `app narrow${beside ? ' beside' : ''}` : 'app'}>
      <TopBar narrow={narrow} />
      {narrow ? <Narrow beside={beside} /> : <Wide />}
      {gallery && <Gallery />}
      <CommandPalette />
      <Keys />
      {narrow && <FirstRun />}
    </div>
  );
}
