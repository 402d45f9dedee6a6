// What makes one text another, in small pieces: so that an editor keeps its cursor, its folds and its history.
export interface Change {
  from: number;
  to: number;
  insert: string;
}

function trimmed(before: string, after: string, at: number): Change | null {
  if (before === after) return null;
  let head = 0;
  const most = Math.min(before.length, after.length);
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return { from: at + head, to: at + before.length - tail, insert: after.slice(head, after.length - tail) };
}

const most = 500; // lines that come and go: of more, one piece is made

// The lines that two texts share, in order: the fewest come and go (Myers 1986). Null: too many do.
function shared(a: string[], b: string[]): [number, number][] | null {
  const bound = Math.min(a.length + b.length, most);
  const middle = bound + 1;
  const furthest = new Int32Array(2 * bound + 3);
  const at = (v: Int32Array, k: number): number => v[middle + k] as number;
  const cameDown = (v: Int32Array, k: number, d: number): boolean => k === -d || (k !== d && at(v, k - 1) < at(v, k + 1));
  const trace: Int32Array[] = [];
  for (let d = 0; d <= bound; d += 1) {
    trace.push(furthest.slice());
    for (let k = -d; k <= d; k += 2) {
      let x = cameDown(furthest, k, d) ? at(furthest, k + 1) : at(furthest, k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      furthest[middle + k] = x;
      if (x >= a.length && x - k >= b.length) return wayBack(d);
    }
  }
  return null;

  function wayBack(steps: number): [number, number][] {
    const pairs: [number, number][] = [];
    let [x, y] = [a.length, b.length];
    for (let d = steps; d >= 0; d -= 1) {
      const v = trace[d] as Int32Array;
      const k = x - y;
      const from = cameDown(v, k, d) ? k + 1 : k - 1;
      const fromX = d === 0 ? 0 : at(v, from);
      const fromY = d === 0 ? 0 : fromX - from;
      while (x > fromX && y > fromY) pairs.push([(x -= 1), (y -= 1)]);
      [x, y] = [fromX, fromY];
    }
    return pairs.reverse();
  }
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

export function changesBetween(before: string, after: string): Change[] {
  const whole = trimmed(before, after, 0);
  if (!whole) return [];
  const old = linesOf(before.slice(whole.from, whole.to));
  const now = linesOf(whole.insert);
  if (old.length < 2 && now.length < 2) return [whole];
  // What stands between two places that change is left alone: others may change it meanwhile.
  const pairs = shared(old, now) ?? [];
  const changes: Change[] = [];
  let [i, j, at] = [0, 0, whole.from];
  const add = (from: string, to: string): void => {
    const change = trimmed(from, to, at);
    if (change) changes.push(change);
    at += from.length;
  };
  for (const [nextI, nextJ] of [...pairs, [old.length, now.length] as const]) {
    // A rename touches many lines and adds none: then line by line.
    if (nextI - i === nextJ - j) for (; i < nextI; i += 1, j += 1) add(old[i] as string, now[j] as string);
    else add(old.slice(i, nextI).join(''), now.slice(j, nextJ).join(''));
    at += old[nextI]?.length ?? 0;
    [i, j] = [nextI + 1, nextJ + 1];
  }
  return changes;
}

// What was typed in place of `before`, when that has become `now`: with both changes. Where both have replaced the same,
// what was typed stays: of two halves nobody's number would be made.
export function rebased(before: string, now: string, typed: string): string {
  if (now === typed) return typed;
  const own = changesBetween(before, typed);
  const theirs = changesBetween(before, now).filter((their) => !own.some((our) => our.from < their.to && their.from < our.to));
  let text = '';
  let at = 0;
  // `sort` keeps the order of those that begin at the same place: theirs, then what was typed behind it.
  for (const change of [...theirs, ...own].sort((a, b) => a.from - b.from)) {
    if (change.from > at) text += before.slice(at, change.from);
    text += change.insert;
    at = Math.max(at, change.from, change.to);
  }
  return text + before.slice(at);
}
