// The store as a mirror of the session: what an answer or a frame changes in it. No worker here, so that tests need none.
import {
  noticed,
  type Catalogue,
  type JointNow,
  type Measures,
  type Origin,
  type Page,
  type Problem,
  type Sample,
  type Scene,
  type SessionState,
  type Verdict,
  type Way,
} from '../store/store';
import type { Answer } from './client';
import { traitsOf } from './commands';
import type { FrameMessage, Request } from './protocol';

const kept = 4000; // samples of the plots

export const commandOf = (request: Request): string | null => (typeof request.do === 'string' ? request.do : null);
export const changesText = (command: string): boolean => traitsOf(command).text === true;
// After these the verdict is another one.
export const changesVerdict = (command: string): boolean => traitsOf(command).verdict === true;

// Questions whose answers a command may have changed.
export function questionsAfter(command: string): string[] {
  const questions = ['state', 'joints', 'measures'];
  if (changesText(command)) questions.push('scene', 'text');
  return questions;
}

// What the answer of a question says.
export function mirrorQuestion(name: string, answer: Answer): Partial<Page> {
  if (!answer.ok) return {};
  switch (name) {
    case 'scene':
      return { scene: answer as unknown as Scene };
    case 'text':
      return { text: String(answer.text) };
    case 'state':
      return { state: answer as unknown as SessionState };
    case 'measures':
      return { measures: answer as unknown as Measures };
    case 'joints':
      return { joints: answer.joints as Record<string, JointNow> };
    case 'verdict':
      return { verdict: answer as unknown as Verdict };
    case 'ways':
      return { ways: answer.ways as Way[] };
    case 'catalogue':
      return { catalogue: answer as unknown as Catalogue };
    default:
      return {};
  }
}

// Whether someone made what the text does not have: `whole` is the answer to `ask: state` or `ask: kept`. A scene of the
// gallery that merely plays is nobody's work: it comes again whenever it is played.
export function isMade(undo: string[], origin: Origin | null, whole: Answer | SessionState): boolean {
  if (whole.complete !== false) return false;
  const gallery = /[?&]scene=/.test(origin?.address ?? '');
  return origin?.made === true || undo.some((label) => !gallery || label !== 'Play');
}

// Whether the scene, as far as the page knows it, has something that no file has.
export function isUnsaved({ scene, text, draft, origin, state }: Page): boolean {
  if (!scene || !origin) return false;
  return (draft ?? text) !== origin.saved || (origin.pending === null && state !== null && isMade(state.undo, origin, state));
}

// What a command changes beside the answers to the questions after it.
export function mirrorCommand(page: Page, command: string, answer: Answer): Partial<Page> {
  const change: Partial<Page> = {};
  if (command === 'open' || command === 'edit') change.problems = answer.problems ?? [];
  if (!answer.ok) {
    // The editor marks what is wrong with a text where it is wrong.
    if (command !== 'edit') change.notices = noticed(page.notices, { text: wordsOf(answer), kind: 'error' });
    return change;
  }
  if (traitsOf(command).past) {
    change.history = [];
    // What the last motion was warned of is over; an error may be about anything, and stays until it is dismissed.
    change.notices = page.notices.filter(({ kind }) => kind === 'error');
  }
  // Shown as such until the next one comes: numbers that vanish and come back are hard to read.
  if (changesVerdict(command)) change.verdict = page.verdict && { ...page.verdict, stale: true };
  if (traitsOf(command).opens) {
    change.verdict = null;
    change.ways = null;
    change.selection = { solids: [], joints: [] };
    change.highlight = [];
    change.hovered = null;
  } else if (page.highlight.length > 0 && changesVerdict(command)) {
    change.highlight = [];
  }
  return change;
}

export function wordsOf(answer: Answer): string {
  const problem = answer.problems?.[0];
  return problem ? sentenceOf(problem) : 'The engine refused that.';
}

export function sentenceOf({ line, what, remedy }: Problem): string {
  const words = `${line > 0 ? `line ${line}: ` : ''}${what}${remedy === '' ? '' : `: ${remedy}`}.`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

// Names that are gone are no longer selected.
export function prune(page: Page, scene: Scene): Partial<Page> {
  const solids = new Set(scene.solids.map((solid) => solid.name));
  const joints = new Set(scene.joints.map((joint) => joint.name));
  const selection = {
    solids: page.selection.solids.filter((name) => solids.has(name)),
    joints: page.selection.joints.filter((name) => joints.has(name)),
  };
  const same = selection.solids.length === page.selection.solids.length && selection.joints.length === page.selection.joints.length;
  return same ? {} : { selection };
}

export function mirrorFrame(page: Page, frame: FrameMessage): Partial<Page> {
  const change: Partial<Page> = {
    poses: frame.poses,
    frame: page.frame + 1,
    ghosts: frame.ghosts,
    milliseconds: frame.milliseconds,
    rate: frame.rate,
    unexplained: frame.unexplained,
    posing: frame.posing,
  };
  if (frame.measures) {
    change.measures = frame.measures;
    const method = page.state?.settings.method ?? '';
    let { history } = page;
    for (const { measures, milliseconds, ghosts } of [...frame.past, { ...frame, measures: frame.measures }])
      history = sampled(history, [
        { ...measures, milliseconds, method },
        ...ghosts.map((ghost) => ({ ...ghost.measures, milliseconds: ghost.milliseconds, method: ghost.method })),
      ]);
    change.history = history;
  }
  return change;
}

// Samples of one time: they replace those of the same time, and what came after it (the clock was turned back).
function sampled(history: Sample[], samples: Sample[]): Sample[] {
  const time = samples[0].time;
  let end = history.length;
  while (end > 0 && history[end - 1].time >= time) end -= 1;
  const from = Math.max(0, end + samples.length - kept);
  return history.slice(from, end).concat(samples);
}
