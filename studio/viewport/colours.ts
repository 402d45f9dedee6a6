// The view's colours (store/colours.ts) as three.js has them.
import { Color, SRGBColorSpace } from 'three';
import { darkShades, lightShades, type Shades } from '../store/colours';
import type { Theme } from '../store/store';

const lit = [
  'mark',
  'markDim',
  'rod',
  'spring',
  'rope',
  'range',
  'soft',
  'accent',
  'hover',
  'frozen',
  'pin',
  'pinSolid',
  'hand',
  'force',
  'warn',
  'error',
] as const;
export type Palette = Omit<Shades, (typeof lit)[number] | 'merged'> & Record<(typeof lit)[number], Color> & { merged: Color[] };

const paletteFrom = (shades: Shades): Palette => ({
  ...shades,
  ...(Object.fromEntries(lit.map((name) => [name, new Color(shades[name])])) as Record<(typeof lit)[number], Color>),
  merged: shades.merged.map((hex) => new Color(hex)),
});
const light = paletteFrom(lightShades);
const dark = paletteFrom(darkShades);

export function isDark(theme: Theme): boolean {
  if (theme !== 'system') return theme === 'dark';
  return typeof matchMedia === 'function' && matchMedia('(prefers-color-scheme: dark)').matches;
}
export const paletteOf = (theme: Theme): Palette => (isDark(theme) ? dark : light);

export const sceneColour = (rgb: readonly number[], into = new Color()): Color => into.setRGB(rgb[0] ?? 0.7, rgb[1] ?? 0.7, rgb[2] ?? 0.7, SRGBColorSpace);
