// Opening and saving: files of the user, of the server that `tenon studio` is, and scenes in an address.
import { createStore } from 'zustand/vanilla';
import type { Kept } from '../engine/autosave';
import type { Answer } from '../engine/client';
import { engine } from '../engine/engine';
import { get, page, set, type Pending } from '../store/store';
import { rebased } from './changes';
import { openGalleryScene } from './scenes';
import { sceneInHash, type SharedScene } from './share';
import { reasonOf, say } from './use';

export interface FileState {
  server: boolean; // the page is served by `tenon studio`, which keeps files
  list: string[]; // of the server's files
  path: string | null; // on the server
  etag: string | null; // of what we read or wrote last
  saved: string; // the text as it was opened or saved
  pending: Pending | null;
  opened: number; // counts scenes
  dialog: 'share' | 'embed' | 'conflict' | 'server' | 'save-as' | null;
}

export const fileState = createStore<FileState>(() => ({
  server: false, list: [], path: null, etag: null, saved: '', pending: null, opened: 0, dialog: null,
}));
const setFile = fileState.setState;

// What the page remembers of it, should it be loaded anew.
fileState.subscribe(({ path, etag, saved, pending, opened }, before) => {
  if (path === before.path && etag === before.etag && saved === before.saved && pending === before.pending && opened === before.opened) return;
  set({ origin: { address: window.location.href, path, etag, saved, pending } });
});

// What stands in the editor, errors and all.
export const written = (): string => get().draft ?? get().text;
export const isDirty = (): boolean => written() !== fileState.getState().saved;

const sent = new Set<string>(); // texts that the session is reading
let committing = 0; // how many are on their way to be the scene's
let opening = 0; // scenes under way

// A tool has changed the text under what is being typed: that gets the change too, or it would be taken back once the
// draft is saved or mended. What was sent from here is in the draft already, and a draft of another scene is another text.
page.subscribe((now, before) => {
  const { draft } = get();
  if (now.text === before.text || draft === null || opening > 0 || fileState.getState().pending || sent.has(now.text)) return;
  const both = rebased(before.text, now.text, draft);
  set(both === now.text ? { draft: null, problems: get().scene?.problems ?? [] } : { draft: both });
});

export const sceneName = (): string => {
  const { pending } = fileState.getState();
  const name = pending?.name ?? get().scene?.name ?? '';
  return name === '' ? 'scene.tenon' : name;
};

interface Source { path?: string; etag?: string | null; address?: string /* its query or fragment */ }

// A page that is loaded anew, or kept as a bookmark, has the same scene.
function showAddress(part: string): void {
  if (get().embed) return;
  const url = new URL(window.location.href);
  [url.search, url.hash] = part.startsWith('#') ? ['', part] : [part, ''];
  if (url.href !== window.location.href) window.history.replaceState(null, '', url);
}

// Whether a page at this address goes on with what was kept. An address that asks for a scene has it anew, unless that
// was changed; one that asks for none has no other scene than the one that was there: a file of this computer, a new one.
export function goesOn(record: Kept, address: string): boolean {
  const same = record.origin?.address === address;
  return asksForScene(address) ? record.changed && same : record.changed || same;
}
export function asksForScene(address: string): boolean {
  const { search, hash } = new URL(address);
  return /[?&](scene|file)=/.test(search) || /[#&]s=/.test(hash);
}

// What was being done when the page was left.
export async function restoreKept(record: Kept): Promise<boolean> {
  opening += 1;
  const answer = await engine.restore(record);
  opening -= 1;
  if (!answer.ok) return false;
  const { origin, draft = null } = record; // an earlier version kept no `draft`, and no `pending`
  set((page) => ({ draft, panels: draft === null ? page.panels : { ...page.panels, text: true } }));
  if (origin) {
    const { search, hash } = new URL(origin.address);
    showAddress(hash === '' ? search : hash);
    const { path, etag, saved, pending = null } = origin;
    setFile((file) => ({ path, etag, saved, pending, opened: file.opened + 1 }));
  }
  if (draft !== null) await commitText(draft); // for its problems
  say('Your scene is as you left it.');
  return true;
}

// The text as it was opened or saved; can be undone.
export async function revert(): Promise<void> {
  await commitText(fileState.getState().saved);
  setFile((file) => ({ opened: file.opened + 1 }));
}

// A new scene. A text with errors is opened too: it stands in the editor as a draft with its problems, and becomes the
// scene once they are gone. Until then the session has the scene before, whose text is not this file's.
export async function openText(
  text: string, name: string, files: Record<string, string> = {}, from: Source = {},
): Promise<boolean> {
  opening += 1;
  const answer = await engine.open(text, name, files);
  opening -= 1;
  showAddress(from.address ?? '');
  if (answer.ok) set({ draft: null });
  else set((page) => ({ draft: text, problems: answer.problems ?? [], panels: { ...page.panels, text: true } }));
  setFile((file) => ({
    path: from.path ?? null, etag: from.etag ?? null, saved: text, pending: answer.ok ? null : { name, files }, opened: file.opened + 1,
  }));
  if (answer.ok) return true;
  say(`${name} has errors. ${reasonOf(answer)}`, 'error');
  return false;
}

// The editor's text becomes the scene's; until the session has taken it, it is the draft. Its problems are the answer's,
// right or wrong.
export async function commitText(text: string): Promise<void> {
  if (opening > 0) return; // typed into the scene that goes
  const { pending } = fileState.getState();
  const back = !pending && text === get().text;
  set({ draft: text });
  committing += 1;
  let answer: Answer | null = null;
  // Typed back to what the session has, once it has read what was sent before: then there is nothing to change.
  if (back && (await engine.run({ ask: 'text' })).text === text) answer = { ok: true, problems: get().scene?.problems ?? [] };
  else if (get().draft === text && opening === 0) {
    sent.add(text);
    answer = await (pending ? engine.open(text, pending.name, pending.files) : engine.run({ do: 'edit', text }));
    sent.delete(text);
  }
  committing -= 1;
  if (answer) set({ problems: answer.problems ?? [] });
  if (answer?.ok && pending && fileState.getState().pending === pending) setFile({ pending: null });
  const { draft } = get();
  if (draft === text) {
    if (answer?.ok) set({ draft: null });
  } else if (draft !== null && committing === 0) {
    await commitText(draft); // a tool was quicker, and its change is in the draft only
  }
}

// Of several files that were opened together, the scene is the one that no other includes.
export function mainOf(files: { name: string; text: string }[]): { name: string; text: string } | null {
  const included = new Set(files.flatMap((f) => [...f.text.matchAll(/^\s*include\s+"([^"]+)"/gm)].map((m) => m[1] as string)));
  return files.find((f) => !included.has(f.name)) ?? files[0] ?? null;
}

export async function openFiles(list: Iterable<File>): Promise<void> {
  const files = await Promise.all([...list].filter((f) => f.name.endsWith('.tenon')).map(async (f) => ({ name: f.name, text: await f.text() })));
  const main = mainOf(files);
  if (!main) {
    say('Only .tenon files can be opened here.', 'error');
    return;
  }
  if (!mayDiscard()) return;
  await openText(main.text, main.name, Object.fromEntries(files.filter((f) => f !== main).map((f) => [f.name, f.text])));
}

export function mayDiscard(): boolean {
  return !isDirty() || written() === '' || window.confirm('The scene has changes that are not saved. Open another one all the same?');
}

export function pickFiles(): void {
  if (fileState.getState().server) {
    void listServer();
    setFile({ dialog: 'server' });
    return;
  }
  pickLocal();
}
export function pickLocal(): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = '.tenon,text/plain';
  input.multiple = true;
  input.addEventListener('change', () => void openFiles(input.files ?? []));
  input.click();
}

export const emptyScene = `title "New scene";

gravity 0 -9.81 0;

solid box
  box 0.4 0.2 0.2;
  at 0.2 0 0;
  colour 0.85 0.55 0.25;
end

joint pin hook
  object2 box;
  at 0 0 0;
  axis 0 0 1;
end
`;
export async function newScene(): Promise<void> {
  if (mayDiscard()) await openText(emptyScene, 'scene.tenon');
}

export function download(name: string, content: Blob | string, type = 'text/plain'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

export const baseName = (): string => sceneName().replace(/^.*\//, '').replace(/\.tenon$/, '');

// ------------------------------------------------------------------------------------------ the server's files

const api = (path: string): string => `api/files/${path.split('/').map(encodeURIComponent).join('/')}`;

export function namesIn(data: unknown): string[] {
  const list = Array.isArray(data) ? data : ((data as { files?: unknown[] } | null)?.files ?? []);
  return (list as unknown[])
    .map((entry) => (typeof entry === 'string' ? entry : ((entry as { path?: string; name?: string }).path ?? (entry as { name?: string }).name ?? '')))
    .filter((name) => name !== '');
}

// What the server says went wrong.
async function wordsOf(response: Response): Promise<string> {
  const data = (await response.json().catch(() => null)) as { error?: string } | null;
  return data?.error ?? String(response.status);
}

export async function listServer(): Promise<boolean> {
  try {
    const response = await fetch('api/files', { headers: { Accept: 'application/json' } });
    if (!response.ok || !(response.headers.get('Content-Type') ?? '').includes('json')) return false;
    const data = (await response.json()) as { folder?: string | null };
    // Without a folder it serves the page alone.
    const server = data.folder !== null;
    setFile({ server, list: namesIn(data) });
    return server;
  } catch {
    return false; // a static page
  }
}

export async function openServerFile(path: string): Promise<boolean> {
  const response = await fetch(api(path));
  if (!response.ok) {
    say(`${path} could not be read: ${await wordsOf(response)}.`, 'error');
    return false;
  }
  const text = await response.text();
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
  const files: Record<string, string> = {};
  // What it includes, and what that includes: names are relative to the scene's folder.
  const wanted = [text];
  for (let own = wanted.pop(); own !== undefined; own = wanted.pop())
    for (const [, name] of own.matchAll(/^\s*include\s+"([^"]+)"/gm)) {
      if (name === undefined || files[name] !== undefined) continue;
      const included = await fetch(api(folder + name));
      if (!included.ok) continue;
      files[name] = await included.text();
      wanted.push(files[name]);
    }
  return openText(text, path.slice(folder.length), files, { path, etag: response.headers.get('ETag'), address: `?file=${encodeURIComponent(path)}` });
}

export async function saveToServer(path: string, how: 'ours' | 'new' | 'anyway'): Promise<boolean> {
  const { etag } = fileState.getState();
  const text = written();
  const headers: Record<string, string> = { 'Content-Type': 'text/plain; charset=utf-8' };
  if (how === 'ours' && etag !== null) headers['If-Match'] = etag;
  if (how === 'new') headers['If-None-Match'] = '*';
  if (how === 'anyway') headers['If-Match'] = '*';
  const response = await fetch(api(path), { method: 'PUT', headers, body: text });
  if (response.status === 412 || response.status === 428) {
    setFile({ path, dialog: 'conflict' });
    return false;
  }
  if (!response.ok) {
    say(`${path} could not be saved: ${await wordsOf(response)}.`, 'error');
    return false;
  }
  setFile({ path, etag: response.headers.get('ETag'), saved: text, dialog: null });
  say(`Saved ${path}.`);
  return true;
}

export async function save(): Promise<void> {
  const { server, path } = fileState.getState();
  if (server && path !== null) await saveToServer(path, 'ours');
  else if (server) setFile({ dialog: 'save-as' });
  else {
    download(`${baseName()}.tenon`, written());
    setFile({ saved: written() });
    say(`Saved ${baseName()}.tenon to your downloads.`);
  }
}

// --------------------------------------------------------------------------------------------------- sharing

export async function sharedScene(): Promise<SharedScene> {
  const { pending } = fileState.getState();
  const name = sceneName().replace(/^.*\//, '');
  if (pending) return { name, text: written(), files: pending.files };
  const answer = await engine.run({ ask: 'text' });
  const files = answer.ok && typeof answer.files === 'object' ? (answer.files as Record<string, string>) : {};
  return { name, text: get().text, files };
}

// What the address asks for: `#s=…`, `?scene=linkages/four-bar`, `?file=…` of the server. False: nothing.
export async function openFromAddress(address: string): Promise<boolean> {
  const url = new URL(address);
  const shared = sceneInHash(url.hash);
  if (shared) return openText(shared.text, shared.name, shared.files, { address: url.hash });
  if (/(^#|&)s=/.test(url.hash)) say('The link is damaged: it holds no scene.', 'error');
  const scene = url.searchParams.get('scene');
  if (scene) return openGalleryScene(scene);
  const file = url.searchParams.get('file');
  if (file && (await listServer())) return openServerFile(file);
  return false;
}

// Commands as lines of JSON, as `tenon replay` reads them.
export async function downloadRecording(): Promise<void> {
  const answer = await engine.run({ ask: 'recording' });
  if (!answer.ok || !Array.isArray(answer.commands)) {
    say(reasonOf(answer), 'error');
    return;
  }
  download(`${baseName()}.jsonl`, answer.commands.map((c) => JSON.stringify(c)).join('\n') + '\n', 'application/jsonl');
  say(`Saved ${baseName()}.jsonl: replay it with “tenon replay ${baseName()}.jsonl”.`);
}
