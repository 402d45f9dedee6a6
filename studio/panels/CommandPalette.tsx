// One field that finds everything: commands, solids, joints, scenes of the gallery.
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { commands, keyCaps } from './commands';
import Dialog from './Dialog';
import { fuzzy } from './fuzzy';
import { galleryIndex, type GalleryIndex } from './scenes';
import { Glyph, jointGlyph, type GlyphName } from './glyphs';
import { select } from './selection';
import type { Studio } from './studio';
import { usePage, useStudio } from './use';
import './CommandPalette.css';

interface Entry {
  id: string;
  title: string;
  detail: string;
  glyph: GlyphName;
  keys: string[];
  rank: number;
  run: () => void;
  enabled: boolean;
}
interface Hit {
  entry: Entry;
  at: number[];
}

const most = 60;
function useClose(): () => void {
  const { set } = useStudio();
  return () => set({ palette: false });
}

function entriesOf(studio: Studio, gallery: GalleryIndex): Entry[] {
  const { page, get, documents, view } = studio;
  const { scene } = get();
  return [
    ...commands
      .filter((c) => c.id !== 'palette')
      .map((c) => ({
        id: `command:${c.id}`,
        title: c.title,
        detail: c.group,
        glyph: 'chevron' as GlyphName,
        keys: c.keys.slice(0, 1),
        rank: 3,
        run: () => c.run(studio),
        enabled: c.enabled?.(studio) ?? true,
      })),
    ...(scene?.solids ?? []).map((s) => ({
      id: `solid:${s.name}`,
      title: s.name,
      detail: 'solid',
      glyph: s.kind as GlyphName,
      keys: [],
      rank: 2,
      enabled: true,
      run: () => {
        select(page, { solids: [s.name] });
        view.now()?.frame();
      },
    })),
    ...(scene?.joints ?? []).map((j) => ({
      id: `joint:${j.name}`,
      title: j.name,
      detail: j.kind,
      glyph: jointGlyph(j.kind),
      keys: [],
      rank: 1,
      enabled: true,
      run: () => {
        select(page, { joints: [j.name] });
        view.now()?.frame();
      },
    })),
    ...gallery.scenes.map((s) => ({
      id: `scene:${s.path}`,
      title: s.title,
      detail: gallery.uses[s.use] ?? '',
      glyph: 'gallery' as GlyphName,
      keys: [],
      rank: 1,
      enabled: true,
      run: () =>
        void documents.mayDiscard().then((may) => {
          if (may) void documents.openGalleryScene(s.path);
        }),
    })),
  ];
}

export function find(entries: Entry[], query: string): Hit[] {
  if (query.trim() === '') return entries.filter((e) => e.id.startsWith('command:') && e.enabled).map((entry) => ({ entry, at: [] }));
  const hits: (Hit & { score: number })[] = [];
  for (const entry of entries) {
    const found = fuzzy(query, entry.title);
    if (found) hits.push({ entry, at: found.at, score: found.score + entry.rank + (entry.enabled ? 0 : -20) });
    else if (entry.detail.toLowerCase().includes(query.trim().toLowerCase())) hits.push({ entry, at: [], score: 1 });
  }
  return hits.sort((a, b) => b.score - a.score).slice(0, most);
}

function Marked({ text, at }: { text: string; at: number[] }) {
  if (at.length === 0) return <>{text}</>;
  const places = new Set(at);
  return <>{[...text].map((letter, i) => (places.has(i) ? <mark key={i}>{letter}</mark> : letter))}</>;
}

function Content() {
  const studio = useStudio();
  const close = useClose();
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const [gallery, setGallery] = useState<GalleryIndex>({ uses: {}, scenes: [] });
  const list = useRef<HTMLUListElement>(null);
  const base = useId();
  useEffect(() => {
    galleryIndex().then(setGallery, () => undefined); // without them the rest is still found
  }, []);
  const entries = useMemo(() => entriesOf(studio, gallery), [studio, gallery]);
  const hits = useMemo(() => find(entries, query), [entries, query]);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active, hits]);
  const run = (hit: Hit | undefined): void => {
    if (!hit || !hit.entry.enabled) return;
    close();
    // After the dialog has given the focus back, so that what the command opens may take it.
    setTimeout(hit.entry.run, 0);
  };
  const onKey = (event: KeyboardEvent): void => {
    const last = hits.length - 1;
    const next: Record<string, number> = {
      ArrowDown: active >= last ? 0 : active + 1,
      ArrowUp: active <= 0 ? last : active - 1,
      PageDown: Math.min(last, active + 8),
      PageUp: Math.max(0, active - 8),
    };
    const to = next[event.key];
    if (to !== undefined) {
      event.preventDefault();
      setActive(to);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(hits[active]);
    } else if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
      event.preventDefault();
      close();
    }
  };
  return (
    <div className="palette-content" onKeyDown={onKey}>
      <div className="palette-field">
        <Glyph name="search" />
        <input
          type="text"
          role="combobox"
          data-autofocus
          aria-label="Find a command, solid, joint or scene"
          placeholder="Find a command, solid, joint or scene"
          aria-expanded="true"
          aria-controls={`${base}list`}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          value={query}
          {...(hits[active] ? { 'aria-activedescendant': `${base}${active}` } : {})}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
        />
        <kbd>Esc</kbd>
      </div>
      <ul className="palette-list" role="listbox" id={`${base}list`} aria-label="Found" ref={list}>
        {hits.map(({ entry, at }, i) => (
          <li
            key={entry.id}
            id={`${base}${i}`}
            role="option"
            aria-selected={i === active}
            aria-disabled={!entry.enabled}
            className="palette-entry"
            onPointerMove={() => setActive(i)}
            onClick={() => run(hits[i])}>
            <Glyph name={entry.glyph} />
            <span className="palette-title">
              <Marked text={entry.title} at={at} />
            </span>
            <span className="palette-detail">{entry.detail}</span>
            {entry.keys.map((key) => (
              <span key={key} className="palette-keys">
                {keyCaps(key).map((cap) => (
                  <kbd key={cap}>{cap}</kbd>
                ))}
              </span>
            ))}
          </li>
        ))}
      </ul>
      {hits.length === 0 ? (
        <p className="palette-none" role="status">
          Nothing is called “{query}”.
        </p>
      ) : null}
    </div>
  );
}

export default function CommandPalette() {
  const close = useClose();
  const open = usePage((p) => p.palette);
  return open ? (
    <Dialog title="Find" hideTitle className="palette" onClose={close}>
      <Content />
    </Dialog>
  ) : null;
}
