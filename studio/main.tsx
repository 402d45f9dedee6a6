// The page: one studio, which has all of it, and the address.
import { mountStudio } from './mount';
import type { Studio } from './panels/studio';
import type { ViewLink } from './panels/view-link';

// For tests, and for those who like to look inside.
declare global {
  interface Window {
    tenon: { engine: Studio['engine']; store: Studio['page']; version: string; readonly view: ViewLink | null };
  }
}

const root = document.getElementById('root');
if (root) {
  const { studio } = mountStudio(root, { address: true, embed: new URLSearchParams(window.location.search).has('embed') });
  const { engine, page: store, view } = studio;
  window.tenon = {
    engine,
    store,
    version: __TENON_VERSION__,
    get view() {
      return view.now();
    },
  };
}
