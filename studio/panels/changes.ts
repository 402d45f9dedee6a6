// What makes one text another, in small pieces: so that an editor keeps its cursor, its folds and its history.
export interface Change { from: number; to: number; insert: string }

function trimmed(before: string, after: string, at: number): Change | null {
  if (before === after) return null;
  let head = 0;
  const most = Math.min(before.length, after.length);
  while (head < most && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < most - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail += 1;
  return { from: at + head, to: at + before.length - tail, insert: after.slice(head, after.length - tail) };
}

export function changesBetween(before: string, after: string): Change[] {
  const whole = trimmed(before, after, 0);
  if (!whole) return [];
  // A rename touches many lines and adds none: then line by line.
  const old = before.slice(whole.from, whole.to);
  const oldLines = old.split('\n');
  const newLines = whole.insert.split('\n');
  if (oldLines.length !== newLines.length || oldLines.length < 2) return [whole];
  const changes: Change[] = [];
  let at = whole.from;
  oldLines.forEach((line, i) => {
    const change = trimmed(line, newLines[i] as string, at);
    if (change) changes.push(change);
    at += line.length + 1;
  });
  return changes;
}
