// The view in a headset: the mechanism about a metre and a half in front, two controllers that grab with position and
// orientation, a thumbstick to move. The user is made as large as fits the scene; the scene itself keeps its metres, so
// that what hands say needs no conversion.
//
// For tests, the view's `headset` enters and leaves, and tells what the hands hold (an emulator such as `iwer` has to be
// installed before the view is made, or `refresh()` called afterwards).
import {
  BufferGeometry,
  Float32BufferAttribute,
  Group,
  LatheGeometry,
  Line,
  LineBasicMaterial,
  MathUtils,
  Matrix4,
  Mesh,
  MeshStandardMaterial,
  Quaternion,
  Ray,
  SphereGeometry,
  Vector2,
  Vector3,
} from 'three';
import type { Engine } from '../engine/client';
import type { Quat, Vec3 } from '../store/store';
import type { Headset } from '../viewport/headset';
import type { View } from '../viewport/view';

// Where a hand that took hold of a solid takes it: the point and the orientation keep their place in the hand.
export class Grip {
  private point: Vector3;
  private turn: Quaternion;
  constructor(hand: Matrix4, point: Vector3, orientation: Quaternion) {
    this.point = point.clone().applyMatrix4(hand.clone().invert());
    this.turn = turnOf(hand).invert().multiply(orientation);
  }
  at(hand: Matrix4): { target: Vector3; orientation: Quaternion } {
    return { target: this.point.clone().applyMatrix4(hand), orientation: turnOf(hand).multiply(this.turn) };
  }
}
const turnOf = (matrix: Matrix4): Quaternion => {
  const q = new Quaternion();
  matrix.decompose(new Vector3(), q, new Vector3());
  return q;
};

// How large the user is, and where: the scene's middle is at `ahead` of the headset's space, half as wide as an arm.
export function standFor(centre: Vector3, extent: number, ahead: Vector3): { position: Vector3; scale: number } {
  const scale = extent / 0.55;
  return { position: centre.clone().addScaledVector(ahead, -scale), scale };
}

interface Controller {
  space: Group;
  ray: Line<BufferGeometry, LineBasicMaterial>;
  dot: Mesh;
  source: XRInputSource | null;
  held: { id: number; solid: string; grip: Grip; button: 'select' | 'squeeze' } | null;
  hit: string | null;
}

const ahead = new Vector3(0, 1.15, -1.5);
const triple = (v: Vector3): Vec3 => [v.x, v.y, v.z];
const quat = (q: Quaternion): Quat => [q.x, q.y, q.z, q.w];

export class Xr {
  readonly hook: Headset;
  private user = new Group();
  private controllers: Controller[] = [];
  private available = false;
  private drawn = 0;
  private session: XRSession | null = null;
  private last = 0;
  private turned = false; // the stick has to come back before it turns again
  private listeners = new Set<() => void>();

  constructor(
    private view: View,
    private engine: Pick<Engine, 'grab' | 'move' | 'release'>,
    private newId: () => number,
  ) {
    view.renderer.xr.enabled = true;
    view.stage.add(this.user);
    for (const index of [0, 1]) this.controllers.push(this.makeController(index));
    this.hook = {
      supported: () => this.available,
      refresh: () => this.refresh(),
      enter: () => this.enter(),
      leave: () => this.leave(),
      presenting: () => this.view.renderer.xr.isPresenting,
      frames: () => this.drawn,
      controllers: () =>
        this.controllers.map(({ space, source, hit, held }) => {
          const ray = this.rayOf(space);
          return { connected: source !== null, position: triple(ray.origin), direction: triple(ray.direction), hit, held: held?.solid ?? null };
        }),
      centre: () => [ahead.x, ahead.y, ahead.z],
      scale: () => this.user.scale.x,
    };
    void this.refresh();
  }
  onChange(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  private changed() {
    for (const listener of this.listeners) listener();
  }
  private async refresh(): Promise<boolean> {
    this.available = (await navigator.xr?.isSessionSupported('immersive-vr').catch(() => false)) ?? false;
    this.changed();
    return this.available;
  }
  private makeController(index: number): Controller {
    const space = this.view.renderer.xr.getController(index);
    const body = new Mesh(
      new LatheGeometry(
        [
          [0, -0.05],
          [0.013, -0.045],
          [0.016, 0],
          [0.011, 0.075],
          [0, 0.08],
        ].map(([r, y]) => new Vector2(r, y)),
        20,
      ),
      new MeshStandardMaterial({ color: index ? '#e2703a' : '#2f7de1', roughness: 0.4 }),
    );
    body.rotation.x = Math.PI / 2; // along the ray
    const line = new BufferGeometry().setAttribute('position', new Float32BufferAttribute([0, 0, 0, 0, 0, -1], 3));
    const ray = new Line(line, new LineBasicMaterial({ color: '#8cc2ff', transparent: true, opacity: 0.8 }));
    const dot = new Mesh(new SphereGeometry(0.008, 12, 8), new MeshStandardMaterial({ color: '#ff6aa2', emissive: '#ff6aa2', emissiveIntensity: 0.6 }));
    dot.visible = false;
    space.add(body, ray, dot);
    this.user.add(space);
    const controller: Controller = { space, ray, dot, source: null, held: null, hit: null };
    space.addEventListener('connected', (event) => (controller.source = event.data));
    space.addEventListener('disconnected', () => {
      this.release(controller);
      controller.source = null;
    });
    for (const button of ['select', 'squeeze'] as const) {
      space.addEventListener(`${button}start`, () => this.grab(controller, button));
      space.addEventListener(`${button}end`, () => controller.held?.button === button && this.release(controller));
    }
    return controller;
  }
  async enter(): Promise<void> {
    if (this.session || !navigator.xr) return;
    const { xr } = this.view.renderer;
    const session = await navigator.xr.requestSession('immersive-vr', { optionalFeatures: ['local-floor'] });
    const onFloor = session.enabledFeatures?.includes('local-floor') ?? true;
    xr.setReferenceSpaceType(onFloor ? 'local-floor' : 'local');
    this.session = session;
    session.addEventListener('end', this.ended);
    const stand = standFor(this.view.centre, this.view.extent, onFloor ? ahead : ahead.clone().setY(-0.35));
    this.user.position.copy(stand.position);
    this.user.rotation.set(0, 0, 0);
    this.user.scale.setScalar(stand.scale);
    // A headset's camera is a child of whom it belongs to; the clipping planes are in the user's metres.
    this.user.add(this.view.rig.perspective);
    this.view.rig.orthographicOn = false;
    this.clip();
    this.drawn = 0;
    this.last = 0;
    this.view.renderer.setAnimationLoop((now) => this.draw(now));
    await xr.setSession(session);
    this.changed();
  }
  private clip() {
    const { perspective } = this.view.rig;
    [perspective.near, perspective.far] = [0.04, 80];
  }
  async leave(): Promise<void> {
    await this.session?.end();
  }
  private ended = () => {
    for (const controller of this.controllers) this.release(controller);
    this.session = null;
    this.view.renderer.setAnimationLoop(null);
    this.user.remove(this.view.rig.perspective);
    this.user.scale.setScalar(1);
    const { width, height } = this.view.size;
    this.view.setSize(width, height, Math.min(devicePixelRatio || 1, 2));
    this.view.rig.apply();
    this.view.invalidate();
    this.changed();
  };
  private draw(now: number) {
    const seconds = this.last ? Math.min(0.1, (now - this.last) / 1000) : 0;
    this.last = now;
    this.walk(seconds);
    this.clip();
    this.user.updateMatrixWorld(true);
    for (const controller of this.controllers) this.follow(controller);
    this.view.draw(now);
    ++this.drawn;
  }
  private rayOf(space: Group): Ray {
    const origin = new Vector3().setFromMatrixPosition(space.matrixWorld);
    return new Ray(origin, new Vector3(0, 0, -1).transformDirection(space.matrixWorld));
  }
  private follow(controller: Controller) {
    const { space, ray, dot, held } = controller;
    if (!controller.source) return;
    const scale = this.user.scale.x;
    if (held) {
      const { target, orientation } = held.grip.at(space.matrixWorld);
      this.engine.move(held.id, triple(target), quat(orientation));
      const hand = this.view.hands.get(held.id);
      if (hand) hand.target.copy(target);
      return;
    }
    const line = this.rayOf(space);
    const hit = this.view.pickAlong(line);
    controller.hit = hit?.grabbable ? hit.solid : null;
    const length = hit ? hit.point.distanceTo(line.origin) / scale : 4;
    ray.scale.z = length;
    ray.material.opacity = hit?.grabbable ? 1 : 0.45;
    dot.visible = hit !== null;
    dot.position.z = -length;
  }
  private grab(controller: Controller, button: 'select' | 'squeeze') {
    if (controller.held) return;
    const { space } = controller;
    space.updateWorldMatrix(true, false);
    const hit = this.view.pickAlong(this.rayOf(space));
    const solid = hit && this.view.world.index.get(hit.solid);
    if (!hit?.grabbable || solid === null || solid === undefined) return;
    const orientation = turnOf(this.view.world.frames.get(solid, new Matrix4()));
    const id = this.newId();
    controller.held = { id, solid: hit.solid, grip: new Grip(space.matrixWorld, hit.point, orientation), button };
    this.view.hands.set(id, { id, solid, point: hit.local, target: hit.point.clone() });
    this.engine.grab(id, hit.solid, triple(hit.local), triple(hit.point), quat(orientation));
  }
  private release(controller: Controller) {
    const { held } = controller;
    if (!held) return;
    controller.held = null;
    this.view.hands.delete(held.id);
    this.engine.release(held.id);
  }
  // The left stick walks, the right one turns by eighths and lifts.
  private walk(seconds: number) {
    const speed = 1.2 * this.user.scale.x * seconds;
    const camera = this.view.renderer.xr.getCamera();
    const look = new Vector3(0, 0, -1).transformDirection(camera.matrixWorld).setY(0);
    if (look.lengthSq() < 1e-6) return;
    look.normalize();
    const side = new Vector3(-look.z, 0, look.x);
    let turns = false;
    for (const { source } of this.controllers) {
      const axes = source?.gamepad?.axes;
      if (!axes) continue;
      const dead = (v: number | undefined) => (v !== undefined && Math.abs(v) > 0.15 ? v : 0);
      const x = dead(axes[2]) || dead(axes[0]),
        y = dead(axes[3]) || dead(axes[1]);
      if (source.handedness === 'right') {
        this.user.position.y -= y * speed;
        if (Math.abs(x) > 0.6) {
          turns = true;
          if (!this.turned) this.turn(-Math.sign(x) * (Math.PI / 4));
        }
      } else this.user.position.addScaledVector(look, -y * speed).addScaledVector(side, x * speed);
    }
    this.turned = turns;
  }
  // About the head, which stays where it is.
  private turn(angle: number) {
    const head = new Vector3().setFromMatrixPosition(this.view.renderer.xr.getCamera().matrixWorld);
    const from = this.user.position
      .clone()
      .sub(head)
      .applyAxisAngle(new Vector3(0, 1, 0), angle);
    this.user.position.copy(head).add(from);
    this.user.rotation.y = MathUtils.euclideanModulo(this.user.rotation.y + angle, 2 * Math.PI);
  }
  dispose() {
    void this.leave();
  }
}
