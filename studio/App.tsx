// Puts the rooms together: where panels are, how large, and what of them is shown.
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState, type CSSProperties, type ReactNode } from 'react';
import { isUnsaved } from './engine/mirror';
import CommandPalette from './panels/CommandPalette';
import Dialog from './panels/Dialog';
import Files from './panels/Files';
import FirstRun from './panels/FirstRun';
import { GalleryButton } from './panels/Gallery';
import Icon, { type IconName } from './panels/icons';
import Keys from './panels/Keys';
import { flagOf, panelsAt, showPanel, type PanelKind } from './panels/list';
import Resizer from './panels/Resizer';
import Sight from './panels/Sight';
import Status, { Notices } from './panels/Status';
import Tabs, { type TabItem } from './panels/Tabs';
import Transport from './panels/Transport';
import { usePage, useStudio } from './panels/use';
import ViewBar from './panels/ViewBar';
import { remember, remembered } from './remembered';
import type { Theme } from './store/store';

// What is not seen at first is not loaded at first.
const ViewWithTools = lazy(() => import('./ViewWithTools'));

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

function Toggle({ panel, icon }: { panel: PanelKind; icon: IconName }) {
  const { set } = useStudio();
  const flag = flagOf(panel);
  const on = usePage((page) => page.panels[flag] === true);
  return (
    <button
      type="button"
      className="button icon quiet"
      aria-pressed={on}
      aria-label={panel.title}
      title={panel.title}
      onClick={() => set(({ panels }) => ({ panels: { ...panels, [flag]: !on } }))}>
      <Icon name={icon} />
    </button>
  );
}

function ThemeSwitch() {
  const { set } = useStudio();
  const theme = usePage((page) => page.theme);
  const next: Record<Theme, Theme> = { system: 'light', light: 'dark', dark: 'system' };
  const words: Record<Theme, string> = { system: 'follows the system', light: 'light', dark: 'dark' };
  const icons: Record<Theme, IconName> = { system: 'system', light: 'sun', dark: 'moon' };
  return (
    <button
      type="button"
      className="button icon quiet"
      aria-label={`Theme: ${words[theme]}`}
      title={`Theme: ${words[theme]}`}
      onClick={() => set({ theme: next[theme] })}>
      <Icon name={icons[theme]} />
    </button>
  );
}

function Travel({ how }: { how: 'undo' | 'redo' }) {
  const { engine } = useStudio();
  const label = usePage((page) => page.state?.[how][0]);
  const word = how === 'undo' ? 'Undo' : 'Redo';
  return (
    <button
      type="button"
      className="button icon quiet"
      disabled={label === undefined}
      aria-label={word}
      title={label ? `${word}: ${label}` : word}
      onClick={() => void engine.run({ do: how })}>
      <Icon name={how} />
    </button>
  );
}

// From left to right.
const aroundView = [...panelsAt('left'), ...panelsAt('drawer'), ...panelsAt('right')];

function TopBar({ narrow }: { narrow: boolean }) {
  const { set } = useStudio();
  const title = usePage((page) => page.scene?.title || page.scene?.name || '');
  const unsaved = usePage(isUnsaved);
  return (
    <header className="topbar">
      <h1 className="brand">
        <svg width="18" height="18" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M1.5 2.5h13v4.2h-4.3v7H5.8v-7H1.5z" fill="currentColor" />
        </svg>
        <span className={narrow ? 'visually-hidden' : ''}>Tenon</span>
        <span className="visually-hidden"> studio</span>
      </h1>
      <div className="scene-title" title={title}>
        {unsaved ? (
          <span className="unsaved" role="img" aria-label="Not saved" title="Not saved">
            ●
          </span>
        ) : null}
        {title}
      </div>
      {!narrow && <div className="spacer" />}
      <GalleryButton />
      <Travel how="undo" />
      <Travel how="redo" />
      <span className="divider" />
      <Files />
      <span className="divider" />
      <button
        type="button"
        className="button icon quiet"
        aria-label="Find a command"
        title="Find a command, solid, joint or scene (Ctrl+K)"
        onClick={() => set({ palette: true })}>
        <Icon name="search" />
      </button>
      {!narrow && <>{aroundView.map((panel) => panel.icon && <Toggle key={panel.id} panel={panel} icon={panel.icon} />)}</>}
      {!narrow && (
        <a className="button icon quiet" href="docs/studio.html" target="_blank" rel="noreferrer" aria-label="Documentation" title="Documentation">
          <Icon name="help" />
        </a>
      )}
      <ThemeSwitch />
    </header>
  );
}

const tabOf = ({ id, title, content: Content }: PanelKind): TabItem<string> => ({
  id,
  label: title,
  content: () => (
    <Later>
      <Content />
    </Later>
  ),
});
const rightTabs = panelsAt('right').map(tabOf);

function Stage({ foot, bar = false, guide = false }: { foot: ReactNode; bar?: boolean; guide?: boolean }) {
  return (
    <div className="stage">
      <div className="fill">
        <Later>
          <ViewWithTools />
        </Later>
      </div>
      {bar && <ViewBar />}
      {guide && <FirstRun />}
      <div className="stage-foot">
        <Sight />
        <Notices />
        {foot}
      </div>
    </div>
  );
}

function DrawerPart({ panel }: { panel: PanelKind }) {
  const { page } = useStudio();
  const { title, content: Content } = panel;
  return (
    <div className="drawer-part">
      <div className="drawer-head">
        <h2 className="panel-title">{title}</h2>
        <button type="button" className="button icon quiet" aria-label={`Close ${title.toLowerCase()}`} onClick={() => showPanel(page, panel, false)}>
          <Icon name="close" size={14} />
        </button>
      </div>
      <div className="drawer-body">
        <Later>
          <Content />
        </Later>
      </div>
    </div>
  );
}

function DialogPanel({ panel }: { panel: PanelKind }) {
  const { page } = useStudio();
  const { id, title, content: Content } = panel;
  const open = usePage(({ panels }) => panels[id] === true);
  return open ? (
    <Dialog title={title} className={id} onClose={() => showPanel(page, panel, false)}>
      <Later>
        <Content />
      </Later>
    </Dialog>
  ) : null;
}

function Wide({ room }: { room: Room }) {
  const { set } = useStudio();
  const panels = usePage((page) => page.panels);
  const tab = usePage((page) => page.tab);
  const [sizes, setSizes] = useState(() => remembered('sizes', { left: 250, right: 330, drawer: 320 }));
  useEffect(() => remember('sizes', sizes), [sizes]);
  const isOn = (panel: PanelKind): boolean => panels[flagOf(panel)] === true;
  const left = panelsAt('left').filter(isOn);
  const right = panelsAt('right').some(isOn);
  const drawer = panelsAt('drawer').filter(isOn).reverse(); // what is at hand first stands next to the panels on the right
  const leftTitle = left.map(({ title }) => title).join(', ');
  const mostSide = Math.max(180, Math.round(room.width * 0.4));
  const mostDrawer = Math.max(140, Math.round(room.height * 0.6));
  const widths = sideWidths(room.width, left.length > 0 ? Math.min(sizes.left, mostSide) : 0, right ? Math.min(sizes.right, mostSide) : 0);
  return (
    <>
      {left.length > 0 && (
        <aside className="side left" aria-label={leftTitle} style={{ width: widths.left }}>
          <div className="side-content">
            {left.map(({ id, content: Content }) => (
              <Later key={id}>
                <Content />
              </Later>
            ))}
          </div>
          <Resizer
            label={`Width of the ${leftTitle.toLowerCase()}`}
            axis="x"
            sign={1}
            value={widths.left}
            min={leastLeft}
            max={mostSide}
            onChange={(width) => setSizes({ ...sizes, left: width })}
          />
        </aside>
      )}
      <main className="centre">
        <Stage foot={<Transport />} bar guide />
        {drawer.length > 0 && (
          <div className="drawer" style={{ height: Math.min(sizes.drawer, mostDrawer) }}>
            <Resizer
              label="Height of the drawer"
              axis="y"
              sign={-1}
              value={sizes.drawer}
              min={140}
              max={mostDrawer}
              onChange={(height) => setSizes({ ...sizes, drawer: height })}
            />
            {drawer.map((panel) => (
              <DrawerPart key={panel.id} panel={panel} />
            ))}
          </div>
        )}
      </main>
      {right && (
        <aside className="side right" aria-label="Properties and settings" style={{ width: widths.right }}>
          <Resizer
            label="Width of the properties"
            axis="x"
            sign={-1}
            value={widths.right}
            min={leastRight}
            max={mostSide}
            onChange={(width) => setSizes({ ...sizes, right: width })}
          />
          <div className="side-content">
            <Tabs label="Panels" items={rightTabs} active={tab} onSelect={(id) => set({ tab: id })} />
          </div>
        </aside>
      )}
      <Status />
    </>
  );
}

const beforeTabs = panelsAt('left');
const sheetPanels = [...beforeTabs, ...panelsAt('right'), ...panelsAt('drawer')];
const sheetTabs = sheetPanels.map((panel) => ({ ...tabOf(panel), label: panel.sheet ?? panel.title }));

const closedHeight = 64; // [px] handle and tabs
const closedWidth = 24; // [px] handle

// `beside`: the sheet stands at the right of the view, and is drawn out from there.
function Narrow({ beside, room }: { beside: boolean; room: Room }) {
  const { element } = useStudio();
  const panels = usePage((page) => page.panels);
  const pageTab = usePage((page) => page.tab);
  const asked = usePage((page) => page.asked);
  const [tab, setTab] = useState(sheetTabs[0]?.id ?? '');
  const [share, setShare] = useState(0.4); // of the studio's height, or width; 0: closed
  const [grip, setGrip] = useState<{ at: number; share: number; moved: boolean } | null>(null);
  const first = useRef(true);

  const show = (id: string): void => {
    setTab(id);
    setShare((now) => (now > 0 ? now : 0.4));
  };
  // Commands that open a panel open its tab here.
  const before = useRef(panels);
  useEffect(() => {
    const opened = sheetPanels.find(({ id, place }) => place !== 'right' && panels[id] && !before.current[id]);
    before.current = panels;
    if (opened) show(opened.id);
  }, [panels]);
  useEffect(() => {
    if (!first.current) show(pageTab);
    first.current = false;
  }, [pageTab, asked]);

  const renaming = usePage((page) => page.renaming);
  useEffect(() => {
    if (renaming !== null && beforeTabs[0]) show(beforeTabs[0].id);
  }, [renaming]);

  const most = beside ? 0.6 : 0.8;
  const settle = (wanted: number): number => (wanted < 0.18 ? 0 : wanted > most - 0.18 ? most : wanted);
  const place = (event: { clientX: number; clientY: number }): number => {
    const box = element.getBoundingClientRect();
    return beside ? (event.clientX - box.left) / box.width : (event.clientY - box.top) / box.height;
  };
  const size = beside
    ? { width: share === 0 ? closedWidth : Math.min(share, most) * room.width }
    : { height: share === 0 ? closedHeight : share * room.height };
  return (
    <div className="narrow-body">
      <main className="centre" style={{ flex: 1 }}>
        <Stage foot={<Transport />} bar />
      </main>
      <section aria-label="Panels" className={`sheet${grip ? ' dragged' : ''}`} style={size}>
        <button
          type="button"
          className="sheet-handle"
          aria-expanded={share > 0}
          aria-label={share > 0 ? 'Close the panels' : 'Open the panels'}
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
          <Tabs
            label="Panels"
            items={sheetTabs}
            active={tab}
            hidden={share === 0}
            onSelect={(id) => (id === tab && share > 0 && !beside ? setShare(0) : show(id))}
          />
        )}
      </section>
      <Status />
    </div>
  );
}

function Embedded() {
  const { engine } = useStudio();
  const playing = usePage((page) => page.playing);
  const open = usePage((page) => page.scene !== null);
  const title = usePage((page) => page.scene?.title ?? '');
  const full = new URL(window.location.href);
  full.searchParams.delete('embed');
  return (
    <div className="app embed">
      <main style={{ height: '100%' }}>
        <h1 className="visually-hidden">{title || 'Tenon studio'}</h1>
        <Stage
          foot={
            <div className="embed-bar">
              <button
                type="button"
                className="button primary icon"
                disabled={!open}
                aria-label={playing ? 'Pause' : 'Play'}
                onClick={() => engine.play(!playing)}>
                <Icon name={playing ? 'pause' : 'play'} />
              </button>
              <a className="button" href={full.href} target="_blank" rel="noreferrer">
                Open in Tenon
              </a>
            </div>
          }
        />
      </main>
    </div>
  );
}

interface Room {
  width: number;
  height: number;
} // [px]

// The room that the studio has in its page.
function useRoom(): Room {
  const { element } = useStudio();
  const [room, setRoom] = useState<Room>({ width: element.clientWidth, height: element.clientHeight });
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setRoom({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return room;
}

export default function App() {
  const embed = usePage((page) => page.embed);
  const room = useRoom();
  const low = room.height < lowBelow;
  const narrow = room.width < narrowBelow || low;
  const beside = room.width >= sheetBeside && low;
  if (embed) return <Embedded />;
  return (
    <div className={narrow ? `app narrow${beside ? ' beside' : ''}` : 'app'} style={{ '--room': `${room.width}px` } as CSSProperties}>
      <TopBar narrow={narrow} />
      {narrow ? <Narrow beside={beside} room={room} /> : <Wide room={room} />}
      {panelsAt('dialog').map((panel) => (
        <DialogPanel key={panel.id} panel={panel} />
      ))}
      <CommandPalette />
      <Keys />
      {narrow && <FirstRun />}
    </div>
  );
}
