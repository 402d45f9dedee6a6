// Written by tools/write_session_docs.py from the catalogue of commands in engine/session. Do not edit.
import type { Problem, Quat, Vec3 } from '../store/store';

// What commands are given. Values with one number `drag` are one command: the last takes the place of the others.
export interface Commands {
  open: { text: string; name: string; files?: Record<string, string> | null; version?: number | null };
  edit: { text: string };
  set: { path: string; property: string; values: string; drag?: number | null };
  unset: { path: string; property: string };
  add: { block: string };
  remove: { paths: string | string[] };
  rename: { path: string; to: string };
  keep: object;
  grab: { id?: number | null; solid: string; point?: Vec3 | null; target?: Vec3 | null; orientation?: Quat | null; dynamic?: boolean | null };
  move: { id?: number | null; target: Vec3; orientation?: Quat | null };
  release: { id?: number | null };
  pin: { solid: string; point?: Vec3 | null; target?: Vec3 | null };
  unpin: { solid?: string | null; pin?: number | null };
  freeze: { joints: string | string[] };
  unfreeze: { joints?: string | string[] | null };
  'freeze-but': { joints: string | string[] };
  merge: { joints: string | string[] };
  unmerge: { joints?: string | string[] | null };
  limit: { joint: string; coordinate: string; lower?: number | null; upper?: number | null; drag?: number | null };
  force: { id?: number | null; solid: string; point?: Vec3 | null; force: Vec3; drag?: number | null };
  gravity: { value: Vec3; drag?: number | null };
  damp: { value: number; drag?: number | null };
  stop: object;
  settings: { method?: string | null; solver?: string | null; norm?: string | null; dt?: number | null; duration?: number | null; tolerance?: number | null; budget?: number | null; truncation?: number | null; alpha?: number | null; beta?: number | null; iterations?: number | null; 'linear-iterations'?: number | null; 'linear-tolerance'?: number | null; integrator?: string | null; guess?: boolean | null; accelerate?: boolean | null; weighted?: boolean | null; 'largest-turn'?: number | null; 'on-cap'?: string | null; 'step-tolerance'?: number | null; loops?: string | null; heaviness?: number | null; slip?: number | null; 'limit-stiffness'?: number | null; fast?: boolean | null; threads?: number | null; 'sleep-below'?: number | null; 'sleep-after'?: number | null; 'pull-method'?: string | null; 'pull-iterations'?: number | null; 'pull-solver'?: string | null; 'pull-linear-iterations'?: number | null; drag?: number | null };
  step: { count?: number | null; dt?: number | null; milliseconds?: number | null };
  coordinate: { joint: string; coordinate: string; value: number; drag?: number | null };
  coordinates: { values: { joint: string; coordinate: string; value: number }[]; drag?: number | null };
  pose: { milliseconds?: number | null; iterations?: number | null };
  assemble: { iterations?: number | null; method?: string | null; solver?: string | null; norm?: string | null; tolerance?: number | null; truncation?: number | null; 'linear-iterations'?: number | null; 'linear-tolerance'?: number | null; restarts?: number | null; seed?: number | null; compromise?: boolean | null; 'exact-translation'?: boolean | null; 'weighted-sum'?: boolean | null; 'alpha-scale'?: number | null; milliseconds?: number | null; trace?: boolean | null; yield?: { joint: string; weight?: number }[] | null };
  scatter: { seed?: number | null };
  reset: object;
  restore: { save: object; version?: number | null };
  undo: object;
  redo: object;
  follow: { trail: string };
}

// What they answer, besides `ok`.
export interface Answers {
  open: { problems: Problem[] };
  edit: { problems: Problem[] };
  set: { edits: { offset: number; length: number; text: string }[]; problems: Problem[] };
  unset: { edits: { offset: number; length: number; text: string }[]; problems: Problem[] };
  add: { edits: { offset: number; length: number; text: string }[]; problems: Problem[] };
  remove: { edits: { offset: number; length: number; text: string }[]; problems: Problem[] };
  rename: { edits: { offset: number; length: number; text: string }[]; problems: Problem[] };
  keep: { edits: { offset: number; length: number; text: string }[]; moving: boolean; pins: number; frozen: number; merged: number; limits: number; forces: number; problems: Problem[] };
  grab: object;
  move: object;
  release: object;
  pin: { pin: number };
  unpin: object;
  freeze: { solids: number; joints: number };
  unfreeze: { solids: number; joints: number };
  'freeze-but': { solids: number; joints: number };
  merge: { solids: number; joints: number };
  unmerge: { solids: number; joints: number };
  limit: object;
  force: object;
  gravity: object;
  damp: object;
  stop: object;
  settings: object;
  step: { time: number | null; steps: number; finite: boolean; stuck: boolean; capped: boolean; stopped: boolean; converged: boolean; unexplained: number; assembled: boolean; halvings: number; iterations: number; fast: boolean; milliseconds: number | null; problems: Problem[] };
  coordinate: { reached: boolean; error: number | null; iterations: number; strides: number };
  coordinates: { reached: boolean; error: number | null; iterations: number; strides: number };
  pose: { status: string; start_error: number | null; max_error: number | null; want_error: number | null; iterations: number; restarts: number; milliseconds: number | null; reason: string };
  assemble: { status: string; start_error: number | null; max_error: number | null; want_error: number | null; iterations: number; restarts: number; milliseconds: number | null; reason: string; yielded: { joint: string; coordinate?: string; metres: number; radians: number; weight: number }[]; frames: { iteration: number; error: number | null; poses: number[] }[] };
  scatter: object;
  reset: object;
  restore: { problems: Problem[] };
  undo: { label: string };
  redo: { label: string };
  follow: { commands: number; steps: number; finite: boolean; converged: boolean; unexplained: number; problems: Problem[] };
}

export type CommandName = keyof Commands;
export type Command = { [Name in CommandName]: { do: Name } & Commands[Name] }[CommandName];

// What a command is to the page.
export interface Traits {
  text?: boolean; // the scene and its text may be others
  verdict?: boolean; // the verdict is another one
  past?: boolean; // what was measured before has no more to do with what comes
  pace?: boolean; // a step, or an update of posing, may be longer or shorter
  motion?: boolean; // the motion is another one: what it was warned of may be said again
  drops_hands?: boolean; // nothing is held by hands any more
  stops?: boolean; // it stops playing: what it shows is a pose
  opens?: boolean; // another scene is there
  ghosts: 'told' | 'anew' | 'nothing' | 'steps'; // what those do that run beside the session: the same; begin anew where it is; nothing; as many steps
  busy?: string; // what is said while it takes long
}

const traits: Record<CommandName, Traits> = {
  open: { text: true, verdict: true, past: true, pace: true, motion: true, drops_hands: true, stops: true, opens: true, ghosts: 'anew', busy: 'Reading the scene' },
  edit: { text: true, verdict: true, drops_hands: true, ghosts: 'anew', busy: 'Reading the scene' },
  set: { text: true, verdict: true, ghosts: 'anew' },
  unset: { text: true, verdict: true, ghosts: 'anew' },
  add: { text: true, verdict: true, ghosts: 'anew' },
  remove: { text: true, verdict: true, ghosts: 'anew' },
  rename: { text: true, verdict: true, ghosts: 'anew' },
  keep: { text: true, verdict: true, ghosts: 'nothing' },
  grab: { ghosts: 'nothing' },
  move: { ghosts: 'nothing' },
  release: { ghosts: 'nothing' },
  pin: { verdict: true, ghosts: 'told' },
  unpin: { verdict: true, ghosts: 'told' },
  freeze: { verdict: true, ghosts: 'told' },
  unfreeze: { verdict: true, ghosts: 'told' },
  'freeze-but': { verdict: true, ghosts: 'told' },
  merge: { verdict: true, ghosts: 'told' },
  unmerge: { verdict: true, ghosts: 'told' },
  limit: { verdict: true, ghosts: 'told' },
  force: { ghosts: 'told' },
  gravity: { ghosts: 'told' },
  damp: { ghosts: 'told' },
  stop: { ghosts: 'told' },
  settings: { pace: true, motion: true, ghosts: 'told' },
  step: { ghosts: 'steps', busy: 'Computing a step' },
  coordinate: { ghosts: 'anew', busy: 'Moving the joint' },
  coordinates: { ghosts: 'anew', busy: 'Moving the joints' },
  pose: { ghosts: 'anew' },
  assemble: { verdict: true, motion: true, stops: true, ghosts: 'anew', busy: 'Assembling' },
  scatter: { verdict: true, past: true, motion: true, stops: true, ghosts: 'anew' },
  reset: { verdict: true, past: true, motion: true, drops_hands: true, stops: true, ghosts: 'anew' },
  restore: { text: true, verdict: true, past: true, pace: true, motion: true, drops_hands: true, stops: true, opens: true, ghosts: 'anew', busy: 'Reading the scene' },
  undo: { text: true, verdict: true, pace: true, drops_hands: true, stops: true, ghosts: 'anew' },
  redo: { text: true, verdict: true, pace: true, drops_hands: true, stops: true, ghosts: 'anew' },
  follow: { ghosts: 'anew' },
};

// Of a command that there is not: the session refuses it.
const nothing: Traits = { ghosts: 'nothing' };
export const traitsOf = (command: string): Traits => traits[command as CommandName] ?? nothing;
