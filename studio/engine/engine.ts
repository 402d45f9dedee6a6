// The page's side of the worker: requests and their answers, frames, the mirror in the store, and what to do when the
// worker dies.
import { say as sayOn, type Notice, type PageStore, type Quat, type Vec3 } from '../store/store';
import { keep, leave, type Kept, type Save } from './autosave';
import type { Answer, Engine } from './client';
import { traitsOf } from './commands';
import { changesVerdict, commandOf, isMade, mirrorCommand, mirrorFrame, mirrorQuestion, prune, questionsAfter, sentenceOf, wordsOf } from './mirror';
import type { FrameMessage, FromWorker, Request, ToWorker } from './protocol';

const slow = 400; // [ms] after which a request is a task that is shown
const saveEvery = 2000; // [ms] while it moves
const saveAfter = 250; // [ms] after a command
const jointsEvery = 100; // [ms] while solids move
const verdictAfter = 500; // [ms] of peace
const verdictMost = 150; // joints: a verdict of more is made only when it is asked for
const showTime = 1500; // [ms] in which the way to an assembled pose is shown
const crashTime = 10_000; // [ms] a second crash within it: the save itself may be what kills; a third: no more

export interface WorkerLike {
  postMessage(message: ToWorker): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromWorker>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface Waiting {
  request: Request;
  resolve(answer: Answer): void;
  timer: ReturnType<typeof setTimeout>;
}
interface TraceFrame {
  iteration: number;
  error: number | null;
  poses: number[];
}

const refusal = (what: string): Answer => ({
  ok: false,
  problems: [{ severity: 'error', file: '', line: 0, column: 0, width: 0, what, remedy: '' }],
});

export interface EngineControl extends Engine {
  // Begins to load it: it is needed in any case.
  start(): void;
  // Restores a save of an earlier visit.
  restore(kept: Kept): Promise<Answer>;
  // The last save, if there is one.
  saved(): Kept | null;
  // Keeps what is there now, whatever was kept before.
  keepNow(): Promise<Kept | null>;
  // The page goes: writes down what was seen last.
  leave(): void;
  // The studio goes, and the worker with it.
  end(): void;
}

const workerOfPage = (): WorkerLike => new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'tenon' }) as unknown as WorkerLike;
const baseOfPage = (): string => new URL('.', document.baseURI).href;

// The engine of one studio: it mirrors into that studio's store.
export function createEngine(page: PageStore, startWorker = workerOfPage, base = baseOfPage): EngineControl {
  const { getState: get, setState: set } = page;
  const say = (text: string, kind?: Notice['kind']): void => sayOn(page, text, kind);
  let worker: WorkerLike | null = null;
  let ready = false;
  let nextId = 1;
  let waiting = new Map<number, Waiting>();
  let lastKept: Kept | null = null;
  let seen: Save | null = null; // of the last frame, if it brought one and nothing was done since
  let stale = false; // something was done since a save was asked for
  let keeping = 0; // saves under way
  let openedText: string | null = null;
  let crashes: number[] = [];
  let saveTimer: ReturnType<typeof setTimeout> | null = null;
  let saveAt = Infinity;
  let verdictTimer: ReturnType<typeof setTimeout> | null = null;
  let joints = { asked: 0, under: false, every: jointsEvery };
  let show: { stash: FrameMessage | null; stop(): void } | null = null;
  let heard = 0;
  let watch: ReturnType<typeof setInterval> | null = null;
  let compared: string[] = [];

  function post(message: ToWorker): void {
    begin().postMessage(message);
  }

  function begin(): WorkerLike {
    if (worker) return worker;
    const started = startWorker();
    worker = started;
    ready = false;
    started.onmessage = (event) => {
      if (worker === started) receive(event.data);
    };
    started.onerror = (event) => {
      if (worker === started) crashed(event.message || 'the reason is not known');
    };
    started.postMessage({ type: 'start', base: base() });
    return started;
  }

  function receive(message: FromWorker): void {
    heard = Date.now();
    switch (message.type) {
      case 'ready':
        ready = true;
        set({ ready: true });
        void send({ ask: 'catalogue' }, []);
        break;
      case 'failed':
        drop();
        set({ ready: false, task: null });
        say(`The engine could not be loaded: ${message.what}`, 'error');
        break;
      case 'trap':
        crashed(message.what);
        break;
      case 'answer':
        answered(message.id, message.answer, message.also, message.poses);
        break;
      case 'halt':
        set({ playing: false });
        say(message.what, message.error ? 'error' : 'info');
        void ask('state');
        break;
      case 'refused':
        say(wordsOf(message.answer), 'error');
        break;
      case 'warned':
        for (const problem of message.problems) say(sentenceOf(problem), 'warning');
        break;
      case 'frame':
        worker?.postMessage({ type: 'seen' });
        if (show) show.stash = message;
        else takeFrame(message);
        break;
    }
  }

  function takeFrame(frame: FrameMessage): void {
    set(mirrorFrame(get(), frame));
    seen = frame.save;
    if (seen && lastKept) lastKept = { ...lastKept, save: seen, changed: true };
    followJoints();
    saveSoon(saveEvery);
  }

  // Coordinates and forces of joints change with every frame, but nobody reads them that fast.
  function followJoints(): void {
    const now = Date.now();
    if (joints.under || now - joints.asked < joints.every) return;
    joints.under = true;
    joints.asked = now;
    void ask('joints').then(() => {
      joints = { asked: now, under: false, every: Math.max(jointsEvery, 10 * (Date.now() - now)) };
    });
  }

  // ----------------------------------------------------------------------------------------------- requests

  function send(request: Request, also: string[]): Promise<Answer> {
    return new Promise((resolve) => {
      const id = nextId++;
      const timer = setTimeout(() => {
        // They are answered in order: what is at work is the first that waits.
        const { request: first } = waiting.values().next().value ?? { request };
        const busy = first.ask === 'verdict' ? 'Examining the joints' : traitsOf(commandOf(first) ?? '').busy;
        const label = busy ?? 'The engine is working';
        if (ready) set({ task: { label, cancel: () => control.kill() } });
      }, slow);
      waiting.set(id, { request, resolve, timer });
      post({ type: 'request', id, request, also });
    });
  }

  const ask = (name: string): Promise<Answer> => send({ ask: name }, []);

  function answered(id: number, answer: Answer, also: Record<string, Answer>, poses?: Float32Array): void {
    const entry = waiting.get(id);
    if (!entry) return;
    waiting.delete(id);
    clearTimeout(entry.timer);
    const command = commandOf(entry.request);
    const change = command ? mirrorCommand(get(), command, answer) : typeof entry.request.ask === 'string' ? mirrorQuestion(entry.request.ask, answer) : {};
    for (const [name, part] of Object.entries(also)) Object.assign(change, mirrorQuestion(name, part));
    if (change.scene) Object.assign(change, prune({ ...get(), ...change }, change.scene));
    if (poses) Object.assign(change, { poses, frame: get().frame + 1, ghosts: [] });
    if (waiting.size === 0 && get().task && !show) change.task = null;
    set(change);
    if (command && answer.ok) {
      seen = null;
      saveSoon(saveAfter);
      if (changesVerdict(command)) verdictSoon();
      if (Array.isArray(answer.frames) && answer.frames.length > 1) showWay(answer.frames as TraceFrame[]);
    }
    entry.resolve(answer);
  }

  function verdictSoon(): void {
    if (verdictTimer !== null) clearTimeout(verdictTimer);
    verdictTimer = setTimeout(() => {
      verdictTimer = null;
      const { scene, playing, state, verdict } = get();
      if (!scene || (verdict && !verdict.stale) || playing || scene.joints.length > verdictMost) return;
      if (state && state.grabs.length > 0) return;
      void ask('verdict');
    }, verdictAfter);
  }

  // The iterations of an assembly, one after the other. Frames of the worker wait meanwhile.
  function showWay(frames: TraceFrame[]): void {
    show?.stop();
    let next = 0;
    const stop = (): void => {
      clearInterval(timer);
      const stash = show?.stash;
      show = null;
      set({ task: null });
      if (stash) takeFrame(stash);
    };
    const timer = setInterval(
      () => {
        const at = frames[next++];
        if (!at) return stop();
        const error = at.error === null ? '' : `, error ${at.error.toPrecision(2)}`;
        set({
          poses: Float32Array.from(at.poses),
          frame: get().frame + 1,
          task: { label: `Iteration ${at.iteration}${error}`, fraction: next / frames.length, cancel: stop },
        });
      },
      showTime / Math.max(frames.length, 12),
    );
    show = { stash: null, stop };
  }

  // ------------------------------------------------------------------------------------------ saves, crashes

  function saveSoon(milliseconds: number): void {
    stale = true;
    if (Date.now() + milliseconds >= saveAt) return;
    if (saveTimer !== null) clearTimeout(saveTimer);
    saveAt = Date.now() + milliseconds;
    saveTimer = setTimeout(() => {
      saveAt = Infinity;
      saveTimer = null;
      void saveNow();
    }, milliseconds);
  }

  async function saveNow(): Promise<Kept | null> {
    if (!get().scene || !ready) return null;
    stale = false;
    keeping += 1;
    try {
      return await keepAnswers();
    } finally {
      keeping -= 1;
    }
  }
  async function keepAnswers(): Promise<Kept | null> {
    const [save, state] = await Promise.all([ask('save'), ask('state')]);
    if (!save.ok || !state.ok) return null;
    const record = save.save as Save;
    const { origin, draft } = get();
    const undo = state.undo as string[];
    const unsaved = (draft ?? record.text) !== (origin?.saved ?? openedText) || isMade(undo, origin, state);
    const changed = unsaved || undo.length > 0 || draft !== null || (openedText !== null && record.text !== openedText);
    lastKept = { id: origin?.document ?? '', at: Date.now(), save: record, changed, unsaved, origin, draft };
    if (origin && !get().embed) await keep(lastKept); // a picture in someone's page is nobody's work
    return lastKept;
  }

  // Ends the worker; what waits for it is refused.
  function drop(): void {
    worker?.terminate();
    worker = null;
    ready = false;
    joints = { asked: 0, under: false, every: jointsEvery };
    const left = waiting;
    waiting = new Map();
    for (const { resolve, timer } of left.values()) {
      clearTimeout(timer);
      resolve(refusal('the engine has restarted'));
    }
  }

  function crashed(what: string): void {
    crashes = [...crashes.filter((time) => Date.now() - time < crashTime), Date.now()];
    const again = crashes.length > 1;
    drop();
    if (crashes.length > 2) {
      set({ ready: false, playing: false, task: null });
      say(`The engine stopped several times (${what}). Open another scene.`, 'error');
      return;
    }
    set({ playing: false, ghosts: [], task: { label: 'Restarting the engine' } });
    begin();
    const record = lastKept;
    if (!record) {
      set({ task: null });
      say(`The engine stopped (${what}) and was restarted.`, 'error');
      return;
    }
    // Twice in a row: as written then, without the motion that may have killed it.
    const back = again ? open(record.save.text, record.save.name, record.save.files) : restore(record);
    void back.then((answer) => {
      const where = again ? 'The scene is at the pose in its text' : `Your work is as it was at ${record.save.time.toFixed(2)} s`;
      set({ task: null });
      if (answer.ok) say(`The engine stopped (${what}) and was restarted. ${where}.`);
      else say(`The engine stopped (${what}), and the scene could not be opened again.`, 'error');
      if (answer.ok && compared.length > 0 && !again) void control.compare(compared);
    });
  }

  async function restore(record: Kept): Promise<Answer> {
    const answer = await run({ do: 'restore', save: record.save });
    if (!answer.ok) return answer;
    lastKept = record;
    seen = null;
    openedText = record.changed ? '' : record.save.text;
    return answer;
  }

  function run(request: Request): Promise<Answer> {
    const command = commandOf(request);
    if (command) {
      show?.stop();
      if (traitsOf(command).stops && get().playing) stopPlaying();
    }
    return send(request, command ? questionsAfter(command) : []);
  }

  function open(text: string, name: string, files: Record<string, string> = {}): Promise<Answer> {
    return run({ do: 'open', text, name, files }).then((answer) => {
      if (answer.ok) openedText = text;
      return answer;
    });
  }

  // While it plays, silence means that a step does not end.
  function watchOver(on: boolean): void {
    if (watch !== null) clearInterval(watch);
    watch = null;
    if (!on) return;
    heard = Date.now();
    watch = setInterval(() => {
      const { task } = get();
      const silent = Date.now() - heard > 3 * slow;
      if (silent && !task) set({ task: { label: 'This step takes long', cancel: () => control.kill() } });
      else if (!silent && task?.label === 'This step takes long') set({ task: null });
    }, slow);
  }

  function stopPlaying(): void {
    set({ playing: false });
    watchOver(false);
  }

  // What stands beside the session is saved with it.
  const unsubscribe = page.subscribe((now, before) => {
    if (now.draft !== before.draft || now.origin !== before.origin) saveSoon(saveAfter);
  });

  const control: EngineControl = {
    start: () => void begin(),
    run,
    open,
    restore,
    saved: () => lastKept,
    keepNow: saveNow,
    leave() {
      const { origin, draft, embed } = get();
      const exact = seen !== null || (!stale && keeping === 0 && lastKept?.id === origin?.document);
      leave(origin && exact && !embed ? { id: origin.document, save: seen, draft } : null);
    },
    play(on) {
      if (get().playing === on) return;
      show?.stop();
      set(({ notices }) => ({ playing: on, notices: notices.filter(({ kind }) => kind !== 'info') }));
      post({ type: 'play', on });
      watchOver(on);
      if (!on) {
        void ask('state');
        if (get().verdict?.stale ?? true) verdictSoon();
      }
    },
    setSpeed(speed) {
      set({ speed });
      post({ type: 'speed', value: speed });
    },
    grab(id: number, solid: string, point: Vec3, target: Vec3, orientation?: Quat) {
      show?.stop();
      post({ type: 'grab', id, solid, point, target, orientation, physics: get().dragMode === 'physics' });
      void ask('state');
    },
    move(id, target, orientation) {
      post({ type: 'move', id, target, orientation });
    },
    release(id) {
      post({ type: 'release', id });
      void ask('state');
      saveSoon(saveAfter);
    },
    compare(methods) {
      compared = methods;
      return new Promise((resolve) => {
        const id = nextId++;
        const timer = setTimeout(() => set({ task: { label: 'Preparing the comparison', cancel: () => control.kill() } }), slow);
        waiting.set(id, { request: {}, resolve: () => resolve(), timer });
        post({ type: 'compare', id, methods });
      });
    },
    kill() {
      crashes = [];
      crashed('you cancelled it');
    },
    end() {
      unsubscribe();
      show?.stop();
      watchOver(false);
      for (const timer of [saveTimer, verdictTimer]) if (timer !== null) clearTimeout(timer);
      drop();
    },
  };
  return control;
}
