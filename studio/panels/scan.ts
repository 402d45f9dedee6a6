// Finds statements in a scene's text, to show a property as it is written. Judging the text is the engine's business:
// what is not understood here is not found.
export interface Statement {
  keyword: string;
  values: string[];
  from: number;
  to: number;
}
interface Token {
  text: string;
  from: number;
  to: number;
  line: number;
}

export const blockWords = 'solid material joint constraint force torque muscle spring drag pin goal floor pose settings figure place repeat if override'.split(
  ' ',
);
const blocks = new Set(blockWords);
// What a constraint without a name begins with.
const nameless = new Set('object1 object2 hinge axial planar angle twist active weight compliance damp alpha mobility repeat if end'.split(' '));

// Whether a word at the beginning of a statement opens a block: `spring` does at the top, not inside a joint.
export function opensBlock(word: string, inside: string): boolean {
  if (word === 'repeat' || word === 'if') return true;
  return blocks.has(word) && (inside === '' || inside === 'figure');
}

export function tokens(text: string, from: number): Token[] {
  const found: Token[] = [];
  let at = from;
  let line = 1;
  for (let i = 0; i < from; i += 1) if (text[i] === '\n') line += 1;
  while (at < text.length) {
    const c = text[at] as string;
    const begin = at;
    if (c === '\n') line += 1;
    if (/\s/.test(c)) {
      at += 1;
    } else if (text.startsWith('/*', at)) {
      const end = text.indexOf('*/', at + 2);
      at = end < 0 ? text.length : end + 2;
      for (let i = begin; i < at; i += 1) if (text[i] === '\n') line += 1;
    } else if (text.startsWith('//', at) || c === '#') {
      while (at < text.length && text[at] !== '\n') at += 1;
    } else if (c === '"') {
      at += 1;
      while (at < text.length && text[at] !== '"' && text[at] !== '\n') at += text[at] === '\\' ? 2 : 1;
      at += 1;
      found.push({ text: text.slice(begin, at), from: begin, to: at, line });
    } else if (c === ';') {
      at += 1;
      found.push({ text: ';', from: begin, to: at, line });
    } else {
      // A word with the computed parts that belong to it: link-(i), (2 * x).
      let depth = 0;
      const first = line;
      while (at < text.length) {
        const d = text[at] as string;
        if (d === '(') depth += 1;
        else if (d === ')') depth -= 1;
        else if (depth <= 0 && (/[\s;"#]/.test(d) || text.startsWith('//', at) || text.startsWith('/*', at))) break;
        if (d === '\n') line += 1;
        at += 1;
      }
      found.push({ text: text.slice(begin, at), from: begin, to: at, line: first });
    }
  }
  return found;
}

// How many of the tokens behind a block's word belong to its head.
function headLength(list: Token[], at: number): number {
  const word = (i: number): string => list[at + i]?.text ?? '';
  switch (word(0)) {
    case 'settings':
      return 0;
    case 'joint':
    case 'place':
      return 2;
    case 'repeat':
      return word(4) === 'step' ? 5 : 3;
    case 'constraint':
      return nameless.has(word(1)) ? 0 : 1;
    default:
      return 1;
  }
}

// Statements directly in the block, up to its `end`; `own` is the block's word, '' at the top.
function statementsFrom(list: Token[], start: number, own: string): Statement[] {
  const found: Statement[] = [];
  const stack: string[] = [];
  const inside = (): string => [...stack].reverse().find((word) => word !== 'repeat' && word !== 'if') ?? own;
  let i = start;
  while (i < list.length) {
    const { text, from } = list[i] as Token;
    if (text === ';' || text === 'else') {
      i += 1;
    } else if (text === 'end') {
      if (stack.length === 0) break;
      stack.pop();
      i += 1;
    } else if (opensBlock(text, inside())) {
      i += 1 + headLength(list, i);
      stack.push(text);
    } else {
      let end = i + 1;
      while (end < list.length && (list[end] as Token).text !== ';' && (list[end] as Token).text !== 'end') end += 1;
      const closed = (list[end] as Token | undefined)?.text === ';';
      if (stack.length === 0 && closed) found.push({ keyword: text, values: list.slice(i + 1, end).map((t) => t.text), from, to: (list[end] as Token).to });
      i = closed ? end + 1 : end;
    }
  }
  return found;
}

export const topStatements = (text: string): Statement[] => statementsFrom(tokens(text, 0), 0, '');

export function offsetOfLine(text: string, line: number): number {
  let at = 0;
  for (let i = 1; i < line; i += 1) {
    const next = text.indexOf('\n', at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  return at;
}

// The statements of a thing: of its block, which begins in that line, and of the override that has the last word.
export function statementsOf(text: string, path: string, line: number, shared: boolean): Statement[] {
  const found: Statement[] = [];
  if (line > 0) {
    const list = tokens(text, offsetOfLine(text, line));
    const things = new Set(['solid', 'joint', 'constraint']);
    // Several short blocks may stand in one line: the one of that name, else the first.
    const name = path.split('.').pop() as string;
    const candidates = list
      .map((t, i) => ({ t, i }))
      .filter(({ t, i }) => things.has(t.text) && (i === 0 || [';', 'end'].includes((list[i - 1] as Token).text)) && t.line === (list[0] as Token).line);
    const begin = candidates.find(({ i }) => list[i + headLength(list, i)]?.text === name)?.i ?? list.findIndex((t) => things.has(t.text));
    if (begin >= 0) found.push(...statementsFrom(list, begin + 1 + headLength(list, begin), (list[begin] as Token).text));
  }
  if (shared || found.length === 0) {
    const pattern = new RegExp(`^\\s*override\\s+${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=[\\s])`, 'gm');
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const own = statementsFrom(tokens(text, match.index + match[0].length), 0, 'override');
      for (const statement of own) {
        const same = found.findIndex((s) => s.keyword === statement.keyword);
        if (same >= 0) found.splice(same, 1);
        found.push(statement);
      }
    }
  }
  return found;
}

// A property as it is written: 'density' -> '7850', 'limit angle' -> 'min -90deg max 90deg'.
export function written(statements: Statement[], property: string): string | null {
  const [keyword, ...leading] = property.split(' ');
  const found = statements.filter((s) => s.keyword === keyword && leading.every((word, i) => s.values[i] === word));
  const last = found[found.length - 1];
  return last ? last.values.slice(leading.length).join(' ') : null;
}
