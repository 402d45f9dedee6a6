// Forms of solids as triangles. Equal forms share one geometry, so that a crowd is drawn in a few calls.
import {
  BufferGeometry,
  CapsuleGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  LatheGeometry,
  Matrix4,
  Quaternion,
  SphereGeometry,
  Vector2,
  Vector3,
} from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import { RoundedBoxGeometry } from 'three/examples/jsm/geometries/RoundedBoxGeometry.js';
import { mergeVertices } from 'three/examples/jsm/utils/BufferGeometryUtils.js';
import type { Shape } from '../store/store';

export interface Form {
  key: string; // equal keys: the same geometry
  scale: Vector3; // of that geometry
  make: () => BufferGeometry;
}

const one = new Vector3(1, 1, 1);
const round = (x: number) => Number(x.toPrecision(5));

// A profile turned about y whose edges are a little round: light catches on them.
function turned(profile: [number, number][], segments: number): BufferGeometry {
  return new LatheGeometry(
    profile.map(([r, y]) => new Vector2(r, y)),
    segments,
  );
}
function cylinder(radius: number, height: number, sides: number): BufferGeometry {
  const b = Math.min(0.12 * radius, 0.08 * height);
  const h = height / 2;
  const corner = (y: number, sign: number): [number, number][] =>
    [0, 1, 2, 3].map((k) => {
      const a = ((sign < 0 ? k : 3 - k) / 3) * (Math.PI / 2);
      return [radius - b + b * Math.sin(a), y + sign * (b * Math.cos(a) - b)] as [number, number];
    });
  return turned([[0, -h], [radius - 1.5 * b, -h], ...corner(-h, -1), ...corner(h, 1), [radius - 1.5 * b, h], [0, h]], sides);
}
function cone(radius: number, height: number, sides: number): BufferGeometry {
  const h = height / 2,
    b = 0.05 * radius;
  return turned(
    [
      [0, -h],
      [radius - b, -h],
      [radius - 0.2 * b, -h + 0.3 * b],
      [radius - 0.4 * b, -h + b],
      [0, h],
    ],
    sides,
  );
}
function hull(points: number[]): BufferGeometry {
  const vertices: Vector3[] = [];
  for (let i = 0; i + 2 < points.length; i += 3) vertices.push(new Vector3(points[i], points[i + 1], points[i + 2]));
  return new ConvexGeometry(vertices);
}
function mesh(points: number[], triangles: number[]): BufferGeometry {
  const indexed = new BufferGeometry();
  indexed.setAttribute('position', new Float32BufferAttribute(points, 3));
  indexed.setIndex(triangles);
  const flat = indexed.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

let listed = 0;

export interface Detail {
  shared: boolean; // a scene of many different sizes, where sharing is worth more than round edges
  coarse: boolean; // a crowd
}
export const fine: Detail = { shared: false, coarse: false };

export function formOf(shape: Shape, { shared: simple, coarse }: Detail = fine): Form {
  const sides = coarse ? 20 : 40;
  const ball = () => (coarse ? new SphereGeometry(1, 20, 12) : new SphereGeometry(1, 32, 20));
  const [x, y, z] = shape.size.map(round) as [number, number, number];
  switch (shape.kind) {
    case 'sphere':
      return { key: 'sphere', scale: new Vector3(x, x, x), make: ball };
    case 'ellipsoid':
      return { key: 'sphere', scale: new Vector3(x, y, z), make: ball };
    case 'box': {
      if (simple) return { key: 'box', scale: new Vector3(x, y, z), make: () => new RoundedBoxGeometry(1, 1, 1, 1, 0.02) };
      const edge = 0.09 * Math.min(x, y, z);
      return { key: `box ${x} ${y} ${z}`, scale: one, make: () => new RoundedBoxGeometry(x, y, z, coarse ? 1 : 3, edge) };
    }
    case 'capsule':
      return { key: `capsule ${x} ${y}`, scale: one, make: () => (coarse ? new CapsuleGeometry(x, y, 5, 16) : new CapsuleGeometry(x, y, 10, 28)) };
    case 'cylinder':
      if (simple) return { key: 'cylinder', scale: new Vector3(x, y, x), make: () => cylinder(1, 1, sides) };
      return { key: `cylinder ${x} ${y}`, scale: one, make: () => cylinder(x, y, sides) };
    case 'cone':
      if (simple) return { key: 'cone', scale: new Vector3(x, y, x), make: () => cone(1, 1, sides) };
      return { key: `cone ${x} ${y}`, scale: one, make: () => cone(x, y, sides) };
    case 'hull':
    case 'mesh': {
      const points = shape.points ?? [],
        triangles = shape.triangles ?? [];
      const few = points.length + triangles.length <= 300;
      const key = few ? `${shape.kind} ${points.map(round).join()} ${triangles.join()}` : `${shape.kind} #${listed++}`;
      return {
        key,
        scale: one,
        make: () => (shape.kind === 'mesh' && triangles.length > 0 ? mesh(points, triangles) : hull(points)),
      };
    }
  }
}

// A capsule cannot be stretched: where forms are shared it is a tube and two balls.
export function formsOf(shape: Shape, detail: Detail): { form: Form; shape: Shape }[] {
  if (shape.kind !== 'capsule' || !detail.shared) return [{ form: formOf(shape, detail), shape }];
  const [radius, length] = shape.size;
  const tube: Form = { key: 'tube', scale: new Vector3(radius, length, radius), make: () => new CylinderGeometry(1, 1, 1, 20, 1, true) };
  const caps = [-0.5, 0.5].map((end): Shape => {
    const at = new Vector3(0, end * length, 0).applyQuaternion(new Quaternion(...shape.rotation));
    const [x, y, z] = shape.position;
    return { ...shape, kind: 'sphere', size: [radius, radius, radius], position: [x + at.x, y + at.y, z + at.z] };
  });
  return [{ form: tube, shape }, ...caps.map((cap) => ({ form: formOf(cap, detail), shape: cap }))];
}

// Of a shape's unit form in its solid's frame.
export function matrixOf(shape: Shape, scale: Vector3, into = new Matrix4()): Matrix4 {
  return into.compose(new Vector3(...shape.position), new Quaternion(...shape.rotation), scale);
}

// Half extents of a shape along its own axes.
export function halfExtents(shape: Shape): Vector3 {
  const [x, y, z] = shape.size;
  switch (shape.kind) {
    case 'box':
      return new Vector3(x / 2, y / 2, z / 2);
    case 'sphere':
      return new Vector3(x, x, x);
    case 'ellipsoid':
      return new Vector3(x, y, z);
    case 'capsule':
      return new Vector3(x, y / 2 + x, x);
    case 'cylinder':
    case 'cone':
      return new Vector3(x, y / 2, x);
    default: {
      const half = new Vector3();
      const points = shape.points ?? [];
      for (let i = 0; i + 2 < points.length; i += 3) half.max(new Vector3(Math.abs(points[i]!), Math.abs(points[i + 1]!), Math.abs(points[i + 2]!)));
      return half;
    }
  }
}

// Outlines push vertices outwards: that needs one normal a place, also at sharp edges.
export function smooth(geometry: BufferGeometry): BufferGeometry {
  const kept = geometry.userData.smooth as BufferGeometry | undefined;
  if (kept) return kept;
  const bare = new BufferGeometry();
  bare.setAttribute('position', geometry.getAttribute('position'));
  if (geometry.index) bare.setIndex(geometry.index);
  const made = mergeVertices(bare, 1e-5);
  made.computeVertexNormals();
  geometry.userData.smooth = made;
  return made;
}
