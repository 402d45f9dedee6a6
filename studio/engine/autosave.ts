// What would be lost if the worker, the page or the browser died: the session's save, which holds all that it has but the
// steps of undo, and the page's own: where the scene came from, and a text that the session has not taken. In memory for
// a worker that died, in IndexedDB (or localStorage, where that is forbidden) for the rest.
import type { Origin } from '../store/store';

export interface Kept {
  save: { text: string; name: string; files?: Record<string, string>; time: number }; // as `ask: save` gives it, and more
  changed: boolean; // something was done since it was opened
  origin: Origin | null;
  draft: string | null; // a text with errors that stands in the editor
}

const name = 'tenon-studio';
const key = 'autosave';

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('saves');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB is not to be had'));
  });
}

async function inStore<T>(mode: IDBTransactionMode, act: (store: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opened = await database();
  try {
    return await new Promise<T>((resolve, reject) => {
      const request = act(opened.transaction('saves', mode).objectStore('saves'));
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error ?? new Error('IndexedDB refused'));
    });
  } finally {
    opened.close();
  }
}

export async function keep(kept: Kept): Promise<void> {
  try {
    await inStore('readwrite', (store) => store.put(kept, key));
  } catch {
    try {
      localStorage.setItem(`${name}.${key}`, JSON.stringify(kept));
    } catch {
      // Nothing may be stored here: the copy in memory has to do.
    }
  }
}

export async function kept(): Promise<Kept | null> {
  try {
    return ((await inStore('readonly', (store) => store.get(key))) as Kept | undefined) ?? null;
  } catch {
    try {
      const text = localStorage.getItem(`${name}.${key}`);
      return text ? (JSON.parse(text) as Kept) : null;
    } catch {
      return null;
    }
  }
}

export async function forget(): Promise<void> {
  try {
    localStorage.removeItem(`${name}.${key}`);
    await inStore('readwrite', (store) => store.delete(key));
  } catch {
    // There was nothing to forget.
  }
}
