// The scenes that come with the page: scenes/index.json, written by scripts/gallery.mjs.

export interface GalleryScene {
  path: string;
  title: string;
  sentence: string;
  source: string;
  use: string; // of Gallery.uses
  try: string; // one thing to do with it
  parameters: string[];
  files: string[];
  bytes: number;
  picture: string;
}

export interface GalleryIndex {
  uses: Record<string, string>; // their titles, in order
  scenes: GalleryScene[];
}

let index: Promise<GalleryIndex> | null = null;

export function galleryIndex(): Promise<GalleryIndex> {
  index ??= fetch('scenes/index.json')
    .then((response) => (response.ok ? response.json() : Promise.reject(new Error(`${response.status}`))))
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

export interface GalleryText {
  text: string;
  name: string;
  files: Record<string, string>;
  folder: string;
  address: string;
}

// A scene by its path, 'linkages/four-bar.tenon' or without the ending, with the files that it includes.
export async function galleryText(wanted: string): Promise<GalleryText> {
  const path = wanted.endsWith('.tenon') ? wanted : `${wanted}.tenon`;
  const [{ scenes }, text] = await Promise.all([galleryIndex(), fetchText(path)]);
  const entry = scenes.find((s) => s.path === path);
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
  const texts = await Promise.all((entry?.files ?? []).map((file) => fetchText(folder + file)));
  const files: Record<string, string> = {};
  entry?.files.forEach((file, i) => {
    files[file] = texts[i] as string;
  });
  return { text, name: path.slice(folder.length), files, folder, address: `?scene=${path.replace(/\.tenon$/, '')}` };
}

// By what they are for, in the order of the index.
export function byUse({ uses, scenes }: GalleryIndex): { use: string; title: string; scenes: GalleryScene[] }[] {
  return Object.entries(uses)
    .map(([use, title]) => ({ use, title, scenes: scenes.filter((s) => s.use === use) }))
    .filter((group) => group.scenes.length > 0);
}

export function matchesScene(scene: GalleryScene, query: string): boolean {
  const text = `${scene.title} ${scene.path} ${scene.sentence} ${scene.try} ${scene.source}`.toLowerCase();
  return query
    .toLowerCase()
    .trim()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
