// Going through the solids with the keyboard.
import type { Page, Selection } from '../store/store';

export function nextSolid({ scene, selection }: Pick<Page, 'scene' | 'selection'>, step: 1 | -1): Selection {
  const names = scene?.solids.map((solid) => solid.name) ?? [];
  if (names.length === 0) return { solids: [], joints: [] };
  const at = names.indexOf(selection.solids[selection.solids.length - 1] ?? '');
  const next = at < 0 ? (step > 0 ? 0 : names.length - 1) : (at + step + names.length) % names.length;
  return { solids: [names[next]!], joints: [] };
}
