// What the context menu offers for what is under the pointer.
import type { Page, Vec3 } from '../store/store';
import { jointsOf, neighbourOf, pinNear, type Request } from './actions';

export type MenuAction =
  | { kind: 'run'; request: Request }
  | { kind: 'limits'; joint: string }
  | { kind: 'rename'; path: string }
  | { kind: 'frame'; solids?: string[] }
  | { kind: 'look'; from: 'front' | 'back' | 'right' | 'left' | 'top' | 'bottom' }
  | { kind: 'projection' };
export interface MenuItem {
  label: string;
  key?: string;
  danger?: boolean;
  action: MenuAction;
}
export type MenuEntry = MenuItem | 'line';
export interface MenuTarget {
  solid: string | null;
  joint: string | null;
  local: Vec3 | null;
}

const most = 4; // of a kind, so that the menu stays one to look at
const last = (path: string) => path.split('.').pop() ?? path;
// The end of a path that no other has: `thigh`, or `left-leg.thigh` if there are two.
function shortest(path: string, others: string[]): string {
  const parts = path.split('.');
  for (let k = 1; k < parts.length; ++k) {
    const end = parts.slice(-k).join('.');
    if (!others.some((other) => other !== path && (other === end || other.endsWith(`.${end}`)))) return end;
  }
  return path;
}
const run = (request: Request): MenuAction => ({ kind: 'run', request });

export function menuTitle(target: MenuTarget): string {
  return target.joint ?? target.solid ?? 'View';
}

export function menuFor(target: MenuTarget, page: Pick<Page, 'scene' | 'state'>, pinReach: number): MenuEntry[] {
  if (target.joint !== null) return ofJoint(target.joint, page);
  if (target.solid !== null) return ofSolid(target.solid, target.local, page, pinReach);
  return ofNothing(page);
}

function ofSolid(solid: string, local: Vec3 | null, page: Pick<Page, 'scene' | 'state'>, reach: number): MenuEntry[] {
  const entries: MenuEntry[] = [];
  const moves = page.scene?.solids.find((s) => s.name === solid)?.kind === 'dynamic';
  const pins = page.state?.pins ?? [];
  if (moves) {
    const near = local ? pinNear(pins, solid, local, reach) : null;
    if (near !== null) entries.push({ label: 'Unpin here', action: run({ do: 'unpin', pin: near }) });
    else if (local) entries.push({ label: 'Pin this point', key: 'Shift+click', action: run({ do: 'pin', solid, point: local }) });
    if (!pins.some((pin) => pin.solid === solid && pin.point === null))
      entries.push({ label: 'Pin the whole solid', key: 'P', action: run({ do: 'pin', solid }) });
    const own = pins.filter((pin) => pin.solid === solid).length;
    if (own > (near === null ? 0 : 1)) entries.push({ label: own > 1 ? `Unpin all ${own} points` : 'Unpin', action: run({ do: 'unpin', solid }) });
  }
  const joints = jointsOf(page, solid).filter((joint) => joint.kind !== 'gear');
  const held = new Set([...(page.state?.frozen ?? [])]),
    merged = new Set(page.state?.merged);
  const free = joints.filter((joint) => !held.has(joint.name) && !merged.has(joint.name));
  if (joints.length > 0) {
    entries.push('line');
    if (free.length > 0)
      entries.push({
        label: free.length === 1 ? `Freeze joint ${last(free[0]!.name)}` : `Freeze its ${free.length} joints`,
        key: 'Z',
        action: run({ do: 'freeze', joints: free.map((j) => j.name) }),
      });
    entries.push({ label: 'Freeze all joints except its own', key: 'Shift+Z', action: run({ do: 'freeze-but', joints: joints.map((j) => j.name) }) });
    const frozen = joints.filter((joint) => held.has(joint.name));
    if (frozen.length > 0)
      entries.push({
        label: frozen.length === 1 ? `Unfreeze joint ${last(frozen[0]!.name)}` : `Unfreeze its ${frozen.length} joints`,
        action: run({ do: 'unfreeze', joints: frozen.map((j) => j.name) }),
      });
    const neighbours = new Map(free.map((joint) => [neighbourOf(joint, solid), joint]));
    for (const [neighbour, joint] of [...neighbours].filter(([name]) => name !== '').slice(0, most))
      entries.push({ label: `Merge with ${shortest(neighbour, [...neighbours.keys()])}`, action: run({ do: 'merge', joints: [joint.name] }) });
    const ones = joints.filter((joint) => merged.has(joint.name));
    if (ones.length > 0) entries.push({ label: 'Unmerge', action: run({ do: 'unmerge', joints: ones.map((j) => j.name) }) });
    entries.push('line');
    for (const joint of joints.slice(0, most))
      entries.push({
        label: `Limits of ${shortest(
          joint.name,
          joints.map((j) => j.name),
        )}…`,
        action: { kind: 'limits', joint: joint.name },
      });
  }
  entries.push('line', { label: 'Frame', key: 'F', action: { kind: 'frame', solids: [solid] } });
  entries.push({ label: 'Rename…', key: 'F2', action: { kind: 'rename', path: solid } });
  entries.push({ label: 'Delete', key: 'Del', danger: true, action: run({ do: 'remove', paths: [solid] }) });
  return tidy(entries);
}

function ofJoint(joint: string, page: Pick<Page, 'scene' | 'state'>): MenuEntry[] {
  const entries: MenuEntry[] = [];
  const frozen = page.state?.frozen.includes(joint),
    merged = page.state?.merged.includes(joint);
  if (!merged)
    entries.push(
      frozen
        ? { label: 'Unfreeze', key: 'Z', action: run({ do: 'unfreeze', joints: [joint] }) }
        : { label: 'Freeze', key: 'Z', action: run({ do: 'freeze', joints: [joint] }) },
    );
  entries.push({ label: 'Freeze all others', key: 'Shift+Z', action: run({ do: 'freeze-but', joints: [joint] }) });
  if (!frozen)
    entries.push(
      merged
        ? { label: 'Unmerge its solids', key: 'M', action: run({ do: 'unmerge', joints: [joint] }) }
        : { label: 'Merge its solids', key: 'M', action: run({ do: 'merge', joints: [joint] }) },
    );
  entries.push('line', { label: 'Limits…', action: { kind: 'limits', joint } });
  const found = page.scene?.joints.find((j) => j.name === joint);
  entries.push({ label: 'Frame', key: 'F', action: { kind: 'frame', solids: [found?.solid1, found?.solid2].filter((name): name is string => !!name) } });
  entries.push('line', { label: 'Rename…', key: 'F2', action: { kind: 'rename', path: joint } });
  entries.push({ label: 'Delete', key: 'Del', danger: true, action: run({ do: 'remove', paths: [joint] }) });
  return tidy(entries);
}

function ofNothing(page: Pick<Page, 'scene' | 'state'>): MenuEntry[] {
  const entries: MenuEntry[] = [
    { label: 'Frame all', key: 'F', action: { kind: 'frame' } },
    'line',
    { label: 'From the front', key: '1', action: { kind: 'look', from: 'front' } },
    { label: 'From the right', key: '3', action: { kind: 'look', from: 'right' } },
    { label: 'From the top', key: '7', action: { kind: 'look', from: 'top' } },
    { label: 'Switch between perspective and parallel', key: '5', action: { kind: 'projection' } },
  ];
  const held: MenuEntry[] = [];
  if ((page.state?.frozen.length ?? 0) > 0) held.push({ label: 'Unfreeze all joints', action: run({ do: 'unfreeze' }) });
  if ((page.state?.merged.length ?? 0) > 0) held.push({ label: 'Unmerge all solids', action: run({ do: 'unmerge', joints: page.state!.merged }) });
  return tidy([...entries, 'line', ...held]);
}

// No line at an end, no two in a row.
function tidy(entries: MenuEntry[]): MenuEntry[] {
  return entries.filter((entry, k) => entry !== 'line' || (k > 0 && entries[k - 1] !== 'line' && entries.slice(k + 1).some((later) => later !== 'line')));
}
