// What would be lost if the worker, the page or the browser died: the session's save, which holds all that it has but the
// steps of undo, and the page's own: where the scene came from, and a text that the session has not taken. There is one
// record for each document, and a document is open in one tab. The worker's is in memory, the others are in IndexedDB, or
// in localStorage where that is forbidden.
import type { Origin } from '../store/store';

export interface Save {
  text: string;
  name: string;
  files?: Record<string, string>;
  time: number;
} // as `ask: save` gives it, and more

export interface Kept {
  id: string; // of the document
  at: number; // [ms] since 1970: when it was kept
  save: Save;
  changed: boolean; // something was done since it was opened
  unsaved: boolean; // something was made that no file has
  discarded?: boolean; // someone said that it may go
  origin: Origin | null;
  draft: string | null; // a text with errors that stands in the editor
}

const name = 'tenon-studio';
const most = 30; // records: of the others, those that matter least are dropped
const lockOf = (id: string): string => `${name}.${id}`;

function database(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore('saves');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('this browser gives no access to IndexedDB'));
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

// ---------------------------------------------------------------------------------------------------- records

export async function keep(record: Kept): Promise<void> {
  try {
    await inStore('readwrite', (store) => store.put(record, record.id));
  } catch {
    try {
      localStorage.setItem(lockOf(record.id), JSON.stringify(record));
    } catch {
      // Nothing may be stored here: the copy in memory has to do.
    }
  }
}

// An earlier version had one record for all tabs, without a number, and kept neither `at` nor `unsaved`.
const complete = (id: string, record: Kept): Kept => ({ ...record, id, at: record.at ?? 0, unsaved: record.unsaved ?? record.changed });

// The newest first.
export async function allKept(): Promise<Kept[]> {
  let records: Kept[];
  try {
    const [ids, values] = await Promise.all([inStore('readonly', (store) => store.getAllKeys()), inStore('readonly', (store) => store.getAll())]);
    records = (values as Kept[]).map((record, k) => complete(String(ids[k]), record));
  } catch {
    records = keptAsText();
  }
  // What was never saved is dropped last, however many scenes were looked at since.
  const worth = ({ unsaved, discarded }: Kept): number => (unsaved ? (discarded ? 1 : 2) : 0);
  records.sort((a, b) => worth(b) - worth(a) || b.at - a.at);
  for (const { id } of records.splice(most)) void forget(id);
  return records.sort((a, b) => b.at - a.at);
}

function keptAsText(): Kept[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(`${name}.`))
      .map((key) => complete(key.slice(name.length + 1), JSON.parse(localStorage.getItem(key) ?? '{}') as Kept));
  } catch {
    return [];
  }
}

export async function forget(id: string): Promise<void> {
  try {
    localStorage.removeItem(lockOf(id));
    await inStore('readwrite', (store) => store.delete(id));
  } catch {
    // There was nothing to forget.
  }
}

// ------------------------------------------------------------------------------------------------------- tabs

export function newDocument(): string {
  return [...crypto.getRandomValues(new Uint8Array(8))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

// Which document a studio has. `own`: it has this one from now on, and no other one. False: another tab has it, as after
// "Duplicate tab". Where there are no locks (pages that came by plain http from another machine), nobody can know.
export function createOwner(): { own: (id: string) => Promise<boolean>; letGo: () => void } {
  let release: (() => void) | null = null;
  const letGo = (): void => {
    release?.();
    release = null;
  };
  const own = async (id: string): Promise<boolean> => {
    letGo();
    if (!navigator.locks) return true;
    return new Promise((resolve) => {
      // The page that was here before a reload may not have let go yet.
      void navigator.locks
        .request(
          lockOf(id),
          { signal: AbortSignal.timeout(700) },
          () =>
            new Promise<void>((done) => {
              release = done;
              resolve(true);
            }),
        )
        .catch(() => resolve(false));
    });
  };
  return { own, letGo };
}

// Those that no tab has.
export async function ownerless(records: Kept[]): Promise<Kept[]> {
  if (!navigator.locks) return records;
  const { held = [] } = await navigator.locks.query();
  const names = new Set(held.map((lock) => lock.name));
  return records.filter(({ id }) => !names.has(lockOf(id)));
}

// ---------------------------------------------------------------------------------------------------- leaving

// What the page saw last, written while it goes: only this store is quick enough, and it is the tab's own.
export interface Left {
  id: string;
  save: Save | null;
  draft: string | null;
}
const leftKey = `${name}.left`;

export function leave(left: Left | null): void {
  try {
    if (left) sessionStorage.setItem(leftKey, JSON.stringify(left));
    else sessionStorage.removeItem(leftKey);
  } catch {
    // The record has to do, which is a moment older.
  }
}

export function leftBehind(): Left | null {
  try {
    const text = sessionStorage.getItem(leftKey);
    sessionStorage.removeItem(leftKey);
    return text === null ? null : (JSON.parse(text) as Left);
  } catch {
    return null;
  }
}
