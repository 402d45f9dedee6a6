// The only caller of WebAssembly: a worker that owns the session. Everything else calls these functions; each change
// is one of the session's commands (docs/session.md), and the store mirrors what comes back.
import type { Problem, Quat, Vec3 } from '../store/store';

export type Answer = { ok: boolean; problems?: Problem[] } & Record<string, unknown>;

export interface Engine {
  // A session command or question, answered by the worker in order.
  run(request: Record<string, unknown>): Promise<Answer>;
  open(text: string, name: string, files?: Record<string, string>): Promise<Answer>;
  play(on: boolean): void;
  setSpeed(speed: number): void;
  // Takes hold of a point (solid's frame); follows `move` until `release`. Several at once, by id.
  grab(id: number, solid: string, point: Vec3, target: Vec3, orientation?: Quat): void;
  move(id: number, target: Vec3, orientation?: Quat): void;
  release(id: number): void;
  // Methods that run beside the session's own, as ghosts; none: no comparison.
  compare(methods: string[]): Promise<void>;
  // What the worker would lose if it died is kept by the page; after a crash it is started anew with it.
  kill(): void;
}
