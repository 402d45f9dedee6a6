// The first visit: four things to do, each ticked off by doing it. Can be skipped, and is not shown again.
import { useEffect } from 'react';
import type { Page } from '../store/store';
import { Glyph } from './glyphs';
import type { Studio } from './studio';
import { usePage, useStudio } from './use';
import './FirstRun.css';

const memory = 'tenon.guide';

interface Step {
  title: string;
  words: string;
  touch?: string;
  done: (now: Page, before: Page) => boolean;
}
export const steps: Step[] = [
  {
    title: 'Drag',
    words: 'Take hold of any part and pull. The joints stay together, and the other parts follow.',
    done: (now, before) => (before.state?.grabs.length ?? 0) > 0 && now.state?.grabs.length === 0,
  },
  {
    title: 'Pin',
    words: 'Click a part and press P. It stays exactly where it is. Then pull at another part.',
    touch: 'Hold a finger on a part and choose “Pin this point”. It stays exactly where it is. Then pull at another part.',
    done: (now, before) => (now.state?.pins.length ?? 0) > (before.state?.pins.length ?? 0),
  },
  {
    title: 'Play',
    words: 'Press Space: gravity and momentum take over. You can pull while the scene moves. Press Space again to pause.',
    touch: 'Press the play button: gravity and momentum take over. You can pull while the scene moves.',
    done: (now, before) => now.playing && !before.playing,
  },
  {
    title: 'Undo',
    words: 'You can undo everything. Press Ctrl+Z as often as you like.',
    touch: 'You can undo everything. Press the arrow at the top as often as you like.',
    done: (now, before) => now.state !== before.state && (now.state?.redo.length ?? 0) > (before.state?.redo.length ?? 0),
  },
];
const byTouch = (): boolean => typeof matchMedia === 'function' && matchMedia('(pointer: coarse)').matches;

function remembered(): boolean {
  try {
    return localStorage.getItem(memory) !== null;
  } catch {
    return true; // who keeps no memory is not to be taught each time
  }
}
const end = ({ set }: Studio): void => {
  set({ guide: -1 });
  try {
    localStorage.setItem(memory, 'seen');
  } catch {
    // then it comes back
  }
};
const next = (studio: Studio): void => {
  const { guide } = studio.get();
  if (guide + 1 >= steps.length) end(studio);
  else studio.set({ guide: guide + 1 });
};

// On a first visit it begins when the first scene stands.
function beginLater({ page, get, set }: Studio): () => void {
  if (get().embed || remembered()) return () => undefined;
  const begin = (): void => {
    if (get().scene === null || get().guide >= 0) return;
    stop();
    set({ guide: 0 });
  };
  const stop = page.subscribe(begin);
  begin();
  return stop;
}

export default function FirstRun() {
  const studio = useStudio();
  const guide = usePage((p) => p.guide);
  useEffect(() => beginLater(studio), [studio]);
  useEffect(() => {
    if (guide < 0) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stop = studio.page.subscribe((now, before) => {
      // A moment later, to let what was done be seen.
      if (timer === null && steps[guide]?.done(now, before)) timer = setTimeout(() => next(studio), 700);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [studio, guide]);
  const step = steps[guide];
  if (!step) return null;
  return (
    <aside className="first-run" aria-label="First steps">
      <div className="first-run-head">
        <span className="first-run-count">
          {guide + 1} of {steps.length}
        </span>
        <span className="first-run-dots" aria-hidden="true">
          {steps.map((s, i) => (
            <i key={s.title} className={i < guide ? 'done' : i === guide ? 'now' : ''} />
          ))}
        </span>
        <button type="button" className="button quiet icon" aria-label="Skip the first steps" onClick={() => end(studio)}>
          <Glyph name="close" />
        </button>
      </div>
      <div aria-live="polite">
        <h2>{step.title}</h2>
        <p>{byTouch() ? (step.touch ?? step.words) : step.words}</p>
      </div>
      <div className="first-run-foot">
        <button type="button" className="button quiet" onClick={() => end(studio)}>
          Skip
        </button>
        <button type="button" className="button primary" onClick={() => next(studio)}>
          {guide + 1 === steps.length ? 'Done' : 'Next'}
        </button>
      </div>
    </aside>
  );
}
