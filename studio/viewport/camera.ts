// The camera as an orbit about a point: pure numbers first, then the rig that moves three's cameras by them.
// Yaw turns from +z (the front) towards +x, pitch rises towards +y: as in `tenon draw` and in `// view:` of a scene.
import { MathUtils, Matrix4, OrthographicCamera, PerspectiveCamera, Quaternion, Vector2, Vector3 } from 'three';

export interface Orbit {
  target: Vector3;
  yaw: number;
  pitch: number;
  distance: number;
}
export type StandardView = 'front' | 'back' | 'right' | 'left' | 'top' | 'bottom';

const pitchMost = Math.PI / 2;
export const fieldOfView = 32; // [deg], of the shorter side of the view

export const copyOf = (o: Orbit): Orbit => ({ ...o, target: o.target.clone() });

export function basisOf({ yaw, pitch }: { yaw: number; pitch: number }) {
  const sy = Math.sin(yaw),
    cy = Math.cos(yaw),
    sp = Math.sin(pitch),
    cp = Math.cos(pitch);
  const right = new Vector3(cy, 0, -sy);
  const back = new Vector3(sy * cp, sp, cy * cp);
  return { right, up: new Vector3().crossVectors(back, right), back };
}
export function turned(o: Orbit, dx: number, dy: number): Orbit {
  return { ...o, target: o.target.clone(), yaw: o.yaw - 0.006 * dx, pitch: MathUtils.clamp(o.pitch + 0.006 * dy, -pitchMost, pitchMost) };
}
// `perPixel`: metres at the target's depth.
export function panned(o: Orbit, dx: number, dy: number, perPixel: number): Orbit {
  const { right, up } = basisOf(o);
  return {
    ...o,
    target: o.target
      .clone()
      .addScaledVector(right, -dx * perPixel)
      .addScaledVector(up, dy * perPixel),
  };
}
// Nearer by a factor; what is under the pointer (`x`, `y` metres from the view's middle, at the target's depth) stays.
export function zoomed(o: Orbit, factor: number, x: number, y: number): Orbit {
  const { right, up } = basisOf(o);
  const stay = 1 - factor;
  return {
    ...o,
    distance: o.distance * factor,
    target: o.target
      .clone()
      .addScaledVector(right, x * stay)
      .addScaledVector(up, y * stay),
  };
}
export function standardView(view: StandardView): { yaw: number; pitch: number } {
  const half = Math.PI / 2;
  return {
    front: { yaw: 0, pitch: 0 },
    back: { yaw: 2 * half, pitch: 0 },
    right: { yaw: half, pitch: 0 },
    left: { yaw: -half, pitch: 0 },
    top: { yaw: 0, pitch: half },
    bottom: { yaw: 0, pitch: -half },
  }[view];
}
// The nearest orbit from this direction that sees all points. `tall`, `wide`: tangents of half the fields of view.
export function fitted(points: readonly Vector3[], yaw: number, pitch: number, tall: number, wide: number, margin = 1.12): Orbit {
  const { right, up, back } = basisOf({ yaw, pitch });
  const low = new Vector3(Infinity, Infinity, Infinity),
    high = new Vector3(-Infinity, -Infinity, -Infinity),
    p = new Vector3();
  const within = (point: Vector3) => p.set(point.dot(right), point.dot(up), point.dot(back));
  for (const point of points) {
    within(point);
    low.min(p);
    high.max(p);
  }
  if (!points.length || !Number.isFinite(low.x + high.x)) return { target: new Vector3(), yaw, pitch, distance: 3 };
  const middle = low.clone().add(high).multiplyScalar(0.5);
  let distance = 1e-3;
  for (const point of points) {
    within(point).sub(middle);
    distance = Math.max(distance, (margin * Math.abs(p.x)) / wide + p.z, (margin * Math.abs(p.y)) / tall + p.z);
  }
  const target = new Vector3().addScaledVector(right, middle.x).addScaledVector(up, middle.y).addScaledVector(back, middle.z);
  return { target, yaw, pitch, distance };
}
// `// view: front` or `// view: yaw 30 pitch 15` in a scene's text.
export function viewOfText(text: string): { yaw: number; pitch: number } | null {
  const said = /^\s*\/\/\s*view:\s*(.+)$/m.exec(text)?.[1];
  if (!said) return null;
  const named = /^(front|back|right|left|top|bottom)\b/.exec(said)?.[1];
  const number = (name: string) => new RegExp(`${name}\\s+(-?[\\d.]+)`).exec(said)?.[1];
  const yaw = number('yaw'),
    pitch = number('pitch');
  if (!named && yaw === undefined && pitch === undefined) return null;
  const base = named ? standardView(named as StandardView) : { yaw: 0, pitch: 0 };
  const rad = Math.PI / 180;
  return { yaw: yaw === undefined ? base.yaw : Number(yaw) * rad, pitch: pitch === undefined ? base.pitch : Number(pitch) * rad };
}
const shortWay = (from: number, to: number) => from + MathUtils.euclideanModulo(to - from + Math.PI, 2 * Math.PI) - Math.PI;
export function between(a: Orbit, b: Orbit, t: number): Orbit {
  const s = t * t * (3 - 2 * t);
  return {
    target: a.target.clone().lerp(b.target, s),
    yaw: MathUtils.lerp(a.yaw, shortWay(a.yaw, b.yaw), s),
    pitch: MathUtils.lerp(a.pitch, b.pitch, s),
    distance: a.distance * Math.pow(b.distance / a.distance, s),
  };
}

const stillPreferred = () => typeof matchMedia === 'function' && matchMedia('(prefers-reduced-motion: reduce)').matches;

export class CameraRig {
  readonly perspective = new PerspectiveCamera(fieldOfView, 1, 0.01, 1000);
  readonly orthographic = new OrthographicCamera(-1, 1, 1, -1, -1000, 1000);
  orthographicOn = false;
  orbit: Orbit = { target: new Vector3(), yaw: 0.55, pitch: 0.32, distance: 4 };
  extent = 1; // radius of what there is to see, for the clipping planes
  foot = 0; // [px] at the bottom that something else covers
  side = 0; // [px] at the right
  private width = 1;
  private height = 1;
  private way: { from: Orbit; to: Orbit; begun: number; duration: number } | null = null;
  private framed: { points: readonly Vector3[]; yaw: number; pitch: number } | null = null; // until someone moves the camera

  constructor(private changed: () => void) {}

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.orthographicOn ? this.orthographic : this.perspective;
  }
  resize(width: number, height: number) {
    [this.width, this.height] = [Math.max(width, 1), Math.max(height, 1)];
    this.apply();
  }
  // For a view of another size: what was framed is framed anew, unless someone has moved the camera since.
  reframe() {
    if (!this.framed) return;
    const { points, yaw, pitch } = this.framed;
    const to = this.framing(points, yaw, pitch);
    if (this.way) this.way.to = to;
    else this.use(to);
  }
  private tangents() {
    const short = Math.tan(MathUtils.degToRad(fieldOfView / 2));
    const aspect = this.width / this.height;
    return aspect > 1 ? { tall: short, wide: short * aspect } : { tall: short / aspect, wide: short };
  }
  // Metres a pixel at a depth from the camera (default: of the target).
  perPixel(depth = this.orbit.distance): number {
    return (2 * this.tangents().tall * (this.orthographicOn ? this.orbit.distance : depth)) / this.height;
  }
  apply() {
    const { target, distance } = this.orbit;
    const { right, up, back } = basisOf(this.orbit);
    const { tall, wide } = this.tangents();
    const rotation = new Quaternion().setFromRotationMatrix(new Matrix4().makeBasis(right, up, back));
    const p = this.perspective,
      o = this.orthographic;
    const far = distance + 40 * this.extent;
    p.fov = MathUtils.radToDeg(2 * Math.atan(tall));
    p.aspect = this.width / this.height;
    p.near = Math.max(distance * 0.01, far * 1e-5);
    p.far = far;
    p.position.copy(target).addScaledVector(back, distance);
    p.quaternion.copy(rotation);
    o.left = -(o.right = wide * distance);
    o.bottom = -(o.top = tall * distance);
    o.near = -20 * this.extent;
    o.far = far + 20 * this.extent;
    o.position.copy(p.position);
    o.quaternion.copy(rotation);
    for (const camera of [p, o]) {
      camera.updateProjectionMatrix();
      camera.updateMatrixWorld();
    }
  }
  private use(orbit: Orbit) {
    this.way = null;
    this.orbit = orbit;
    this.limit();
    this.apply();
    this.changed();
  }
  private limit() {
    this.orbit.distance = MathUtils.clamp(this.orbit.distance, 1e-3 * this.extent, 60 * this.extent);
  }
  turn(dx: number, dy: number) {
    this.framed = null;
    this.use(turned(this.orbit, dx, dy));
  }
  pan(dx: number, dy: number) {
    this.framed = null;
    this.use(panned(this.orbit, dx, dy, this.perPixel()));
  }
  // `x`, `y`: of the pointer, pixels from the middle of the view, y upwards.
  zoom(factor: number, x = 0, y = 0) {
    const per = this.perPixel();
    this.framed = null;
    this.use(zoomed(this.orbit, factor, x * per, y * per));
  }
  go(to: Orbit, smoothly = true) {
    this.framed = null;
    if (!smoothly || stillPreferred()) return this.use(to);
    this.way = { from: copyOf(this.orbit), to, begun: performance.now(), duration: 320 };
    this.changed();
  }
  frame(points: readonly Vector3[], smoothly = true, view?: { yaw: number; pitch: number }) {
    const { yaw, pitch } = view ?? this.way?.to ?? this.orbit;
    this.go(this.framing(points, yaw, pitch), smoothly);
    this.framed = { points, yaw, pitch };
  }
  // The orbit that sees all points beside what covers the view's edges.
  private framing(points: readonly Vector3[], yaw: number, pitch: number): Orbit {
    const { tall, wide } = this.tangents();
    const covered = this.height > 5 * this.foot ? this.foot / this.height : 0;
    const beside = this.width > 5 * this.side ? this.side / this.width : 0;
    const orbit = fitted(points, yaw, pitch, tall * (1 - covered), wide * (1 - beside));
    const { right, up } = basisOf(orbit);
    orbit.target.addScaledVector(up, -covered * tall * orbit.distance).addScaledVector(right, beside * wide * orbit.distance);
    return orbit;
  }
  look(view: StandardView) {
    this.go({ ...copyOf(this.way?.to ?? this.orbit), ...standardView(view) });
  }
  lookOpposite() {
    const now = copyOf(this.way?.to ?? this.orbit);
    this.go({ ...now, yaw: now.yaw + Math.PI, pitch: -now.pitch });
  }
  toggleOrthographic() {
    this.orthographicOn = !this.orthographicOn;
    this.apply();
    this.changed();
  }
  // Whether it is still on its way.
  advance(now: number): boolean {
    if (!this.way) return false;
    const t = Math.min(1, (now - this.way.begun) / this.way.duration);
    this.orbit = between(this.way.from, this.way.to, Math.max(0, t));
    if (t >= 1) this.way = null;
    this.apply();
    return this.way !== null;
  }
  // Pixels from the left upper corner; z > 1: not in front.
  project(point: Vector3): Vector3 {
    const p = point.clone().project(this.camera);
    return p.set(((p.x + 1) / 2) * this.width, ((1 - p.y) / 2) * this.height, p.z);
  }
  toDevice(x: number, y: number, into = new Vector2()): Vector2 {
    return into.set((2 * x) / this.width - 1, 1 - (2 * y) / this.height);
  }
}
