// Numbers as people read them.
export function short(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(3)));
  return value.toExponential(1).replace('e+', 'e');
}

// '1 solid', '2 solids'.
export const counted = (count: number, noun: string, plural = `${noun}s`): string => `${count} ${count === 1 ? noun : plural}`;

// A length or angle that ought to vanish: in the unit in which it is easily imagined.
export function errorWords(error: number | null | undefined): string {
  if (error === null || error === undefined) return 'not finite';
  if (error < 1e-12) return 'exact';
  if (error < 1e-9) return '< 1 nm';
  if (error < 1e-6) return `${short(error * 1e9)} nm`;
  if (error < 1e-3) return `${short(error * 1e6)} µm`;
  if (error < 1) return `${short(error * 1e3)} mm`;
  return `${short(error)} m`;
}

export function milliseconds(value: number): string {
  return value < 1 ? `${Math.round(value * 1000)} µs` : `${value.toFixed(value < 10 ? 2 : 1)} ms`;
}

export function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}
