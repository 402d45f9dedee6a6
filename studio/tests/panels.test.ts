// The parts of the panels that need no page.
import { CompletionContext } from '@codemirror/autocomplete';
import { StringStream } from '@codemirror/language';
import { EditorState, Text } from '@codemirror/state';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Joint, Page, Scene, Solid } from '../store/store';
import { rangeInLine, unitsBefore } from '../panels/bytes';
import { changesBetween, rebased } from '../panels/changes';
import { commandFor, commands, keyCaps, keyName, onKey, takesKeys } from '../panels/commands';
import { mainOf, namesIn } from '../panels/documents';
import { fuzzy } from '../panels/fuzzy';
import { completeScene, placeAt, sceneLanguage, suggestions, token, type LanguageState } from '../panels/language';
import { fromSlider, rewritten, sliderOf, toSlider } from '../panels/parameters';
import { parseQuantity, short, showCoordinate, showLength, writeCoordinate } from '../panels/quantity';
import { statementsOf, topStatements, written } from '../panels/scan';
import { actingKey, wayWords } from '../panels/Solver';
import { decodeScene, embedCode, encodeScene, reachOf, sceneInHash, shareLink } from '../panels/share';
import { diagnosticsOf } from '../panels/TextEditor';
import type { Studio } from '../panels/studio';
import { ancestorsOf, buildTree, initiallyClosed, visibleRows } from '../panels/tree';
import { studioWith, type Request } from './studio';

const frame = { position: [0, 0, 0] as [number, number, number], rotation: [0, 0, 0, 1] as [number, number, number, number] };
const solid = (name: string): Solid => ({
  name,
  kind: 'dynamic',
  point_mass: false,
  mass: 1,
  com: [0, 0, 0],
  colour: [1, 1, 1],
  shapes: [],
  groups: [],
  shared: false,
  line: 1,
});
const joint = (name: string, solid1: string, solid2: string, kind = 'pin'): Joint => ({
  name,
  kind,
  solid1,
  solid2,
  frame1: frame,
  frame2: frame,
  rules: [],
  options: {},
  compliance: 0,
  shared: false,
  line: 1,
});
const scene = (solids: Solid[], joints: Joint[]): Scene => ({
  title: 'Test',
  name: 'test.tenon',
  gravity: [0, -9.81, 0],
  duration: 5,
  solids,
  joints,
  floors: [],
  springs: [],
  parameters: [],
  problems: [],
  settings: { method: 'energy', solver: 'direct', iterations: 1, tolerance: 0, alpha: 0, beta: 0, dt: 0.01, budget: 8 },
});

describe('tree', () => {
  const figure = scene(
    [solid('ground'), solid('tom.arm.hand'), solid('tom.arm.upper'), solid('tom.head'), solid('link-10'), solid('link-2')],
    [joint('tom.arm.elbow', 'tom.arm.upper', 'tom.arm.hand'), joint('hook', '', 'ground'), joint('cogs', '', '', 'gear')],
  );
  it('groups by path, joints under the solid that they move', () => {
    const tree = buildTree(figure);
    expect(tree.map((n) => n.id)).toEqual(['group:tom', 'solid:ground', 'solid:link-2', 'solid:link-10', 'section:loose']);
    const arm = tree[0]?.children[0];
    expect(arm?.id).toBe('group:tom.arm');
    expect(arm?.children[0]?.children[0]?.id).toBe('joint:tom.arm.elbow');
    expect(ancestorsOf(tree, 'joint:tom.arm.elbow')).toEqual(['group:tom', 'group:tom.arm', 'solid:tom.arm.hand']);
  });
  it('shows what is open, and with a query what matches and the way to it', () => {
    const tree = buildTree(figure);
    expect(visibleRows(tree, new Set(['group:tom']), '').map((r) => r.node.label)).toEqual([
      'tom',
      'ground',
      'hook',
      'link-2',
      'link-10',
      'Joints that couple joints',
      'cogs',
    ]);
    expect(visibleRows(tree, new Set(['group:tom']), 'elb').map((r) => r.node.label)).toEqual(['tom', 'arm', 'hand', 'elbow']);
    expect(visibleRows(tree, new Set(), 'gear').map((r) => r.node.label)).toEqual(['Joints that couple joints', 'cogs']);
    const rows = visibleRows(tree, new Set(), '');
    expect(rows.find((r) => r.node.label === 'elbow')?.level).toBe(4);
  });
  it('is quick for ten thousand', () => {
    const many = scene(
      Array.from({ length: 10_000 }, (_, i) => solid(`w-${i % 100}.s-${i}`)),
      Array.from({ length: 9_999 }, (_, i) => joint(`w-${i % 100}.j-${i}`, `w-${i % 100}.s-${i}`, `w-${(i + 1) % 100}.s-${i + 1}`)),
    );
    const begin = performance.now();
    const tree = buildTree(many);
    expect(visibleRows(tree, initiallyClosed(tree), '').length).toBe(100);
    expect(performance.now() - begin).toBeLessThan(2000);
  });
});

describe('share link', () => {
  const shared = { name: 'a.tenon', text: 'title "Ä – 摩天";\n'.repeat(50), files: { 'human.tenon': 'solid a end' } };
  it('comes back as it was', () => {
    expect(decodeScene(encodeScene(shared))).toEqual(shared);
    const link = shareLink('https://example.org/studio/?scene=x#old', shared);
    expect(link).toMatch(/^https:\/\/example\.org\/studio\/#s=[\w-]+$/);
    expect(sceneInHash(new URL(link).hash)).toEqual(shared);
    expect(shareLink('https://example.org/', shared, true)).toContain('?embed#s=');
  });
  it('reaches this machine, this network or everyone', () => {
    for (const host of ['127.0.0.1:7450', 'localhost:7450', '[::1]:80', '0.0.0.0', 'tenon.localhost']) expect(reachOf(`http://${host}/`)).toBe('machine');
    for (const host of ['192.168.1.2:7450', '10.0.0.7', '172.20.1.1', 'desk', 'desk.local', '[fe80::1]']) expect(reachOf(`http://${host}/`)).toBe('network');
    for (const host of ['example.org', '172.40.1.1', '127.example.org', 'tenon.github.io', '[2001:db8::1]', 'fdroid.org'])
      expect(reachOf(`https://${host}/`)).toBe('all');
  });
  it('refuses what is no scene', () => {
    const good = encodeScene(shared);
    expect(decodeScene(good.slice(0, -7))).toBeNull();
    expect(decodeScene('')).toBeNull();
    expect(decodeScene('!!')).toBeNull();
    expect(sceneInHash('#other')).toBeNull();
  });
  it('does not unfold a bomb', () => {
    const bomb = encodeScene({ name: 'x', text: '0'.repeat(30_000_000), files: {} });
    expect(decodeScene(bomb)).toBeNull();
  });
  it('escapes titles in embed code', () => {
    expect(embedCode('https://a/?x&y', 'a "b" <c>')).toContain('title="a &quot;b&quot; &lt;c>"');
  });
});

describe('bytes and columns', () => {
  it('counts letters of several bytes', () => {
    expect(unitsBefore('abc', 2)).toBe(2);
    expect(unitsBefore('äbc', 2)).toBe(1);
    expect(unitsBefore('摩b', 3)).toBe(1);
    expect(unitsBefore('😀b', 4)).toBe(2);
    expect(unitsBefore('ä', 1)).toBe(0);
    expect(rangeInLine('/* ä */ bad;', 10, 3)).toEqual({ from: 8, to: 11 });
    expect(rangeInLine('abc', 9, 1)).toEqual({ from: 2, to: 3 });
    expect(rangeInLine('', 1, 1)).toEqual({ from: 0, to: 0 });
  });
  it('puts problems where they are', () => {
    const doc = Text.of(['solid ä', '  spere 1;', 'end']);
    const problem = { severity: 'error' as const, file: 'a.tenon', line: 2, column: 3, width: 5, what: 'no', remedy: 'sphere?' };
    expect(diagnosticsOf([problem], doc, 'a.tenon')).toEqual([{ from: 10, to: 15, severity: 'error', message: 'no; sphere?' }]);
    expect(diagnosticsOf([{ ...problem, file: 'b.tenon' }], doc, 'a.tenon')[0]).toMatchObject({ from: 0, to: 7, message: 'b.tenon:2: no; sphere?' });
    expect(diagnosticsOf([{ ...problem, line: 99 }], doc, 'a.tenon')).toHaveLength(1);
  });
});

describe('changes of the text', () => {
  const apply = (before: string, after: string): string => {
    let text = before;
    for (const change of [...changesBetween(before, after)].reverse()) text = text.slice(0, change.from) + change.insert + text.slice(change.to);
    return text;
  };
  it('are small', () => {
    expect(changesBetween('density 900;', 'density 950;')).toEqual([{ from: 9, to: 10, insert: '5' }]);
    expect(changesBetween('a', 'a')).toEqual([]);
    expect(changesBetween('solid a\nend\nobject1 a;\n', 'solid bob\nend\nobject1 bob;\n')).toHaveLength(2);
  });
  it('make the other text', () => {
    for (const [a, b] of [
      ['', 'x'],
      ['x', ''],
      ['aa', 'a'],
      ['a\nb\nc', 'a\nB\nc\nd'],
      ['one\ntwo', 'eno\nowt'],
      ['aaa', 'aaaa'],
    ] as const)
      expect(apply(a, b)).toBe(b);
    // Of all short texts, each from each.
    const lines = ['', 'a', 'b\n', 'a\n'];
    const texts = lines.flatMap((x) => lines.flatMap((y) => lines.map((z) => `${x}\n${y}${z}`)));
    for (const a of texts) for (const b of texts) if (apply(a, b) !== b) expect(apply(a, b), JSON.stringify([a, b])).toBe(b);
    const long = (word: string): string => Array.from({ length: 2000 }, (_, i) => `${word} ${i}`).join('\n');
    expect(apply(long('solid'), `${long('joint')}\nend`)).toBe(`${long('joint')}\nend`);
  });
  it('leave alone what stands between them', () => {
    const before = 'title "A";\nparam a 1;\nparam b 2;\n';
    expect(changesBetween(before, `oops\n${before}solid`)).toEqual([
      { from: 0, to: 0, insert: 'oops\n' },
      { from: before.length, to: before.length, insert: 'solid' },
    ]);
  });
  it('of two are both in what comes of it', () => {
    const before = 'title "A";\nparam a 0.1;\nend\n';
    expect(rebased(before, before.replace('0.1', '0.25'), `oops\n${before}solid`)).toBe('oops\ntitle "A";\nparam a 0.25;\nend\nsolid');
    expect(rebased(before, before.replace('0.1', '0.15'), before.replace('0.1', '0.1x'))).toBe(before.replace('0.1', '0.15x'));
    expect(rebased(before, `${before}solid b\nend\n`, `${before}solid`)).toBe(`${before}solid b\nend\nsolid`);
    expect(rebased(before, '', `${before}solid`)).toBe('solid');
    expect(rebased(before, `${before}x`, `${before}x`)).toBe(`${before}x`);
  });
  it('of the same number leave what was typed', () => {
    expect(rebased('a 1;', 'a 2;', 'a 3x;')).toBe('a 3x;');
  });
});

describe('keys', () => {
  let asked: Request[];
  let studio: Studio;
  const set = (page: Partial<Page>): void => studio.set(page);
  beforeEach(() => {
    asked = [];
    const noted = (request: Request) => {
      asked.push(request);
      return { ok: true };
    };
    studio = studioWith(noted, { play: (on) => void noted({ play: on }) });
  });
  const press = (key: string, more: Partial<KeyboardEventInit> = {}, target: HTMLElement = document.body): KeyboardEvent => {
    const event = new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true, ...more });
    target.addEventListener('keydown', (pressed) => onKey(studio, pressed), { once: true });
    target.dispatchEvent(event);
    return event;
  };
  it('assembles with the way there, as the button does', () => {
    set({ scene: scene([], []) });
    press('a');
    expect(asked).toEqual([{ do: 'assemble', trace: true }]);
  });
  it('are called as in the list', () => {
    expect(keyName({ key: 'z', ctrlKey: true, metaKey: false, shiftKey: false, altKey: false })).toBe('Ctrl+Z');
    expect(keyName({ key: 'Z', ctrlKey: false, metaKey: true, shiftKey: true, altKey: false })).toBe('Ctrl+Shift+Z');
    expect(keyName({ key: '?', ctrlKey: false, metaKey: false, shiftKey: true, altKey: false })).toBe('?');
    expect(keyName({ key: ' ', ctrlKey: false, metaKey: false, shiftKey: false, altKey: false })).toBe('Space');
    expect(commandFor({ key: 'y', ctrlKey: true, metaKey: false, shiftKey: false, altKey: false })?.id).toBe('redo');
    expect(keyCaps('Ctrl+Shift+Z')).toHaveLength(3);
  });
  it('mean one command each', () => {
    const keys = commands.flatMap((c) => c.keys);
    expect(new Set(keys).size).toBe(keys.length);
    expect(new Set(commands.map((c) => c.id)).size).toBe(commands.length);
  });
  it('run commands, but not while something is typed', () => {
    set({ scene: scene([solid('a')], []) });
    press('r');
    expect(asked).toEqual([{ do: 'reset' }]);
    const input = document.createElement('input');
    document.body.append(input);
    expect(press('r', {}, input).defaultPrevented).toBe(false);
    expect(asked).toHaveLength(1);
    expect(press('k', { ctrlKey: true }, input).defaultPrevented).toBe(true);
    expect(studio.get().palette).toBe(true);
    input.remove();
  });
  it('leave buttons their own', () => {
    set({ scene: scene([solid('a')], []) });
    const button = document.createElement('button');
    document.body.append(button);
    press(' ', {}, button);
    expect(asked).toHaveLength(0);
    press(' ');
    expect(asked).toEqual([{ play: true }]);
    expect(takesKeys(button)).toBe('control');
    const slider = document.createElement('input');
    slider.type = 'range';
    expect(takesKeys(slider)).toBe('control');
    button.remove();
  });
  it('pin what is selected, and take the pin away again', async () => {
    set({ scene: scene([solid('a'), solid('b')], [joint('j', 'a', 'b')]), selection: { solids: ['a'], joints: [] } });
    press('p');
    await Promise.resolve();
    expect(asked).toEqual([{ do: 'pin', solid: 'a' }]);
    asked.length = 0;
    press('z');
    expect(asked).toEqual([{ do: 'freeze', joints: ['j'] }]);
  });
});

describe('quantities', () => {
  it('have units', () => {
    expect(parseQuantity('5cm', 'length')).toBeCloseTo(0.05);
    expect(parseQuantity('90', 'angle', 'deg')).toBeCloseTo(Math.PI / 2);
    expect(parseQuantity('90°', 'angle', 'deg')).toBeCloseTo(Math.PI / 2);
    expect(parseQuantity('1 rad', 'angle', 'deg')).toBe(1);
    expect(parseQuantity('−2', 'none')).toBe(-2);
    expect(parseQuantity('3cm', 'angle')).toBeNull();
    expect(parseQuantity('1-2', 'none')).toBeNull();
    expect(parseQuantity('', 'none')).toBeNull();
  });
  it('are short', () => {
    expect(short(0.1 + 0.2)).toBe('0.3');
    expect(short(1e-12)).toBe('0');
    expect(short(1234567)).toBe('1.235e6');
    expect(showCoordinate(Math.PI / 3, true)).toBe('60°');
    expect(writeCoordinate(Math.PI / 2, true)).toBe('90deg');
    expect(showLength(0.00001)).toBe('10 µm');
  });
});

const lamp = `/* A lamp; solid x end */
title "Lamp; not end";
param lean 22deg min 0deg max 65deg;  // of the arm
param widest (lean + 13deg) min (lean);
gravity 0 -9.81 0;

figure foot
  param size 1;
  solid foot box 1 1 1; end
end

solid arm
  box 0.1 0.4 0.1;
  repeat i 0 2
    sphere 0.1 at (i) 0 0;
  end
  density 7850;
end
place foot left end

joint pin hinge
  object1 world; object2 arm;
  limit angle min -90deg max (2 * lean);
end

override left.foot
  density 900;
end
`;

describe('statements of the text', () => {
  it('are found at the top', () => {
    const top = topStatements(lamp);
    expect(written(top, 'param lean')).toBe('22deg min 0deg max 65deg');
    expect(written(top, 'param widest')).toBe('(lean + 13deg) min (lean)');
    expect(written(top, 'title')).toBe('"Lamp; not end"');
    expect(written(top, 'param size')).toBeNull();
    expect(written(top, 'density')).toBeNull();
  });
  it('are found in a thing and in its override', () => {
    const arm = statementsOf(lamp, 'arm', 12, false);
    expect(written(arm, 'density')).toBe('7850');
    expect(written(arm, 'box')).toBe('0.1 0.4 0.1');
    expect(arm.some((s) => s.keyword === 'sphere')).toBe(false);
    expect(written(statementsOf(lamp, 'hinge', 21, false), 'limit angle')).toBe('min -90deg max (2 * lean)');
    expect(written(statementsOf(lamp, 'left.foot', 9, true), 'density')).toBe('900');
    expect(written(statementsOf(lamp, 'left.foot', 9, true), 'box')).toBe('1 1 1');
  });
});

describe('parameters', () => {
  const parameter = (value: number, lower: number | null, upper: number | null) => ({ name: 'p', value, lower, upper, line: 1 });
  it('keep their unit and their bounds', () => {
    const slider = sliderOf(parameter((22 * Math.PI) / 180, 0, (65 * Math.PI) / 180), '22deg min 0deg max 65deg');
    expect(rewritten('22deg min 0deg max 65deg', slider, (30 * Math.PI) / 180)).toBe('30deg min 0deg max 65deg');
    expect(sliderOf(parameter(1, 0, 2), '(a + 1) min 0').computed).toBe(true);
  });
  it('go by ones, or by factors', () => {
    const links = sliderOf(parameter(10, 1, 100_000), '10 min 1 max 100000');
    expect(links.logarithmic).toBe(true);
    expect(fromSlider(links, toSlider(links, 10))).toBe(10);
    expect(fromSlider(links, 0)).toBe(1);
    const off = sliderOf(parameter(0.1, -1, 1), '0.1 min -1 max 1');
    expect(fromSlider(off, toSlider(off, 0.1))).toBeCloseTo(0.1, 3);
    expect(fromSlider(off, 1000)).toBe(1);
    expect(rewritten('0.1 min -1 max 1', off, fromSlider(off, 333))).toMatch(/^-0\.33\d? min -1 max 1$/);
  });
});

describe('language', () => {
  const read = (text: string): [string, string | null][] => {
    const state: LanguageState = { comment: false, start: true, expect: null, parens: 0, stack: [] };
    return text.split('\n').flatMap((line) => {
      const stream = new StringStream(line, 2, 2);
      const found: [string, string | null][] = [];
      for (let guard = 0; !stream.eol() && guard < 500; guard += 1) {
        stream.start = stream.pos;
        const kind = token(stream, state);
        if (stream.current().trim() !== '') found.push([stream.current(), kind]);
      }
      return found;
    });
  };
  it('knows words by where they stand', () => {
    const found = read('joint pin hinge // a\n  spring angle stiffness 5;\nend\nspring s\n  rest 1cm;\nend');
    expect(found).toEqual([
      ['joint', 'keyword'],
      ['pin', 'typeName'],
      ['hinge', 'definition'],
      ['// a', 'comment'],
      ['spring', 'propertyName'],
      ['angle', 'variableName'],
      ['stiffness', 'modifier'],
      ['5', 'number'],
      [';', 'punctuation'],
      ['end', 'keyword'],
      ['spring', 'keyword'],
      ['s', 'definition'],
      ['rest', 'propertyName'],
      ['1cm', 'number'],
      [';', 'punctuation'],
      ['end', 'keyword'],
    ]);
  });
  it('knows comments over lines, expressions, and wrong units', () => {
    const found = read('/* a\n end */ param x (2 * sin(y) + 5cm);\nmass 3qq;');
    expect(found.slice(0, 2).every(([, kind]) => kind === 'comment')).toBe(true);
    expect(found).toContainEqual(['sin', 'function']);
    expect(found).toContainEqual(['5cm', 'number']);
    expect(found).toContainEqual(['3qq', 'invalid']);
  });
  it('reads repetitions and conditions', () => {
    const found = read('repeat i 0 (n - 1)\n  solid link-(i)\n    box 1 1 1;\n  end\nend\nif (n > 3)\n  solid a\n  end\nend\nsolid last\nend');
    expect(found.filter(([word]) => word === 'solid').map(([, kind]) => kind)).toEqual(['keyword', 'keyword', 'keyword']);
    expect(found).toContainEqual(['box', 'propertyName']);
    expect(found).toContainEqual(['last', 'definition']);
  });
  it('parses', () => {
    expect(sceneLanguage.parser.parse(lamp).length).toBe(lamp.length);
  });
  it('knows what could come', () => {
    expect(placeAt('joint pin hinge\n  limit ')).toEqual({ block: 'joint', kind: 'pin', statement: ['limit'] });
    expect(placeAt(lamp)).toEqual({ block: '', kind: '', statement: [] });
    const catalogue = {
      methods: [{ name: 'energy', summary: 'Keeps it.', islands: true, solver: false, feedback: false }],
      solvers: ['cg'],
      assembly: [],
      kinds: [
        {
          name: 'screw',
          summary: '',
          papers: '',
          locked: 0,
          residuals: 5,
          relates: 'frames' as const,
          coordinates: [{ name: 'angle', angular: true, periodic: true, free: true }],
          options: [{ name: 'pitch', count: 1, unit: 'm', fallback: 0, required: true }],
        },
      ],
    };
    const labels = (before: string): string[] => suggestions(before, catalogue, scene([solid('arm')], [])).map((s) => s.label);
    expect(labels('joint ')).toEqual(['screw']);
    expect(labels('joint screw s\n  object1 ')).toEqual(['world', 'arm']);
    expect(labels('joint screw s\n  limit ')).toEqual(['angle']);
    expect(labels('joint screw s\n  ')).toContain('pitch');
    expect(labels('solid a\n  ')).toContain('density');
    expect(labels('')).toContain('solid');
    expect(labels('settings\n  method ')).toEqual(['energy']);
  });
});

describe('finding', () => {
  it('prefers beginnings of words', () => {
    expect(fuzzy('xyz', 'Pin selection')).toBeNull();
    const play = fuzzy('pl', 'Play or pause')?.score ?? 0;
    expect(play).toBeGreaterThan(fuzzy('pl', 'Simple')?.score ?? 0);
    expect(fuzzy('fso', 'Frame selection')).not.toBeNull();
    expect(fuzzy('pos', 'Play or stop')?.at).toEqual([0, 5, 8]);
  });
  it('opens the file that no other includes', () => {
    const files = [
      { name: 'human.tenon', text: 'figure a end' },
      { name: 'chair.tenon', text: 'include "human.tenon";' },
    ];
    expect(mainOf(files)?.name).toBe('chair.tenon');
    expect(mainOf([])).toBeNull();
    expect(namesIn({ files: [{ path: 'a.tenon', size: 3 }] })).toEqual(['a.tenon']);
    expect(namesIn(['b.tenon'])).toEqual(['b.tenon']);
  });
});

describe('proposals while one types', () => {
  const proposed = (text: string, explicit = false): string[] | null =>
    completeScene(() => ({ catalogue: null, scene: null }))(new CompletionContext(EditorState.create({ doc: text }), text.length, explicit))?.options.map(
      ({ label }) => label,
    ) ?? null;
  it('end with the word', () => {
    expect(proposed('solid a\n  sphere 0.1;\nen')).toContain('end');
    expect(proposed('solid a\n  sphere 0.1;\nend')).toBeNull();
    expect(proposed('solid a\n  sphere 0.1;\nend', true)).toContain('end');
  });
});

describe('ways of islands', () => {
  it('always have a reason, and one that fits', () => {
    expect(wayWords({ way: 'tree kernel', why: [], islands: 200, solids: 3200, first: 'a.pelvis' })).toEqual({
      title: '200 islands, 3200 solids',
      because: 'They have no loops, and the kernel knows all that acts there.',
    });
    expect(wayWords({ way: 'loop kernel', why: [], islands: 1, solids: 3, first: 'crank' }).because).toMatch(/^It has loops/);
    expect(wayWords({ way: 'rows', why: ['`rope` joints', 'point masses', 'hands on loops'], islands: 1, solids: 1, first: 'ball' })).toEqual({
      title: '1 island, ball',
      because: 'Because of rope joints, point masses and hands on loops.',
    });
  });
  it('are asked for when what acts changes, not in every frame', () => {
    const settings = { method: 'energy', solver: 'direct' };
    const none = { grabs: [], pins: [], frozen: [], merged: [], limits: [], forces: [], settings, damp: 0, undo: [], redo: [] };
    const of = (state: object, time = 0.1) =>
      actingKey({ scene: { name: 'a', solids: [], joints: [] }, state: { ...none, ...state }, playing: true, measures: { time } } as unknown as Parameters<
        typeof actingKey
      >[0]);
    expect(of({}, 0.1)).toBe(of({}, 0.9));
    const keys = [
      of({}),
      of({ grabs: [{ id: 1 }] }),
      of({ frozen: ['j'] }),
      of({ merged: ['j'] }),
      of({ settings: { ...settings, method: 'shake' } }),
      of({ damp: 2 }),
      of({}, 1.5),
    ];
    expect(new Set(keys).size).toBe(keys.length);
    expect(actingKey({ scene: null, state: null, playing: false, measures: null })).toBeNull();
  });
});
