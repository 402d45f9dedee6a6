// Selecting, and what follows from it, in one place for all panels.
import type { PageStore, Selection } from '../store/store';

export function select(page: PageStore, selection: Partial<Selection>): void {
  page.setState({ selection: { solids: selection.solids ?? [], joints: selection.joints ?? [] } });
}
export function toggle(page: PageStore, kind: 'solids' | 'joints', name: string): void {
  const { selection } = page.getState();
  const list = selection[kind];
  page.setState({ selection: { ...selection, [kind]: list.includes(name) ? list.filter((n) => n !== name) : [...list, name] } });
}

// Joints that a command on the selection means: those selected, else those of the selected solids.
export function meantJoints(page: PageStore): string[] {
  const { selection, scene } = page.getState();
  if (selection.joints.length > 0) return selection.joints;
  if (!scene || selection.solids.length === 0) return [];
  const solids = new Set(selection.solids);
  const between = scene.joints.filter((j) => solids.has(j.solid1) && solids.has(j.solid2));
  const any = between.length > 0 ? between : scene.joints.filter((j) => solids.has(j.solid1) || solids.has(j.solid2));
  return any.map((j) => j.name);
}
