// The scene language for the editor: colours, folding, indentation, and what could come next. The words are those of
// docs/scene-language.md; what the kinds of joints are, the engine's catalogue says.
import { type Completion, type CompletionContext, type CompletionResult } from '@codemirror/autocomplete';
import { foldService, HighlightStyle, StreamLanguage, type StringStream } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import type { Catalogue, CatalogueKind, Scene } from '../store/store';
import { functionMeaning, innerMeaning, meaningOf } from './meanings';
import { short, unitNames } from './quantity';
import { blockWords, opensBlock } from './scan';

const words = (text: string): string[] => text.split(' ');

export const topWords = words('title param let gravity damp include expect at remove start');
const shapeWords = words('box sphere ellipsoid capsule cylinder cone hull mesh');
export const statementWords: Record<string, string[]> = {
  solid: [
    ...words('at turn orientation velocity spin'),
    ...shapeWords,
    ...words('material density mass com inertia ma rotatability gravity immobile animated key point-mass colour group'),
  ],
  material: words('density colour'),
  joint: words(
    'object1 object2 object3 object4 point1 point2 point3 point4 axis1 axis2 normal1 normal2 orientation1 orientation2 at axis normal limit spring damper drive prescribe prefer friction armature compliance weight damp alpha mobility active couple carrier frozen merged',
  ),
  constraint: words('object1 object2 hinge axial planar angle twist compliance weight damp alpha mobility active'),
  force: words('object point vector axes active'),
  torque: words('object vector axes active'),
  muscle: words('joint vector active'),
  spring: words('object1 point1 object2 point2 stiffness damping rest active'),
  drag: words('object linear quadratic angular active'),
  pin: words('object point target rigid active'),
  goal: words('object point target weight active'),
  floor: words('point normal friction stiffness damping'),
  pose: words('time solid coordinate'),
  settings: words(
    'method solver norm dt duration tolerance budget truncation alpha beta iterations linear-iterations linear-tolerance integrator guess accelerate weighted largest-turn on-cap ' +
      'step-tolerance loops heaviness slip limit-stiffness fast threads sleep-below sleep-after restarts seed compromise exact-translation weighted-sum alpha-scale pull-method pull-iterations pull-solver pull-linear-iterations',
  ),
  place: words('at turn orientation scale mirror set'),
  override: words('clear'),
};
const allStatements = new Set([...topWords, ...Object.values(statementWords).flat()]);
const inner = new Set(
  words(
    'min max compliance weight active stiffness damping target rate sine key offset coefficient radius force density at turn orientation vertices triangles step axes world body else',
  ),
);
const functions = new Set(words('sqrt abs min max floor ceil round sign clamp hypot sin cos tan asin acos atan atan2 exp log pi'));
const operators = new Set(words('and or not'));
const blocks = new Set(blockWords);
const units = new Set(unitNames);

export interface LanguageState {
  comment: boolean;
  start: boolean; // a statement or block may begin here
  expect: 'kind' | 'name' | 'rest' | null; // of the block that has begun; rest: of a name that is computed
  parens: number;
  stack: string[]; // open blocks
}

const begin = (): LanguageState => ({ comment: false, start: true, expect: null, parens: 0, stack: [] });
const openBlock = (state: LanguageState): string => {
  for (let i = state.stack.length - 1; i >= 0; i -= 1) {
    const word = state.stack[i] as string;
    if (word !== 'repeat' && word !== 'if') return word;
  }
  return '';
};

export function token(stream: StringStream, state: LanguageState): string | null {
  if (state.comment) {
    if (stream.match(/^.*?\*\//)) state.comment = false;
    else stream.skipToEnd();
    return 'comment';
  }
  if (stream.eatSpace()) return null;
  if (stream.match('/*')) {
    state.comment = true;
    return token(stream, state);
  }
  if (stream.match('//') || stream.match('#')) {
    stream.skipToEnd();
    return 'comment';
  }
  if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
  if (stream.match(/^;/)) {
    state.start = true;
    state.expect = null;
    return 'punctuation';
  }
  if (stream.match('(')) {
    state.parens += 1;
    return 'paren';
  }
  if (stream.match(')')) {
    state.parens = Math.max(0, state.parens - 1);
    if (state.parens === 0 && state.expect === 'rest' && !/[\w(-]/.test(stream.peek() ?? '')) {
      state.expect = null;
      state.start = true;
    } else if (state.parens === 0 && state.expect === null && state.stack[state.stack.length - 1] === 'if') state.start = true;
    return 'paren';
  }
  const sign = state.parens > 0 ? '' : '[+-]?';
  if (stream.match(new RegExp(`^${sign}(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?(?![\\w.])`))) return 'number';
  const withUnit = stream.match(new RegExp(`^${sign}(?:\\d+\\.?\\d*|\\.\\d+)([a-zA-Z]+)`)) as RegExpMatchArray | null;
  if (withUnit) return units.has(withUnit[1] as string) ? 'number' : 'invalid';
  if (state.parens > 0 && stream.match(/^(?:[<>=!]=|[-+*/%^<>?:,])/)) return 'operator';
  const word = (stream.match(/^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*-?/) as RegExpMatchArray | null)?.[0];
  if (word === undefined) {
    stream.next();
    return null;
  }
  if (state.parens > 0) return operators.has(word) ? 'keyword' : functions.has(word) ? 'function' : 'variableName';
  if (word === 'end') {
    state.stack = state.stack.slice(0, -1);
    state.start = true;
    state.expect = null;
    return 'keyword';
  }
  if (word === 'else') {
    state.start = true;
    return 'keyword';
  }
  if (state.expect === 'kind') {
    state.expect = 'name';
    return 'typeName';
  }
  if (state.expect === 'name' || state.expect === 'rest') {
    state.expect = stream.peek() === '(' ? 'rest' : null;
    state.start = state.expect === null;
    return 'definition';
  }
  if (state.start) {
    if (opensBlock(word, openBlock(state))) {
      state.stack = [...state.stack, word];
      state.start = false;
      const nameless = word === 'settings' || word === 'repeat' || word === 'if';
      state.expect = nameless ? null : word === 'joint' || word === 'place' ? 'kind' : 'name';
      if (word === 'settings') state.start = true;
      return 'keyword';
    }
    state.start = false;
    if (allStatements.has(word) || openBlock(state) === 'joint' || openBlock(state) === 'override') return 'propertyName';
    return 'invalid';
  }
  if (state.stack[state.stack.length - 1] === 'repeat' && (allStatements.has(word) || blocks.has(word)) && stream.column() === stream.indentation()) {
    // `repeat i 0 3` has no sign at its end: the next line begins a statement.
    state.start = true;
    stream.backUp(word.length);
    return null;
  }
  return inner.has(word) ? 'modifier' : 'variableName';
}

export const sceneLanguage = StreamLanguage.define<LanguageState>({
  name: 'tenon',
  startState: begin,
  copyState: (state) => ({ ...state, stack: [...state.stack] }),
  token,
  tokenTable: { definition: tags.definition(tags.variableName), function: tags.function(tags.variableName), modifier: tags.modifier },
  indent: (state, textAfter, context) => {
    const closing = /^\s*(end|else)\b/.test(textAfter) ? 1 : 0;
    return Math.max(0, state.stack.length - closing) * context.unit;
  },
  languageData: {
    commentTokens: { line: '//', block: { open: '/*', close: '*/' } },
    closeBrackets: { brackets: ['(', '"'] },
    indentOnInput: /^\s*(end|else)$/,
  },
});

// A block folds from the end of its first line to its `end`, told by indentation.
export const sceneFolds = foldService.of((state, lineStart) => {
  const line = state.doc.lineAt(lineStart);
  const match = /^(\s*)([a-z]+)\b/.exec(line.text);
  if (!match || !blocks.has(match[2] as string) || /\bend\b/.test(line.text) || /;\s*$/.test(line.text)) return null;
  const closing = new RegExp(`^${match[1]}end\\b`);
  for (let n = line.number + 1; n <= state.doc.lines; n += 1) {
    const next = state.doc.line(n);
    if (closing.test(next.text)) return next.from - 1 > line.to ? { from: line.to, to: next.from - 1 } : null;
  }
  return null;
});

const strong = (colour: string): string => `color-mix(in srgb, var(--${colour}) 88%, var(--text))`;
export const sceneColours = HighlightStyle.define([
  { tag: tags.keyword, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.typeName, color: strong('ok'), fontWeight: '600' },
  { tag: tags.definition(tags.variableName), color: 'var(--text)', fontWeight: '600' },
  { tag: tags.variableName, color: 'var(--text)' },
  { tag: tags.function(tags.variableName), color: strong('accent') },
  { tag: [tags.number, tags.unit], color: 'var(--warn)' },
  { tag: tags.string, color: 'var(--ok)' },
  { tag: tags.comment, color: 'var(--text-dim)', fontStyle: 'italic' },
  { tag: tags.modifier, color: 'var(--text-dim)' },
  { tag: [tags.operator, tags.punctuation, tags.paren], color: 'var(--text-dim)' },
  { tag: tags.invalid, color: 'var(--error)' },
]);

// ------------------------------------------------------------------------------------------------- what could come

// Where a place in the text is: in which block, in which statement, after which words.
export function placeAt(text: string): { block: string; kind: string; statement: string[] } {
  const plain = text
    .replace(/\/\*[\s\S]*?(\*\/|$)/g, ' ')
    .replace(/(\/\/|#).*$/gm, ' ')
    .replace(/"(?:[^"\\\n]|\\.)*"?/g, '""');
  const stack: { word: string; kind: string }[] = [];
  let statement: string[] = [];
  const tokens = plain.match(/[^\s;]+|;|\n/g) ?? [];
  const outer = (): string => [...stack].reverse().find((b) => b.word !== 'repeat' && b.word !== 'if')?.word ?? '';
  let header: string[] | null = null; // of the block that has begun: up to the end of its line or its values
  const most = (word: string): number => (word === 'joint' || word === 'place' ? 2 : word === 'settings' ? 0 : word === 'repeat' || word === 'if' ? 99 : 1);
  for (const word of tokens) {
    if (word === '\n') {
      if (header !== null) header = null;
      continue;
    }
    if (word === ';') {
      statement = [];
      header = null;
      continue;
    }
    if (word === 'end' || word === 'else') {
      if (word === 'end') stack.pop();
      statement = [];
      header = null;
      continue;
    }
    if (header !== null && header.length - 1 < most(header[0] as string)) {
      header.push(word);
      const top = stack[stack.length - 1];
      if (top && header.length === 2 && (header[0] === 'joint' || header[0] === 'place')) top.kind = word;
      continue;
    }
    if (statement.length === 0 && opensBlock(word, outer())) {
      stack.push({ word, kind: '' });
      header = [word];
      continue;
    }
    header = null;
    statement.push(word);
  }
  const top = [...stack].reverse().find((b) => b.word !== 'repeat' && b.word !== 'if');
  if (header !== null && header.length - 1 < most(header[0] as string)) statement = header;
  return { block: top?.word ?? '', kind: top?.kind ?? '', statement };
}

const solidWords = new Set(words('object object1 object2 object3 object4 solid'));
const coordinateWords = new Set(words('limit spring damper drive prescribe prefer friction armature'));
const option = (label: string, type: string, detail?: string, boost?: number): Completion => ({
  label,
  type,
  ...(detail ? { detail } : {}),
  ...(boost ? { boost } : {}),
});

const optionMeaning = (o: CatalogueKind['options'][number]): string => {
  if (o.count === 0) return 'write this word to switch it on';
  const count = o.count === 1 ? 'a number' : o.count > 1 ? `${o.count} numbers` : 'numbers';
  return `${o.required ? 'required: ' : ''}${count}${o.unit === '' ? '' : ` [${o.unit}]`}${o.required ? '' : `, default ${short(o.fallback)}`}`;
};
const numberMeaning = (name: string, scene: Scene | null): string => {
  const parameter = scene?.parameters.find((p) => p.name === name);
  return parameter ? `parameter, now ${short(parameter.value)}` : 'a number defined in this text';
};

export function suggestions(before: string, catalogue: Catalogue | null, scene: Scene | null): Completion[] {
  const { block, kind, statement } = placeAt(before);
  const first = statement[0] ?? '';
  const solids = (): Completion[] => [
    option('world', 'keyword', 'the ground, which never moves'),
    ...(scene?.solids ?? []).slice(0, 2000).map((s) => option(s.name, 'variable', s.kind)),
  ];
  const joints = (): Completion[] => (scene?.joints ?? []).slice(0, 2000).map((j) => option(j.name, 'variable', j.kind));
  const joint = catalogue?.kinds.find((k) => k.name === kind);
  if (statement.length === 0) {
    const own = block === 'figure' || block === '' ? [] : (statementWords[block] ?? []);
    const property = (w: string): Completion => option(w, 'property', meaningOf(w, block));
    const list = own.map(property);
    if (block === 'joint') list.push(...(joint?.options ?? []).map((o) => option(o.name, 'property', optionMeaning(o), 5)));
    if (block === 'override') list.push(...[...new Set([...(statementWords.solid as string[]), ...(statementWords.joint as string[])])].map(property));
    if (block === '') list.push(...topWords.map(property));
    if (block === '' || block === 'figure') list.push(...blockWords.map((w) => option(w, 'keyword', meaningOf(w, ''))));
    else list.push(...['repeat', 'if'].map((w) => option(w, 'keyword', meaningOf(w, ''))));
    if (block !== '') list.push(option('end', 'keyword', meaningOf('end', ''), 1));
    return list;
  }
  if (statement.length === 1) {
    if (first === 'joint' && block === 'joint') return (catalogue?.kinds ?? []).map((k) => option(k.name, 'type', k.summary));
    if (solidWords.has(first)) return solids();
    if (block === 'joint' && coordinateWords.has(first)) return (joint?.coordinates ?? []).map((c) => option(c.name, 'enum', c.angular ? 'angle' : 'length'));
    if (first === 'couple' || first === 'carrier' || first === 'coordinate' || first === 'joint') return joints();
    if (first === 'override' || first === 'remove') return [...solids().slice(1), ...joints()];
    if (first === 'method') return (catalogue?.methods ?? []).map((m) => option(m.name, 'enum', m.summary));
    const setting = block === 'settings' ? catalogue?.settings?.find((s) => s.name === first) : undefined;
    if (setting?.kind === 'switch') return words('on off').map((w) => option(w, 'enum'));
    if (setting?.kind === 'choice') return [...new Set([...(setting.motion?.words ?? []), ...(setting.assembly?.words ?? [])])].map((w) => option(w, 'enum'));
    if (first === 'solver') return (catalogue?.solvers ?? []).map((m) => option(m, 'enum'));
    if (first === 'axes') return [option('world', 'enum', 'keeps its direction'), option('body', 'enum', 'turns with the solid')];
  }
  if (block === 'joint' && coordinateWords.has(first))
    return words('min max compliance weight stiffness damping target rate offset sine key active').map((w) => option(w, 'keyword', innerMeaning(w)));
  if (first === 'param' && statement.length > 2) return words('min max').map((w) => option(w, 'keyword', innerMeaning(w)));
  return [];
}

export function completeScene(facts: () => { catalogue: Catalogue | null; scene: Scene | null }) {
  return (context: CompletionContext): CompletionResult | null => {
    const word = context.matchBefore(/[A-Za-z_][\w.-]*/);
    if (!word && !context.explicit) return null;
    const from = word?.from ?? context.pos;
    const { catalogue, scene } = facts();
    // Inside an expression: numbers with names, and functions.
    const before = context.state.sliceDoc(0, from);
    const line = context.state.doc.lineAt(from);
    const head = context.state.sliceDoc(line.from, from);
    if ((head.match(/\(/g)?.length ?? 0) > (head.match(/\)/g)?.length ?? 0)) {
      const names = [...before.matchAll(/\b(?:param|let|repeat)\s+(\w+)/g)].map((m) => m[1] as string);
      return {
        from,
        validFor: /^[\w]*$/,
        options: [...new Set(names)]
          .map((n) => option(n, 'variable', numberMeaning(n, scene)))
          .concat([...functions].map((f) => option(f, 'function', functionMeaning(f)))),
      };
    }
    const options = suggestions(before, catalogue, scene);
    // A word that is there needs no proposal, which would cover what is said below the text.
    const whole = new Set(options.map(({ label }) => label));
    if (options.length === 0 || (!context.explicit && word && whole.has(word.text))) return null;
    return { from, options, validFor: (text) => /^[\w.-]*$/.test(text) && !whole.has(text) };
  };
}
