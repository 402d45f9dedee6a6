// Solids as the store says they are: made from store.scene, placed by store.poses, never saved.
import {
  BackSide,
  Box3,
  BufferGeometry,
  Color,
  DynamicDrawUsage,
  Group,
  InstancedMesh,
  type Intersection,
  Material,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  MeshStandardMaterial,
  Raycaster,
  ShaderMaterial,
  Vector2,
  Vector3,
} from 'three';
import type { Scene, Shape, Solid } from '../store/store';
import { sceneColour } from './colours';
import { formOf, formsOf, halfExtents, matrixOf, smooth } from './geometry';

// Matrices of all solids' frames, from seven numbers each.
export class Frames {
  matrices = new Float32Array(0);
  count = 0;

  update(poses: Float32Array, count: number) {
    if (this.matrices.length !== 16 * count) this.matrices = new Float32Array(16 * count);
    this.count = count;
    const m = this.matrices;
    for (let s = 0; s < count; ++s) {
      const p = 7 * s,
        at = 16 * s;
      const known = p + 6 < poses.length;
      const qx = known ? poses[p + 3]! : 0,
        qy = known ? poses[p + 4]! : 0,
        qz = known ? poses[p + 5]! : 0,
        qw = known ? poses[p + 6]! : 1;
      m[at] = 1 - 2 * (qy * qy + qz * qz);
      m[at + 1] = 2 * (qx * qy + qw * qz);
      m[at + 2] = 2 * (qx * qz - qw * qy);
      m[at + 3] = 0;
      m[at + 4] = 2 * (qx * qy - qw * qz);
      m[at + 5] = 1 - 2 * (qx * qx + qz * qz);
      m[at + 6] = 2 * (qy * qz + qw * qx);
      m[at + 7] = 0;
      m[at + 8] = 2 * (qx * qz + qw * qy);
      m[at + 9] = 2 * (qy * qz - qw * qx);
      m[at + 10] = 1 - 2 * (qx * qx + qy * qy);
      m[at + 11] = 0;
      m[at + 12] = known ? poses[p]! : 0;
      m[at + 13] = known ? poses[p + 1]! : 0;
      m[at + 14] = known ? poses[p + 2]! : 0;
      m[at + 15] = 1;
    }
  }
  // -1 is the world.
  get(solid: number, into: Matrix4): Matrix4 {
    return solid < 0 || solid >= this.count ? into.identity() : into.fromArray(this.matrices, 16 * solid);
  }
  isFinite(solid: number): boolean {
    return solid < 0 || Number.isFinite(this.matrices[16 * solid + 12]! + this.matrices[16 * solid]!);
  }
}

// What a solid is like, in its own frame.
export interface Body {
  box: Box3;
  middle: Vector3;
  radius: number;
  girth: number;
  reach: number;
}

interface Batch {
  geometry: BufferGeometry;
  mesh: InstancedMesh;
  solids: number[];
  locals: Float32Array; // 16 an instance: of the form in its solid's frame
}

const manyForms = 250;
const manyShapes = 300; // then each is drawn with fewer triangles

// All solids of a scene, in a few draw calls.
export class Crowd {
  readonly object = new Group();
  readonly batches: Batch[] = [];
  readonly parts: { batch: number; instance: number }[][] = []; // by solid

  constructor(scene: Scene, pointRadius: number, material: Material, geometries: Map<string, BufferGeometry>, shadows: boolean) {
    const distinct = new Set(scene.solids.flatMap((solid) => solid.shapes.map((shape) => formOf(shape).key)));
    const detail = { shared: distinct.size > manyForms, coarse: scene.solids.reduce((sum, solid) => sum + solid.shapes.length, 0) > manyShapes };
    const drafts = new Map<string, { solids: number[]; locals: Matrix4[]; geometry: BufferGeometry }>();
    scene.solids.forEach((solid, s) => {
      for (const { form, shape } of shapesOf(solid, pointRadius).flatMap((one) => formsOf(one, detail))) {
        let geometry = geometries.get(form.key);
        if (!geometry) geometries.set(form.key, (geometry = form.make()));
        let draft = drafts.get(form.key);
        if (!draft) drafts.set(form.key, (draft = { solids: [], locals: [], geometry }));
        draft.solids.push(s);
        draft.locals.push(matrixOf(shape, form.scale));
      }
      this.parts.push([]);
    });
    for (const draft of drafts.values()) {
      const count = draft.solids.length;
      const mesh = new InstancedMesh(draft.geometry, material, count);
      mesh.instanceMatrix.setUsage(DynamicDrawUsage);
      mesh.frustumCulled = false;
      mesh.castShadow = mesh.receiveShadow = shadows;
      const locals = new Float32Array(16 * count);
      draft.locals.forEach((local, i) => local.toArray(locals, 16 * i));
      draft.solids.forEach((s, instance) => this.parts[s]!.push({ batch: this.batches.length, instance }));
      this.batches.push({ geometry: draft.geometry, mesh, solids: draft.solids, locals });
      this.object.add(mesh);
    }
  }
  update(frames: Frames) {
    const f = frames.matrices;
    for (const { mesh, solids, locals } of this.batches) {
      const out = mesh.instanceMatrix.array as Float32Array;
      for (let i = 0; i < solids.length; ++i) {
        const a = 16 * solids[i]!,
          b = 16 * i;
        for (let column = 0; column < 4; ++column) {
          const l = b + 4 * column;
          const x = locals[l]!,
            y = locals[l + 1]!,
            z = locals[l + 2]!,
            w = locals[l + 3]!;
          out[l] = f[a]! * x + f[a + 4]! * y + f[a + 8]! * z + f[a + 12]! * w;
          out[l + 1] = f[a + 1]! * x + f[a + 5]! * y + f[a + 9]! * z + f[a + 13]! * w;
          out[l + 2] = f[a + 2]! * x + f[a + 6]! * y + f[a + 10]! * z + f[a + 14]! * w;
          out[l + 3] = w;
        }
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
  }
  colour(of: (solid: number) => Color) {
    for (const { mesh, solids } of this.batches) {
      for (let i = 0; i < solids.length; ++i) mesh.setColorAt(i, of(solids[i]!));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
  dispose() {
    for (const { mesh } of this.batches) mesh.dispose();
  }
}

function shapesOf(solid: Solid, pointRadius: number): Shape[] {
  if (solid.shapes.length > 0) return solid.shapes;
  return [{ kind: 'sphere', size: [pointRadius, pointRadius, pointRadius], position: solid.com, rotation: [0, 0, 0, 1] }];
}

const corner = new Vector3();

export function bodyOf(solid: Solid, pointRadius: number): Body {
  const box = new Box3();
  for (const shape of shapesOf(solid, pointRadius)) {
    const half = halfExtents(shape);
    const matrix = matrixOf(shape, new Vector3(1, 1, 1));
    for (let k = 0; k < 8; ++k)
      box.expandByPoint(corner.set(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z).applyMatrix4(matrix));
  }
  const size = box.getSize(new Vector3());
  const sorted = [size.x, size.y, size.z].sort((a, b) => a - b);
  return { box, middle: box.getCenter(new Vector3()), radius: size.length() / 2, girth: sorted[1]! / 2, reach: sorted[2]! / 2 };
}

// Points of mass have no size of their own: a part of what lies between them.
function pointRadiusOf(scene: Scene): number {
  const lengths = scene.joints.map((joint) => joint.options.length?.[0] ?? 0).filter((length) => length > 0);
  lengths.sort((a, b) => a - b);
  const middle = lengths[Math.floor(lengths.length / 2)];
  return middle ? Math.min(0.12 * middle, 0.05) : 0.02;
}

export interface SolidHit {
  solid: number;
  point: Vector3 /* world */;
  distance: number;
}

const depthOnly = new MeshBasicMaterial({ colorWrite: false, transparent: true });

const outlineVertex = `
  uniform float pixels; uniform vec2 resolution;
  void main() {
    vec4 at = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    vec2 way = (projectionMatrix * vec4(normalize(normalMatrix * normal), 0.0)).xy;
    float size = length(way);
    if (size > 1e-6) at.xy += way / size * pixels * 2.0 / resolution * at.w;
    gl_Position = at;
  }`;

export class World {
  readonly object = new Group();
  readonly frames = new Frames();
  readonly bodies: Body[] = [];
  readonly index = new Map<string, number>();
  scene: Scene | null = null;
  crowd: Crowd | null = null;
  pointRadius = 0.02;
  private geometries = new Map<string, BufferGeometry>();
  private material = new MeshStandardMaterial({ roughness: 0.5, metalness: 0.04 });
  private ghosts: { method: string; crowd: Crowd; material: Material }[] = [];
  private outlines: { solid: number; local: Matrix4; mesh: Mesh }[] = [];
  private outlineMaterials = new Map<string, ShaderMaterial>();
  private resolution = new Vector2(1, 1);
  private outlineKey = '';
  private colourKey = '';
  private probe = new Mesh(undefined, this.material);

  setScene(scene: Scene | null) {
    this.clear();
    this.scene = scene;
    if (!scene) return;
    this.pointRadius = pointRadiusOf(scene);
    for (const solid of scene.solids) {
      this.index.set(solid.name, this.index.size);
      this.bodies.push(bodyOf(solid, this.pointRadius));
    }
    this.crowd = new Crowd(scene, this.pointRadius, this.material, this.geometries, true);
    this.object.add(this.crowd.object);
  }
  setPoses(poses: Float32Array) {
    if (!this.scene || !this.crowd) return;
    this.frames.update(poses, this.scene.solids.length);
    this.crowd.update(this.frames);
    const matrix = new Matrix4();
    for (const { solid, local, mesh } of this.outlines) mesh.matrix.multiplyMatrices(this.frames.get(solid, matrix), local);
  }
  // Selected solids lean towards the accent, the one under the pointer is a little lighter.
  tint(tinted: Map<number, { colour: Color; amount: number }>) {
    const key = [...tinted].map(([s, t]) => `${s} ${t.colour.getHexString()} ${t.amount}`).join();
    if (!this.scene || !this.crowd || key === this.colourKey) return;
    this.colourKey = key;
    const solids = this.scene.solids,
      colour = new Color();
    this.crowd.colour((s) => {
      sceneColour(solids[s]!.colour, colour);
      const t = tinted.get(s);
      return t ? colour.lerp(t.colour, t.amount) : colour;
    });
  }
  outline(wanted: { solid: number; colour: Color; pixels: number }[]) {
    const key = wanted.map((w) => `${w.solid} ${w.colour.getHexString()} ${w.pixels}`).join();
    if (!this.crowd || key === this.outlineKey) return;
    this.outlineKey = key;
    for (const { mesh } of this.outlines) this.object.remove(mesh);
    this.outlines = [];
    const frame = new Matrix4();
    for (const { solid, colour, pixels } of wanted) {
      const look = `${colour.getHexString()} ${pixels}`;
      let material = this.outlineMaterials.get(look);
      if (!material) {
        material = new ShaderMaterial({
          uniforms: { colour: { value: colour.clone() }, pixels: { value: pixels }, resolution: { value: this.resolution } },
          vertexShader: outlineVertex,
          fragmentShader: `uniform vec3 colour; void main() { gl_FragColor = vec4(colour, 1.0);
            #include <colorspace_fragment>
          }`,
          side: BackSide,
        });
        this.outlineMaterials.set(look, material);
      }
      for (const { batch, instance } of this.crowd.parts[solid] ?? []) {
        if (this.outlines.length >= 600) return; // more than that is no help to the eye
        const { geometry, locals } = this.crowd.batches[batch]!;
        const mesh = new Mesh(smooth(geometry), material);
        const local = new Matrix4().fromArray(locals, 16 * instance);
        mesh.matrixAutoUpdate = false;
        mesh.matrix.multiplyMatrices(this.frames.get(solid, frame), local);
        mesh.frustumCulled = false;
        mesh.raycast = () => {};
        this.outlines.push({ solid, local, mesh });
        this.object.add(mesh);
      }
    }
  }
  setResolution(width: number, height: number) {
    this.resolution.set(width, height);
  }
  setGhosts(ghosts: { method: string; poses: Float32Array; colour: string }[]) {
    const same = ghosts.length === this.ghosts.length && ghosts.every((g, k) => g.method === this.ghosts[k]!.method);
    if (!same) {
      this.clearGhosts();
      if (this.scene)
        for (const { method, colour } of ghosts) {
          const material = new MeshLambertMaterial({ color: colour, transparent: true, opacity: 0.42, emissive: colour, emissiveIntensity: 0.35 });
          const crowd = new Crowd(this.scene, this.pointRadius, material, this.geometries, false);
          for (const { mesh } of crowd.batches) {
            mesh.raycast = () => {};
            mesh.renderOrder = 6;
            // Depths first, so that only the nearest surface is seen through.
            const depth = new InstancedMesh(mesh.geometry, depthOnly, mesh.count);
            depth.instanceMatrix = mesh.instanceMatrix;
            depth.frustumCulled = false;
            depth.renderOrder = 5;
            depth.raycast = () => {};
            crowd.object.add(depth);
          }
          this.ghosts.push({ method, crowd, material });
          this.object.add(crowd.object);
        }
    }
    const frames = new Frames();
    this.ghosts.forEach(({ crowd }, k) => {
      frames.update(ghosts[k]!.poses, this.scene!.solids.length);
      crowd.update(frames);
    });
  }
  pick(raycaster: Raycaster): SolidHit | null {
    if (!this.crowd) return null;
    let best: SolidHit | null = null;
    const hits: Intersection[] = [],
      m = this.frames.matrices,
      { ray } = raycaster;
    for (let s = 0; s < this.bodies.length; ++s) {
      // Most solids are far from the ray: a ball around each says so quickly.
      const { middle: c, radius } = this.bodies[s]!,
        at = 16 * s;
      corner.set(
        m[at]! * c.x + m[at + 4]! * c.y + m[at + 8]! * c.z + m[at + 12]!,
        m[at + 1]! * c.x + m[at + 5]! * c.y + m[at + 9]! * c.z + m[at + 13]!,
        m[at + 2]! * c.x + m[at + 6]! * c.y + m[at + 10]! * c.z + m[at + 14]!,
      );
      if (!(ray.distanceSqToPoint(corner) <= radius * radius)) continue;
      for (const { batch, instance } of this.crowd.parts[s]!) {
        const { geometry, mesh } = this.crowd.batches[batch]!;
        hits.length = 0;
        this.probe.geometry = geometry;
        mesh.getMatrixAt(instance, this.probe.matrixWorld);
        this.probe.raycast(raycaster, hits);
        for (const hit of hits) if (!best || hit.distance < best.distance) best = { solid: s, point: hit.point.clone(), distance: hit.distance };
      }
    }
    return best;
  }
  // Corners of the solids' boxes where they are now: what a camera has to see.
  corners(only?: Iterable<number>): Vector3[] {
    const points: Vector3[] = [];
    const matrix = new Matrix4();
    const chosen = only ? [...only] : this.withoutBackdrops();
    for (const s of chosen) {
      const body = this.bodies[s];
      if (!body || !this.frames.isFinite(s)) continue;
      this.frames.get(s, matrix);
      const { min, max } = body.box;
      for (let k = 0; k < 8; ++k) points.push(new Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).applyMatrix4(matrix));
    }
    return points;
  }
  // A ground plate that is much larger than all that moves on it is no reason to step back.
  private withoutBackdrops(): number[] {
    const solids = this.scene?.solids ?? [];
    const moving = new Box3(),
      matrix = new Matrix4();
    const all = solids.map((_, s) => s);
    for (const s of all)
      if (solids[s]!.kind !== 'immobile' && this.frames.isFinite(s)) moving.union(this.bodies[s]!.box.clone().applyMatrix4(this.frames.get(s, matrix)));
    if (moving.isEmpty()) return all;
    const size = moving.getSize(new Vector3()).length();
    return all.filter((s) => solids[s]!.kind !== 'immobile' || 2 * this.bodies[s]!.reach < 20 * size);
  }
  private clearGhosts() {
    for (const { crowd, material } of this.ghosts) {
      this.object.remove(crowd.object);
      crowd.dispose();
      material.dispose();
    }
    this.ghosts = [];
  }
  private clear() {
    this.clearGhosts();
    for (const { mesh } of this.outlines) this.object.remove(mesh);
    this.outlines = [];
    this.outlineKey = '';
    this.colourKey = 'none';
    if (this.crowd) {
      this.object.remove(this.crowd.object);
      this.crowd.dispose();
    }
    for (const geometry of this.geometries.values()) {
      (geometry.userData.smooth as BufferGeometry | undefined)?.dispose();
      geometry.dispose();
    }
    this.geometries.clear();
    this.bodies.length = 0;
    this.index.clear();
    this.crowd = null;
  }
  dispose() {
    this.clear();
    this.material.dispose();
    for (const material of this.outlineMaterials.values()) material.dispose();
  }
}
