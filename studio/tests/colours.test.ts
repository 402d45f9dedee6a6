import { expect, it } from 'vitest';
import { paletteOf } from '../viewport/colours';
import { darkShades, lightShades, methodColour } from '../store/colours';

it('has the same colours in both themes, by name, and the view takes them from here', () => {
  expect(Object.keys(darkShades)).toEqual(Object.keys(lightShades));
  expect(`#${paletteOf('light').pin.getHexString()}`).toBe(lightShades.pin);
  expect(`#${paletteOf('dark').merged[1].getHexString()}`).toBe(darkShades.merged[1]);
  expect(paletteOf('dark').skyTop).toBe(darkShades.skyTop);
});
it('has colours for methods by their order in the catalogue, however many there are, and one for those that are not there', () => {
  const methods = Array.from({ length: 20 }, (_, k) => `method${k}`);
  const catalogue = {
    kinds: [],
    methods: methods.map((name) => ({ name, summary: '', islands: false, solver: false, feedback: false })),
    solvers: [],
    assembly: [],
  };
  const all = [...methods, 'of the future'].map((method) => methodColour(catalogue, method));
  expect(new Set(all).size).toBe(all.length);
  expect(methodColour(null, 'method0')).toBe(methodColour(catalogue, 'of the future'));
});
