// What the page and the worker say to each other.
import type { Ghost, Measures, Posing, Problem, Quat, Vec3 } from '../store/store';
import type { Save } from './autosave';
import type { Answer } from './client';

export type Request = Record<string, unknown>;

export type ToWorker =
  | { type: 'start'; base: string } // address of the page: tenon.js is beside it
  // With questions to be answered along with it.
  | { type: 'request'; id: number; request: Request; also: string[] }
  | { type: 'play'; on: boolean }
  | { type: 'speed'; value: number }
  | { type: 'grab'; id: number; solid: string; point: Vec3; target: Vec3; orientation?: Quat; physics: boolean }
  | { type: 'move'; id: number; target: Vec3; orientation?: Quat }
  | { type: 'release'; id: number }
  | { type: 'compare'; id: number; methods: string[] }
  | { type: 'seen' }; // a frame was taken: the worker sends no more than the page takes

// Measures of one time: of the session, and of the ghosts. A frame brings those since the last one, so that the plots
// are as fine on a slow display.
export interface Past {
  measures: Measures;
  milliseconds: number;
  ghosts: { method: string; measures: Measures; milliseconds: number }[];
}

export interface FrameMessage {
  type: 'frame';
  poses: Float32Array;
  time: number;
  measures: Measures | null;
  milliseconds: number; // of a step, or of an update of posing
  rate: number; // how much of the wanted speed is kept, at most 1
  unexplained: number; // steps in which energy came from nowhere
  posing: Posing | null;
  ghosts: Ghost[];
  past: Past[];
  save: Save | null; // of these poses, while hands pose: so that what is seen can be kept at any moment
}

export type FromWorker =
  | { type: 'ready' }
  | { type: 'failed'; what: string } // it could not begin
  | { type: 'trap'; what: string } // WebAssembly died: the session is lost
  // With a new scene come its poses: the one is not shown with the other's.
  | { type: 'answer'; id: number; answer: Answer; also: Record<string, Answer>; poses?: Float32Array }
  | { type: 'halt'; what: string; error: boolean } // motion ended by itself
  | { type: 'refused'; answer: Answer } // a grab
  | { type: 'warned'; problems: Problem[] } // by a step, of what was not said yet
  | FrameMessage;

// What the loop needs of WebAssembly.
export interface Native {
  create(): number;
  destroy(session: number): void;
  run(session: number, request: Request): Answer;
  poses(session: number): Float32Array; // a copy
}
