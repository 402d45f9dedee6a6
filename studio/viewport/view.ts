// The view without React: owns the canvas' renderer, follows the store, draws when something changed. Tools ask it what
// is under a pointer and tell it of hands.
import {
  Box3,
  CanvasTexture,
  Color,
  DirectionalLight,
  Frustum,
  HemisphereLight,
  Matrix4,
  NeutralToneMapping,
  PCFSoftShadowMap,
  type Ray,
  Raycaster,
  Scene as Stage,
  Sphere,
  SRGBColorSpace,
  Vector3,
  WebGLRenderer,
} from 'three';
import { methodColour } from '../store/colours';
import { initialPage, type Page, type PageStore, type Quat, type Scene, type Vec3 } from '../store/store';
import type { Headset } from './headset';
import { basisOf, CameraRig, type StandardView, viewOfText } from './camera';
import { isDark, type Palette, paletteOf } from './colours';
import { Ground } from './ground';
import { type Hand, Marks } from './joints';
import { picture } from './picture';
import { World } from './world';

export interface Hit {
  solid: string;
  point: Vector3; // world
  local: Vector3; // solid's frame
  grabbable: boolean;
}

// One solid, and joints that need every kind of sign.
const still = { position: [0, 0, 0] as Vec3, rotation: [0, 0, 0, 1] as Quat };
const sample: Scene = {
  title: '',
  name: '',
  gravity: [0, -9.81, 0],
  duration: 0,
  floors: [],
  springs: [],
  parameters: [],
  problems: [],
  settings: { method: '', solver: '', iterations: 0, tolerance: 0, alpha: 0, beta: 0, dt: 0, budget: 0 },
  solids: ['a', 'b'].map((name) => ({
    name,
    kind: 'dynamic',
    point_mass: false,
    mass: 1,
    com: [0, 0, 0],
    colour: [0.5, 0.5, 0.5],
    groups: [],
    shared: false,
    line: 0,
    shapes: [{ kind: 'box', size: [0.1, 0.1, 0.1], position: [0, 0, 0], rotation: [0, 0, 0, 1] }],
  })),
  joints: ['pin', 'ball', 'distance', 'rope', 'planar'].map((kind) => ({
    name: kind,
    kind,
    solid1: 'a',
    solid2: 'b',
    frame1: still,
    frame2: still,
    rules: [],
    options: {},
    compliance: 0,
    shared: false,
    line: 0,
  })),
};

export class View {
  readonly renderer: WebGLRenderer;
  readonly stage = new Stage();
  readonly world = new World();
  readonly marks = new Marks(this.world);
  readonly rig = new CameraRig(() => this.invalidate());
  readonly hands = new Map<number, Hand>();
  palette: Palette = paletteOf('light');
  extent = 1;
  headset: Headset | null = null; // once its tools are installed
  readonly centre = new Vector3();
  floor = 0; // its height
  private key = new DirectionalLight('#fff6ea', 2.2);
  private fill = new HemisphereLight('#ffffff', '#888888', 1);
  // Three lights and no picture of a room: blurring one takes longer than all else here, where no graphics card helps.
  private rim = new DirectionalLight('#dbe8ff', 1);
  private side = new DirectionalLight('#ffffff', 1);
  private ground = new Ground();
  private raycaster = new Raycaster();
  private dark: boolean | null = null;
  private asked = 0;
  private stale = true; // what is drawn is not what the store says
  private unsubscribe: () => void;
  private observer: ResizeObserver;
  private scheme = matchMedia('(prefers-color-scheme: dark)');
  private schemeChanged = () => this.follow(this.page.getState(), this.page.getState()); // the camera stays
  private beforeDraw = new Set<(now: number) => void>();

  constructor(
    readonly canvas: HTMLCanvasElement,
    readonly parent: HTMLElement,
    private page: PageStore,
  ) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.toneMapping = NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFSoftShadowMap;
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(2048, 2048);
    this.key.shadow.radius = 5;
    this.stage.add(
      this.world.object,
      this.marks.object,
      this.ground.object,
      this.key,
      this.key.target,
      this.fill,
      this.rim,
      this.rim.target,
      this.side,
      this.side.target,
    );
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(parent);
    this.scheme.addEventListener('change', this.schemeChanged);
    canvas.addEventListener('webglcontextrestored', this.invalidate);
    this.rig.foot = 60; // the transport
    this.rig.side = page.getState().embed ? 0 : 48; // the buttons of the view
    this.follow(page.getState(), null);
    if (!page.getState().scene) this.warmUp();
    this.resize();
    this.unsubscribe = page.subscribe((now, before) => this.follow(now, before));
  }

  // ---------------------------------------------------------------------------------- what the page's commands need
  frame = (): void => {
    const { selection, scene } = this.page.getState();
    const chosen = new Set(selection.solids.map((name) => this.world.index.get(name)));
    for (const joint of scene?.joints ?? [])
      if (selection.joints.includes(joint.name)) for (const name of [joint.solid1, joint.solid2]) chosen.add(this.world.index.get(name));
    chosen.delete(undefined);
    this.rig.frame(this.world.corners(chosen.size > 0 ? (chosen as Set<number>) : undefined));
  };
  frameAll = (): void => this.rig.frame(this.world.corners());
  frameMoving = (): void => this.rig.frame(this.world.corners(this.moving()));
  look = (from: StandardView): void => this.rig.look(from);
  lookOpposite = (): void => this.rig.lookOpposite();
  flipProjection = (): void => this.rig.toggleOrthographic();
  isParallel = (): boolean => this.rig.orthographicOn;
  onTurn = (listener: (yaw: number, pitch: number) => void): (() => void) => {
    const tell = (): void => listener(this.rig.orbit.yaw, this.rig.orbit.pitch);
    tell();
    return this.onDraw(tell);
  };
  onSight = (listener: (seen: boolean) => void): (() => void) => {
    let seen: boolean | null = null;
    return this.onDraw(() => {
      const sees = this.seesMoving();
      if (sees !== seen) listener((seen = sees));
    });
  };
  private moving(): number[] {
    return (this.world.scene?.solids ?? []).flatMap(({ kind }, s) => (kind === 'immobile' ? [] : [s]));
  }
  // Whether any of what can move is in the view, as a ball around each; true where nothing can.
  private seesMoving(): boolean {
    const { camera } = this.rig;
    const frustum = new Frustum().setFromProjectionMatrix(new Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
    const sphere = new Sphere(),
      matrix = new Matrix4();
    const solids = this.world.scene?.solids ?? [];
    let anyMoves = false;
    for (let s = 0; s < solids.length; ++s) {
      const body = this.world.bodies[s];
      if (!body || solids[s]!.kind === 'immobile') continue;
      anyMoves = true;
      if (this.world.frames.isFinite(s) && frustum.intersectsSphere(body.box.getBoundingSphere(sphere).applyMatrix4(this.world.frames.get(s, matrix))))
        return true;
    }
    return !anyMoves;
  }
  picture = (width?: number, height?: number): Promise<Blob> => picture(this, width, height);

  // ---------------------------------------------------------------------------------- drawing
  invalidate = (): void => {
    this.stale = true;
    if (this.asked || this.renderer.xr.isPresenting) return;
    this.asked = requestAnimationFrame((now) => {
      this.asked = 0;
      if (this.rig.advance(now)) this.invalidate();
      this.draw(now);
    });
  };
  // Called before each drawing: for what waits for the next frame anyway.
  onDraw(listener: (now: number) => void): () => void {
    this.beforeDraw.add(listener);
    return () => this.beforeDraw.delete(listener);
  }
  // A first drawing of one of each, before there is a scene: shaders are translated while the engine is still loading.
  private warmUp() {
    const page: Page = { ...initialPage, scene: sample, poses: new Float32Array(14).fill(1) };
    this.world.setScene(sample);
    this.world.setPoses(page.poses);
    this.marks.setScene(page, 1);
    this.world.tint(new Map());
    this.refresh(page);
    this.renderer.render(this.stage, this.rig.camera);
    this.world.setScene(null);
    this.marks.setScene(initialPage, 1);
  }
  draw(now = performance.now()) {
    const { scene, notices } = this.page.getState();
    if (!scene && notices.length === 0) return; // not yet: an empty ground is nothing to wait for
    for (const listener of this.beforeDraw) listener(now);
    if (this.stale || this.renderer.xr.isPresenting) this.refresh();
    this.stale = false;
    this.renderer.render(this.stage, this.rig.camera);
  }
  private refresh(now = this.page.getState()) {
    const { right, up, back } = basisOf(this.rig.orbit);
    const eye = this.rig.camera.position;
    this.decorate(now);
    this.marks.update(now, this.palette, [...this.hands.values()], {
      right,
      up,
      back,
      perPixelAt: ({ x, y, z }) => this.rig.perPixel(Math.max(1e-6, (eye.x - x) * back.x + (eye.y - y) * back.y + (eye.z - z) * back.z)),
    });
  }
  private resize() {
    const { clientWidth: width, clientHeight: height } = this.parent;
    if (width === 0 || height === 0 || this.renderer.xr.isPresenting) return;
    this.setSize(width, height, Math.min(devicePixelRatio || 1, 2));
    this.rig.reframe();
    this.draw(); // at once: a canvas that was resized is empty
  }
  setSize(width: number, height: number, ratio: number) {
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
    this.world.setResolution(width, height);
    this.marks.setPixelRatio(ratio);
    this.rig.resize(width, height);
    this.stale = true;
  }
  get size() {
    return { width: this.parent.clientWidth, height: this.parent.clientHeight };
  }

  // ---------------------------------------------------------------------------------- following the store
  private follow(now: Page, before: Page | null) {
    const sceneIsNew = now.scene !== before?.scene;
    const dark = isDark(now.theme);
    if (dark !== this.dark) this.setTheme(now);
    if (sceneIsNew) {
      this.world.setScene(now.scene);
      this.world.setPoses(now.poses);
    }
    if (sceneIsNew || now.catalogue !== before?.catalogue) {
      if (sceneIsNew) this.measure(now, !before?.scene || !now.scene || before.scene.name !== now.scene.name || before.scene.title !== now.scene.title);
      this.marks.setScene(now, this.extent);
    }
    if (now.poses !== before?.poses && !sceneIsNew) {
      const first = (before?.poses.length ?? 0) !== now.poses.length;
      this.world.setPoses(now.poses);
      if (first && now.scene) {
        this.measure(now, true);
        this.marks.setScene(now, this.extent);
      }
    }
    if (sceneIsNew || now.ghosts !== before?.ghosts)
      this.world.setGhosts(
        now.scene ? now.ghosts.map((ghost) => ({ method: ghost.method, poses: ghost.poses, colour: methodColour(now.catalogue, ghost.method) })) : [],
      );
    if (now.show !== before?.show) {
      this.ground.show(now.show.grid, now.show.shadows);
      this.key.castShadow = now.show.shadows;
    }
    if (!before || relevant.some((name) => now[name] !== before[name])) this.invalidate();
  }
  // How large it all is; `newScene`: also where the camera begins.
  private measure(now: Page, newScene: boolean) {
    const corners = this.world.corners();
    const box = new Box3().setFromPoints(corners);
    if (box.isEmpty()) box.set(new Vector3(-0.5, 0, -0.5), new Vector3(0.5, 1, 0.5));
    this.extent = Math.max(box.getSize(new Vector3()).length() / 2, 1e-3);
    box.getCenter(this.centre);
    this.rig.extent = this.extent;
    const level = now.scene?.floors.find((floor) => floor.normal[1] > 0.99 * Math.hypot(...floor.normal));
    // What hangs below zero has its ground below it.
    this.floor = level ? level.point[1] : box.min.y > -0.02 * this.extent ? 0 : box.min.y - 0.03 * this.extent;
    if (!level && this.floor === 0 && box.min.y > 1.5 * this.extent) this.floor = box.min.y - 0.5 * this.extent;
    this.ground.place(this.centre, this.floor - 5e-4 * this.extent, this.extent);
    this.placeLight();
    if (newScene && corners.length > 0) {
      const view = viewOfText(now.text) ?? { yaw: 0.55, pitch: 0.3 };
      this.rig.frame(corners, false, view);
    } else this.rig.apply();
  }
  private placeLight() {
    const r = 2.2 * this.extent;
    this.key.position.copy(this.centre).add(new Vector3(-0.62, 1.3, 0.85).multiplyScalar(2.2 * this.extent));
    this.key.target.position.copy(this.centre);
    this.rim.position.copy(this.centre).add(new Vector3(0.7, 0.5, -1));
    this.side.position.copy(this.centre).add(new Vector3(1, 0.25, 0.6));
    for (const light of [this.rim, this.side]) light.target.position.copy(this.centre);
    const camera = this.key.shadow.camera;
    camera.left = camera.bottom = -r;
    camera.right = camera.top = r;
    camera.near = 0.05 * this.extent;
    camera.far = 9 * this.extent;
    camera.updateProjectionMatrix();
    this.key.shadow.bias = -2e-4;
    this.key.shadow.normalBias = 0.004 * this.extent;
  }
  private setTheme(now: Page) {
    this.dark = isDark(now.theme);
    this.palette = paletteOf(now.theme);
    const { palette } = this;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [2, 256];
    const context = canvas.getContext('2d');
    if (context) {
      const sky = context.createLinearGradient(0, 0, 0, 256);
      sky.addColorStop(0, palette.skyTop);
      sky.addColorStop(1, palette.skyBottom);
      context.fillStyle = sky;
      context.fillRect(0, 0, 2, 256);
    }
    (this.stage.background as CanvasTexture | null)?.dispose();
    const texture = new CanvasTexture(canvas);
    texture.colorSpace = SRGBColorSpace;
    this.stage.background = texture;
    this.ground.setPalette(palette);
    this.key.intensity = palette.key;
    this.fill.intensity = palette.hemisphere;
    this.fill.color.set(palette.hemisphereSky);
    this.fill.groundColor.set(palette.hemisphereGround);
    this.rim.intensity = palette.rim;
    this.side.intensity = palette.side;
    this.invalidate();
  }
  // What is selected, under the pointer, frozen or merged, on the solids themselves.
  private decorate(now: Page) {
    const { palette, world } = this;
    const tints = new Map<number, { colour: Color; amount: number }>();
    const outlines: { solid: number; colour: Color; pixels: number }[] = [];
    mergedGroups(now).forEach((group, k) => {
      for (const name of group) {
        const solid = world.index.get(name);
        if (solid === undefined) continue;
        const colour = palette.merged[k % palette.merged.length]!;
        outlines.push({ solid, colour, pixels: 2 });
        tints.set(solid, { colour, amount: 0.12 });
      }
    });
    const hovered = now.hovered === null ? undefined : world.index.get(now.hovered);
    if (hovered !== undefined && !now.selection.solids.includes(now.hovered!)) {
      tints.set(hovered, { colour: palette.hover, amount: 0.16 });
      outlines.push({ solid: hovered, colour: palette.hover, pixels: 1.6 });
    }
    for (const name of now.selection.solids) {
      const solid = world.index.get(name);
      if (solid === undefined) continue;
      tints.set(solid, { colour: palette.accent, amount: 0.22 });
      outlines.push({ solid, colour: palette.accent, pixels: 2.6 });
    }
    world.tint(tints);
    world.outline(outlines);
  }

  // ---------------------------------------------------------------------------------- what is where
  // `x`, `y`: pixels in the canvas.
  ray(x: number, y: number): Ray {
    this.raycaster.setFromCamera(this.rig.toDevice(x, y), this.rig.camera);
    return this.raycaster.ray.clone();
  }
  // `slack`: pixels around the pointer that count too, for fingers and thin rods.
  pick(x: number, y: number, slack = 0): Hit | null {
    for (const ring of slack > 0 ? [0, slack / 2, slack] : [0])
      for (let k = 0; k < (ring === 0 ? 1 : 8); ++k) {
        const a = (k * Math.PI) / 4;
        this.raycaster.setFromCamera(this.rig.toDevice(x + ring * Math.cos(a), y + ring * Math.sin(a)), this.rig.camera);
        const hit = this.pickRay();
        if (hit) return hit;
      }
    return null;
  }
  pickAlong(ray: Ray): Hit | null {
    this.raycaster.ray.copy(ray);
    this.raycaster.near = 0;
    this.raycaster.far = Infinity;
    return this.pickRay();
  }
  private pickRay(): Hit | null {
    const found = this.world.pick(this.raycaster);
    const solid = found && this.world.scene?.solids[found.solid];
    if (!found || !solid) return null;
    const inverse = this.world.frames.get(found.solid, new Matrix4()).invert();
    return { solid: solid.name, point: found.point, local: found.point.clone().applyMatrix4(inverse), grabbable: solid.kind === 'dynamic' };
  }
  // The joint whose sign is under the pointer.
  pickJoint(x: number, y: number, slack = 5): string | null {
    let best: string | null = null,
      least = Infinity;
    for (const { name, centre, radius } of this.marks.signs()) {
      const p = this.rig.project(centre);
      if (p.z > 1) continue;
      const distance = Math.hypot(p.x - x, p.y - y);
      const depth = this.rig.camera.position.distanceTo(centre);
      const reach = Math.min(14, Math.max(slack, (0.9 * radius) / this.rig.perPixel(depth)));
      if (distance < reach && distance < least) [best, least] = [name, distance];
    }
    return best;
  }
  // Where a point of a solid's frame is in the world.
  placeOf(solid: string, local: Vector3): Vector3 | null {
    const s = this.world.index.get(solid);
    return s === undefined ? null : local.clone().applyMatrix4(this.world.frames.get(s, new Matrix4()));
  }
  viewDirection(): Vector3 {
    return this.rig.camera.getWorldDirection(new Vector3());
  }

  dispose() {
    this.unsubscribe();
    this.observer.disconnect();
    this.scheme.removeEventListener('change', this.schemeChanged);
    this.canvas.removeEventListener('webglcontextrestored', this.invalidate);
    cancelAnimationFrame(this.asked);
    this.world.dispose();
    this.marks.dispose();
    this.ground.dispose();
    this.key.dispose();
    this.rim.dispose();
    this.side.dispose();
    (this.stage.background as CanvasTexture | null)?.dispose();
    this.renderer.dispose();
  }
}

const relevant = ['scene', 'state', 'catalogue', 'joints', 'measures', 'poses', 'ghosts', 'selection', 'hovered', 'highlight', 'theme', 'show'] as const;

// Solids that merged joints make one.
export function mergedGroups(now: Pick<Page, 'scene' | 'state'>): string[][] {
  const merged = new Set(now.state?.merged);
  if (!now.scene || merged.size === 0) return [];
  const group = new Map<string, string[]>();
  const of = (name: string) => group.get(name) ?? [name];
  for (const joint of now.scene.joints) {
    if (!merged.has(joint.name) || joint.solid1 === '' || joint.solid2 === '') continue;
    const joined = [...new Set([...of(joint.solid1), ...of(joint.solid2)])];
    for (const name of joined) group.set(name, joined);
  }
  return [...new Set(group.values())];
}
