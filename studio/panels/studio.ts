// One studio: what it knows, its engine, its documents, its view, and the element that it stands in. Nothing of these is
// shared, so a page may have several studios. Components find theirs by `useStudio`, other functions are given it.
import { createContext, useContext } from 'react';
import type { Answer } from '../engine/client';
import { createEngine, type EngineControl } from '../engine/engine';
import { createPage, say, type Notice, type PageStore } from '../store/store';
import { createDocuments, type Documents } from './documents';
import { atFirst } from './list';
import { createViewPlace, type ViewPlace } from './view-link';

export interface Studio {
  element: HTMLElement; // its theme and its room are this element's, and keys that are pressed in it are its own
  page: PageStore;
  get: PageStore['getState'];
  set: PageStore['setState'];
  say: (text: string, kind?: Notice['kind']) => void;
  engine: EngineControl;
  // A command. Why one was refused, the engine's mirror tells the user.
  run: (request: Record<string, unknown>) => Promise<Answer>;
  documents: Documents;
  view: ViewPlace;
  end: () => void; // the engine's worker, and what it holds
}

// `address`: the page's address says which scene it has; of several studios one at most may have it.
export interface StudioOptions {
  address?: boolean;
  engine?: EngineControl;
}

export function createStudio(element: HTMLElement, { address = false, engine: given }: StudioOptions = {}): Studio {
  const page = createPage();
  page.setState(atFirst);
  const engine = given ?? createEngine(page);
  const documents = createDocuments(page, engine, address);
  return {
    element,
    page,
    get: page.getState,
    set: page.setState,
    say: (text, kind) => say(page, text, kind),
    engine,
    run: (request) => engine.run(request),
    documents,
    view: createViewPlace(),
    end: () => {
      documents.end();
      engine.end();
    },
  };
}

export const StudioContext = createContext<Studio | null>(null);

export function useStudio(): Studio {
  const studio = useContext(StudioContext);
  if (!studio) throw new Error('there is no studio around this component');
  return studio;
}
