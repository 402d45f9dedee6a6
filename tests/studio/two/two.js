// A page of two studios, for tests only: tests/studio/browser/two.mjs builds it and looks at one of them at a time.
import { mountStudio } from '../../../studio/mount';

const mounted = [
  mountStudio(document.getElementById('left'), { scene: 'linkages/four-bar' }),
  mountStudio(document.getElementById('right'), { scene: 'linkages/slider-crank' }),
];

globalThis.tenons = mounted.map(({ studio, remove }) => ({
  engine: studio.engine,
  store: studio.page,
  element: studio.element,
  remove,
  get view() {
    return studio.view.now();
  },
}));
[globalThis.tenon] = globalThis.tenons;
