// Samples as columns for the plots: one time axis, a column of numbers or gaps for each line.
import { methodColour } from '../store/colours';
import type { Sample } from '../store/store';

export interface Line { label: string; colour: string; dash?: number[]; values: (number | null)[] }
export interface Chart { times: number[]; lines: Line[] }
export type ChartName = 'error' | 'energy' | 'momentum' | 'cost';

const least = 1e-16; // a logarithm has no zero

// Line colours where there is one method only: by what they are.
const parts = { kinetic: '#e2703a', potential: '#2ca58d', total: '#2f7de1', linear: '#8c6bd8', angular: '#1aa3c4' };

const sum = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);
const positive = (value: number | null): number | null => (value === null ? null : Math.max(value, least));

export function chartOf(name: ChartName, history: Sample[], own: string): Chart {
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
  const each = (value: (sample: Sample) => number | null, dash?: number[], suffix = ''): Line[] =>
    methods.map((method) => ({ label: method + suffix, colour: methodColour(method), dash, values: column(method, value) }));
  switch (name) {
    case 'error':
      return { times, lines: several ? each((s) => positive(s.error)) : [
        { label: 'largest', colour: methodColour(own), values: column(own, (s) => positive(s.error)) },
        { label: 'rms', colour: methodColour(own), dash: [4, 3], values: column(own, (s) => positive(s.rms)) },
      ] };
    case 'energy':
      return { times, lines: several ? each((s) => sum(s.kinetic, s.potential)) : [
        { label: 'kinetic', colour: parts.kinetic, values: column(own, (s) => s.kinetic) },
        { label: 'potential', colour: parts.potential, values: column(own, (s) => s.potential) },
        { label: 'total', colour: parts.total, values: column(own, (s) => sum(s.kinetic, s.potential)) },
      ] };
    case 'momentum':
      return { times, lines: several
        ? [...each((s) => s.momentum, undefined, ' linear'), ...each((s) => s.angular_momentum, [4, 3], ' angular')]
        : [
            { label: 'linear', colour: parts.linear, values: column(own, (s) => s.momentum) },
            { label: 'angular', colour: parts.angular, values: column(own, (s) => s.angular_momentum) },
          ] };
    case 'cost':
      return { times, lines: each((s) => (s.milliseconds > 0 ? s.milliseconds : null)) };
  }
}
