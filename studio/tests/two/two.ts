// A page of two studios, for tests only: tests/studio/browser/two.mjs builds it and looks at one of them at a time.
import { mountStudio } from '../../mount';

const mounted = (
  [
    ['left', 'linkages/four-bar'],
    ['right', 'linkages/slider-crank'],
  ] as const
).map(([id, scene]) => mountStudio(document.getElementById(id) as HTMLElement, { scene }));

const tenons = mounted.map(({ studio, remove }) => ({
  engine: studio.engine,
  store: studio.page,
  element: studio.element,
  remove,
  get view() {
    return studio.view.now();
  },
}));
Object.assign(globalThis, { tenons, tenon: tenons[0] });
