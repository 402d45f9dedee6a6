// All commands of a studio, by name: the palette lists them, the sheet of keys shows them, one key handler runs them. Panels
// (list.ts) bring theirs along.
import type { Show } from '../store/store';
import { download } from './documents';
import { flipPanel, openPanel, panels, type PanelKind } from './list';
import { meantJoints, select } from './selection';
import type { Studio } from './studio';

export type CommandGroup = 'Motion' | 'Edit' | 'Hold' | 'View' | 'Panels' | 'File' | 'Help';
export interface Command {
  id: string;
  title: string;
  group: CommandGroup;
  keys: string[];
  run: (studio: Studio) => void;
  enabled?: (studio: Studio) => boolean;
  typing?: boolean; // its keys work in text fields too
}

async function savePicture({ view, say, documents }: Studio): Promise<void> {
  const picture = view.now()?.picture();
  if (!picture) {
    say('There is no view to take a picture of.', 'error');
    return;
  }
  download(`${documents.baseName()}.png`, await picture);
}

const hasScene = ({ get }: Studio): boolean => get().scene !== null;
const hasSelection = ({ get }: Studio): boolean => get().selection.solids.length + get().selection.joints.length > 0;
export const toggleShow = ({ set }: Studio, what: keyof Show): void => set((p) => ({ show: { ...p.show, [what]: !p.show[what] } }));

// One command for a whole selection: if all have it already, it is taken away again.
function flipJoints({ page, get, run, say }: Studio, list: 'frozen' | 'merged', on: string, off: string): void {
  const joints = meantJoints(page);
  const now = new Set(get().state?.[list]);
  if (joints.length === 0) say('First select joints, or the solids that they join.');
  else void run({ do: joints.every((j) => now.has(j)) ? off : on, joints });
}
async function flipPins({ get, run, say }: Studio): Promise<void> {
  const scene = get().scene;
  const solids = get().selection.solids.filter((name) => scene?.solids.find((s) => s.name === name)?.kind === 'dynamic');
  if (solids.length === 0) {
    say('First select a solid that can move.');
    return;
  }
  const pinned = new Set(get().state?.pins.map((p) => p.solid));
  const all = solids.every((s) => pinned.has(s));
  for (const solid of solids) if (all || !pinned.has(solid)) await run({ do: all ? 'unpin' : 'pin', solid });
}
async function removeSelection({ page, get, run }: Studio): Promise<void> {
  const { joints, solids } = get().selection;
  const answer = await run({ do: 'remove', paths: [...joints, ...solids] });
  if (answer.ok) select(page, {});
}
// The one solid or joint that is selected.
function selectedOne({ get }: Studio): string | null {
  const { joints, solids } = get().selection;
  return joints.length + solids.length === 1 ? (joints[0] ?? solids[0] ?? null) : null;
}
// The outliner has the field for it.
function renameSelection(studio: Studio): void {
  openPanel(studio.page, 'outliner');
  studio.set({ renaming: selectedOne(studio) });
}
async function travel({ run, say }: Studio, how: 'undo' | 'redo'): Promise<void> {
  const answer = await run({ do: how });
  if (answer.ok && typeof answer.label === 'string') say(`${how === 'undo' ? 'Undone' : 'Redone'}: ${answer.label}`);
}

export const commands: Command[] = [
  { id: 'play', title: 'Play or pause', group: 'Motion', keys: ['Space'], run: ({ get, engine }) => engine.play(!get().playing), enabled: hasScene },
  {
    id: 'step',
    title: 'Step once',
    group: 'Motion',
    keys: ['.'],
    run: ({ run }) => void run({ do: 'step', count: 1 }),
    enabled: (studio) => hasScene(studio) && !studio.get().playing,
  },
  { id: 'reset', title: 'Reset to the pose in the text', group: 'Motion', keys: ['R'], run: ({ run }) => void run({ do: 'reset' }), enabled: hasScene },
  { id: 'stop', title: 'Stop all motion', group: 'Motion', keys: [], run: ({ run }) => void run({ do: 'stop' }), enabled: hasScene },
  { id: 'assemble', title: 'Assemble', group: 'Motion', keys: ['A'], run: ({ run }) => void run({ do: 'assemble', trace: true }), enabled: hasScene },
  {
    id: 'scatter',
    title: 'Scatter',
    group: 'Motion',
    keys: [],
    run: ({ run }) => void run({ do: 'scatter', seed: Math.floor(Math.random() * 1e6) }),
    enabled: hasScene,
  },
  {
    id: 'drag-mode',
    title: 'Drag to pose, or drag by physics',
    group: 'Motion',
    keys: ['D'],
    run: ({ get, set, say }) => {
      const dragMode = get().dragMode === 'pose' ? 'physics' : 'pose';
      set({ dragMode });
      say(dragMode === 'pose' ? 'Dragging now poses the scene. No time passes.' : 'Dragging now pulls with a spring while the scene plays.');
    },
  },

  {
    id: 'undo',
    title: 'Undo',
    group: 'Edit',
    keys: ['Ctrl+Z'],
    run: (studio) => void travel(studio, 'undo'),
    enabled: ({ get }) => (get().state?.undo.length ?? 0) > 0,
  },
  {
    id: 'redo',
    title: 'Redo',
    group: 'Edit',
    keys: ['Ctrl+Shift+Z', 'Ctrl+Y'],
    run: (studio) => void travel(studio, 'redo'),
    enabled: ({ get }) => (get().state?.redo.length ?? 0) > 0,
  },
  { id: 'rename', title: 'Rename selection', group: 'Edit', keys: ['F2'], run: renameSelection, enabled: (studio) => selectedOne(studio) !== null },
  {
    id: 'delete',
    title: 'Delete selection',
    group: 'Edit',
    keys: ['Delete', 'Backspace'],
    run: (studio) => void removeSelection(studio),
    enabled: hasSelection,
  },
  {
    id: 'select-all',
    title: 'Select all solids',
    group: 'Edit',
    keys: ['Ctrl+A'],
    run: ({ page, get }) => select(page, { solids: get().scene?.solids.map((s) => s.name) ?? [] }),
    enabled: hasScene,
  },
  { id: 'select-none', title: 'Select nothing', group: 'Edit', keys: ['Escape'], run: ({ page }) => select(page, {}), enabled: hasSelection },

  { id: 'pin', title: 'Pin or unpin selection', group: 'Hold', keys: ['P'], run: (studio) => void flipPins(studio), enabled: hasScene },
  {
    id: 'freeze',
    title: 'Freeze or unfreeze selected joints',
    group: 'Hold',
    keys: ['Z'],
    run: (studio) => flipJoints(studio, 'frozen', 'freeze', 'unfreeze'),
    enabled: hasScene,
  },
  {
    id: 'freeze-but',
    title: 'Freeze all other joints',
    group: 'Hold',
    keys: ['Shift+Z'],
    run: ({ page, run }) => void run({ do: 'freeze-but', joints: meantJoints(page) }),
    enabled: hasSelection,
  },
  {
    id: 'unfreeze-all',
    title: 'Unfreeze all joints',
    group: 'Hold',
    keys: [],
    run: ({ run }) => void run({ do: 'unfreeze' }),
    enabled: ({ get }) => (get().state?.frozen.length ?? 0) > 0,
  },
  {
    id: 'merge',
    title: 'Merge or unmerge selected joints',
    group: 'Hold',
    keys: ['M'],
    run: (studio) => flipJoints(studio, 'merged', 'merge', 'unmerge'),
    enabled: hasScene,
  },

  { id: 'frame', title: 'Frame selection', group: 'View', keys: ['F'], run: ({ view }) => view.now()?.frame(), enabled: hasScene },
  { id: 'front', title: 'View from the front', group: 'View', keys: ['1'], run: ({ view }) => view.now()?.look('front') },
  { id: 'right', title: 'View from the right', group: 'View', keys: ['3'], run: ({ view }) => view.now()?.look('right') },
  { id: 'top', title: 'View from the top', group: 'View', keys: ['7'], run: ({ view }) => view.now()?.look('top') },
  { id: 'back', title: 'View from the back', group: 'View', keys: [], run: ({ view }) => view.now()?.look('back') },
  { id: 'left', title: 'View from the left', group: 'View', keys: [], run: ({ view }) => view.now()?.look('left') },
  { id: 'bottom', title: 'View from below', group: 'View', keys: [], run: ({ view }) => view.now()?.look('bottom') },
  { id: 'opposite', title: 'View from the other side', group: 'View', keys: ['9'], run: ({ view }) => view.now()?.lookOpposite() },
  { id: 'projection', title: 'Switch between perspective and parallel', group: 'View', keys: ['5'], run: ({ view }) => view.now()?.flipProjection() },
  { id: 'show-joints', title: 'Show joints', group: 'View', keys: [], run: (studio) => toggleShow(studio, 'joints') },
  { id: 'show-limits', title: 'Show limits', group: 'View', keys: [], run: (studio) => toggleShow(studio, 'limits') },
  { id: 'show-centres', title: 'Show centres of mass', group: 'View', keys: [], run: (studio) => toggleShow(studio, 'centres') },
  { id: 'show-pins', title: 'Show pins', group: 'View', keys: [], run: (studio) => toggleShow(studio, 'pins') },
  { id: 'show-hands', title: 'Show hands', group: 'View', keys: [], run: (studio) => toggleShow(studio, 'hands') },
  { id: 'show-forces', title: 'Show forces', group: 'View', keys: [], run: (studio) => toggleShow(studio, 'forces') },
  { id: 'show-errors', title: 'Show errors', group: 'View', keys: [], run: (studio) => toggleShow(studio, 'errors') },
  { id: 'show-grid', title: 'Show grid', group: 'View', keys: [], run: (studio) => toggleShow(studio, 'grid') },
  { id: 'show-shadows', title: 'Show shadows', group: 'View', keys: [], run: (studio) => toggleShow(studio, 'shadows') },
  { id: 'theme-light', title: 'Theme: light', group: 'View', keys: [], run: ({ set }) => set({ theme: 'light' }) },
  { id: 'theme-dark', title: 'Theme: dark', group: 'View', keys: [], run: ({ set }) => set({ theme: 'dark' }) },
  { id: 'theme-system', title: 'Theme: follow the system', group: 'View', keys: [], run: ({ set }) => set({ theme: 'system' }) },

  ...panels.map((panel: PanelKind): Command => ({
    id: `panel-${panel.id}`,
    title: panel.command ?? panel.title,
    group: 'Panels',
    keys: panel.keys ?? [],
    run: ({ page }) => flipPanel(page, panel),
  })),

  { id: 'new', title: 'New scene', group: 'File', keys: [], run: ({ documents }) => void documents.newScene() },
  { id: 'open', title: 'Open a file', group: 'File', keys: ['Ctrl+O'], run: ({ documents }) => documents.pickFiles(), typing: true },
  { id: 'save', title: 'Save', group: 'File', keys: ['Ctrl+S'], run: ({ documents }) => void documents.save(), enabled: hasScene, typing: true },
  {
    id: 'revert',
    title: 'Revert to saved',
    group: 'File',
    keys: [],
    run: ({ documents }) => void documents.revert(),
    enabled: (studio) => hasScene(studio) && studio.documents.isDirty(),
  },
  { id: 'recover', title: 'Recover unsaved work', group: 'File', keys: [], run: ({ documents }) => documents.state.setState({ dialog: 'recover' }) },
  { id: 'share', title: 'Share a link', group: 'File', keys: [], run: ({ documents }) => documents.state.setState({ dialog: 'share' }), enabled: hasScene },
  { id: 'embed', title: 'Embed in a page', group: 'File', keys: [], run: ({ documents }) => documents.state.setState({ dialog: 'embed' }), enabled: hasScene },
  {
    id: 'picture',
    title: 'Save a picture of the view',
    group: 'File',
    keys: [],
    run: (studio) => void savePicture(studio),
    enabled: ({ view }) => view.now() !== null,
  },
  { id: 'recording', title: 'Save a recording', group: 'File', keys: [], run: ({ documents }) => void documents.downloadRecording(), enabled: hasScene },

  {
    id: 'palette',
    title: 'Find a command, solid, joint or scene',
    group: 'Help',
    keys: ['Ctrl+K'],
    run: ({ set }) => set((p) => ({ palette: !p.palette })),
    typing: true,
  },
  { id: 'keys', title: 'Show all keys', group: 'Help', keys: ['?'], run: ({ set }) => set((p) => ({ keys: !p.keys })) },
  { id: 'documentation', title: 'Documentation', group: 'Help', keys: [], run: () => void window.open('docs/studio.html', '_blank', 'noopener') },
  { id: 'guide', title: 'Show the first steps again', group: 'Help', keys: [], run: ({ set }) => set({ guide: 0 }) },
];

// ---------------------------------------------------------------------------------------------------- keys

type KeyLike = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>;

// 'Ctrl+Shift+Z', 'Space', '?': as in the list above. Shift counts where it does not make another sign.
export function keyName(event: KeyLike): string {
  const key = event.key === ' ' ? 'Space' : event.key.length === 1 ? event.key.toUpperCase() : event.key;
  const letter = /^[A-Z]$/.test(key) || key.length > 1;
  return `${event.ctrlKey || event.metaKey ? 'Ctrl+' : ''}${event.altKey ? 'Alt+' : ''}${event.shiftKey && letter ? 'Shift+' : ''}${key}`;
}

export function commandFor(event: KeyLike): Command | null {
  const name = keyName(event);
  return commands.find((command) => command.keys.includes(name)) ?? null;
}

const fieldTypes = new Set(['button', 'checkbox', 'radio', 'range', 'color', 'file', 'submit', 'reset']);

// What a key means where the focus is: in a field it is typing; on a button, Space and Enter press it.
export function takesKeys(target: EventTarget | null): 'text' | 'control' | 'no' {
  const element = target as HTMLElement | null;
  if (!element || typeof element.closest !== 'function') return 'no';
  if (element.isContentEditable || element.closest('.cm-editor')) return 'text';
  const tag = element.tagName;
  if (tag === 'TEXTAREA' || tag === 'SELECT') return 'text';
  if (tag === 'INPUT') return fieldTypes.has((element as HTMLInputElement).type) ? 'control' : 'text';
  if (tag === 'BUTTON' || tag === 'A' || tag === 'SUMMARY' || element.closest('[role="tree"],[role="menu"],[role="tablist"]')) return 'control';
  return 'no';
}

export function onKey(studio: Studio, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  const command = commandFor(event);
  if (!command) return;
  // A dialog has the page to itself, but for the key that opened it.
  if (document.querySelector('dialog[open]') && command.id !== 'palette') return;
  const where = takesKeys(event.target);
  if (where === 'text' && !command.typing) return;
  if (where === 'control' && ['Space', 'Enter', 'Escape'].includes(keyName(event)) && command.id !== 'select-none') return;
  if (event.repeat && !['undo', 'redo', 'step'].includes(command.id)) return;
  event.preventDefault();
  if (command.enabled && !command.enabled(studio)) return;
  command.run(studio);
}

// The element of a studio says so: where the focus is in none, keys are for the studio that had it last, else for the first.
const hears = 'data-hears-keys';
const meant = (target: EventTarget | null): Element | null =>
  (target instanceof Element ? target.closest('.studio') : null) ?? document.querySelector(`.studio[${hears}]`) ?? document.querySelector('.studio');

export function listenToKeys(studio: Studio): () => void {
  const { element } = studio;
  const aborter = new AbortController();
  const { signal } = aborter;
  const take = (): void => {
    for (const other of document.querySelectorAll(`.studio[${hears}]`)) other.removeAttribute(hears);
    element.setAttribute(hears, '');
  };
  element.addEventListener('focusin', take, { signal });
  element.addEventListener('pointerdown', take, { capture: true, signal });
  window.addEventListener(
    'keydown',
    (event) => {
      if (meant(event.target) === element) onKey(studio, event);
    },
    { signal },
  );
  return () => {
    aborter.abort();
    element.removeAttribute(hears);
  };
}

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);
const signs: Record<string, string> = { Delete: 'Del', Escape: 'Esc', Backspace: '⌫', ' ': 'Space' };
// A key as it is printed on the keyboard, in pieces.
export function keyCaps(key: string): string[] {
  return key.split(/\+(?=.)/).map((part) => (part === 'Ctrl' && isMac ? '⌘' : part === 'Shift' && isMac ? '⇧' : (signs[part] ?? part)));
}
