// A save holds text and motion. What was done beside the text (pins, frozen joints, ranges, forces, settings) is done
// anew by these commands, in this order, after `restore`.
import type { SessionState } from '../store/store';
import type { Request } from './protocol';

// `fresh` is the state after `restore`: what it has already is not done again.
export function commandsFor(state: SessionState, fresh: SessionState | null = null): Request[] {
  const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
  const commands: Request[] = [];
  if (!same(state.settings, fresh?.settings)) commands.push({ do: 'settings', ...state.settings });
  if (state.frozen.length > 0) commands.push({ do: 'freeze', joints: state.frozen });
  if (state.merged.length > 0) commands.push({ do: 'merge', joints: state.merged });
  for (const limit of state.limits) commands.push({ do: 'limit', ...limit });
  for (const pin of state.pins) commands.push({ do: 'pin', ...pin });
  for (const force of state.forces) commands.push({ do: 'force', ...force });
  if (!same(state.gravity, fresh?.gravity)) commands.push({ do: 'gravity', value: state.gravity });
  if (state.damp !== fresh?.damp) commands.push({ do: 'damp', value: state.damp });
  return commands;
}
