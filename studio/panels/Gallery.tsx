// All scenes that come with the page, by what they are for: pictures, what each is and what to try in it.
import { useEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { byUse, galleryIndex, matchesScene, type GalleryIndex, type GalleryScene } from './scenes';
import { Glyph } from './glyphs';
import { closePanel, openPanel } from './list';
import { useStudio } from './use';
import './Gallery.css';

function Card({ scene, onOpen }: { scene: GalleryScene; onOpen: (scene: GalleryScene) => void }) {
  return (
    <button type="button" className="gallery-card" onClick={() => onOpen(scene)}>
      <span className="gallery-picture">
        {scene.picture !== '' ? <img src={scene.picture} alt="" loading="lazy" width="320" height="200" /> : <Glyph name="picture" />}
      </span>
      <span className="gallery-words">
        <span className="gallery-title">{scene.title}</span>
        <span className="gallery-sentence">{scene.sentence}</span>
        <span className="gallery-try">
          <b>Try:</b> {scene.try}
        </span>
      </span>
    </button>
  );
}

export default function Gallery() {
  const { page, get, documents } = useStudio();
  const [index, setIndex] = useState<GalleryIndex | null>(null);
  const [failed, setFailed] = useState(false);
  const [query, setQuery] = useState('');
  const [use, setUse] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    galleryIndex().then(setIndex, () => setFailed(true));
  }, []);
  const groups = useMemo(() => (index ? byUse(index) : []), [index]);
  const shown = useMemo(
    () =>
      index ? byUse({ ...index, scenes: index.scenes.filter((s) => (use === null || s.use === use) && (query.trim() === '' || matchesScene(s, query))) }) : [],
    [index, use, query],
  );
  const open = async (scene: GalleryScene): Promise<void> => {
    if (get().scene !== null && !(await documents.mayDiscard())) return;
    closePanel(page, 'gallery');
    await documents.openGalleryScene(scene.path);
  };
  // Arrows go from card to card as the eye does: up and down by what stands there.
  const onKey = (event: KeyboardEvent): void => {
    const cards = [...(list.current?.querySelectorAll<HTMLElement>('.gallery-card') ?? [])];
    const at = cards.indexOf(document.activeElement as HTMLElement);
    const to = (card: HTMLElement | undefined): void => {
      if (!card) return;
      event.preventDefault();
      card.focus();
    };
    if (event.target instanceof HTMLInputElement) {
      if (event.key === 'ArrowDown' || event.key === 'Enter') {
        if (event.key === 'Enter' && cards[0]) cards[0].click();
        else to(cards[0]);
      }
      return;
    }
    if (at < 0) return;
    const vertical = (direction: number): HTMLElement | undefined => {
      const own = (cards[at] as HTMLElement).getBoundingClientRect();
      const rows = cards.map((card) => ({ card, box: card.getBoundingClientRect() })).filter(({ box }) => direction * (box.top - own.top) > 10);
      const nearest = Math.min(...rows.map(({ box }) => direction * (box.top - own.top)));
      return rows
        .filter(({ box }) => direction * (box.top - own.top) < nearest + 10)
        .sort((a, b) => Math.abs(a.box.left - own.left) - Math.abs(b.box.left - own.left))[0]?.card;
    };
    if (event.key === 'ArrowRight') to(cards[at + 1]);
    else if (event.key === 'ArrowLeft') to(cards[at - 1]);
    else if (event.key === 'ArrowDown') to(vertical(1));
    else if (event.key === 'ArrowUp') to(vertical(-1) ?? list.current?.parentElement?.querySelector<HTMLElement>('input') ?? undefined);
    else if (event.key === 'Home') to(cards[0]);
    else if (event.key === 'End') to(cards[cards.length - 1]);
    else if (event.key === '/') to(list.current?.parentElement?.querySelector<HTMLElement>('input') ?? undefined);
  };
  const count = shown.reduce((sum, f) => sum + f.scenes.length, 0);
  return (
    <div className="gallery-content" onKeyDown={onKey}>
      <div className="gallery-tools">
        <div className="gallery-search">
          <Glyph name="search" />
          <input
            type="search"
            data-autofocus
            placeholder="Search scenes"
            aria-label="Search scenes"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
        </div>
        <div className="gallery-uses" role="group" aria-label="Kinds of scenes">
          <button type="button" className="gallery-chip" aria-pressed={use === null} onClick={() => setUse(null)}>
            All
          </button>
          {groups.map((g) => (
            <button key={g.use} type="button" className="gallery-chip" aria-pressed={use === g.use} onClick={() => setUse(use === g.use ? null : g.use)}>
              {g.title} <span className="gallery-number">{g.scenes.length}</span>
            </button>
          ))}
        </div>
      </div>
      <p className="visually-hidden" role="status">
        {index ? `${count} ${count === 1 ? 'scene' : 'scenes'}` : ''}
      </p>
      <div className="gallery-list" ref={list}>
        {failed ? <p className="gallery-empty">The scenes could not be loaded.</p> : null}
        {!failed && index === null ? <p className="gallery-empty">Loading the scenes …</p> : null}
        {index !== null && count === 0 ? (
          <p className="gallery-empty">
            No scene is about “{query}”.{' '}
            <button
              type="button"
              className="button"
              onClick={() => {
                setQuery('');
                setUse(null);
              }}>
              Show all
            </button>
          </p>
        ) : null}
        {shown.map((g) => (
          <section key={g.use} aria-label={g.title}>
            <h3 className="gallery-heading">{g.title}</h3>
            <div className="gallery-grid">
              {g.scenes.map((s) => (
                <Card key={s.path} scene={s} onOpen={(scene) => void open(scene)} />
              ))}
            </div>
          </section>
        ))}
      </div>
    </div>
  );
}

export function GalleryButton() {
  const { page } = useStudio();
  return (
    <button
      type="button"
      className="button gallery-button"
      aria-haspopup="dialog"
      aria-label="Gallery"
      title="Gallery of scenes (G)"
      onClick={() => openPanel(page, 'gallery')}>
      <Glyph name="gallery" />
      <span>Gallery</span>
    </button>
  );
}
