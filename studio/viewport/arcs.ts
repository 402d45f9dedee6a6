// Arcs, cones and coils as points. No objects here: what is drawn from them is joints.ts.
import { Matrix4, Quaternion, Vector3 } from 'three';

// From `from` to `to` [rad] about an axis; 0 is the direction `zero`, which is normal to the axis.
export function arc(centre: Vector3, axis: Vector3, zero: Vector3, radius: number, from: number, to: number, step = Math.PI / 36): Vector3[] {
  const side = new Vector3().crossVectors(axis, zero);
  const count = Math.max(2, Math.ceil(Math.abs(to - from) / step) + 1);
  const points: Vector3[] = [];
  for (let k = 0; k < count; ++k) {
    const a = from + ((to - from) * k) / (count - 1);
    points.push(
      centre
        .clone()
        .addScaledVector(zero, radius * Math.cos(a))
        .addScaledVector(side, radius * Math.sin(a)),
    );
  }
  return points;
}
export const circle = (centre: Vector3, axis: Vector3, zero: Vector3, radius: number, sides = 48): Vector3[] =>
  arc(centre, axis, zero, radius, 0, 2 * Math.PI, (2 * Math.PI) / sides);

// The rim of a cone about an axis with half an opening angle [rad] that may be more than a right angle.
export function coneRim(apex: Vector3, axis: Vector3, zero: Vector3, slant: number, angle: number): Vector3[] {
  return circle(apex.clone().addScaledVector(axis, slant * Math.cos(angle)), axis, zero, slant * Math.sin(angle));
}

export function coil(a: Vector3, b: Vector3, radius: number, turns: number, perTurn = 14): Vector3[] {
  const way = new Vector3().subVectors(b, a);
  const length = way.length();
  if (!(length > 0)) return [a.clone(), b.clone()];
  way.divideScalar(length);
  const side = new Vector3(Math.abs(way.y) < 0.9 ? 0 : 1, Math.abs(way.y) < 0.9 ? 1 : 0, 0).cross(way).normalize();
  const other = new Vector3().crossVectors(way, side);
  const lead = 0.08 * length;
  const points = [a.clone()];
  const count = turns * perTurn;
  for (let k = 0; k <= count; ++k) {
    const t = k / count,
      angle = 2 * Math.PI * turns * t;
    const r = radius * Math.min(1, 8 * t, 8 * (1 - t));
    points.push(
      a
        .clone()
        .addScaledVector(way, lead + (length - 2 * lead) * t)
        .addScaledVector(side, r * Math.cos(angle))
        .addScaledVector(other, r * Math.sin(angle)),
    );
  }
  points.push(b.clone());
  return points;
}

// A rope of a length between two points: straight if taut, else it hangs.
export function rope(a: Vector3, b: Vector3, length: number, down: Vector3, pieces = 20): Vector3[] {
  const distance = a.distanceTo(b);
  const slack = Math.sqrt(Math.max(0, length * length - distance * distance));
  if (slack < 0.02 * length) return [a.clone(), b.clone()];
  const points: Vector3[] = [];
  for (let k = 0; k <= pieces; ++k) {
    const t = k / pieces;
    points.push(
      a
        .clone()
        .lerp(b, t)
        .addScaledVector(down, 0.433 * slack * 4 * t * (1 - t)),
    );
  }
  return points;
}

// The two angles of a joint with two crossed axes: frame 2 = frame 1 · Rot(i, first) · Rot(j, second).
export function hookeAngles(frame1: Matrix4, frame2: Matrix4): { first: number; second: number } {
  const R = new Matrix4()
    .copy(frame1)
    .setPosition(0, 0, 0)
    .transpose()
    .multiply(new Matrix4().copy(frame2).setPosition(0, 0, 0)).elements;
  return { first: Math.atan2(R[6]!, R[5]!), second: Math.atan2(R[8]!, R[0]!) };
}

// Direction j of frame 1, carried along as its axis i swings to that of frame 2: from here a twist counts.
export function untwisted(i1: Vector3, j1: Vector3, i2: Vector3): Vector3 {
  return j1.clone().applyQuaternion(new Quaternion().setFromUnitVectors(i1, i2));
}
export function angleAbout(axis: Vector3, from: Vector3, to: Vector3): number {
  return Math.atan2(new Vector3().crossVectors(from, to).dot(axis), from.dot(to));
}

// What is drawn of a range of which an end may be open, about where the coordinate stands.
export function shownRange(lower: number | null, upper: number | null, now: number, open: number): [number, number] | null {
  if (lower === null && upper === null) return null;
  const from = lower ?? Math.min(now, upper!) - open;
  const to = upper ?? Math.max(now, lower!) + open;
  return from <= to ? [from, to] : null;
}
