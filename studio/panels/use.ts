// How components see the page, and how they ask for changes.
import { useRef } from 'react';
import { useStore } from 'zustand';
import { useShallow } from 'zustand/react/shallow';
import type { Answer } from '../engine/client';
import type { Page } from '../store/store';
import { useStudio } from './studio';

export { useStudio } from './studio';

export function usePage<T>(select: (page: Page) => T): T {
  return useStore(useStudio().page, select);
}
// The same for selections that are made anew each time: compared member by member.
export function usePageShallow<T>(select: (page: Page) => T): T {
  return useStore(useStudio().page, useShallow(select));
}

export { wordsOf as reasonOf } from '../engine/mirror';

let drags = 0;
// The number of a drag: commands that carry it as `drag` are undone together.
export const newDrag = (): number => (drags += 1);

// Of a slider: one number from the first change to the end of the drag.
export function useDrag(): { now: () => number; end: () => void } {
  const drag = useRef<number | null>(null);
  return {
    now: () => (drag.current ??= newDrag()),
    end: () => {
      drag.current = null;
    },
  };
}

// Commands that come faster than they are answered, as from a slider: one is under way, of those that wait the last
// one counts.
export function latest(run: (request: Record<string, unknown>) => Promise<Answer>): (request: Record<string, unknown>) => void {
  let busy = false;
  let waiting: Record<string, unknown> | null = null;
  const next = async (request: Record<string, unknown>): Promise<void> => {
    busy = true;
    await run(request);
    busy = false;
    if (waiting === null) return;
    const queued = waiting;
    waiting = null;
    void next(queued);
  };
  return (request) => {
    if (busy) waiting = request;
    else void next(request);
  };
}
