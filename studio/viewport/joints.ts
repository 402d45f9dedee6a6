// Joints as what they are, and the other signs: limits, pins, hands, centres of mass, forces, errors. Written anew
// when something changed, into a few batches; what is switched off costs nothing.
import {
  BoxGeometry,
  BufferGeometry,
  CatmullRomCurve3,
  Color,
  ConeGeometry,
  CylinderGeometry,
  Group,
  LatheGeometry,
  Material,
  Matrix4,
  MeshBasicMaterial,
  MeshStandardMaterial,
  Quaternion,
  SphereGeometry,
  Vector2,
  Vector3,
} from 'three';
import type { CatalogueKind, Frame, Joint, Page, Rule } from '../store/store';
import { angleAbout, arc, circle, coil, coneRim, hookeAngles, rope, shownRange, untwisted } from './arcs';
import { Fills, Instances, Lines, Signs } from './batches';
import type { Palette } from './colours';
import { centreSign, haloSign, handSign, snowflakeSign } from './signs';
import type { World } from './world';

// A hand as the tools know it: it is drawn before the worker has heard of it.
export interface Hand {
  id: number;
  solid: number;
  point: Vector3 /* solid's frame */;
  target: Vector3;
}

interface Placed {
  joint: Joint;
  kind: CatalogueKind | null;
  solid1: number;
  solid2: number;
  local1: Matrix4;
  local2: Matrix4;
  radius: number; // of its sign
  half: number; // of its axis, to stand out of the solids that it holds
  wide: number; // of its limits, to be seen beside those solids
  bare: boolean; // between points of mass: no sign of its own
  centre: Vector3; // in the world, at the last update
  shown: boolean;
}

const matrixOfFrame = (frame: Frame) => new Matrix4().compose(new Vector3(...frame.position), new Quaternion(...frame.rotation), new Vector3(1, 1, 1));
const bit = (locked: number, axis: number) => (locked >> axis) & 1;

const fewJoints = 8; // then all limits are shown
const leastPixels = 0.8; // a smaller sign is not seen
const compact = new Set(['ball', 'pin', 'hooke', 'weld']); // as large as their sign, and no larger
const manySprings = 60; // then they are straight lines

function twoPasses(): Material[] {
  return [
    new MeshBasicMaterial({ transparent: true, opacity: 0.32, depthTest: false, depthWrite: false }),
    new MeshStandardMaterial({ roughness: 0.35, metalness: 0.25, transparent: true }),
  ];
}
// In front of everything, and yet a solid thing: its depths are squeezed towards the eye.
function inFront(): Material[] {
  const material = new MeshStandardMaterial({ roughness: 0.35, transparent: true });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace(
      '#include <fog_vertex>',
      '#include <fog_vertex>\n gl_Position.z = 0.02 * gl_Position.z - 0.98 * gl_Position.w;',
    );
  };
  return [material];
}
function tackGeometry(): BufferGeometry {
  const profile: [number, number][] = [
    [0, 0],
    [0.035, 0.12],
    [0.035, 0.5],
    [0.2, 0.5],
    [0.24, 0.55],
    [0.13, 0.62],
    [0.12, 0.82],
    [0.22, 0.9],
    [0.24, 0.96],
    [0.2, 1],
    [0, 1.01],
  ];
  return new LatheGeometry(
    profile.map(([r, y]) => new Vector2(r, y)),
    20,
  );
}

const up = new Vector3(0, 1, 0);
const turn = new Quaternion(),
  size = new Vector3(),
  middle = new Vector3(),
  way = new Vector3(),
  made = new Matrix4();

function between(a: Vector3, b: Vector3, radius: number): Matrix4 {
  way.subVectors(b, a);
  const length = Math.max(way.length(), 1e-9);
  turn.setFromUnitVectors(up, way.divideScalar(length));
  return made.compose(middle.addVectors(a, b).multiplyScalar(0.5), turn, size.set(radius, length, radius));
}
const ballAt = (p: Vector3, r: number) => made.compose(p, turn.identity(), size.set(r, r, r));

export class Marks {
  readonly object = new Group();
  private placed: Placed[] = [];
  private byName = new Map<string, Placed>();
  private ofSolid = new Map<number, Placed[]>();
  private extent = 1;
  private weight = 1;
  private balls = new Instances(new SphereGeometry(1, 20, 14), twoPasses(), 10);
  private axes = new Instances(new CylinderGeometry(1, 1, 1, 20), twoPasses(), 10);
  private boxes = new Instances(new BoxGeometry(1, 1, 1), twoPasses(), 10);
  private rods = new Instances(new CylinderGeometry(1, 1, 1, 10, 1, true), [new MeshStandardMaterial({ roughness: 0.45, metalness: 0.3 })], 0, true);
  private tacks = new Instances(tackGeometry(), inFront(), 24);
  private arrowHeads = new Instances(new ConeGeometry(1, 1, 16), inFront(), 20);
  private arrowShafts = new Instances(new CylinderGeometry(1, 1, 1, 12), inFront(), 20);
  private lines = new Lines({ width: 1.6, order: 12 });
  private heavy = new Lines({ width: 2.6, order: 14 });
  private ranges = new Lines({ width: 2.4, hidden: 0.6, order: 16 });
  private bands = new Lines({ width: 3.2, hidden: 0.6, order: 26 });
  private plates = new Fills(0.2, 8);
  private sectors = new Fills(0.16, 9);
  private centres = new Signs(centreSign(), 18, { plain: true, order: 28 });
  private flakes = new Signs(snowflakeSign(), 18, { plain: true, order: 29 });
  private halos = new Signs(haloSign(), 64, { order: 22, opacity: 0.9 });
  private hands = new Signs(handSign(), 16, { plain: true, order: 31 });

  constructor(private world: World) {
    for (const batch of this.batches()) this.object.add(batch.object);
  }
  private batches() {
    return [
      this.balls,
      this.axes,
      this.boxes,
      this.rods,
      this.tacks,
      this.arrowHeads,
      this.arrowShafts,
      this.lines,
      this.heavy,
      this.ranges,
      this.bands,
      this.plates,
      this.sectors,
      this.centres,
      this.flakes,
      this.halos,
      this.hands,
    ];
  }
  setPixelRatio(ratio: number) {
    this.centres.setSize(18 * ratio);
    this.flakes.setSize(18 * ratio);
    this.halos.setSize(64 * ratio);
    this.hands.setSize(16 * ratio);
  }
  setScene(page: Page, extent: number) {
    const { scene, catalogue } = page;
    this.placed = [];
    this.byName.clear();
    this.ofSolid.clear();
    this.extent = extent;
    if (!scene) return;
    const g = Math.hypot(...scene.gravity);
    const mass = scene.solids.reduce((sum, solid) => sum + (solid.kind === 'dynamic' ? solid.mass : 0), 0);
    this.weight = mass * (g > 0 ? g : 9.81);
    const kinds = new Map(catalogue?.kinds.map((kind) => [kind.name, kind]));
    for (const joint of scene.joints) {
      const solid1 = joint.solid1 === '' ? -1 : (this.world.index.get(joint.solid1) ?? -1);
      const solid2 = joint.solid2 === '' ? -1 : (this.world.index.get(joint.solid2) ?? -1);
      const local1 = matrixOfFrame(joint.frame1),
        local2 = matrixOfFrame(joint.frame2);
      const isPoint = (s: number) => s < 0 || scene.solids[s]!.point_mass;
      const placed: Placed = {
        joint,
        kind: kinds.get(joint.kind) ?? null,
        solid1,
        solid2,
        local1,
        local2,
        radius: this.radiusOf(solid1, solid2),
        half: 0,
        wide: 0,
        bare: isPoint(solid1) && isPoint(solid2),
        centre: new Vector3(),
        shown: false,
      };
      placed.half = Math.min(Math.max(1.06 * Math.max(this.supportOf(solid1, local1), this.supportOf(solid2, local2)), 1.5 * placed.radius), 4 * placed.radius);
      placed.wide = this.wideOf(placed);
      this.placed.push(placed);
      this.byName.set(joint.name, placed);
      for (const s of new Set([solid1, solid2])) if (s >= 0) this.ofSolid.set(s, [...(this.ofSolid.get(s) ?? []), placed]);
    }
  }
  // Signs are as large as the slimmer of the two solids lets them be.
  private radiusOf(solid1: number, solid2: number): number {
    let radius = 0.035 * this.extent;
    for (const s of [solid1, solid2]) {
      const body = this.world.bodies[s];
      if (body && body.reach > 0) radius = Math.min(radius, Math.min(Math.max(0.55 * body.girth, 0.06 * body.reach), 0.3 * body.reach));
    }
    return Math.max(radius, 1e-4 * this.extent);
  }
  private wideOf({ solid1, solid2, radius }: Placed): number {
    const bodies = [solid1, solid2].map((s) => this.world.bodies[s]).filter((body) => body !== undefined);
    const girth = Math.max(...bodies.map((body) => body.girth), 0),
      reach = Math.min(...bodies.map((body) => body.reach));
    return Math.max(4.6 * radius, Math.min(1.5 * girth, 0.9 * reach));
  }
  // How far a solid reaches along the joint's axis, to both sides of it.
  private supportOf(solid: number, local: Matrix4): number {
    const body = this.world.bodies[solid];
    if (!body) return 0;
    const e = local.elements,
      { min, max } = body.box;
    let low = Infinity,
      high = -Infinity;
    for (let k = 0; k < 8; ++k) {
      const d = ((k & 1 ? max.x : min.x) - e[12]!) * e[0]! + ((k & 2 ? max.y : min.y) - e[13]!) * e[1]! + ((k & 4 ? max.z : min.z) - e[14]!) * e[2]!;
      low = Math.min(low, d);
      high = Math.max(high, d);
    }
    return Math.max(Math.abs(low), Math.abs(high));
  }

  // Joints whose sign is on the screen, for picking.
  *signs(): Iterable<{ name: string; centre: Vector3; radius: number }> {
    for (const placed of this.placed) if (placed.shown) yield { name: placed.joint.name, centre: placed.centre, radius: placed.radius };
  }
  jointsOf(solid: number): Joint[] {
    return (this.ofSolid.get(solid) ?? []).map((placed) => placed.joint);
  }

  update(page: Page, palette: Palette, hands: readonly Hand[], camera: { up: Vector3; back: Vector3; right: Vector3; perPixelAt: (point: Vector3) => number }) {
    for (const batch of this.batches()) batch.begin();
    const { scene, state, show } = page;
    if (scene) {
      const frozen = new Set(state?.frozen);
      const worst = show.errors && (page.measures?.error ?? 0) > 1e-6 ? page.measures?.worst : null;
      const wrong = new Set(page.highlight),
        selected = new Set(page.selection.joints);
      const touched = this.touchedJoints(page, hands);
      const F1 = new Matrix4(),
        F2 = new Matrix4();
      // Then what is too small to be seen is left out: a crowd from afar has thousands of joints.
      const closed = !show.forces && (page.measures?.error ?? 1) < 1e-4;
      for (const placed of this.placed) {
        const name = placed.joint.name;
        placed.shown = false;
        if (placed.kind?.relates === 'coordinates' || placed.kind?.relates === 'points') continue;
        if (!this.world.frames.isFinite(placed.solid1) || !this.world.frames.isFinite(placed.solid2)) continue;
        const glows = wrong.has(name) || worst === name;
        const isLink = placed.joint.kind === 'distance' || placed.joint.kind === 'rope';
        if (!show.joints && !isLink && !glows && !selected.has(name)) continue;
        const special = glows || selected.has(name) || page.hovered === name || frozen.has(name) || touched.has(name);
        if (closed && !special && compact.has(placed.joint.kind)) {
          this.world.frames.get(placed.solid1, F1);
          placed.centre.setFromMatrixPosition(placed.local1).applyMatrix4(F1);
          if (placed.radius < leastPixels * camera.perPixelAt(placed.centre)) continue;
        }
        this.world.frames.get(placed.solid1, F1).multiply(placed.local1);
        this.world.frames.get(placed.solid2, F2).multiply(placed.local2);
        const colour = wrong.has(name)
          ? palette.error
          : worst === name
            ? palette.warn
            : selected.has(name)
              ? palette.accent
              : page.hovered === name
                ? palette.hover
                : frozen.has(name)
                  ? palette.frozen
                  : null;
        const place = new JointPlace(F1, F2);
        placed.centre.copy(place.p1);
        this.drawJoint(placed, place, colour, palette, scene.gravity);
        if (show.joints && !placed.bare) placed.shown = true;
        if (show.errors && placed.kind) this.drawOpening(placed, place, palette);
        if (show.limits && (touched.has(name) || this.placed.length <= fewJoints)) this.drawLimits(placed, place, page, palette);
        if (glows) this.halos.add(placed.centre, wrong.has(name) ? palette.error : palette.warn);
        if (frozen.has(name) && show.joints) this.flakes.add(placed.centre, palette.frozen);
        if (show.forces) this.drawForce(placed, page, palette);
      }
      this.drawSprings(page, palette);
      if (show.pins) this.drawPins(page, palette, camera);
      if (show.hands) this.drawHands(page, palette, hands);
      if (show.forces) this.drawPulls(page, palette);
      if (show.centres) this.drawCentres(page, palette);
    }
    for (const batch of this.batches()) batch.end();
  }

  // Whose limits matter now: of what is selected, under the pointer or in a hand.
  private touchedJoints(page: Page, hands: readonly Hand[]): Set<string> {
    const names = new Set(page.selection.joints);
    const solids = [...page.selection.solids.map((name) => this.world.index.get(name)), ...hands.map((hand) => hand.solid)];
    if (page.hovered !== null && this.byName.has(page.hovered)) names.add(page.hovered);
    for (const s of solids) if (s !== undefined) for (const placed of this.ofSolid.get(s) ?? []) names.add(placed.joint.name);
    return names;
  }

  private drawJoint(placed: Placed, at: JointPlace, special: Color | null, palette: Palette, gravity: readonly number[]) {
    const { joint, radius: r, half } = placed;
    const ink = special ?? palette.mark,
      dim = special ?? palette.markDim;
    const { p1, p2, i1, j1, k1, i2, j2 } = at;
    const axis = (p: Vector3, d: Vector3, length: number, thick: number, colour: Color) =>
      this.axes.add(between(p.clone().addScaledVector(d, -length), p.clone().addScaledVector(d, length), thick), colour);
    const ball = (p: Vector3, radius: number, colour = ink) => this.balls.add(ballAt(p, radius), colour);
    const plate = (p: Vector3, extent: number) => {
      const corners = [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ].map(([y, z]) =>
        p
          .clone()
          .addScaledVector(j1, y! * extent)
          .addScaledVector(k1, z! * extent),
      );
      this.plates.fan(corners[0]!, corners.slice(1), ink);
      this.lines.path(corners, dim, true);
    };
    // Along the line of frame 1, past the point that slides on it.
    const rail = (from: number, to: number, thick: number) =>
      this.axes.add(between(p1.clone().addScaledVector(i1, from), p1.clone().addScaledVector(i1, to), thick), dim);
    const slide = p2.clone().sub(p1).dot(i1);
    const range = (coordinate: string) => placed.joint.rules.find((rule) => rule.kind === 'limit' && rule.coordinate === coordinate);
    const ends = (): [number, number] => {
      const limit = range('slide');
      return [limit?.lower ?? Math.min(0, slide) - 5 * r, limit?.upper ?? Math.max(0, slide) + 5 * r];
    };
    switch (joint.kind) {
      case 'ball':
        if (!placed.bare) ball(p1, r);
        break;
      case 'pin':
        axis(p1, i1, half, 0.42 * r, ink);
        axis(p1, i1, 0.82 * half, 0.62 * r, dim);
        break;
      case 'cylindrical':
        rail(...ends(), 0.22 * r);
        axis(p2, i1, r, 0.6 * r, ink);
        break;
      case 'prismatic':
        rail(...ends(), 0.22 * r);
        this.boxes.add(made.compose(p2, turn.setFromRotationMatrix(at.F1), size.set(2 * r, 1.1 * r, 1.1 * r)), ink);
        break;
      case 'point-on-line':
        rail(...ends(), 0.22 * r);
        ball(p2, 0.7 * r);
        break;
      case 'segment': {
        const low = joint.options.min?.[0] ?? 0,
          high = joint.options.max?.[0] ?? 0;
        rail(low, high, 0.22 * r);
        for (const end of [low, high]) axis(p1.clone().addScaledVector(i1, end), i1, 0.12 * r, 0.7 * r, ink);
        ball(p2, 0.7 * r);
        break;
      }
      case 'planar':
        plate(p2, 2.4 * r);
        axis(p2, i1, r, 0.3 * r, ink);
        break;
      case 'point-on-plane':
        plate(p2, 2.4 * r);
        ball(p2, 0.6 * r);
        break;
      case 'ring': {
        const inner = joint.options.inner?.[0] ?? 0,
          outer = joint.options.outer?.[0] ?? 0;
        const rim = circle(p1, i1, j1, outer, 72);
        this.heavy.path(rim, ink);
        if (inner > 0) this.heavy.path(circle(p1, i1, j1, inner, 72), ink);
        this.plates.strip(rim, circle(p1, i1, j1, inner, 72), ink);
        ball(p2, 0.6 * r);
        break;
      }
      case 'hooke':
        axis(p1, i1, Math.max(0.8 * half, 1.8 * r), 0.34 * r, ink);
        axis(p1, j2, Math.max(0.8 * half, 1.8 * r), 0.34 * r, dim);
        ball(p1, 0.6 * r);
        break;
      case 'weld':
        this.boxes.add(made.compose(p1, turn.setFromRotationMatrix(at.F1), size.set(1.3 * r, 1.3 * r, 1.3 * r)), dim);
        break;
      case 'parallel':
        axis(p1, i1, 1.6 * r, 0.25 * r, ink);
        axis(p2, i2, 1.6 * r, 0.25 * r, dim);
        break;
      case 'screw': {
        const length = Math.max(3 * r, Math.abs(slide) + 2 * r);
        axis(p1, i1, length, 0.3 * r, dim);
        const pitch = Math.max(Math.abs(joint.options.pitch?.[0] ?? r), 0.25 * r);
        const turns = Math.min(40, (2 * length) / pitch);
        const helix: Vector3[] = [];
        for (let k = 0; k <= turns * 16; ++k) {
          const a = (2 * Math.PI * k) / 16;
          helix.push(
            p1
              .clone()
              .addScaledVector(i1, -length + (pitch * k) / 16)
              .addScaledVector(j1, 0.5 * r * Math.cos(a))
              .addScaledVector(k1, 0.5 * r * Math.sin(a)),
          );
        }
        this.heavy.path(helix, ink);
        break;
      }
      case 'distance':
        this.rods.add(between(p1, p2, placed.bare ? 0.3 * this.world.pointRadius : 0.35 * r), special ?? palette.rod);
        if (!placed.bare) {
          ball(p1, 0.5 * r);
          ball(p2, 0.5 * r);
        }
        break;
      case 'rope': {
        const down = new Vector3(...(gravity as [number, number, number]));
        if (down.lengthSq() > 0) down.normalize();
        else down.set(0, -1, 0);
        this.heavy.path(rope(p1, p2, joint.options.length?.[0] ?? 0, down), special ?? palette.rope);
        ball(p1, 0.4 * r);
        ball(p2, 0.4 * r);
        break;
      }
      case 'curve': {
        const numbers = joint.options.through ?? [],
          points: Vector3[] = [];
        for (let i = 0; i + 2 < numbers.length; i += 3) points.push(new Vector3(numbers[i], numbers[i + 1], numbers[i + 2]).applyMatrix4(at.F1));
        if (points.length > 1) {
          const closed = joint.options.closed !== undefined;
          this.heavy.path(new CatmullRomCurve3(points, closed, 'centripetal').getPoints(Math.min(400, 10 * points.length)), dim);
        }
        ball(p2, 0.6 * r);
        break;
      }
      case 'surface':
        this.drawSurface(joint, at, dim);
        ball(p2, 0.6 * r);
        break;
      case 'in-sphere':
        this.drawBall(p1, joint.options.radius?.[0] ?? 0, at, dim);
        ball(p2, 0.5 * r);
        break;
      case 'rolling': {
        const below = p2.clone().addScaledVector(i1, -p2.clone().sub(p1).dot(i1));
        this.heavy.path(circle(below, i1, j1, 1.5 * r, 32), ink);
        axis(p2, i2, Math.max(half, 1.5 * r), 0.3 * r, dim);
        break;
      }
      case 'angle':
      case 'twist':
        this.heavy.segment(p1, p1.clone().addScaledVector(i1, 4 * r), ink);
        this.heavy.segment(p1, p1.clone().addScaledVector(i2, 4 * r), dim);
        break;
      default: {
        // A kind that was not there when this was written: its locked directions say enough.
        const locked = placed.kind?.locked ?? 0;
        const free = [0, 1, 2].filter((k) => !bit(locked, 3 + k)),
          slides = [0, 1, 2].filter((k) => !bit(locked, k));
        const direction = [i1, j1, k1];
        for (const k of slides.length < 3 ? slides : []) axis(p2, direction[k]!, 3 * r, 0.2 * r, dim);
        if (free.length === 1) axis(p2, direction[free[0]!]!, 1.5 * r, 0.4 * r, ink);
        else ball(p2, 0.7 * r);
      }
    }
  }
  private drawBall(centre: Vector3, radius: number, { i1, j1, k1 }: JointPlace, colour: Color) {
    for (const [axis, zero] of [
      [i1, j1],
      [j1, k1],
      [k1, i1],
    ] as const)
      this.lines.path(circle(centre, axis, zero, radius, 64), colour);
  }
  private drawSurface(joint: Joint, at: JointPlace, colour: Color) {
    const { p1, i1, j1, k1 } = at;
    const { sphere, cylinder, torus, vertices, triangles } = joint.options;
    if (sphere) this.drawBall(p1, sphere[0] ?? 0, at, colour);
    else if (cylinder) {
      const radius = cylinder[0] ?? 0;
      for (const along of [-2, -1, 0, 1, 2]) this.lines.path(circle(p1.clone().addScaledVector(i1, along * radius), i1, j1, radius), colour);
    } else if (torus) {
      const [ring = 0, tube = 0] = torus;
      for (let k = 0; k < 12; ++k) {
        const a = (k * Math.PI) / 6;
        const out = j1.clone().multiplyScalar(Math.cos(a)).addScaledVector(k1, Math.sin(a));
        this.lines.path(circle(p1.clone().addScaledVector(out, ring), new Vector3().crossVectors(i1, out), out, tube, 24), colour);
      }
      this.lines.path(circle(p1, i1, j1, ring + tube, 72), colour);
    } else if (vertices && triangles && triangles.length <= 3000) {
      const point = (k: number) => new Vector3(vertices[3 * k], vertices[3 * k + 1], vertices[3 * k + 2]).applyMatrix4(at.F1);
      for (let t = 0; t + 2 < triangles.length; t += 3)
        this.lines.path(
          [0, 1, 2].map((k) => point(triangles[t + k]!)),
          colour,
          true,
        );
    }
  }

  // An open joint: from where the second point is to where it should be.
  private drawOpening({ kind, radius }: Placed, { p1, p2, i1, j1, k1 }: JointPlace, palette: Palette) {
    if (!kind || (kind.locked & 7) === 0) return;
    const d = p2.clone().sub(p1),
      to = p2.clone();
    [i1, j1, k1].forEach((axis, k) => {
      if (bit(kind.locked, k)) to.addScaledVector(axis, -d.dot(axis));
    });
    if (to.distanceTo(p2) < 0.25 * radius) return;
    const pieces = 9; // dashed
    for (let k = 0; k < pieces; k += 2) this.heavy.segment(p2.clone().lerp(to, k / pieces), p2.clone().lerp(to, (k + 1) / pieces), palette.error);
  }

  private rulesOf(joint: Joint, page: Page): Rule[] {
    const changed = page.state?.limits.filter((limit) => limit.joint === joint.name) ?? [];
    return [
      ...joint.rules.filter((rule) => !(rule.kind === 'limit' && changed.some((limit) => limit.coordinate === rule.coordinate))),
      ...changed.map((limit) => ({ ...limit, kind: 'limit' })),
    ];
  }
  private drawLimits(placed: Placed, at: JointPlace, page: Page, palette: Palette) {
    const { joint, radius: r, kind } = placed;
    for (const rule of this.rulesOf(joint, page)) {
      if (rule.kind !== 'limit' && rule.kind !== 'prefer') continue;
      const colour = rule.kind === 'limit' ? palette.range : palette.soft;
      const wide = (rule.kind === 'limit' ? 1 : 0.87) * placed.wide;
      const { p1, p2, i1, j1, i2, j2 } = at;
      const sector = (centre: Vector3, axis: Vector3, zero: Vector3, now: number, needle: Vector3, reach = wide) => {
        const shown = shownRange(rule.lower, rule.upper, now, Math.PI / 2);
        if (!shown) return;
        const points = arc(centre, axis, zero, reach, shown[0], Math.min(shown[1], shown[0] + 2 * Math.PI));
        this.sectors.fan(centre, points, colour);
        this.ranges.path(points, colour);
        if (rule.lower !== null) this.ranges.segment(centre, points[0]!, colour);
        if (rule.upper !== null) this.ranges.segment(centre, points[points.length - 1]!, colour);
        this.ranges.segment(centre, centre.clone().addScaledVector(needle, 1.12 * reach), palette.mark);
      };
      switch (rule.coordinate) {
        case 'angle':
          if (joint.kind === 'angle') this.drawCones(p1, at, rule, wide, colour, palette);
          else sector(joint.kind === 'pin' ? p1 : p2, i1, j1, angleAbout(i1, j1, j2), j2);
          break;
        case 'angle1':
        case 'angle2': {
          const { first, second } = hookeAngles(at.F1, at.F2);
          if (rule.coordinate === 'angle1') sector(p1, i1, j1, first, j2);
          else {
            const zero = i2.clone().applyAxisAngle(j2, -second);
            sector(p1, j2, zero, second, i2, 0.8 * wide);
          }
          break;
        }
        case 'swing':
          this.drawCones(joint.kind === 'ball' ? p1 : p2, at, rule, wide, colour, palette);
          break;
        case 'twist': {
          const zero = untwisted(i1, j1, i2);
          sector((joint.kind === 'ball' ? p1 : p2).clone().addScaledVector(i2, 0.9 * wide), i2, zero, angleAbout(i2, zero, j2), j2, 0.4 * wide);
          break;
        }
        case 'slide':
          if (kind && bit(kind.locked, 1)) {
            const shown = shownRange(rule.lower, rule.upper, p2.clone().sub(p1).dot(i1), 6 * r);
            if (!shown) break;
            const [a, b] = shown.map((s) =>
              p1
                .clone()
                .addScaledVector(i1, s)
                .addScaledVector(j1, 1.1 * r),
            ) as [Vector3, Vector3];
            this.ranges.segment(a, b, colour);
            for (const [end, is] of [
              [a, rule.lower],
              [b, rule.upper],
            ] as const)
              if (is !== null) this.ranges.segment(end.clone().addScaledVector(j1, -0.7 * r), end.clone().addScaledVector(j1, 0.7 * r), colour);
          }
          break;
        case 'radius':
          for (const radius of [rule.lower, rule.upper]) if (radius !== null && radius > 0) this.ranges.path(circle(p1, i1, j1, radius, 72), colour);
          break;
      }
    }
  }
  private drawCones(apex: Vector3, { i1, j1, i2 }: JointPlace, rule: Rule, slant: number, colour: Color, palette: Palette) {
    for (const angle of [rule.lower, rule.upper]) {
      if (angle === null || !(angle > 0.01) || angle > Math.PI - 0.01) continue;
      const rim = coneRim(apex, i1, j1, slant, angle);
      this.sectors.fan(apex, rim, colour);
      this.ranges.path(rim, colour);
    }
    this.ranges.segment(apex, apex.clone().addScaledVector(i2, 1.1 * slant), palette.mark);
  }

  // A force as large as all the weight is as long as two fifths of the scene.
  private drawForce({ joint, radius, centre }: Placed, page: Page, palette: Palette) {
    const force = page.joints[joint.name]?.force;
    if (!force || !this.weight) return;
    this.drawArrow(centre, new Vector3(...force), Math.min(0.35 * radius, 0.012 * this.extent), palette.force);
  }
  private drawArrow(from: Vector3, force: Vector3, thick: number, colour: Color) {
    const size = force.length();
    if (!Number.isFinite(size) || size < 1e-3 * this.weight) return;
    const length = Math.min((0.4 * this.extent * size) / this.weight, 1.2 * this.extent);
    const head = Math.min(5 * thick, 0.4 * length);
    const way = force.clone().divideScalar(size);
    const neck = from.clone().addScaledVector(way, length - head);
    this.arrowShafts.add(between(from, neck, thick), colour);
    this.arrowHeads.add(between(neck, from.clone().addScaledVector(way, length), 2.4 * thick), colour);
  }
  // Forces that someone put on a solid.
  private drawPulls(page: Page, palette: Palette) {
    for (const { solid, point, force } of page.state?.forces ?? []) {
      const at = this.placeOf(solid, point);
      if (at) this.drawArrow(at, new Vector3(...force), 0.008 * this.extent, palette.hand);
    }
  }
  private placeOf(solid: string, point: readonly number[], into = new Vector3()): Vector3 | null {
    const s = solid === '' ? -1 : this.world.index.get(solid);
    if (s === undefined || !this.world.frames.isFinite(s)) return null;
    return into.set(point[0]!, point[1]!, point[2]!).applyMatrix4(this.world.frames.get(s, made));
  }
  private drawSprings(page: Page, palette: Palette) {
    const springs = page.scene?.springs ?? [];
    for (const spring of springs) {
      const a = this.placeOf(spring.solid1, spring.point1),
        b = this.placeOf(spring.solid2, spring.point2);
      if (!a || !b) continue;
      if (springs.length > manySprings) this.lines.segment(a, b, palette.spring);
      else this.heavy.path(coil(a, b, Math.min(0.022 * this.extent, 0.1 * a.distanceTo(b)), 10), palette.spring);
    }
  }
  private drawPins(page: Page, palette: Palette, camera: { up: Vector3; back: Vector3; right: Vector3; perPixelAt: (point: Vector3) => number }) {
    const lean = camera.up.clone().multiplyScalar(0.85).addScaledVector(camera.back, 0.45).addScaledVector(camera.right, 0.28).normalize();
    for (const pin of page.state?.pins ?? []) {
      const body = this.world.bodies[this.world.index.get(pin.solid) ?? -1];
      const at = this.placeOf(pin.solid, pin.point ?? body?.box.getCenter(new Vector3()).toArray() ?? [0, 0, 0]);
      if (!at) continue;
      const scale = 30 * camera.perPixelAt(at);
      turn.setFromUnitVectors(up, lean);
      this.tacks.add(made.compose(at, turn, size.setScalar(pin.point ? scale : 1.25 * scale)), pin.point ? palette.pin : palette.pinSolid);
    }
  }
  private drawHands(page: Page, palette: Palette, hands: readonly Hand[]) {
    const own = new Set(hands.map((hand) => hand.id));
    const draw = (at: Vector3 | null, target: Vector3) => {
      if (!at) return;
      this.bands.segment(at, target, palette.hand);
      this.hands.add(at, palette.hand);
      this.hands.add(target, palette.hand);
    };
    for (const hand of hands) {
      if (hand.solid >= this.world.frames.count) continue;
      draw(hand.point.clone().applyMatrix4(this.world.frames.get(hand.solid, made)), hand.target);
    }
    for (const grab of page.state?.grabs ?? []) if (!own.has(grab.id)) draw(this.placeOf(grab.solid, grab.point), new Vector3(...grab.target));
  }
  private drawCentres(page: Page, palette: Palette) {
    for (const solid of page.scene?.solids ?? []) {
      if (solid.point_mass || solid.kind !== 'dynamic') continue;
      const at = this.placeOf(solid.name, solid.com);
      if (at) this.centres.add(at, palette.mark);
    }
  }
  dispose() {
    for (const batch of this.batches()) batch.dispose();
  }
}

// The two frames of a joint in the world.
class JointPlace {
  p1 = new Vector3();
  p2 = new Vector3();
  i1 = new Vector3();
  j1 = new Vector3();
  k1 = new Vector3();
  i2 = new Vector3();
  j2 = new Vector3();
  constructor(
    readonly F1: Matrix4,
    readonly F2: Matrix4,
  ) {
    F1.extractBasis(this.i1, this.j1, this.k1);
    F2.extractBasis(this.i2, this.j2, new Vector3());
    this.p1.setFromMatrixPosition(F1);
    this.p2.setFromMatrixPosition(F2);
  }
}
