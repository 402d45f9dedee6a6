// What panels say: meanings of the language's words, reasons why numbers are refused, what is normal; and how wide they are.
import { describe, expect, it } from 'vitest';
import { sideWidths } from '../App';
import { areFlat } from '../panels/flat';
import { concern } from '../panels/health';
import { statementWords, suggestions, topWords } from '../panels/language';
import { meaningOf } from '../panels/meanings';
import { whyNotBetween, whyNotQuantity } from '../panels/quantity';
import { blockWords } from '../panels/scan';
import { render, renderDocs } from '../scripts/docs.mjs';
import { initialPage, type Catalogue, type Joint, type Measures, type Quat, type Scene } from '../store/store';

describe('words of the language', () => {
  it('all have a meaning that fits beside them', () => {
    const all = [
      ...topWords.map((word) => ['', word]),
      ...blockWords.map((word) => ['', word]),
      ...Object.entries(statementWords).flatMap(([block, words]) => words.map((word) => [block, word])),
    ];
    expect(all.filter(([block, word]) => meaningOf(word as string, block as string) === undefined)).toEqual([]);
    expect(all.filter(([block, word]) => (meaningOf(word as string, block as string) ?? '').length > 48)).toEqual([]);
  });
  it('mean another thing in another block', () => {
    expect(meaningOf('at', 'joint')).not.toBe(meaningOf('at', 'solid'));
    expect(meaningOf('spring', '')).not.toBe(meaningOf('spring', 'joint'));
  });
  it('stand beside what is proposed, options of a joint too', () => {
    const kind = {
      name: 'distance',
      summary: 'a rod',
      options: [
        { name: 'length', count: 1, unit: 'm', fallback: 0, required: true },
        { name: 'closed', count: 0, unit: '', fallback: 0, required: false },
      ],
      coordinates: [],
    };
    const catalogue = { kinds: [kind], methods: [{ name: 'energy' }], solvers: ['direct'] } as unknown as Catalogue;
    const list = suggestions('joint distance d ', catalogue, null);
    expect(list.filter(({ detail }) => !detail)).toEqual([]);
    expect(list.find(({ label }) => label === 'length')?.detail).toBe('required: a number [m]');
    expect(list.find(({ label }) => label === 'closed')?.detail).toBe('write this word to switch it on');
  });
});

describe('a number that is refused', () => {
  it('says what it is not', () => {
    expect(whyNotQuantity('', 'angle')).toBe('Write a number here.');
    expect(whyNotQuantity('fast', 'angle')).toBe('“fast” is not a number.');
    expect(whyNotQuantity('3kg', 'angle')).toBe('kg is not a unit of angle: use rad, deg or rev.');
    expect(whyNotQuantity('3 furlong', 'time')).toBe('furlong is not a unit that Tenon knows: use s, ms or min.');
    expect(whyNotQuantity('3m', 'density')).toBe('m is not a unit of density: leave the unit out.');
  });
  it('says its range', () => {
    expect(whyNotBetween(2, 0, 1, String)).toBe('Choose a number from 0 to 1.');
    expect(whyNotBetween(-1, 0, Infinity, String)).toBe('The smallest value is 0.');
    expect(whyNotBetween(2, -Infinity, 1, String)).toBe('The largest value is 1.');
    expect(whyNotBetween(1, 0, 1, String)).toBeNull();
  });
});

describe('whether all is well', () => {
  const scene = { joints: [{}] } as Scene;
  const measures = (error: number | null): Measures => ({ error }) as Measures;
  it('is not, with open joints or energy from nowhere', () => {
    expect(concern({ ...initialPage, scene, measures: measures(1e-9) })).toBeNull();
    expect(concern({ ...initialPage, scene, measures: measures(0.53) })).toBe('its joints are open by 530 mm');
    expect(concern({ ...initialPage, scene, measures: measures(null), unexplained: 1 })).toBe(
      'its pose is not finite, and energy appeared from nowhere in 1 step',
    );
  });
});

describe('a flat linkage', () => {
  const turned = (angle: number): Quat => [0, Math.sin(angle / 2), 0, Math.cos(angle / 2)]; // about y
  const joint = (name: string, kind: string, angle: number): Joint =>
    ({ name, kind, solid1: '', frame1: { position: [0, 0, 0], rotation: turned(angle) } }) as Joint;
  const flat = (...joints: Joint[]): boolean =>
    areFlat(
      { solids: [], joints } as unknown as Scene,
      new Float32Array(0),
      joints.map(({ name }) => name),
    );
  it('turns about parallel axes, and slides across them', () => {
    expect(flat(joint('a', 'pin', 0), joint('b', 'pin', Math.PI))).toBe(true);
    expect(flat(joint('a', 'pin', 0), joint('b', 'prismatic', Math.PI / 2))).toBe(true);
    expect(flat(joint('a', 'pin', 0), joint('b', 'prismatic', 0))).toBe(false);
    expect(flat(joint('a', 'pin', 0), joint('b', 'pin', 0.1))).toBe(false);
    expect(flat(joint('a', 'ball', 0))).toBe(false);
  });
});

describe('panels beside the view', () => {
  it('leave it room for the motion bar, and are never less than can be read', () => {
    for (const room of [760, 780, 900, 1000, 1280]) {
      const { left, right } = sideWidths(room, 250, 330);
      expect(room - left - right).toBeGreaterThanOrEqual(340);
      expect([left >= 180, right >= 240]).toEqual([true, true]);
    }
    expect(sideWidths(1280, 250, 330)).toEqual({ left: 250, right: 330 });
    expect(sideWidths(780, 0, 330)).toEqual({ left: 0, right: 330 });
  });
});

describe('the documentation in the page', () => {
  it('is what docs/ says', () => {
    expect(render('# A *b*\n\n- one `x < y`\n  two\n- three\n\n| a | b |\n|---|---|\n| **c** | [d](joints.md#pin) |\n')).toBe(
      '<h1 id="a-b">A <em>b</em></h1>\n<ul>\n<li>\n<p>one <code>x &lt; y</code> two</p>\n</li>\n<li>\n<p>three</p>\n</li>\n</ul>\n' +
        '<div class="table" tabindex="0"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead><tbody><tr><td><b>c</b></td><td><a href="joints.html#pin">d</a></td></tr></tbody></table></div>',
    );
  });
  it('links to nothing that is not there', () => {
    const pages = renderDocs();
    const there = new Set(pages.flatMap(({ name, html }) => [`${name}.html`, ...[...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `${name}.html#${id}`)]));
    const links = pages.flatMap(({ name, html }) =>
      [...html.matchAll(/href="(?!https:)([^"]*)"/g)].map(([, href]) => ((href as string).startsWith('#') ? `${name}.html${href}` : (href as string))),
    );
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((href) => !there.has(href))).toEqual([]);
  });
});
