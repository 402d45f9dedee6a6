// Whether all is well with the scene as it stands: joints that are open, energy that came from nowhere.
import type { Page } from '../store/store';
import { counted, errorWords } from './numbers';

const openFrom = 1e-4; // [m, rad]: what is less cannot be seen

export const areOpen = ({ measures, scene }: Page): boolean =>
  measures !== null && scene !== null && scene.joints.length > 0 && (measures.error === null || measures.error > openFrom);

// In words, or null.
export const energyConcern = ({ unexplained }: Page): string | null =>
  unexplained > 0 ? `energy appeared from nowhere in ${counted(unexplained, 'step')}` : null;
export function concern(page: Page): string | null {
  const error = page.measures?.error ?? null;
  const open = !areOpen(page) ? null : error === null ? 'its pose is not finite' : `its joints are open by ${errorWords(error)}`;
  return [open, energyConcern(page)].filter((words) => words !== null).join(', and ') || null;
}
