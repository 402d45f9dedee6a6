// Writes public/scenes/ from the repository's scenes/: the texts, and index.json that says what each of them is.
// Node alone; called before the page is built. What a scene is, it reads from the comment at its top; what it is for and what
// to try in it, from cards.mjs.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cards, uses } from './cards.mjs';

const studio = resolve(dirname(fileURLToPath(import.meta.url)), '..');

const unwrapped = (text) => text.replace(/\s+/g, ' ').trim();

// The first sentence of a comment, and where the scene is from.
export function readHead(text) {
  const comment = /^\s*\/\*([\s\S]*?)\*\//.exec(text)?.[1] ?? '';
  const whole = unwrapped(comment);
  const sentence = /^(.*?\.)(?=\s|$)/.exec(whole)?.[1] ?? whole;
  // A part ends where the next one begins, or with its paragraph.
  const part = (begin) => {
    const at = begin.exec(comment);
    if (!at) return '';
    const rest = comment.slice(at.index);
    const body = rest.slice(at[0].length);
    const end = /What must hold|What to look at:|\bLook at |\n\s*\n/.exec(body);
    return unwrapped(rest.slice(0, at[0].length + (end ? end.index : body.length)));
  };
  const source = part(/Source:/).replace(/^Source:\s*/, '');
  return { sentence, source: /^(.*?\.)(?=\s|$)/.exec(source)?.[1] ?? source };
}

const stripped = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(\/\/|#).*$/gm, '');

export const readTitle = (text) => /^\s*title\s+"((?:[^"\\]|\\.)*)"/m.exec(stripped(text))?.[1] ?? '';
export const readParameters = (text) => {
  const top = stripped(text).replace(/^figure\b[\s\S]*?^end\b/gm, '');
  return [...top.matchAll(/^param\s+(\w+)/gm)].map((m) => m[1]);
};

// The files that a text includes, by the names that it gives them, and those that they include.
export function readIncludes(folder, text, found = []) {
  for (const [, name] of stripped(text).matchAll(/^\s*include\s+"([^"]+)"/gm)) {
    if (found.includes(name) || !existsSync(join(folder, name))) continue;
    found.push(name);
    readIncludes(folder, readFileSync(join(folder, name), 'utf8'), found);
  }
  return found;
}

function tenonFiles(root, below = '') {
  return readdirSync(join(root, below), { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = posix.join(below, entry.name);
      if (entry.isDirectory()) return tenonFiles(root, path);
      return entry.name.endsWith('.tenon') ? [path] : [];
    });
}

export const pictureName = (path) => path.replace(/\.tenon$/, '').replaceAll('/', '-');

// What scripts/pictures.mjs has made of it; else its drawing in docs/.
function picture(path, drawings, pictures) {
  const name = pictureName(path);
  for (const end of ['webp', 'png']) if (existsSync(join(pictures, `${name}.${end}`))) return `pictures/${name}.${end}`;
  for (const drawing of [`${name}.svg`, path.replace(/\.tenon$/, '.svg')]) {
    if (!existsSync(join(drawings, drawing))) continue;
    mkdirSync(pictures, { recursive: true });
    copyFileSync(join(drawings, drawing), join(pictures, `${name}.svg`));
    return `pictures/${name}.svg`;
  }
  return '';
}

export function writeGallery(repository, target) {
  const scenes = join(repository, 'scenes');
  const out = join(target, 'scenes');
  rmSync(out, { recursive: true, force: true });
  const pictures = join(target, 'pictures');
  if (existsSync(pictures))
    for (const name of readdirSync(pictures)) if (name.endsWith('.svg')) rmSync(join(pictures, name)); // copies of drawings
  const entries = [];
  for (const path of tenonFiles(scenes)) {
    mkdirSync(join(out, dirname(path)), { recursive: true });
    copyFileSync(join(scenes, path), join(out, path));
    const text = readFileSync(join(scenes, path), 'utf8');
    const title = readTitle(text);
    if (title === '') continue; // it only serves others, by `include`
    const card = cards[path.replace(/\.tenon$/, '')];
    if (!card) throw new Error(`scenes/${path} has no card: add it to studio/scripts/cards.mjs`);
    entries.push({
      path,
      title,
      ...readHead(text),
      use: card.use,
      try: card.hint,
      parameters: readParameters(text),
      files: readIncludes(join(scenes, dirname(path)), text),
      bytes: statSync(join(scenes, path)).size,
      picture: picture(path, join(repository, 'docs', 'pictures'), pictures),
    });
  }
  // In the order of the cards: what is best seen first.
  const order = Object.keys(cards);
  const place = (entry) => order.indexOf(entry.path.replace(/\.tenon$/, ''));
  entries.sort((a, b) => place(a) - place(b));
  writeFileSync(join(out, 'index.json'), JSON.stringify({ uses, scenes: entries }, null, 1) + '\n');
  return entries;
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const entries = writeGallery(resolve(studio, '..'), join(studio, 'public'));
  const bare = entries.filter((e) => e.picture === '').length;
  console.log(`${entries.length} scenes in public/scenes${bare > 0 ? `, ${bare} without a picture` : ''}`);
}
