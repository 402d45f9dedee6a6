// The scenes that come with the page: scenes/index.json, written by scripts/gallery.mjs.
import { openText } from './documents';
import { say } from './use';

export interface GalleryScene {
  path: string;
  folder: string;
  title: string;
  sentence: string;
  try: string;
  source: string;
  parameters: string[];
  files: string[];
  bytes: number;
  picture: string;
}

let index: Promise<GalleryScene[]> | null = null;

export function galleryScenes(): Promise<GalleryScene[]> {
  index ??= fetch('scenes/index.json')
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(`${response.status}`))))
    .then((data: { scenes: GalleryScene[] }) => data.scenes)
    .catch((error: unknown) => {
      index = null; // the next look tries again
      throw error;
    });
  return index;
}

async function fetchText(path: string): Promise<string> {
  const response = await fetch(`scenes/${path.split('/').map(encodeURIComponent).join('/')}`);
  if (!response.ok) throw new Error(`scenes/${path}: ${response.status}`);
  return response.text();
}

// Opens a scene by its path, 'linkages/four-bar.tenon' or without the ending.
export async function openGalleryScene(wanted: string): Promise<boolean> {
  try {
    const path = wanted.endsWith('.tenon') ? wanted : `${wanted}.tenon`;
    const [scenes, text] = await Promise.all([galleryScenes(), fetchText(path)]);
    const entry = scenes.find((s) => s.path === path);
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
    const texts = await Promise.all((entry?.files ?? []).map((file) => fetchText(folder + file)));
    const files: Record<string, string> = {};
    entry?.files.forEach((file, i) => { files[file] = texts[i] as string; });
    return await openText(text, path.slice(folder.length), files, { folder, address: `?scene=${path.replace(/\.tenon$/, '')}` });
  } catch (error) {
    say(`The scene ${wanted} could not be loaded (${error instanceof Error ? error.message : 'no answer'}).`, 'error');
    return false;
  }
}

export const folderTitles: Record<string, string> = {
  figures: 'Figures', linkages: 'Linkages', joints: 'Joints, one by one', faure: 'Faure 1998', gascuel: 'Gascuel & Gascuel 1994',
  manikin: 'Forsey & Wilhelms 1988', jeon: 'Jeon, Choi & Hong', peers: 'What engines are measured on',
};

// Folders in the order of the list above, others behind them.
export function byFolder(scenes: GalleryScene[]): { folder: string; title: string; scenes: GalleryScene[] }[] {
  const known = Object.keys(folderTitles);
  const names = [...new Set(scenes.map((s) => s.folder))].sort((a, b) => {
    const ia = known.indexOf(a);
    const ib = known.indexOf(b);
    return (ia < 0 ? 99 : ia) - (ib < 0 ? 99 : ib) || (a < b ? -1 : 1);
  });
  return names.map((folder) => ({ folder, title: folderTitles[folder] ?? folder, scenes: scenes.filter((s) => s.folder === folder) }));
}

// What to do first: as the scene's comment says, else its parameters.
export function whatToTry(scene: GalleryScene): string {
  if (scene.try !== '') return scene.try;
  const names = scene.parameters.slice(0, 3);
  if (names.length === 0) return 'Take hold of it, or play it.';
  const list = names.length === 1 ? names[0] : `${names.slice(0, -1).join(', ')} or ${names[names.length - 1]}`;
  return `Play it, pull at it, or change ${list}.`;
}

export function matchesScene(scene: GalleryScene, query: string): boolean {
  const text = `${scene.title} ${scene.path} ${scene.sentence} ${scene.try} ${scene.source}`.toLowerCase();
  return query.toLowerCase().trim().split(/\s+/).every((word) => text.includes(word));
}
