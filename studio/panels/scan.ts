// Finds statements in a scene's text, to show a property as it is written. Judging the text is the engine's business:
// what is not understood here is not found.
export interface Statement { keyword: string; values: string[]; from: number; to: number }
interface Token { text: string; from: number; to: number; line: number }

const blockWords = new Set(
  'solid material joint constraint force torque muscle spring drag pin goal floor pose settings figure place repeat if override'.split(' '),
);

function tokens(text: string, from: number): Token[] {
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

// Statements directly in the block, up to its `end`.
function statementsFrom(list: Token[], start: number, top: boolean): Statement[] {
  const found: Statement[] = [];
  let depth = 0;
  let i = start;
  while (i < list.length) {
    const token = list[i] as Token;
    if (token.text === ';') {
      i += 1;
      continue;
    }
    if (token.text === 'end') {
      if (depth === 0 && !top) break;
      depth -= 1;
      i += 1;
      continue;
    }
    const opens = top || depth > 0 ? blockWords.has(token.text) : token.text === 'repeat' || token.text === 'if';
    // Inside a solid or a joint, and in the blocks of a figure, the same words may be statements: they end with ';'.
    let j = i + 1;
    while (j < list.length && (list[j] as Token).text !== ';' && (list[j] as Token).text !== 'end' && (list[j] as Token).line === token.line) j += 1;
    const closedHere = j < list.length && (list[j] as Token).text === ';';
    if (opens && !closedHere) {
      depth += 1;
      i += 1;
      // What follows on this line is its header.
      while (i < list.length && (list[i] as Token).line === token.line && (list[i] as Token).text !== ';' && (list[i] as Token).text !== 'end') i += 1;
      continue;
    }
    let k = i + 1;
    while (k < list.length && (list[k] as Token).text !== ';' && (list[k] as Token).text !== 'end') k += 1;
    if (depth === 0 && k < list.length && (list[k] as Token).text === ';')
      found.push({ keyword: token.text, values: list.slice(i + 1, k).map((t) => t.text), from: token.from, to: (list[k] as Token).to });
    i = k < list.length && (list[k] as Token).text === ';' ? k + 1 : k;
  }
  return found;
}

export const topStatements = (text: string): Statement[] => statementsFrom(tokens(text, 0), 0, true);

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
    const name = path.split('.').pop() as string;
    const words = new Set(['solid', 'joint', 'constraint']);
    const begin = list.findIndex((t) => words.has(t.text));
    if (begin >= 0) {
      let start = begin + 1;
      while (start < list.length && start < begin + 3) {
        const word = (list[start] as Token).text;
        start += 1;
        if (word === name || word.includes('(')) break;
      }
      found.push(...statementsFrom(list, start, false));
    }
  }
  if (shared || found.length === 0) {
    const pattern = new RegExp(`^\\s*override\\s+${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?=[\\s])`, 'gm');
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const own = statementsFrom(tokens(text, match.index + match[0].length), 0, false);
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
