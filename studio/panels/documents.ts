// Opening and saving: files of the user, of the server that `tenon studio` is, and scenes in an address.
import { createStore } from 'zustand/vanilla';
import { allKept, keep, createOwner, leftBehind, newDocument, ownerless, type Kept } from '../engine/autosave';
import type { Answer } from '../engine/client';
import type { EngineControl } from '../engine/engine';
import { isMade, sentenceOf, wordsOf as reasonOf } from '../engine/mirror';
import { say as sayOn, type Notice, type PageStore, type Pending } from '../store/store';
import { rebased } from './changes';
import { allIncluded, namesIncluded, selfContained } from './includes';
import { galleryText } from './scenes';
import { sceneInHash, type SharedScene } from './share';

export interface FileState {
  server: boolean; // the page is served by `tenon studio`, which keeps files
  list: string[]; // of the server's files
  document: string; // its number
  path: string | null; // on the server
  folder: string; // of the scene, on the server or in the gallery: '' or with a slash at its end
  etag: string | null; // of what we read or wrote last
  saved: string; // the text as it was opened or saved
  made: boolean; // it came with a pose or pins that no file has
  pending: Pending | null;
  opened: number; // counts scenes
  dialog: 'share' | 'embed' | 'conflict' | 'server' | 'save-as' | 'includes' | 'discard' | 'recover' | null;
  saving: Saving | null; // what the dialogs 'includes' and 'conflict' are about
  question: Question | null; // what the dialog 'discard' asks
}
export interface Saving {
  path: string | null /* null: a download */;
  lacks: Lacking[];
  whole: boolean;
}
// An included file that a scene would not find where it is saved; `there`: it would find another text of that name.
export interface Lacking {
  name: string;
  there: boolean;
}
export interface Question {
  losing: Part[];
  answer: (choice: 'cancel' | 'save' | 'discard') => void;
}
export type Part = 'text' | 'pose';

interface Source {
  path?: string;
  etag?: string | null;
  folder?: string;
  address?: string; /* its query or fragment */
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

export interface Found {
  record: Kept;
  exact: boolean; /* it is what was seen last, not a moment older */
}

export function asksForScene(address: string): boolean {
  const { search, hash } = new URL(address);
  return /[?&](scene|file)=/.test(search) || /[#&]s=/.test(hash);
}

// Of several files that were opened together, the scene is the one that no other includes.
export function mainOf(files: { name: string; text: string }[]): { name: string; text: string } | null {
  const included = new Set(files.flatMap((f) => namesIncluded(f.text)));
  return files.find((f) => !included.has(f.name)) ?? files[0] ?? null;
}

function namesOf(files: File[]): string {
  const shown = files.slice(0, 3).map((f) => f.name);
  return files.length > 3 ? `${shown.join(', ')} and ${files.length - 3} more` : inWords(shown);
}
const inWords = (parts: string[]): string => (parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts[parts.length - 1]}`);

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
export function download(name: string, content: Blob | string, type = 'text/plain'): void {
  const blob = typeof content === 'string' ? new Blob([content], { type }) : content;
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

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

const counted = (count: number, one: string, many = `${one}s`): string[] => (count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]);

// What the text cannot have, in sentences.
const lackingOf = (answer: Answer): string[] => (answer.problems ?? []).map(sentenceOf);

interface Written {
  text: string;
  words: string;
  kind: 'info' | 'warning'; /* something could not be written */
}

// The documents of one studio, one after the other. `hasAddress`: the page's address and its history follow the document.
export function createDocuments(page: PageStore, engine: EngineControl, hasAddress: boolean) {
  const { getState: get, setState: set } = page;
  const say = (text: string, kind?: Notice['kind']): void => sayOn(page, text, kind);
  const href = (): string => (hasAddress ? window.location.href : new URL('.', window.document.baseURI).href);
  const { own, letGo } = createOwner();

  const fileState = createStore<FileState>(() => ({
    server: false,
    list: [],
    document: '',
    path: null,
    folder: '',
    etag: null,
    saved: '',
    made: false,
    pending: null,
    opened: 0,
    dialog: null,
    saving: null,
    question: null,
  }));
  const setFile = fileState.setState;

  // What the page remembers of it, should it be loaded anew.
  fileState.subscribe((now, before) => {
    const members = ['document', 'path', 'folder', 'etag', 'saved', 'made', 'pending', 'opened'] as const;
    if (members.every((member) => now[member] === before[member])) return;
    const { document, path, folder, etag, saved, made, pending } = now;
    set({ origin: { document, address: href(), path, folder, etag, saved, made, pending } });
  });

  // What stands in the editor, errors and all.
  const written = (): string => get().draft ?? get().text;
  const isDirty = (): boolean => written() !== fileState.getState().saved;

  const sent = new Set<string>(); // texts that the session is reading
  let committing = 0; // how many are on their way to be the scene's
  let opening = 0; // scenes under way

  // A tool has changed the text under what is being typed: that gets the change too, or it would be taken back once the
  // draft is saved or mended. What was sent from here is in the draft already, and a draft of another scene is another text.
  const unsubscribe = page.subscribe((now, before) => {
    const { draft } = get();
    if (now.text === before.text || draft === null || opening > 0 || fileState.getState().pending || sent.has(now.text)) return;
    const both = rebased(before.text, now.text, draft);
    set(both === now.text ? { draft: null, problems: get().scene?.problems ?? [] } : { draft: both });
  });

  const sceneName = (): string => {
    const { pending } = fileState.getState();
    const name = pending?.name ?? get().scene?.name ?? '';
    return name === '' ? 'scene.tenon' : name;
  };

  // A page that is loaded anew, or kept as a bookmark, has the same scene; in this tab's history it is the same document.
  function showAddress(part: string, document: string): void {
    if (get().embed || !hasAddress) return;
    const url = new URL(window.location.href);
    [url.search, url.hash] = part.startsWith('#') ? ['', part] : [part, ''];
    window.history.replaceState({ document }, '', url);
  }
  const documentOfHistory = (): string | null => (hasAddress ? ((window.history.state as { document?: string } | null)?.document ?? null) : null);

  // What a page at this address goes on with: the document that this tab had here; else one of this address that was not
  // saved and that no tab has any more. An address that asks for a scene has it anew if nothing was done to it. One that
  // asks for none goes on with the last document that was not saved.
  async function keptHere(address: string): Promise<Found | null> {
    const left = leftBehind();
    const records = await allKept();
    const id = documentOfHistory();
    const mine = records.find((record) => record.id === id);
    if (mine) {
      const exact = left?.id === mine.id;
      const moved = exact && left.save !== null;
      if (asksForScene(address) && !mine.changed && !moved) return null;
      const record = exact
        ? { ...mine, save: left.save ?? mine.save, draft: left.draft, changed: mine.changed || moved, unsaved: mine.unsaved || moved }
        : mine;
      // A tab that was duplicated: from here on there are two documents.
      return { record: (await own(mine.id)) ? record : { ...record, id: newDocument() }, exact };
    }
    const lost = (await ownerless(records)).filter((record) => record.unsaved && !record.discarded);
    const record = lost.find((one) => one.origin?.address === address) ?? (asksForScene(address) ? undefined : lost[0]);
    return record ? { record, exact: false } : null;
  }
  // What was being done when the page was left.
  async function restoreKept({ record, exact }: Found): Promise<boolean> {
    opening += 1;
    const answer = await engine.restore(record);
    opening -= 1;
    if (!answer.ok) return false;
    const { id, at, origin, draft = null } = record; // an earlier version kept no `draft`, and no `pending`
    set(({ panels }) => ({ draft, panels: draft === null ? panels : { ...panels, text: true } }));
    if (origin) {
      const { search, hash } = new URL(origin.address);
      showAddress(hash === '' ? search : hash, id);
      const { path, folder = '', etag, saved, pending = null } = origin;
      setFile((file) => ({ document: id, path, folder, etag, saved, made: record.unsaved, pending, opened: file.opened + 1 }));
    }
    void own(id);
    if (draft !== null) await commitText(draft); // for its problems
    const when = at > 0 ? `to how it was at ${new Date(at).toLocaleTimeString()}` : 'from an earlier moment';
    say(exact ? 'Your scene is as you left it.' : `Your scene was restored ${when}.`);
    return true;
  }

  // Documents that were not saved, and that no tab has: they can be opened again.
  async function recoverable(): Promise<Kept[]> {
    const { document } = fileState.getState();
    return (await ownerless(await allKept())).filter((record) => record.unsaved && record.id !== document);
  }
  async function recover(record: Kept): Promise<void> {
    if (await mayDiscard()) await restoreKept({ record: { ...record, discarded: false }, exact: false });
  }
  // Said once, when the page is loaded: work that someone gave up is in the list only.
  async function tellRecoverable(): Promise<void> {
    const count = (await recoverable()).filter((record) => !record.discarded).length;
    if (count === 0) return;
    const before = get().notices.at(-1);
    const other = before ? 'other ' : '';
    const what = count === 1 ? `One ${other}scene was never saved.` : `${count} ${other}scenes were never saved.`;
    say(`${before ? `${before.text} ` : ''}${what} Open ${count === 1 ? 'it' : 'them'} with “File, Recover unsaved work”.`, before?.kind);
  }

  // The text as it was opened or saved; can be undone.
  async function revert(): Promise<void> {
    await commitText(fileState.getState().saved);
    setFile((file) => ({ opened: file.opened + 1 }));
  }

  // A new scene. A text with errors is opened too: it stands in the editor as a draft with its problems, and becomes the
  // scene once they are gone. Until then the session has the scene before, whose text is not this file's.
  async function openText(text: string, name: string, files: Record<string, string> = {}, from: Source = {}): Promise<boolean> {
    opening += 1;
    const answer = await engine.open(text, name, files);
    opening -= 1;
    const document = newDocument();
    showAddress(from.address ?? '', document);
    void own(document);
    if (answer.ok) set({ draft: null });
    else set(({ panels }) => ({ draft: text, problems: answer.problems ?? [], panels: { ...panels, text: true } }));
    setFile((file) => ({
      document,
      path: from.path ?? null,
      folder: from.folder ?? '',
      etag: from.etag ?? null,
      saved: text,
      made: false,
      pending: answer.ok ? null : { name, files },
      opened: file.opened + 1,
    }));
    if (answer.ok) return true;
    say(`${name} has errors. ${reasonOf(answer)}`, 'error');
    return false;
  }

  // Opens a scene of the gallery by its path, 'linkages/four-bar.tenon' or without the ending.
  async function openGalleryScene(wanted: string): Promise<boolean> {
    try {
      const { text, name, files, folder, address } = await galleryText(wanted);
      return await openText(text, name, files, { folder, address });
    } catch (error) {
      say(`The scene ${wanted} could not be loaded (${error instanceof Error ? error.message : 'no answer'}).`, 'error');
      return false;
    }
  }

  // The editor's text becomes the scene's; until the session has taken it, it is the draft. Its problems are the answer's,
  // right or wrong.
  async function commitText(text: string): Promise<void> {
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

  async function openFiles(list: Iterable<File>): Promise<void> {
    const given = [...list];
    const read = async (f: File): Promise<{ name: string; text: string }> => ({ name: f.name, text: await f.text() });
    const files = await Promise.all(given.filter((f) => f.name.endsWith('.tenon')).map(read));
    const main = mainOf(files);
    if (!main) {
      if (given.length > 0) say(`${namesOf(given)} cannot be opened. The studio opens scenes: files whose names end in .tenon.`, 'error');
      return;
    }
    // A scene may include files of any name.
    const known = (): Record<string, string> => Object.fromEntries(files.filter((f) => f !== main).map((f) => [f.name, f.text]));
    const others = given.filter((f) => !f.name.endsWith('.tenon'));
    for (let found = true; found;) {
      const wanted = new Set(allIncluded(main.text, known()));
      const next = others.findIndex((f) => wanted.has(f.name));
      found = next >= 0;
      if (found) files.push(await read(others.splice(next, 1)[0] as File));
    }
    if (!(await mayDiscard())) return;
    if (!(await openText(main.text, main.name, known())) || others.length === 0) return;
    say(`${namesOf(others)} ${others.length === 1 ? 'was' : 'were'} left out. The studio opens only scenes (.tenon) and the files that they include.`);
  }
  // What no file has of the document.
  async function unsavedParts(): Promise<Part[]> {
    const parts: Part[] = [];
    if (isDirty() && written() !== '') parts.push('text');
    if (get().scene && !fileState.getState().pending) {
      const [whole, state] = await Promise.all([engine.run({ ask: 'kept' }), engine.run({ ask: 'state' })]);
      if (state.ok && isMade(state.undo as string[], get().origin, whole)) parts.push('pose');
    }
    return parts;
  }

  // Whether another scene may take the place of this one. What is given up can be recovered.
  async function mayDiscard(): Promise<boolean> {
    const losing = await unsavedParts();
    if (losing.length === 0) return true;
    fileState.getState().question?.answer('cancel');
    const choice = await new Promise<Parameters<Question['answer']>[0]>((answer) => setFile({ dialog: 'discard', question: { losing, answer } }));
    setFile({ dialog: null, question: null });
    if (choice === 'save') return saveFirst();
    if (choice === 'cancel') return false;
    const record = await engine.keepNow();
    if (record) await keep({ ...record, discarded: true });
    return true;
  }

  // Saves, and waits for what a dialog asks about it: a name, or what to do with included files.
  async function saveFirst(): Promise<boolean> {
    if (await save()) return true;
    await new Promise<void>((resolve) => {
      const look = (): void => {
        if (fileState.getState().dialog !== null) return;
        stop();
        resolve();
      };
      const stop = fileState.subscribe(look);
      look();
    });
    return (await unsavedParts()).length === 0;
  }

  function pickFiles(): void {
    if (fileState.getState().server) {
      void listServer();
      setFile({ dialog: 'server' });
      return;
    }
    pickLocal();
  }
  function pickLocal(): void {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.tenon,text/plain';
    input.multiple = true;
    input.addEventListener('change', () => void openFiles(input.files ?? []));
    input.click();
  }

  async function newScene(): Promise<void> {
    if (await mayDiscard()) await openText(emptyScene, 'scene.tenon');
  }

  const baseName = (): string =>
    sceneName()
      .replace(/^.*\//, '')
      .replace(/\.tenon$/, '');

  // ------------------------------------------------------------------------------------------ the server's files

  async function listServer(): Promise<boolean> {
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

  async function openServerFile(path: string): Promise<boolean> {
    const response = await fetch(api(path));
    if (!response.ok) {
      say(`${path} could not be read: ${await wordsOf(response)}.`, 'error');
      return false;
    }
    const text = await response.text();
    const folder = folderOf(path);
    const files: Record<string, string> = {};
    // What it includes, and what that includes: names are relative to the scene's folder.
    const wanted = [text];
    for (let own = wanted.pop(); own !== undefined; own = wanted.pop())
      for (const name of namesIncluded(own)) {
        if (files[name] !== undefined) continue;
        const included = await fetch(api(folder + name));
        if (!included.ok) continue;
        files[name] = await included.text();
        wanted.push(files[name]);
      }
    return openText(text, path.slice(folder.length), files, { path, folder, etag: response.headers.get('ETag'), address: `?file=${encodeURIComponent(path)}` });
  }

  // The included files that the page knows.
  async function filesNow(): Promise<Record<string, string>> {
    const { pending } = fileState.getState();
    if (pending) return pending.files;
    const { files } = await engine.run({ ask: 'text' });
    return (files as Record<string, string> | undefined) ?? {};
  }

  // Puts into the text what was made beyond it: pose, pins and what else is held. Gives the text, and what to say of it.
  async function writeDown(): Promise<Written> {
    if (fileState.getState().pending) return { text: written(), words: '.', kind: 'info' };
    const answer = await engine.run({ do: 'keep' });
    const text = written();
    if (!answer.ok) return { text, words: `, but without its pose and pins. ${reasonOf(answer)}`, kind: 'warning' };
    const { state } = get();
    const posed = /^\s*start\s+kept(-\d+)?\s*;/m.test(text);
    const count = (what: string): number => Number(answer[what] ?? 0);
    const played = posed && (state?.time ?? 0) > 0;
    const parts = [
      ...(posed ? [played ? `the pose at ${state?.time.toFixed(2)} s` : 'the pose'] : []),
      ...counted(count('pins'), 'pin'),
      ...counted(count('frozen'), 'frozen joint'),
      ...counted(count('merged'), 'merged joint'),
      ...counted(count('limits'), 'limit'),
      ...counted(count('forces'), 'force'),
    ];
    const moving = answer.moving === true ? ' Velocities are not saved: the scene opens at rest.' : '';
    const lacks = lackingOf(answer);
    const words = [`${parts.length === 0 ? '' : ` with ${inWords(parts)}`}.${moving}`, ...lacks].join(' ');
    return { text, words, kind: lacks.length === 0 ? 'info' : 'warning' };
  }

  // `whole`: with what it includes in it; then that is the scene's text from now on.
  async function saveToServer(path: string, how: 'ours' | 'new' | 'anyway', whole = false): Promise<boolean> {
    const { etag } = fileState.getState();
    const { text: own, words, kind } = await writeDown();
    const text = whole ? selfContained(own, await filesNow()) : own;
    const headers: Record<string, string> = { 'Content-Type': 'text/plain; charset=utf-8' };
    if (how === 'ours' && etag !== null) headers['If-Match'] = etag;
    if (how === 'new') headers['If-None-Match'] = '*';
    if (how === 'anyway') headers['If-Match'] = '*';
    const response = await fetch(api(path), { method: 'PUT', headers, body: text });
    if (response.status === 412 || response.status === 428) {
      setFile({ dialog: 'conflict', saving: { path, lacks: [], whole } });
      return false;
    }
    if (!response.ok) {
      say(`${path} could not be saved: ${await wordsOf(response)}.`, 'error');
      return false;
    }
    if (text !== own) await commitText(text);
    showAddress(`?file=${encodeURIComponent(path)}`, fileState.getState().document);
    setFile({ path, folder: folderOf(path), etag: response.headers.get('ETag'), saved: text, made: false, dialog: null, saving: null });
    say(`Saved ${path}${words}`, kind);
    return true;
  }

  // Under another name, or for the first time: says before it writes which included files would not be found there.
  async function saveAs(path: string): Promise<boolean> {
    return (await lacksNothing(path)) && saveToServer(path, 'new');
  }
  async function lacksNothing(path: string | null): Promise<boolean> {
    const lacks = await lackingAt(path);
    if (lacks.length > 0) setFile({ dialog: 'includes', saving: { path, lacks, whole: false } });
    return lacks.length === 0;
  }
  async function lackingAt(path: string | null): Promise<Lacking[]> {
    const files = await filesNow();
    const names = allIncluded(written(), files);
    if (path === null) return names.map((name) => ({ name, there: false }));
    const { path: before } = fileState.getState();
    if (before !== null && folderOf(before) === folderOf(path)) return [];
    if (names.length > 0) await listServer();
    const { list } = fileState.getState();
    const lacks = await Promise.all(
      names.map(async (name) => {
        const place = folderOf(path) + name;
        // Scenes are listed; files of other names are not, and can only be asked for.
        const there = name.endsWith('.tenon') && !list.includes(place) ? null : await fetch(api(place));
        return there?.ok && (await there.text()) === files[name] ? [] : [{ name, there: there?.ok === true }];
      }),
    );
    return lacks.flat();
  }

  // Where Save would put the scene: into its own folder, if the server has that.
  function proposedPath(): string {
    const { folder, list } = fileState.getState();
    return `${list.some((path) => path.startsWith(folder)) ? folder : ''}${baseName()}.tenon`;
  }

  async function saveDownload(whole: boolean): Promise<boolean> {
    const { text, words, kind } = await writeDown();
    download(`${baseName()}.tenon`, whole ? selfContained(text, await filesNow()) : text);
    setFile({ saved: text, made: false, dialog: null, saving: null });
    say(`Saved ${baseName()}.tenon to your downloads${words}`, kind);
    return true;
  }

  // False: nothing is saved yet, a dialog asks.
  async function save(): Promise<boolean> {
    const { server, path } = fileState.getState();
    if (server && path !== null) return saveToServer(path, 'ours');
    if (!server) return (await lacksNothing(null)) && saveDownload(false);
    setFile({ dialog: 'save-as' });
    return false;
  }

  // --------------------------------------------------------------------------------------------------- sharing

  // The scene as it is now, pose and pins in its text. `moving`: there are velocities, which a text does not have; `lacks`:
  // sentences of what else it does not have.
  async function sharedScene(): Promise<SharedScene & { moving: boolean; lacks: string[] }> {
    const { pending } = fileState.getState();
    const name = sceneName().replace(/^.*\//, '');
    if (pending) return { name, text: written(), files: pending.files, moving: false, lacks: [] };
    const [whole, files] = await Promise.all([engine.run({ ask: 'kept' }), filesNow()]);
    const text = whole.ok ? String(whole.text) : get().text;
    return { name, text, files, moving: whole.moving === true, lacks: lackingOf(whole) };
  }

  // The same as one file, for whom a link does not reach.
  async function downloadShared(): Promise<void> {
    const { text, files } = await sharedScene();
    download(`${baseName()}.tenon`, selfContained(text, files));
  }

  // The address was changed: by a link that was followed in this tab, or by Back. Back has the document that was there.
  async function followAddress(): Promise<void> {
    const { href } = window.location;
    const id = documentOfHistory();
    if (id === fileState.getState().document) return;
    const record = id === null ? undefined : (await allKept()).find((one) => one.id === id);
    if (record && (record.changed || !asksForScene(href))) {
      await engine.keepNow();
      await restoreKept({ record: { ...record, discarded: false }, exact: true });
    } else if (id !== null || (await mayDiscard())) {
      await openFromAddress(href);
    } else if (documentOfHistory() === null) {
      window.history.back();
    }
  }

  // What the address asks for: `#s=…`, `?scene=linkages/four-bar`, `?file=…` of the server. False: nothing.
  async function openFromAddress(address: string): Promise<boolean> {
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
  async function downloadRecording(): Promise<void> {
    const answer = await engine.run({ ask: 'recording' });
    if (!answer.ok || !Array.isArray(answer.commands)) {
      say(reasonOf(answer), 'error');
      return;
    }
    download(`${baseName()}.jsonl`, answer.commands.map((c) => JSON.stringify(c)).join('\n') + '\n', 'application/jsonl');
    say(`Saved ${baseName()}.jsonl: replay it with “tenon replay ${baseName()}.jsonl”.`);
  }

  return {
    state: fileState,
    written,
    isDirty,
    sceneName,
    keptHere,
    restoreKept,
    recoverable,
    recover,
    tellRecoverable,
    revert,
    openText,
    commitText,
    openFiles,
    mayDiscard,
    pickFiles,
    pickLocal,
    newScene,
    baseName,
    listServer,
    openServerFile,
    saveToServer,
    saveAs,
    proposedPath,
    saveDownload,
    save,
    sharedScene,
    downloadShared,
    followAddress,
    openFromAddress,
    downloadRecording,
    openGalleryScene,
    end: () => {
      unsubscribe();
      letGo();
    },
  };
}
export type Documents = ReturnType<typeof createDocuments>;
