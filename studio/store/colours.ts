// The colours that are not CSS: of methods, and of the view in both themes. No three.js here.
import type { Catalogue } from './store';

// Of methods, the same in the view's ghosts, the plots and the comparison: by their order in the engine's catalogue. Middle
// tones: they are seen on light and on dark.
const colours = ['#2f7de1', '#e2703a', '#2ca58d', '#c0398b', '#8c6bd8', '#d1a21b', '#4fa83d', '#d64545', '#1aa3c4'];

export function methodColour(catalogue: Catalogue | null, method: string): string {
  const place = catalogue?.methods.findIndex(({ name }) => name === method) ?? -1;
  if (place < 0) return '#888888';
  return colours[place] ?? `hsl(${(place * 137) % 360}, 50%, 50%)`; // more methods than colours
}

// Of the view.
export interface Shades {
  skyTop: string;
  skyBottom: string;
  gridLine: string;
  gridStrength: number;
  shadow: number; // strength
  mark: string; // joints
  markDim: string;
  rod: string;
  spring: string;
  rope: string;
  range: string; // limits
  soft: string; // preferred ranges
  accent: string;
  hover: string;
  frozen: string;
  merged: string[];
  pin: string;
  pinSolid: string;
  hand: string;
  force: string;
  warn: string;
  error: string;
  hemisphereSky: string;
  hemisphereGround: string;
  hemisphere: number;
  key: number;
  rim: number;
  side: number;
}

const merged = ['#b07cf0', '#3fb6a8', '#e08a3c', '#d566a3', '#7fa843', '#5b8def'];

export const lightShades: Shades = {
  skyTop: '#fbfcfd',
  skyBottom: '#dde3ea',
  gridLine: '#5b6b7f',
  gridStrength: 0.42,
  shadow: 0.26,
  mark: '#3c4654',
  markDim: '#7b8796',
  rod: '#5a6572',
  spring: '#b5702a',
  rope: '#8a6a45',
  range: '#1f7ae0',
  soft: '#8a63d2',
  accent: '#1d6fe0',
  hover: '#6aa5f5',
  frozen: '#3aa7f2',
  merged,
  pin: '#e23d4a',
  pinSolid: '#e8762c',
  hand: '#d6316f',
  force: '#d4453a',
  warn: '#f08c00',
  error: '#e02b2b',
  hemisphereSky: '#ffffff',
  hemisphereGround: '#cfd4da',
  hemisphere: 2,
  key: 2.3,
  rim: 0.6,
  side: 0.5,
};

export const darkShades: Shades = {
  skyTop: '#2a3039',
  skyBottom: '#14171c',
  gridLine: '#9fb2c8',
  gridStrength: 0.26,
  shadow: 0.5,
  mark: '#e3e9f0',
  markDim: '#8d99a8',
  rod: '#a5b0bd',
  spring: '#e0a050',
  rope: '#c8a57a',
  range: '#58a6ff',
  soft: '#b394f0',
  accent: '#5aa9ff',
  hover: '#8cc2ff',
  frozen: '#6cc8ff',
  merged,
  pin: '#ff5a66',
  pinSolid: '#ff9548',
  hand: '#ff6aa2',
  force: '#ff7a66',
  warn: '#ffb02e',
  error: '#ff4d4d',
  hemisphereSky: '#cfdcec',
  hemisphereGround: '#2b2f36',
  hemisphere: 1.5,
  key: 2.1,
  rim: 1.1,
  side: 0.4,
};
