// The worker's loop: requests in order, physics at the session's own rate whatever the display does, posing while a
// hand pulls, and no more frames than the page takes. Knows no WebAssembly and no worker: tests run it by hand.
import type { Ghost as GhostFrame, Measures, Posing, Quat, SessionState, Vec3 } from '../store/store';
import type { Save } from './autosave';
import type { Answer } from './client';
import { traitsOf } from './commands';
import type { FromWorker, Native, Past, Request, ToWorker } from './protocol';

const frameTime = 1000 / 60; // [ms] between frames
const work = 12; // [ms] of stepping in a frame, at most
const settle = 300; // [ms] posing goes on after the last move, so that accuracy recovers
const lastLook = 12; // [ms] of posing before a hand lets go
const longest = 100; // [ms] of real time that are made up for: more is a page that slept
const most = 2; // frames under way to the page
const mostPast = 600; // measures that wait for a frame
const saveShare = 0.05; // of the time, at most, for the saves that frames bring

export interface Clock {
  now(): number; // [ms]
  later(call: () => void, milliseconds: number): void;
}

interface Hand {
  solid: string;
  point: Vec3;
  target: Vec3;
  orientation?: Quat;
  physics: boolean; // asked to pull by physics though nothing plays
  dynamic: boolean; // as the session has it
  moved: boolean; // since the session was told
}

interface Ghost {
  method: string;
  session: number;
  milliseconds: number;
  stopped: boolean;
}

export class Loop {
  private session: number;
  private playing = false;
  private speed = 1;
  private owed = 0; // [s] of motion
  private hands = new Map<number, Hand>();
  private ghosts: Ghost[] = [];
  private lastTick = 0;
  private lastFrame = -Infinity;
  private lastMove = -Infinity;
  private waiting = false; // a tick is due
  private dirty = false; // a frame is due
  private underWay = 0;
  private opened = false;
  private dead = false;
  private dt = 1 / 240;
  private budget = 4;
  private cost = 1; // [ms] of a step of everything, estimated
  private milliseconds = 0;
  private rate = 1;
  private posing: Posing | null = null;
  private past: Past[] = []; // that no frame has brought yet
  private unexplained = 0; // steps of this motion in which energy came from nowhere
  private warned = new Set<string>();
  private posed = false; // since the last save
  private nextSave = -Infinity; // [ms]
  private saveCost = Infinity; // [ms] the least that one took: more is other work of the machine

  constructor(
    private native: Native,
    private post: (message: FromWorker, transfer: Transferable[]) => void,
    private clock: Clock,
  ) {
    this.session = native.create();
  }

  receive(message: ToWorker): void {
    if (this.dead) return;
    this.guarded(() => this.take(message));
  }

  // A trap leaves memory in an unknown state: nothing of it is used again.
  private guarded(call: () => void): void {
    try {
      call();
    } catch (problem) {
      this.dead = true;
      this.post({ type: 'trap', what: problem instanceof Error ? problem.message : String(problem) }, []);
    }
  }

  private take(message: ToWorker): void {
    switch (message.type) {
      case 'request':
        this.request(message.id, message.request, message.also);
        break;
      case 'play':
        this.setPlaying(message.on);
        break;
      case 'speed':
        this.speed = message.value;
        break;
      case 'grab': {
        const { id, solid, point, target, orientation, physics } = message;
        const hand: Hand = { solid, point, target, orientation, physics, dynamic: false, moved: false };
        this.takeHold(id, hand);
        break;
      }
      case 'move': {
        const hand = this.hands.get(message.id);
        if (!hand) break;
        hand.target = message.target;
        hand.orientation = message.orientation ?? hand.orientation;
        hand.moved = true;
        this.lastMove = this.clock.now();
        break;
      }
      case 'release':
        this.letGo(message.id);
        break;
      case 'compare':
        this.compare(message.methods);
        this.post({ type: 'answer', id: message.id, answer: { ok: true }, also: {} }, []);
        break;
      case 'seen':
        this.underWay = Math.max(0, this.underWay - 1);
        break;
      case 'start':
        break;
    }
    this.wake();
  }

  private run(request: Request, session = this.session): Answer {
    return this.native.run(session, request);
  }

  private request(id: number, request: Request, also: string[]): void {
    const command = typeof request.do === 'string' ? request.do : null;
    const traits = traitsOf(command ?? '');
    if (command && traits.stops) this.setPlaying(false);
    const answer = this.run(request);
    if (command && answer.ok) {
      if (traits.opens) {
        this.opened = true;
        this.saveCost = Infinity;
      }
      if (traits.drops_hands) this.hands.clear();
      if (traits.pace) this.learnSettings();
      if (traits.ghosts === 'anew') this.renewGhosts();
      else if (traits.ghosts === 'steps') for (const ghost of this.ghosts) this.follow(ghost, Number(answer.steps));
      else if (traits.ghosts === 'told') this.tellGhosts(request);
      if (traits.motion) {
        this.warned.clear();
        this.unexplained = 0;
      }
      // A time that is shown is that of this scene, and of what it says it is.
      if (this.posing || traits.opens) this.milliseconds = 0;
      this.posing = null;
      if (command === 'step') {
        this.milliseconds = Number(answer.milliseconds) / Math.max(1, Number(answer.steps));
        this.heed(answer);
      }
      this.dirty = true;
    }
    const answers: Record<string, Answer> = {};
    if (answer.ok && this.opened) for (const name of also) answers[name] = this.run({ ask: name });
    const poses = answers.scene ? this.native.poses(this.session) : undefined;
    this.post({ type: 'answer', id, answer, also: answers, poses }, poses ? [poses.buffer] : []);
  }

  private state(): SessionState {
    return this.run({ ask: 'state' }) as unknown as SessionState;
  }

  private learnSettings(): void {
    const { settings } = this.state();
    if (!settings) return;
    if (settings.dt !== this.dt) this.cost = Math.min(this.cost, 1);
    this.dt = settings.dt;
    this.budget = settings.budget;
  }

  // ------------------------------------------------------------------------------------------------------ hands

  private takeHold(id: number, hand: Hand): boolean {
    hand.dynamic = this.playing || hand.physics;
    const { solid, point, target, orientation, dynamic } = hand;
    const request = { do: 'grab', id, solid, point, target, orientation: orientation ?? null, dynamic };
    const answer = this.run(request);
    if (!answer.ok) {
      this.post({ type: 'refused', answer }, []);
      return false;
    }
    hand.moved = false;
    this.hands.set(id, hand);
    this.lastMove = this.clock.now();
    if (dynamic) for (const ghost of this.ghosts) this.run(request, ghost.session);
    return true;
  }

  private letGo(id: number): void {
    const hand = this.hands.get(id);
    if (!hand) return;
    // Moves come faster than updates: the last ones are followed first, and what is left of the error goes.
    this.applyMoves();
    if (!hand.dynamic) this.pose(Math.max(this.budget, lastLook));
    this.run({ do: 'release', id });
    if (hand.dynamic) for (const ghost of this.ghosts) this.run({ do: 'release', id }, ghost.session);
    this.hands.delete(id);
    this.posed = true;
    this.dirty = true;
  }

  private applyMoves(): void {
    for (const [id, hand] of this.hands) {
      if (!hand.moved) continue;
      hand.moved = false;
      const request = { do: 'move', id, target: hand.target, orientation: hand.orientation ?? null };
      this.run(request);
      if (hand.dynamic) for (const ghost of this.ghosts) this.run(request, ghost.session);
    }
  }

  private setPlaying(on: boolean): void {
    if (on === this.playing || (on && !this.opened)) return;
    this.playing = on;
    if (this.posing) this.milliseconds = 0;
    this.posing = null;
    this.owed = 0;
    this.rate = 1;
    this.lastTick = this.clock.now();
    // Hands that hold on pull by the other means from now on.
    for (const [id, hand] of [...this.hands]) {
      if (hand.dynamic === (on || hand.physics)) continue;
      this.run({ do: 'release', id });
      if (hand.dynamic) for (const ghost of this.ghosts) this.run({ do: 'release', id }, ghost.session);
      if (!this.takeHold(id, hand)) this.hands.delete(id);
    }
    this.dirty = true;
  }

  // ----------------------------------------------------------------------------------------------------- motion

  private get moving(): boolean {
    return this.playing || [...this.hands.values()].some((hand) => hand.physics);
  }
  private get pulling(): boolean {
    return !this.moving && this.hands.size > 0 && this.clock.now() - this.lastMove < settle;
  }

  private wake(): void {
    if (this.waiting || !(this.moving || this.pulling || this.dirty)) return;
    this.waiting = true;
    const since = this.clock.now() - this.lastTick;
    if (since > longest) this.lastTick = this.clock.now(); // it slept: no time is owed
    this.clock.later(
      () => {
        this.waiting = false;
        if (!this.dead) this.guarded(() => this.tick());
      },
      Math.max(0, frameTime - since),
    );
  }

  private tick(): void {
    const now = this.clock.now();
    const elapsed = Math.min(now - this.lastTick, longest);
    this.lastTick = now;
    this.applyMoves();
    if (this.moving) {
      this.advance((elapsed / 1000) * this.speed, now);
      this.dirty = true;
    } else if (this.pulling) {
      this.pose(this.budget);
      this.dirty = true;
    }
    if (this.dirty && this.underWay < most && now - this.lastFrame >= frameTime - 1) this.sendFrame(now);
    else if (this.moving) this.remember();
    // While the page is behind, its 'seen' wakes the loop.
    if (this.moving || this.pulling || (this.dirty && this.underWay < most)) this.wake();
  }

  private pose(milliseconds: number): void {
    const answer = this.run({ do: 'pose', milliseconds });
    if (!answer.ok) return;
    this.posed = true;
    this.milliseconds = Number(answer.milliseconds);
    this.posing = {
      error: answer.max_error as number | null,
      want: answer.want_error as number | null,
      iterations: Number(answer.iterations),
      milliseconds: this.milliseconds,
    };
  }

  private advance(wanted: number, start: number): void {
    this.owed += wanted;
    let left = Math.floor(this.owed / this.dt + 1e-9);
    const asked = left;
    const end = start + work;
    while (left > 0) {
      const now = this.clock.now();
      if (now >= end) break;
      const count = Math.max(1, Math.min(left, Math.floor((end - now) / this.cost)));
      const answer = this.run({ do: 'step', count });
      if (!answer.ok) return this.halt('The motion could not start: ' + (answer.problems?.[0]?.what ?? ''), true);
      this.heed(answer);
      const steps = Number(answer.steps);
      this.milliseconds = Number(answer.milliseconds) / Math.max(1, steps);
      for (const ghost of this.ghosts) this.follow(ghost, count);
      const spent = (this.clock.now() - now) / count;
      this.cost = Math.max(1e-4, 0.7 * this.cost + 0.3 * spent);
      this.owed -= count * this.dt;
      left -= count;
      if (answer.capped === true)
        return this.halt('A step used up its iterations. To go on, set “On cap” to go or allow more iterations, and play again.', false);
      if (answer.finite === false) return this.halt('The motion cannot continue from here. Try a smaller time step or another method.', true);
      if (answer.stopped === true) return this.halt('The scene stops here, as its text says.', false);
    }
    if (asked > 0) this.rate += 0.1 * ((asked - left) / asked - this.rate);
    // What could not be kept up with is dropped: the scene is slower, never late.
    if (left > 0) this.owed = Math.min(this.owed, this.dt);
  }

  // Warnings of a step, each once: what differs in numbers only (a time, an energy) is the same one.
  private heed(answer: Answer): void {
    this.unexplained += Number(answer.unexplained ?? 0);
    const problems = (answer.problems ?? []).filter(({ what }) => {
      const kind = what.replace(/(^| )[-+]?\d[^ ,:]*/g, '$1#');
      return !this.warned.has(kind) && this.warned.add(kind);
    });
    if (problems.length > 0) this.post({ type: 'warned', problems }, []);
  }

  private halt(what: string, error: boolean): void {
    this.setPlaying(false);
    for (const hand of this.hands.values()) hand.physics = false;
    this.post({ type: 'halt', what, error }, []);
  }

  private sendFrame(now: number): void {
    this.dirty = false;
    if (!this.opened) return;
    this.lastFrame = now;
    const poses = this.native.poses(this.session);
    const { measures, ghosts: measured } = this.measured();
    const ghosts: GhostFrame[] = this.ghosts.map((ghost, k) => ({ ...measured[k], poses: this.native.poses(ghost.session) }));
    const past = this.past;
    this.past = [];
    const { milliseconds, rate, unexplained, posing } = this;
    this.underWay += 1;
    const save = this.saveOfPose();
    this.post({ type: 'frame', poses, time: measures.time, measures, milliseconds, rate, unexplained, posing, ghosts, past, save }, [
      poses.buffer,
      ...ghosts.map((ghost) => ghost.poses.buffer),
    ]);
  }

  private saveOfPose(): Save | null {
    const begin = this.clock.now();
    if (!this.posed || this.moving || begin < this.nextSave) return null;
    this.posed = false;
    const { save } = this.run({ ask: 'save' });
    const end = this.clock.now();
    this.saveCost = Math.min(this.saveCost, end - begin);
    this.nextSave = end + this.saveCost / saveShare;
    return (save as Save | undefined) ?? null;
  }

  private measured(): Past {
    const of = (session: number): Measures => this.run({ ask: 'measures' }, session) as unknown as Measures;
    const ghosts = this.ghosts.map(({ method, session, milliseconds }) => ({ method, measures: of(session), milliseconds }));
    return { measures: of(this.session), milliseconds: this.milliseconds, ghosts };
  }
  private remember(): void {
    this.past.push(this.measured());
    if (this.past.length > mostPast) this.past.shift();
  }

  // ------------------------------------------------------------------------------------------------- comparison

  private compare(methods: string[]): void {
    for (const ghost of this.ghosts) this.native.destroy(ghost.session);
    this.ghosts = methods.map((method) => ({ method, session: this.native.create(), milliseconds: 0, stopped: false }));
    this.cost = 1;
    this.renewGhosts();
    this.dirty = true;
  }

  private renewGhosts(): void {
    if (this.ghosts.length === 0 || !this.opened) return;
    const save = this.run({ ask: 'save' }).save;
    for (const ghost of this.ghosts) {
      ghost.stopped = !this.run({ do: 'restore', save }, ghost.session).ok;
      this.run({ do: 'settings', method: ghost.method }, ghost.session);
      for (const [id, hand] of this.hands)
        if (hand.dynamic) {
          const { solid, point, target, orientation } = hand;
          this.run({ do: 'grab', id, solid, point, target, orientation: orientation ?? null, dynamic: true }, ghost.session);
        }
    }
  }

  private tellGhosts(request: Request): void {
    for (const ghost of this.ghosts) {
      this.run(request, ghost.session);
      if (request.do === 'settings') this.run({ do: 'settings', method: ghost.method }, ghost.session);
    }
  }

  private follow(ghost: Ghost, count: number): void {
    if (ghost.stopped) return;
    const answer = this.run({ do: 'step', count }, ghost.session);
    ghost.milliseconds = Number(answer.milliseconds) / Math.max(1, Number(answer.steps));
    ghost.stopped = !answer.ok || answer.finite === false;
  }
}
