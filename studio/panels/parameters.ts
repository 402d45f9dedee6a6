// Parameters as sliders: their range, their steps, and how a new value is written where the old one stands.
import type { Parameter } from '../store/store';
import { short } from './quantity';

const unitFactors: Record<string, number> = {
  deg: Math.PI / 180,
  rev: 2 * Math.PI,
  cm: 0.01,
  mm: 0.001,
  km: 1000,
  in: 0.0254,
  ft: 0.3048,
  g: 0.001,
  t: 1000,
  lb: 0.45359237,
  ms: 0.001,
  min: 60,
  kN: 1000,
  m: 1,
  rad: 1,
  kg: 1,
  s: 1,
  N: 1,
};
const numberWithUnit = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?([a-zA-Z]*)$/;

export interface Slider {
  lower: number; // SI
  upper: number;
  step: number; // 0: continuous
  logarithmic: boolean;
  unit: string; // as written
  factor: number; // SI of one unit
  computed: boolean; // an expression: a slider would overwrite it
}

export function sliderOf(parameter: Parameter, values: string | null): Slider {
  const words = values === null ? [] : splitWords(values);
  const match = numberWithUnit.exec(words[0] ?? '');
  const unit = match?.[1] ?? '';
  const factor = unitFactors[unit] ?? 1;
  const whole = words.filter((w) => w !== 'min' && w !== 'max').every((w) => /^[+-]?\d+(e\d+)?$/.test(w) || w.startsWith('('));
  const size = Math.abs(parameter.value);
  const angular = unit === 'deg' || unit === 'rad' || unit === 'rev';
  const reach = angular ? Math.PI : size === 0 ? 1 : 2 * size;
  const lower = parameter.lower ?? (angular || parameter.value <= 0 ? -reach : 0);
  const upper = parameter.upper ?? reach;
  return {
    lower: Math.min(lower, parameter.value),
    upper: Math.max(upper, parameter.value),
    step: whole && words.length > 0 && Number.isInteger(parameter.value) ? 1 : 0,
    logarithmic: lower > 0 && upper / lower >= 500,
    unit,
    factor,
    computed: words.length > 0 && match === null,
  };
}

// A hundredth to a thousandth of the range, round in the parameter's unit.
const grainOf = (slider: Slider): number => 10 ** (Math.ceil(Math.log10((slider.upper - slider.lower) / slider.factor)) - 3) * slider.factor;

// How far an arrow moves the slider: to the next value that can be written.
export function sliderStep(slider: Slider): number {
  if (slider.logarithmic || slider.upper <= slider.lower) return 5;
  return Math.max(0.01, (1000 * (slider.step > 0 ? slider.step : grainOf(slider))) / (slider.upper - slider.lower));
}

// Where a value is on a slider of 0 to 1000, and back.
export function toSlider(slider: Slider, value: number): number {
  if (slider.upper <= slider.lower) return 0;
  if (slider.logarithmic) return (1000 * Math.log(value / slider.lower)) / Math.log(slider.upper / slider.lower);
  return (1000 * (value - slider.lower)) / (slider.upper - slider.lower);
}
export function fromSlider(slider: Slider, position: number): number {
  const at = position / 1000;
  const value = slider.logarithmic ? slider.lower * (slider.upper / slider.lower) ** at : slider.lower + at * (slider.upper - slider.lower);
  if (slider.step > 0) return Math.round(value / slider.step) * slider.step;
  // Round numbers, so that the text stays readable; the ends themselves exactly.
  if (position <= 0) return slider.lower;
  if (position >= 1000) return slider.upper;
  const grain = grainOf(slider);
  const rounded = slider.logarithmic ? Number(value.toPrecision(3)) : Math.round(value / grain) * grain;
  return Math.min(slider.upper, Math.max(slider.lower, rounded));
}

export function splitWords(values: string): string[] {
  const words: string[] = [];
  let depth = 0;
  let word = '';
  for (const c of values) {
    if (c === '(') depth += 1;
    if (c === ')') depth -= 1;
    if (depth === 0 && /\s/.test(c)) {
      if (word !== '') words.push(word);
      word = '';
    } else word += c;
  }
  if (word !== '') words.push(word);
  return words;
}

// The values of the statement with another first one, in the unit that it had; bounds stay as they are.
export function rewritten(values: string | null, slider: Slider, value: number): string {
  const rest = values === null ? [] : splitWords(values).slice(1);
  return [`${short(value / slider.factor, 7)}${slider.unit}`, ...rest].join(' ');
}
