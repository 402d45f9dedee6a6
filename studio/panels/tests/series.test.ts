import { describe, expect, it } from 'vitest';
import type { Sample } from '../../store/store';
import { counted, errorWords, milliseconds, short } from '../numbers';
import { chartOf as chartIn, leaving, rangeOf, type ChartName } from '../series';

const sample = (time: number, method: string, error: number | null = 1e-9): Sample => ({
  time,
  method,
  error,
  rms: error,
  worst: null,
  kinetic: 1,
  potential: 2,
  momentum: 3,
  angular_momentum: 4,
  milliseconds: 0.1,
});

const chartOf = (name: ChartName, history: Sample[], own: string) => chartIn(name, history, own, () => '#000000');

describe('columns of the plots', () => {
  it('are parts of the whole for one method', () => {
    const { times, lines } = chartOf('energy', [sample(0, 'energy'), sample(1, 'energy')], 'energy');
    expect(times).toEqual([0, 1]);
    expect(lines.map((line) => line.label)).toEqual(['kinetic', 'potential', 'total']);
    expect(lines[2].values).toEqual([3, 3]);
  });
  it('are one a method for several, with gaps where one was not there', () => {
    const history = [sample(0, 'energy'), sample(1, 'energy'), sample(1, 'shake'), sample(2, 'energy'), sample(2, 'shake', null)];
    const { lines } = chartOf('error', history, 'energy');
    expect(lines.map((line) => line.label)).toEqual(['energy', 'shake']);
    expect(lines[1].values).toEqual([null, 1e-9, null]);
  });
  it('have no zero on a logarithmic axis', () => {
    expect(chartOf('error', [sample(0, 'energy', 0)], 'energy').lines[0].values[0]).toBeGreaterThan(0);
  });
});

describe('a method that explodes', () => {
  // Its energy grows tenfold a sample; the session's own swings between kinetic and potential.
  const history = Array.from({ length: 40 }, (_, k) => k).flatMap((k) => {
    const own = { ...sample(k, 'energy'), kinetic: 1 + Math.sin(k), potential: 1 - Math.sin(k), momentum: 1 + Math.sin(k), angular_momentum: 1 };
    return [own, { ...own, method: 'baumgarte', kinetic: 10 ** k, momentum: 10 ** k }];
  });
  it('leaves linear axes to the others, and is named', () => {
    for (const name of ['energy', 'momentum'] as const) {
      const chart = chartOf(name, history, 'energy');
      const [low, high] = rangeOf(chart);
      expect(high - low).toBeLessThan(40);
      for (const value of chart.lines[0].values) expect(value !== null && value > low && value < high).toBe(true);
      expect(leaving(chart).every((label) => label.startsWith('baumgarte'))).toBe(true);
      expect(leaving(chart).length).toBeGreaterThan(0);
    }
  });
  it('is nothing special while it is within what the own one moves', () => {
    const chart = chartOf('energy', history.slice(0, 2), 'energy');
    expect(leaving(chart)).toEqual([]);
    expect(rangeOf(chart)[1]).toBeGreaterThan(2);
  });
  it('is shown in full where it is the session’s own', () => {
    const chart = chartOf(
      'energy',
      history.filter(({ method }) => method === 'baumgarte'),
      'baumgarte',
    );
    expect(rangeOf(chart)[1]).toBeGreaterThan(1e38);
  });
});

describe('numbers', () => {
  it('are singular for one', () => {
    expect([0, 1, 2].map((n) => counted(n, 'solid'))).toEqual(['0 solids', '1 solid', '2 solids']);
  });
  it('are short', () => {
    expect([0, 1.23456, 1e-9, 123456789, null].map(short)).toEqual(['0', '1.23', '1.0e-9', '1.2e8', '–']);
    expect([0, 2e-9, 3e-5, 0.0123, null].map(errorWords)).toEqual(['exact', '2 nm', '30 µm', '12.3 mm', 'not finite']);
    expect([0.25, 4, 31.24].map(milliseconds)).toEqual(['250 µs', '4.00 ms', '31.2 ms']);
  });
});
