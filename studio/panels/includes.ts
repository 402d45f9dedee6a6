// Scenes that include other files: which ones, and one text with everything in it.
import { tokens } from './scan';

interface Include {
  name: string;
  from: number;
  to: number;
}

function includesIn(text: string): Include[] {
  const list = tokens(text, 0);
  return list.flatMap((token, i) => {
    const [name, end] = [list[i + 1], list[i + 2]];
    if (token.text !== 'include' || !name?.text.startsWith('"') || end?.text !== ';') return [];
    return [{ name: name.text.slice(1, -1).replace(/\\(.)/g, '$1'), from: token.from, to: end.to }];
  });
}

// As the engine finds them: './a.tenon' and 'parts/../a.tenon' are 'a.tenon'.
function plain(name: string): string {
  const parts: string[] = [];
  for (const part of name.split('/')) {
    if (part === '..' && parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
const textOf = (files: Record<string, string>, name: string): string | undefined => files[name] ?? files[plain(name)];

// What a text includes itself.
export const namesIncluded = (text: string): string[] => [...new Set(includesIn(text).map((include) => include.name))];

// What it includes, and what that includes: names are relative to the scene's folder, in included files too.
export function allIncluded(text: string, files: Record<string, string>): string[] {
  const found = new Set<string>();
  const look = (own: string): void => {
    for (const name of namesIncluded(own)) {
      if (found.has(name)) continue;
      found.add(name);
      look(textOf(files, name) ?? '');
    }
  };
  look(text);
  return [...found];
}

// The text with every included text in place of its `include`. One that is not known, or that includes itself, stays as it is.
export function selfContained(text: string, files: Record<string, string>, within: string[] = []): string {
  let whole = '';
  let at = 0;
  for (const { name, from, to } of includesIn(text)) {
    const own = textOf(files, name);
    if (own === undefined || within.includes(plain(name))) continue;
    const inner = selfContained(own.replace(/^\uFEFF/, ''), files, [...within, plain(name)]);
    whole += `${text.slice(at, from)}// From ${name}:\n${inner}${inner.endsWith('\n') ? '' : '\n'}// End of ${name}.`;
    at = to;
    // What stands behind it in the same line is no comment.
    if (/^[^\S\n]*[^\s]/.test(text.slice(at))) whole += '\n';
  }
  return whole + text.slice(at);
}
