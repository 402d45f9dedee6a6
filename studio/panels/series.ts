// Samples as columns for the plots: one time axis, a column of numbers or gaps for each line.
import type { Sample } from '../store/store';

export interface Line {
  label: string;
  colour: string;
  dash?: number[];
  values: (number | null)[];
}
// `window`: what of a linear axis is shown at most.
export interface Chart {
  times: number[];
  lines: Line[];
  window?: [number, number];
}
export type ChartName = 'error' | 'energy' | 'momentum' | 'cost';

const least = 1e-16; // a logarithm has no zero

// Line colours where there is one method only: by what they are.
const parts = { kinetic: '#e2703a', potential: '#2ca58d', total: '#2f7de1', linear: '#8c6bd8', angular: '#1aa3c4' };

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);
const positive = (value: number | null): number | null => (value === null ? null : Math.max(value, least));

// A method that goes wrong wins energy without end. It may leave the axis, so that the others can still be read: shown is what
// the session's own method needs, and three times its size to both sides.
const beyond = 3;
function windowOf(
  own: (Sample | null)[],
  values: ((sample: Sample) => number | null)[],
  sizes: ((sample: Sample) => number | null)[],
): [number, number] | undefined {
  const samples = own.filter((sample) => sample !== null);
  const all = (read: ((sample: Sample) => number | null)[]): number[] =>
    read.flatMap((value) => samples.map(value)).filter((x): x is number => x !== null && Number.isFinite(x));
  const [low, high] = ends(all(values));
  const [least, most] = ends(all(sizes));
  const size = Math.max(high - low, most - least);
  return size > 0 ? [low - beyond * size, high + beyond * size] : undefined;
}
// The least and the largest, also of more numbers than a call takes.
export const ends = (values: number[]): [number, number] =>
  values.reduce<[number, number]>(([low, high], x) => [Math.min(low, x), Math.max(high, x)], [Infinity, -Infinity]);

// The ends of a linear axis: of all lines, within the window.
export function rangeOf({ lines, window }: Chart): [number, number] {
  const [low, high] = window ?? [-Infinity, Infinity];
  const [from, to] = ends(lines.flatMap(({ values }) => values.filter((x): x is number => x !== null && x >= low && x <= high)));
  if (from > to) return [0, 1];
  const margin = 0.08 * (to - from || Math.abs(to) || 1);
  return [from - margin, to + margin];
}
// Lines of which something is beyond the axis.
export const leaving = ({ lines, window }: Chart): string[] =>
  window ? lines.filter(({ values }) => values.some((x) => x !== null && !(x >= window[0] && x <= window[1]))).map(({ label }) => label) : [];

// `colourOf`: of a method.
export function chartOf(name: ChartName, history: Sample[], own: string, colourOf: (method: string) => string): Chart {
  const times: number[] = [];
  const rows = new Map<string, (Sample | null)[]>([[own, []]]);
  for (const sample of history) {
    if (times.length === 0 || sample.time > times[times.length - 1]) times.push(sample.time);
    const row = rows.get(sample.method) ?? [];
    rows.set(sample.method, row);
    while (row.length < times.length - 1) row.push(null);
    row[times.length - 1] = sample;
  }
  const column = (method: string, value: (sample: Sample) => number | null): (number | null)[] => {
    const row = rows.get(method) ?? [];
    return times.map((_, k) => (row[k] ? value(row[k]) : null));
  };
  const methods = [...rows.keys()];
  const several = methods.length > 1;
  const row = rows.get(own) ?? [];
  const total = (s: Sample): number | null => sum(s.kinetic, s.potential);
  const each = (value: (sample: Sample) => number | null, dash?: number[], suffix = ''): Line[] =>
    methods.map((method) => ({ label: method + suffix, colour: colourOf(method), dash, values: column(method, value) }));
  switch (name) {
    case 'error':
      return {
        times,
        lines: several
          ? each((s) => positive(s.error))
          : [
              { label: 'largest', colour: colourOf(own), values: column(own, (s) => positive(s.error)) },
              { label: 'rms', colour: colourOf(own), dash: [4, 3], values: column(own, (s) => positive(s.rms)) },
            ],
      };
    case 'energy':
      return {
        times,
        lines: several
          ? each(total)
          : [
              { label: 'kinetic', colour: parts.kinetic, values: column(own, (s) => s.kinetic) },
              { label: 'potential', colour: parts.potential, values: column(own, (s) => s.potential) },
              { label: 'total', colour: parts.total, values: column(own, total) },
            ],
        ...(several ? { window: windowOf(row, [total], [(s) => s.kinetic, (s) => s.potential]) } : {}),
      };
    case 'momentum':
      return {
        times,
        lines: several
          ? [...each((s) => s.momentum, undefined, ' linear'), ...each((s) => s.angular_momentum, [4, 3], ' angular')]
          : [
              { label: 'linear', colour: parts.linear, values: column(own, (s) => s.momentum) },
              { label: 'angular', colour: parts.angular, values: column(own, (s) => s.angular_momentum) },
            ],
        ...(several ? { window: windowOf(row, [() => 0, (s) => s.momentum, (s) => s.angular_momentum], []) } : {}),
      };
    case 'cost':
      return { times, lines: each((s) => (s.milliseconds > 0 ? s.milliseconds : null)) };
  }
}
