// Whether joints make a flat linkage: all turn about axes that are parallel, and slide across them.
import type { Quat, Scene, Vec3 } from '../store/store';

const parallel = 1e-3; // [rad]

const cross = (a: Vec3, b: Vec3): Vec3 => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a: Vec3, b: Vec3): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

// q v q*: v + 2 (w (r × v) + r × (r × v)), r the vector part.
function rotated([x, y, z, w]: Quat, v: Vec3): Vec3 {
  const once = cross([x, y, z], v);
  const twice = cross([x, y, z], once);
  return [0, 1, 2].map((k) => (v[k] as number) + 2 * (w * (once[k] as number) + (twice[k] as number))) as Vec3;
}

// Axis i of the joint's first frame, in the world.
function axisOf(scene: Scene, poses: Float32Array, name: string): { kind: string; axis: Vec3 } | null {
  const joint = scene.joints.find((each) => each.name === name);
  if (!joint) return null;
  const solid = scene.solids.findIndex((each) => each.name === joint.solid1);
  const q = solid < 0 ? ([0, 0, 0, 1] as Quat) : (Array.from(poses.subarray(7 * solid + 3, 7 * solid + 7)) as Quat);
  return { kind: joint.kind, axis: rotated(q, rotated(joint.frame1.rotation, [1, 0, 0])) };
}

export function areFlat(scene: Scene, poses: Float32Array, names: string[]): boolean {
  const joints = names.map((name) => axisOf(scene, poses, name));
  const first = joints.find((joint) => joint?.kind === 'pin')?.axis;
  if (!first) return false;
  return joints.every((joint) => {
    if (joint?.kind === 'pin') return Math.hypot(...cross(first, joint.axis)) < parallel;
    return joint?.kind === 'prismatic' && Math.abs(dot(first, joint.axis)) < parallel;
  });
}
