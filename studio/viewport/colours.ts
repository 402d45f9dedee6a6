// Colours of the view in both themes. The page's own colours are CSS; a canvas needs them as numbers.
import { Color, SRGBColorSpace } from 'three';
import type { Theme } from '../store/store';

export interface Palette {
  skyTop: string;
  skyBottom: string;
  gridLine: string;
  gridStrength: number;
  shadow: number; // strength
  mark: Color; // joints
  markDim: Color;
  rod: Color;
  spring: Color;
  rope: Color;
  range: Color; // limits
  soft: Color; // preferred ranges
  accent: Color;
  hover: Color;
  frozen: Color;
  merged: Color[];
  pin: Color;
  pinSolid: Color;
  hand: Color;
  force: Color;
  warn: Color;
  error: Color;
  hemisphereSky: string;
  hemisphereGround: string;
  hemisphere: number;
  key: number;
  environment: number;
}

const c = (hex: string) => new Color(hex);
const merged = ['#b07cf0', '#3fb6a8', '#e08a3c', '#d566a3', '#7fa843', '#5b8def'].map(c);

const light: Palette = {
  skyTop: '#fbfcfd',
  skyBottom: '#dde3ea',
  gridLine: '#5b6b7f',
  gridStrength: 0.42,
  shadow: 0.26,
  mark: c('#3c4654'),
  markDim: c('#7b8796'),
  rod: c('#5a6572'),
  spring: c('#b5702a'),
  rope: c('#8a6a45'),
  range: c('#1f7ae0'),
  soft: c('#8a63d2'),
  accent: c('#1d6fe0'),
  hover: c('#6aa5f5'),
  frozen: c('#3aa7f2'),
  merged,
  pin: c('#e23d4a'),
  pinSolid: c('#e8762c'),
  hand: c('#d6316f'),
  force: c('#d4453a'),
  warn: c('#f08c00'),
  error: c('#e02b2b'),
  hemisphereSky: '#ffffff',
  hemisphereGround: '#cfd4da',
  hemisphere: 0.9,
  key: 2.3,
  environment: 0.42,
};

const dark: Palette = {
  skyTop: '#2a3039',
  skyBottom: '#14171c',
  gridLine: '#9fb2c8',
  gridStrength: 0.26,
  shadow: 0.5,
  mark: c('#e3e9f0'),
  markDim: c('#8d99a8'),
  rod: c('#a5b0bd'),
  spring: c('#e0a050'),
  rope: c('#c8a57a'),
  range: c('#58a6ff'),
  soft: c('#b394f0'),
  accent: c('#5aa9ff'),
  hover: c('#8cc2ff'),
  frozen: c('#6cc8ff'),
  merged,
  pin: c('#ff5a66'),
  pinSolid: c('#ff9548'),
  hand: c('#ff6aa2'),
  force: c('#ff7a66'),
  warn: c('#ffb02e'),
  error: c('#ff4d4d'),
  hemisphereSky: '#cfdcec',
  hemisphereGround: '#2b2f36',
  hemisphere: 0.55,
  key: 2.1,
  environment: 0.34,
};

export function isDark(theme: Theme): boolean {
  if (theme !== 'system') return theme === 'dark';
  return typeof matchMedia === 'function' && matchMedia('(prefers-color-scheme: dark)').matches;
}
export const paletteOf = (theme: Theme): Palette => (isDark(theme) ? dark : light);

export const sceneColour = (rgb: readonly number[], into = new Color()): Color =>
  into.setRGB(rgb[0] ?? 0.7, rgb[1] ?? 0.7, rgb[2] ?? 0.7, SRGBColorSpace);
