// The engine counts columns in bytes of UTF-8, the editor in UTF-16 units.
export function bytesOf(code: number): number {
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
}

// How many units of the line stand before that many bytes of it.
export function unitsBefore(line: string, bytes: number): number {
  let left = bytes;
  let units = 0;
  while (units < line.length && left > 0) {
    const code = line.codePointAt(units) as number;
    left -= bytesOf(code);
    if (left < 0) break; // in the middle of a letter: at its beginning
    units += code > 0xffff ? 2 : 1;
  }
  return units;
}

// From and to in a line's own units, for a column from 1 and a width in bytes; never empty if the line is not.
export function rangeInLine(line: string, column: number, width: number): { from: number; to: number } {
  const from = unitsBefore(line, Math.max(0, column - 1));
  let to = unitsBefore(line, Math.max(0, column - 1) + Math.max(1, width));
  if (to <= from) to = Math.min(line.length, from + 1);
  return from < line.length || line.length === 0 ? { from, to } : { from: Math.max(0, line.length - 1), to: line.length };
}
