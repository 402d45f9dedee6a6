// Numbers with units as the scene language has them.
export type Dimension = 'length' | 'angle' | 'mass' | 'time' | 'force' | 'density' | 'acceleration' | 'none';

const units: Record<string, { factor: number; of: Dimension }> = {
  m: { factor: 1, of: 'length' },
  cm: { factor: 0.01, of: 'length' },
  mm: { factor: 0.001, of: 'length' },
  km: { factor: 1000, of: 'length' },
  in: { factor: 0.0254, of: 'length' },
  ft: { factor: 0.3048, of: 'length' },
  rad: { factor: 1, of: 'angle' },
  deg: { factor: Math.PI / 180, of: 'angle' },
  rev: { factor: 2 * Math.PI, of: 'angle' },
  kg: { factor: 1, of: 'mass' },
  g: { factor: 0.001, of: 'mass' },
  t: { factor: 1000, of: 'mass' },
  lb: { factor: 0.45359237, of: 'mass' },
  s: { factor: 1, of: 'time' },
  ms: { factor: 0.001, of: 'time' },
  min: { factor: 60, of: 'time' },
  N: { factor: 1, of: 'force' },
  kN: { factor: 1000, of: 'force' },
};
export const unitNames = [...Object.keys(units), 'Hz', 'rpm'];

// The number in SI, or null. `shown` is the unit that a number without one has in the field.
export function parseQuantity(text: string, dimension: Dimension, shown = ''): number | null {
  const match = /^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)\s*([a-zA-Z°]*)\s*$/.exec(text.replace('−', '-'));
  if (!match) return null;
  const name = match[2] === '°' ? 'deg' : (match[2] as string) || shown;
  const value = Number(match[1]);
  if (!Number.isFinite(value)) return null;
  if (name === '') return value;
  const unit = units[name];
  if (!unit || (dimension !== 'none' && unit.of !== dimension)) return null;
  return value * unit.factor;
}

// Why a text is no such number, in a sentence.
export function whyNotQuantity(text: string, dimension: Dimension): string {
  const written = text.trim();
  const match = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*([a-zA-Z°]+)$/.exec(written.replace('−', '-'));
  const fitting = Object.keys(units).filter((name) => dimension === 'none' || units[name]?.of === dimension);
  const use =
    fitting.length === 0 ? 'leave the unit out' : `use ${fitting.length === 1 ? '' : `${fitting.slice(0, -1).join(', ')} or `}${fitting[fitting.length - 1]}`;
  if (written === '') return 'Write a number here.';
  if (!match) return `“${written}” is not a number.`;
  return units[match[1] as string] ? `${match[1]} is not a unit of ${dimension}: ${use}.` : `${match[1]} is not a unit that Tenon knows: ${use}.`;
}
// Why a number is not within its range, or null.
export function whyNotBetween(value: number, min: number, max: number, show: (value: number) => string): string | null {
  if (value >= min && value <= max) return null;
  return min > -Infinity && max < Infinity
    ? `Choose a number from ${show(min)} to ${show(max)}.`
    : value < min
      ? `The smallest value is ${show(min)}.`
      : `The largest value is ${show(max)}.`;
}

// At most `digits` digits that count, without zeros at the end.
export function short(value: number, digits = 4): string {
  if (value === 0 || !Number.isFinite(value)) return String(value === 0 ? 0 : value);
  if (Math.abs(value) < 1e-9) return '0';
  const text = Math.abs(value) >= 1e6 || Math.abs(value) < 1e-4 ? value.toExponential(digits - 1) : value.toPrecision(digits);
  const [mantissa, exponent] = text.split('e') as [string, string | undefined];
  const trimmed = mantissa.includes('.') ? mantissa.replace(/\.?0+$/, '') : mantissa;
  return exponent === undefined ? trimmed : `${trimmed}e${exponent.replace('+', '')}`;
}

export const degrees = (radians: number): number => (radians * 180) / Math.PI;

// What a coordinate shows: angles in degrees.
export function showCoordinate(value: number | null | undefined, angular: boolean): string {
  if (value === null || value === undefined) return '–';
  return angular ? `${(Math.round(degrees(value) * 100) / 100).toString()}°` : `${short(value)} m`;
}
// What goes into the text.
export function writeCoordinate(value: number, angular: boolean): string {
  return angular ? `${short(degrees(value), 6)}deg` : short(value, 6);
}

// Metres, newtons and the like at a glance: 12.3 mm, 1.2 kN.
export function showLength(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const size = Math.abs(value);
  if (size === 0) return '0 m';
  if (size < 1e-6) return `${short(value * 1e9, 3)} nm`;
  if (size < 1e-3) return `${short(value * 1e6, 3)} µm`;
  if (size < 0.1) return `${short(value * 1e3, 3)} mm`;
  return `${short(value)} m`;
}
