// What clicks and the menu do, as session commands. Pure: from the page's state to a list of requests.
import type { Joint, Page, Pin, Selection, Vec3 } from '../store/store';

export type Request = Record<string, unknown>;

export function clicked(selection: Selection, target: { solid: string | null; joint: string | null }, add: boolean): Selection {
  const { solid, joint } = target;
  const flip = (names: string[], name: string) => (names.includes(name) ? names.filter((n) => n !== name) : [...names, name]);
  if (joint !== null) return add ? { ...selection, joints: flip(selection.joints, joint) } : { solids: [], joints: [joint] };
  if (solid !== null) return add ? { ...selection, solids: flip(selection.solids, solid) } : { solids: [solid], joints: [] };
  return add ? selection : { solids: [], joints: [] };
}

// The pin of this solid that is nearest to a point of its frame, within a reach; a pin of the whole solid always is.
export function pinNear(pins: readonly Pin[], solid: string, local: Vec3, reach: number): number | null {
  let best: number | null = null,
    least = reach;
  pins.forEach((pin, number) => {
    if (pin.solid !== solid) return;
    const distance = pin.point ? Math.hypot(...pin.point.map((x, k) => x - local[k])) : best === null ? least : Infinity;
    if (distance <= least) [best, least] = [number, distance];
  });
  return best;
}
export function flipPin(page: Pick<Page, 'state'>, solid: string, local: Vec3, reach: number): Request {
  const near = pinNear(page.state?.pins ?? [], solid, local, reach);
  return near === null ? { do: 'pin', solid, point: local } : { do: 'unpin', pin: near };
}

export const jointsOf = (page: Pick<Page, 'scene'>, solid: string): Joint[] =>
  page.scene?.joints.filter((joint) => joint.solid1 === solid || joint.solid2 === solid) ?? [];
export const neighbourOf = (joint: Joint, solid: string): string => (joint.solid1 === solid ? joint.solid2 : joint.solid1);
