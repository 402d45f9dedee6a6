// The pages of docs/ that the studio links to, as HTML: vite.config.ts puts them beside the page. Knows as much of Markdown as
// these pages use.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = join(dirname(fileURLToPath(import.meta.url)), '../../docs');
const pages = { studio: 'The studio', 'scene-language': 'The scene language', joints: 'Joints', assembly: 'Assembly', motion: 'Motion' };
const pictures = '## What it looks like'; // they do not go with the page

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
// As GitHub makes them, so that links to headings work there and here.
const anchor = (text) => text.toLowerCase().replace(/[^\w\- ]/g, '').replace(/ /g, '-');

function link(words, target) {
  const [, name, rest] = /^([\w-]*)(?:\.md)?(#.*)?$/.exec(target) ?? [];
  if (/^https:/.test(target)) return `<a href="${target}">${words}</a>`;
  if (name === '' && rest) return `<a href="${rest}">${words}</a>`;
  return name in pages ? `<a href="${name}.html${rest ?? ''}">${words}</a>` : words;
}
function inline(text) {
  // Code first: nothing in it means anything else.
  return text.split(/(`[^`]+`)/).map((part) => {
    if (/^`.+`$/.test(part)) return `<code>${escaped(part.slice(1, -1))}</code>`;
    return escaped(part.replace(/<[^>]*>/g, ''))
      .replace(/\*\*(.+?)\*\*/g, '<b>$1</b>')
      .replace(/(^|[\s(])\*([^*\s][^*]*)\*/g, '$1<em>$2</em>');
  }).join('').replace(/!\[[^\]]*\]\([^)]*\)/g, '').replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (_, words, target) => link(words, target));
}
const cells = (line) => line.trim().replace(/^\||\|$/g, '').split(/(?<!\\)\|/).map((cell) => inline(cell.trim().replace(/\\\|/g, '|')));

export function render(markdown) {
  const lines = markdown.split('\n');
  const out = [];
  let k = 0;
  const isBlock = (line) => /^(#{1,4} |```|\s*([-*]|\d+\.) |\|)/.test(line) || line.trim() === '';
  const block = (indent) => {
    const line = lines[k].slice(indent);
    if (/^```/.test(line)) {
      const code = [];
      for (k += 1; k < lines.length && !/^\s*```/.test(lines[k]); k += 1) code.push(lines[k].slice(indent));
      k += 1;
      out.push(`<pre tabindex="0"><code>${escaped(code.join('\n'))}</code></pre>`);
    } else if (/^#{1,4} /.test(line)) {
      const [, level, words] = /^(#+) (.*)$/.exec(line);
      out.push(`<h${level.length} id="${anchor(words)}">${inline(words)}</h${level.length}>`);
      k += 1;
    } else if (/^\|/.test(line)) {
      const rows = [];
      for (; k < lines.length && /^\s*\|/.test(lines[k]); k += 1) rows.push(lines[k]);
      const head = cells(rows[0]);
      const body = rows.slice(2).map((row) => `<tr>${cells(row).map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('\n');
      const titles = head.some((cell) => cell !== '') ? `<thead><tr>${head.map((cell) => `<th scope="col">${cell}</th>`).join('')}</tr></thead>` : '';
      out.push(`<div class="table" tabindex="0"><table>${titles}<tbody>${body}</tbody></table></div>`);
    } else if (/^([-*]|\d+\.) /.test(line)) {
      const kind = /^\d/.test(line) ? 'ol' : 'ul';
      out.push(`<${kind}>`);
      while (k < lines.length && /^([-*]|\d+\.) /.test(lines[k].slice(indent)) && lines[k].slice(0, indent).trim() === '') {
        const inner = indent + /^([-*]|\d+\.) /.exec(lines[k].slice(indent))[0].length;
        lines[k] = ' '.repeat(inner) + lines[k].slice(inner);
        out.push('<li>');
        while (k < lines.length && (lines[k].trim() === '' ? (lines[k + 1] ?? '').startsWith(' '.repeat(inner)) : lines[k].startsWith(' '.repeat(inner)))) {
          if (lines[k].trim() === '') k += 1;
          else block(inner);
        }
        out.push('</li>');
      }
      out.push(`</${kind}>`);
    } else {
      const words = [];
      do words.push(lines[k++].trim());
      while (k < lines.length && lines[k].startsWith(' '.repeat(indent)) && !isBlock(lines[k].slice(indent)));
      const html = inline(words.join(' '));
      if (html.trim() !== '') out.push(`<p>${html}</p>`);
    }
  };
  while (k < lines.length)
    if (lines[k].trim() === '') k += 1;
    else block(/^ */.exec(lines[k])[0].length);
  return out.join('\n');
}

const style = `
  :root { color-scheme: light dark; --text: light-dark(#1b2129, #e8ecf1); --dim: light-dark(#535e6b, #a5b0bd); --line: light-dark(#d2d8df, #333b45); --sunken: light-dark(#eef1f4, #101317); }
  body { margin: 0 auto; max-width: 50rem; padding: 1.5rem 1rem 4rem; font: 16px/1.6 system-ui, sans-serif; color: var(--text); background: light-dark(#fff, #1d2127); }
  nav { display: flex; flex-wrap: wrap; gap: 0.3rem 1.2rem; padding-bottom: 0.8rem; border-bottom: 1px solid var(--line); }
  a { color: light-dark(#1863cc, #6bb0ff); } a[aria-current] { color: inherit; text-decoration: none; font-weight: 650; }
  h1, h2, h3 { line-height: 1.25; } h2 { margin-top: 2.2em; }
  code { font: 0.88em ui-monospace, Menlo, Consolas, monospace; } :not(pre) > code { padding: 0.1em 0.3em; border-radius: 4px; background: var(--sunken); }
  pre { overflow: auto; padding: 0.8rem 1rem; border-radius: 6px; background: var(--sunken); line-height: 1.45; }
  .table { overflow-x: auto; } table { border-collapse: collapse; font-size: 0.94em; } th, td { padding: 0.3rem 0.7rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
`;

export function renderDocs() {
  return Object.entries(pages).map(([name, title]) => {
    const text = readFileSync(join(folder, `${name}.md`), 'utf8').split(pictures)[0];
    const menu = Object.entries(pages).map(([other, words]) => `<a href="${other}.html"${other === name ? ' aria-current="page"' : ''}>${words}</a>`).join('\n');
    return {
      name,
      html: `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>${title} · Tenon</title>\n<style>${style}</style>\n</head>\n<body>\n<nav aria-label="Documentation">\n${menu}\n</nav>\n<main>\n${render(text)}\n</main>\n</body>\n</html>\n`,
    };
  });
}
