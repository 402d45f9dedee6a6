// A studio for tests: its engine answers what it is told to, and everything else is as in the page.
import type { ReactNode } from 'react';
import type { Answer } from '../engine/client';
import type { EngineControl } from '../engine/engine';
import { createStudio, StudioContext, type Studio } from '../panels/studio';

export type Request = Record<string, unknown>;

export function studioWith(run: (request: Request) => Answer, more: Partial<EngineControl> = {}): Studio {
  const element = document.body.appendChild(document.createElement('div'));
  element.classList.add('studio');
  const engine = { run: (request: Request) => Promise.resolve(run(request)), end: () => undefined, ...more } as EngineControl;
  return createStudio(element, { engine });
}

export const within = (studio: Studio, children: ReactNode): ReactNode => <StudioContext.Provider value={studio}>{children}</StudioContext.Provider>;
