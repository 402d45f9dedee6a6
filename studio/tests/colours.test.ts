import { expect, it } from 'vitest';
import { paletteOf } from '../viewport/colours';
import { darkShades, lightShades, methodColour } from '../store/colours';

it('has the same colours in both themes, by name, and the view takes them from here', () => {
  expect(Object.keys(darkShades)).toEqual(Object.keys(lightShades));
  expect(`#${paletteOf('light').pin.getHexString()}`).toBe(lightShades.pin);
  expect(`#${paletteOf('dark').merged[1].getHexString()}`).toBe(darkShades.merged[1]);
  expect(paletteOf('dark').skyTop).toBe(darkShades.skyTop);
});
it('has a colour for a method that it does not know', () => {
  expect(methodColour('energy')).not.toBe(methodColour('of the future'));
});
