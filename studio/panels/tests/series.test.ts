import { describe, expect, it } from 'vitest';
import type { Sample } from '../../store/store';
import { errorWords, milliseconds, short } from '../numbers';
import { chartOf } from '../series';

const sample = (time: number, method: string, error: number | null = 1e-9): Sample => ({
  time, method, error, rms: error, worst: null, kinetic: 1, potential: 2, momentum: 3, angular_momentum: 4, milliseconds: 0.1,
});

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

describe('numbers', () => {
  it('are short', () => {
    expect([0, 1.23456, 1e-9, 123456789, null].map(short)).toEqual(['0', '1.23', '1.0e-9', '1.2e8', '–']);
    expect([0, 2e-9, 3e-5, 0.0123, null].map(errorWords)).toEqual(['exact', '2 nm', '30 µm', '12.3 mm', 'not finite']);
    expect([0.25, 4, 31.24].map(milliseconds)).toEqual(['250 µs', '4.00 ms', '31.2 ms']);
  });
});
