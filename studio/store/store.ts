// What the page knows: a read-only mirror of the session, and what is the page's own (selection, camera, layout).
// No DOM, no three.js, no WebAssembly here: anything may subscribe, and tests need no browser.
import { createStore, type StoreApi } from 'zustand/vanilla';

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number];
export interface Frame {
  position: Vec3;
  rotation: Quat;
}

export interface Shape {
  kind: 'box' | 'sphere' | 'ellipsoid' | 'capsule' | 'cylinder' | 'cone' | 'hull' | 'mesh';
  size: Vec3;
  position: Vec3;
  rotation: Quat;
  points?: number[];
  triangles?: number[];
}
export interface Solid {
  name: string;
  kind: 'dynamic' | 'immobile' | 'animated';
  point_mass: boolean;
  mass: number;
  com: Vec3;
  colour: Vec3;
  shapes: Shape[];
  groups: string[];
  shared: boolean;
  line: number;
}
export interface Rule {
  kind: string;
  coordinate: string;
  lower: number | null;
  upper: number | null;
}
export interface Joint {
  name: string;
  kind: string;
  solid1: string;
  solid2: string;
  frame1: Frame;
  frame2: Frame;
  rules: Rule[];
  options: Record<string, number[]>;
  compliance: number;
  shared: boolean;
  line: number;
}
export interface Parameter {
  name: string;
  value: number;
  lower: number | null;
  upper: number | null;
  line: number;
}
export interface Settings {
  method: string;
  solver: string;
  iterations: number;
  tolerance: number;
  alpha: number;
  beta: number;
  dt: number;
  budget: number;
  [name: string]: string | number | boolean | null; // by the catalogue's names
}
export interface Scene {
  title: string;
  name: string;
  gravity: Vec3;
  settings: Settings;
  duration: number;
  solids: Solid[];
  joints: Joint[];
  floors: { name: string; point: Vec3; normal: Vec3 }[];
  springs: { name: string; solid1: string; solid2: string; point1: Vec3; point2: Vec3 }[];
  parameters: Parameter[];
  problems: Problem[];
}
export interface Problem {
  severity: 'error' | 'warning';
  file: string;
  line: number;
  column: number;
  width: number;
  what: string;
  remedy: string;
}
export interface Pin {
  solid: string;
  point: Vec3 | null;
  target: Vec3;
}
export interface Grab {
  id: number;
  solid: string;
  point: Vec3;
  target: Vec3;
  dynamic: boolean;
}
export interface SessionState {
  time: number;
  hash: string | null;
  complete?: boolean; // the text has it all: pose, pins and what else is held
  frozen: string[];
  merged: string[];
  pins: Pin[];
  grabs: Grab[];
  forces: { id: number; solid: string; point: Vec3; force: Vec3 }[];
  limits: { joint: string; coordinate: string; lower: number | null; upper: number | null }[];
  gravity: Vec3;
  damp: number;
  settings: Settings;
  undo: string[];
  redo: string[];
}
export interface JointNow {
  error: number | null;
  coordinates: Record<string, number | null>;
  force: Vec3;
  torque: Vec3;
}
export interface Measures {
  time: number;
  error: number | null;
  rms: number | null;
  worst: string | null;
  kinetic: number | null;
  potential: number | null;
  momentum: number | null;
  angular_momentum: number | null;
}
// Islands that go the same way in a step, for the same reasons.
export interface Way {
  way: 'tree kernel' | 'loop kernel' | 'rows';
  why: string[]; // what keeps them from the kernels
  islands: number;
  solids: number;
  first: string; // a solid
}
export interface Verdict {
  dof: number;
  redundant: number;
  redundant_joints: string[][];
  conflicts: string[][];
  singular: boolean;
  error: number | null;
  words: string;
  stale?: boolean; // of the scene before the last change
}
export interface CatalogueKind {
  name: string;
  summary: string;
  papers: string;
  locked: number;
  residuals: number;
  relates: 'frames' | 'points' | 'coordinates';
  coordinates: { name: string; angular: boolean; periodic: boolean; free: boolean }[];
  options: { name: string; count: number; unit: string; fallback: number; required: boolean }[];
}
// `islands`: it moves each by itself; `solver`, `feedback`: it asks for that setting, and for α and β.
export interface CatalogueMethod {
  name: string;
  summary: string;
  islands: boolean;
  solver: boolean;
  feedback: boolean;
}
// `motion`: what the command `settings` takes; `assembly`: what `assemble` takes. `most`: null if there is no greatest value.
export interface SettingUse {
  default: string | number | boolean | null;
  words?: string[];
  methods: string[];
}
export interface CatalogueSetting {
  name: string;
  kind: 'positive' | 'not-negative' | 'whole' | 'switch' | 'choice';
  unit: string;
  help: string;
  most?: number | null;
  motion?: SettingUse;
  assembly?: SettingUse;
}
export interface Catalogue {
  kinds: CatalogueKind[];
  methods: CatalogueMethod[];
  solvers: string[];
  assembly: string[];
  settings?: CatalogueSetting[];
}

// One sample of the plots.
export interface Sample extends Measures {
  milliseconds: number;
  method: string;
}
// A method that runs beside the session's own.
export interface Ghost {
  method: string;
  poses: Float32Array;
  measures: Measures;
  milliseconds: number;
}

// How the last update of posing went.
export interface Posing {
  error: number | null;
  want: number | null;
  iterations: number;
  milliseconds: number;
}

export type Selection = { solids: string[]; joints: string[] };
export type Theme = 'light' | 'dark' | 'system';
// What the view shows beside solids.
export interface Show {
  joints: boolean;
  limits: boolean;
  centres: boolean;
  pins: boolean;
  hands: boolean;
  forces: boolean;
  grid: boolean;
  shadows: boolean;
  errors: boolean;
}
// Where the scene came from: kept with the autosave, so that a page that is loaded anew knows it too.
export interface Origin {
  document: string; // its number: a scene that is opened again is another document
  address: string; // of the page
  folder: string; // of the scene, on the server or in the gallery: '' or with a slash at its end
  path: string | null; // on the server
  etag: string | null;
  saved: string; // the text as it was opened or saved
  made: boolean; // it came with a pose or pins that no file has
  pending: Pending | null;
}
// A scene that was opened, but has errors yet: the session still has the one before. Its text is the draft.
export interface Pending {
  name: string;
  files: Record<string, string>;
}
// What the page says to a person. Errors and warnings stay until they are dismissed; a hint is replaced by the next one.
export interface Notice {
  text: string;
  kind: 'info' | 'warning' | 'error';
}
export interface Task {
  label: string;
  cancel?: () => void;
  fraction?: number;
}

export interface Page {
  ready: boolean;
  scene: Scene | null;
  text: string;
  draft: string | null; // what stands in the editor instead, as long as the session has not taken it
  origin: Origin | null;
  state: SessionState | null;
  catalogue: Catalogue | null;
  verdict: Verdict | null;
  ways: Way[] | null; // null: not asked for yet
  problems: Problem[]; // of the text as it stands in the editor
  joints: Record<string, JointNow>;
  measures: Measures | null;
  poses: Float32Array; // seven numbers a solid; replaced every frame
  frame: number; // counts them
  history: Sample[]; // for the plots, the last some thousand
  ghosts: Ghost[];
  posing: Posing | null; // while a hand pulls
  milliseconds: number; // of the last step, or update of posing
  rate: number; // how much of the wanted speed motion keeps, at most 1
  unexplained: number; // steps in which energy came from nowhere, since the motion began
  playing: boolean;
  speed: number;
  dragMode: 'pose' | 'physics';
  selection: Selection;
  hovered: string | null;
  highlight: string[]; // joints that fight, or that a panel points at
  theme: Theme;
  show: Show;
  panels: Record<string, boolean>; // which are open (panels/list.ts has their names)
  tab: string; // of those on the right
  asked: number; // counts how often properties were asked for, wherever they are shown
  limits: string | null; // the joint whose limits were asked for
  renaming: string | null; // the solid or joint that is to have another name
  embed: boolean;
  task: Task | null;
  notices: Notice[];
  palette: boolean;
  keys: boolean;
  guide: number; // step of the first run; -1: over
}

export const initialPage: Page = {
  ready: false,
  scene: null,
  text: '',
  draft: null,
  origin: null,
  state: null,
  catalogue: null,
  verdict: null,
  ways: null,
  problems: [],
  joints: {},
  measures: null,
  poses: new Float32Array(0),
  frame: 0,
  history: [],
  ghosts: [],
  posing: null,
  milliseconds: 0,
  rate: 1,
  unexplained: 0,
  playing: false,
  speed: 1,
  dragMode: 'pose',
  selection: { solids: [], joints: [] },
  hovered: null,
  highlight: [],
  theme: 'system',
  show: { joints: true, limits: true, centres: false, pins: true, hands: true, forces: false, grid: true, shadows: true, errors: true },
  panels: {},
  tab: '',
  asked: 0,
  limits: null,
  renaming: null,
  embed: false,
  task: null,
  notices: [],
  palette: false,
  keys: false,
  guide: -1,
};

// Each studio has a store of its own.
export type PageStore = StoreApi<Page>;
export const createPage = (): PageStore => createStore<Page>(() => initialPage);

// The list with one more notice: it takes the place of the last hint, and of itself.
export const noticed = (notices: Notice[], notice: Notice): Notice[] => [
  ...notices.filter(({ kind, text }) => kind !== 'info' && text !== notice.text),
  notice,
];
export const say = (page: PageStore, text: string, kind: Notice['kind'] = 'info'): void =>
  page.setState(({ notices }) => ({ notices: noticed(notices, { text, kind }) }));
export const dismiss = (page: PageStore, notice: Notice): void => page.setState(({ notices }) => ({ notices: notices.filter((other) => other !== notice) }));
