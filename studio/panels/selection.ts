// Selecting, and what follows from it, in one place for all panels.
import { get, set, type Selection } from '../store/store';

export function select(selection: Partial<Selection>): void {
  set({ selection: { solids: selection.solids ?? [], joints: selection.joints ?? [] } });
}
export function toggle(kind: 'solids' | 'joints', name: string): void {
  const { selection } = get();
  const list = selection[kind];
  set({ selection: { ...selection, [kind]: list.includes(name) ? list.filter((n) => n !== name) : [...list, name] } });
}

// Joints that a command on the selection means: those selected, else those of the selected solids.
export function meantJoints(): string[] {
  const { selection, scene } = get();
  if (selection.joints.length > 0) return selection.joints;
  if (!scene || selection.solids.length === 0) return [];
  const solids = new Set(selection.solids);
  const between = scene.joints.filter((j) => solids.has(j.solid1) && solids.has(j.solid2));
  const any = between.length > 0 ? between : scene.joints.filter((j) => solids.has(j.solid1) || solids.has(j.solid2));
  return any.map((j) => j.name);
}
