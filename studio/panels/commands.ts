// All commands of the page, by name: the palette lists them, the sheet of keys shows them, one key handler runs them.
import { engine } from '../engine/engine';
import { get, set, type Panel, type Show } from '../store/store';
import { baseName, download, downloadRecording, fileState, isDirty, newScene, pickFiles, revert, save } from './documents';
import { meantJoints, select } from './selection';
import { run, say } from './use';

export type CommandGroup = 'Motion' | 'Edit' | 'Hold' | 'View' | 'Panels' | 'File' | 'Help';
export interface Command {
  id: string;
  title: string;
  group: CommandGroup;
  keys: string[];
  run: () => void;
  enabled?: () => boolean;
  typing?: boolean; // its keys work in text fields too
}

export type StandardView = 'front' | 'back' | 'right' | 'left' | 'top' | 'bottom';
// What the view can do for panels. The view is put in when the page is put together, since panels do not know it.
export interface ViewLink {
  frame: () => void; // the selection, or everything
  frameMoving: () => void; // what moves, wherever it went
  look: (from: StandardView) => void;
  lookOpposite: () => void;
  flipProjection: () => void;
  isParallel: () => boolean;
  onTurn: (listener: (yaw: number, pitch: number) => void) => () => void; // called now, and whenever it looks from elsewhere
  onSight: (listener: (seen: boolean) => void) => () => void; // called whenever what moves leaves the view, or is in it again
  picture: () => Promise<Blob>;
}
let view: ViewLink | null = null;
const followers = new Set<() => void>();
export function connectView(link: ViewLink | null): void {
  view = link;
  for (const follow of followers) follow();
}
export const theView = (): ViewLink | null => view;
// Called when the view comes and goes.
export function onView(follow: () => void): () => void {
  followers.add(follow);
  return () => void followers.delete(follow);
}
export const frameSelection = (): void => view?.frame();
export const takePicture = (): Promise<Blob> | null => view?.picture() ?? null;

export async function savePicture(): Promise<void> {
  const picture = takePicture();
  if (!picture) {
    say('There is no view to take a picture of.', 'error');
    return;
  }
  download(`${baseName()}.png`, await picture);
}

const hasScene = (): boolean => get().scene !== null;
const hasSelection = (): boolean => get().selection.solids.length + get().selection.joints.length > 0;
const togglePanel = (panel: Panel): void => set((p) => ({ panels: { ...p.panels, [panel]: !p.panels[panel] } }));
export const toggleShow = (what: keyof Show): void => set((p) => ({ show: { ...p.show, [what]: !p.show[what] } }));

// One command for a whole selection: if all have it already, it is taken away again.
function flipJoints(list: 'frozen' | 'merged', on: string, off: string): void {
  const joints = meantJoints();
  const now = new Set(get().state?.[list]);
  if (joints.length === 0) say('First select joints, or the solids that they join.');
  else void run({ do: joints.every((j) => now.has(j)) ? off : on, joints });
}
async function flipPins(): Promise<void> {
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
export async function removeSelection(): Promise<void> {
  const { joints, solids } = get().selection;
  const answer = await run({ do: 'remove', paths: [...joints, ...solids] });
  if (answer.ok) select({});
}
// The one solid or joint that is selected.
function selectedOne(): string | null {
  const { joints, solids } = get().selection;
  return joints.length + solids.length === 1 ? (joints[0] ?? solids[0] ?? null) : null;
}
// The outliner has the field for it.
function renameSelection(): void {
  set((p) => ({ panels: { ...p.panels, outliner: true }, renaming: selectedOne() }));
}
async function travel(how: 'undo' | 'redo'): Promise<void> {
  const answer = await run({ do: how });
  if (answer.ok && typeof answer.label === 'string') say(`${how === 'undo' ? 'Undone' : 'Redone'}: ${answer.label}`);
}

export const commands: Command[] = [
  { id: 'play', title: 'Play or pause', group: 'Motion', keys: ['Space'], run: () => engine.play(!get().playing), enabled: hasScene },
  { id: 'step', title: 'Step once', group: 'Motion', keys: ['.'], run: () => void run({ do: 'step', count: 1 }), enabled: () => hasScene() && !get().playing },
  { id: 'reset', title: 'Reset to the pose in the text', group: 'Motion', keys: ['R'], run: () => void run({ do: 'reset' }), enabled: hasScene },
  { id: 'stop', title: 'Stop all motion', group: 'Motion', keys: [], run: () => void run({ do: 'stop' }), enabled: hasScene },
  { id: 'assemble', title: 'Assemble', group: 'Motion', keys: ['A'], run: () => void run({ do: 'assemble', trace: true }), enabled: hasScene },
  { id: 'scatter', title: 'Scatter', group: 'Motion', keys: [], run: () => void run({ do: 'scatter', seed: Math.floor(Math.random() * 1e6) }), enabled: hasScene },
  {
    id: 'drag-mode', title: 'Drag to pose, or drag by physics', group: 'Motion', keys: ['D'],
    run: () => {
      const dragMode = get().dragMode === 'pose' ? 'physics' : 'pose';
      set({ dragMode });
      say(dragMode === 'pose' ? 'Dragging now poses the scene. No time passes.' : 'Dragging now pulls with a spring while the scene plays.');
    },
  },

  { id: 'undo', title: 'Undo', group: 'Edit', keys: ['Ctrl+Z'], run: () => void travel('undo'), enabled: () => (get().state?.undo.length ?? 0) > 0 },
  { id: 'redo', title: 'Redo', group: 'Edit', keys: ['Ctrl+Shift+Z', 'Ctrl+Y'], run: () => void travel('redo'), enabled: () => (get().state?.redo.length ?? 0) > 0 },
  { id: 'rename', title: 'Rename selection', group: 'Edit', keys: ['F2'], run: renameSelection, enabled: () => selectedOne() !== null },
  { id: 'delete', title: 'Delete selection', group: 'Edit', keys: ['Delete', 'Backspace'], run: () => void removeSelection(), enabled: hasSelection },
  { id: 'select-all', title: 'Select all solids', group: 'Edit', keys: ['Ctrl+A'], run: () => select({ solids: get().scene?.solids.map((s) => s.name) ?? [] }), enabled: hasScene },
  { id: 'select-none', title: 'Select nothing', group: 'Edit', keys: ['Escape'], run: () => select({}), enabled: hasSelection },

  { id: 'pin', title: 'Pin or unpin selection', group: 'Hold', keys: ['P'], run: () => void flipPins(), enabled: hasScene },
  { id: 'freeze', title: 'Freeze or unfreeze selected joints', group: 'Hold', keys: ['Z'], run: () => flipJoints('frozen', 'freeze', 'unfreeze'), enabled: hasScene },
  {
    id: 'freeze-but', title: 'Freeze all other joints', group: 'Hold', keys: ['Shift+Z'],
    run: () => void run({ do: 'freeze-but', joints: meantJoints() }), enabled: hasSelection,
  },
  { id: 'unfreeze-all', title: 'Unfreeze all joints', group: 'Hold', keys: [], run: () => void run({ do: 'unfreeze' }), enabled: () => (get().state?.frozen.length ?? 0) > 0 },
  { id: 'merge', title: 'Merge or unmerge selected joints', group: 'Hold', keys: ['M'], run: () => flipJoints('merged', 'merge', 'unmerge'), enabled: hasScene },

  { id: 'frame', title: 'Frame selection', group: 'View', keys: ['F'], run: frameSelection, enabled: hasScene },
  { id: 'front', title: 'View from the front', group: 'View', keys: ['1'], run: () => view?.look('front') },
  { id: 'right', title: 'View from the right', group: 'View', keys: ['3'], run: () => view?.look('right') },
  { id: 'top', title: 'View from the top', group: 'View', keys: ['7'], run: () => view?.look('top') },
  { id: 'back', title: 'View from the back', group: 'View', keys: [], run: () => view?.look('back') },
  { id: 'left', title: 'View from the left', group: 'View', keys: [], run: () => view?.look('left') },
  { id: 'bottom', title: 'View from below', group: 'View', keys: [], run: () => view?.look('bottom') },
  { id: 'opposite', title: 'View from the other side', group: 'View', keys: ['9'], run: () => view?.lookOpposite() },
  { id: 'projection', title: 'Switch between perspective and parallel', group: 'View', keys: ['5'], run: () => view?.flipProjection() },
  { id: 'show-joints', title: 'Show joints', group: 'View', keys: [], run: () => toggleShow('joints') },
  { id: 'show-limits', title: 'Show limits', group: 'View', keys: [], run: () => toggleShow('limits') },
  { id: 'show-centres', title: 'Show centres of mass', group: 'View', keys: [], run: () => toggleShow('centres') },
  { id: 'show-pins', title: 'Show pins', group: 'View', keys: [], run: () => toggleShow('pins') },
  { id: 'show-hands', title: 'Show hands', group: 'View', keys: [], run: () => toggleShow('hands') },
  { id: 'show-forces', title: 'Show forces', group: 'View', keys: [], run: () => toggleShow('forces') },
  { id: 'show-errors', title: 'Show errors', group: 'View', keys: [], run: () => toggleShow('errors') },
  { id: 'show-grid', title: 'Show grid', group: 'View', keys: [], run: () => toggleShow('grid') },
  { id: 'show-shadows', title: 'Show shadows', group: 'View', keys: [], run: () => toggleShow('shadows') },
  { id: 'theme-light', title: 'Theme: light', group: 'View', keys: [], run: () => set({ theme: 'light' }) },
  { id: 'theme-dark', title: 'Theme: dark', group: 'View', keys: [], run: () => set({ theme: 'dark' }) },
  { id: 'theme-system', title: 'Theme: follow the system', group: 'View', keys: [], run: () => set({ theme: 'system' }) },

  { id: 'gallery', title: 'Gallery of scenes', group: 'Panels', keys: ['G'], run: () => togglePanel('gallery') },
  { id: 'text', title: 'Text of the scene', group: 'Panels', keys: ['T'], run: () => togglePanel('text') },
  { id: 'outliner', title: 'Outliner', group: 'Panels', keys: [], run: () => togglePanel('outliner') },
  { id: 'properties', title: 'Properties', group: 'Panels', keys: [], run: () => togglePanel('properties') },
  { id: 'plots', title: 'Plots', group: 'Panels', keys: [], run: () => togglePanel('plots') },

  { id: 'new', title: 'New scene', group: 'File', keys: [], run: () => void newScene() },
  { id: 'open', title: 'Open a file', group: 'File', keys: ['Ctrl+O'], run: pickFiles, typing: true },
  { id: 'save', title: 'Save', group: 'File', keys: ['Ctrl+S'], run: () => void save(), enabled: hasScene, typing: true },
  { id: 'revert', title: 'Revert to saved', group: 'File', keys: [], run: () => void revert(), enabled: () => hasScene() && isDirty() },
  { id: 'recover', title: 'Recover unsaved work', group: 'File', keys: [], run: () => fileState.setState({ dialog: 'recover' }) },
  { id: 'share', title: 'Share a link', group: 'File', keys: [], run: () => fileState.setState({ dialog: 'share' }), enabled: hasScene },
  { id: 'embed', title: 'Embed in a page', group: 'File', keys: [], run: () => fileState.setState({ dialog: 'embed' }), enabled: hasScene },
  { id: 'picture', title: 'Save a picture of the view', group: 'File', keys: [], run: () => void savePicture(), enabled: () => view !== null },
  { id: 'recording', title: 'Save a recording', group: 'File', keys: [], run: () => void downloadRecording(), enabled: hasScene },

  { id: 'palette', title: 'Find a command, solid, joint or scene', group: 'Help', keys: ['Ctrl+K'], run: () => set((p) => ({ palette: !p.palette })), typing: true },
  { id: 'keys', title: 'Show all keys', group: 'Help', keys: ['?'], run: () => set((p) => ({ keys: !p.keys })) },
  { id: 'documentation', title: 'Documentation', group: 'Help', keys: [], run: () => void window.open('docs/studio.html', '_blank', 'noopener') },
  { id: 'guide', title: 'Show the first steps again', group: 'Help', keys: [], run: () => set({ guide: 0 }) },
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

export function onKey(event: KeyboardEvent): void {
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
  if (command.enabled && !command.enabled()) return;
  command.run();
}

export function listenToKeys(target: Window = window): () => void {
  target.addEventListener('keydown', onKey);
  return () => target.removeEventListener('keydown', onKey);
}

const isMac = typeof navigator !== 'undefined' && /Mac|iPhone|iPad/.test(navigator.userAgent);
const signs: Record<string, string> = { Delete: 'Del', Escape: 'Esc', Backspace: '⌫', ' ': 'Space' };
// A key as it is printed on the keyboard, in pieces.
export function keyCaps(key: string): string[] {
  return key.split(/\+(?=.)/).map((part) => (part === 'Ctrl' && isMac ? '⌘' : part === 'Shift' && isMac ? '⇧' : (signs[part] ?? part)));
}
