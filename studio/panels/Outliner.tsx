// The scene as a tree. One element has the focus, the active row is told by aria-activedescendant: so rows may come and
// go with scrolling, and a scene of thousands of solids costs as much as what is seen of it.
import { useCallback, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, MouseEvent } from 'react';
import { Glyph, jointGlyph, type GlyphName } from './glyphs';
import { counted } from './numbers';
import { select } from './selection';
import { ancestorsOf, buildTree, initiallyClosed, nodeId, solidsBelow, visibleRows, type Row, type TreeNode } from './tree';
import { usePage, usePageShallow, useStudio } from './use';
import './Outliner.css';

const rowHeight = 26;
const openError = 1e-4; // metres or radians from which a joint counts as open

function glyphOf(node: TreeNode): GlyphName {
  if (node.kind === 'solid') return node.detail === 'immobile' ? 'immobile' : node.detail === 'animated' ? 'animated' : 'dynamic';
  return node.kind === 'joint' ? jointGlyph(node.detail) : node.kind === 'section' ? 'gear' : 'group';
}

interface Marks {
  pinned: Set<string>;
  frozen: Set<string>;
  merged: Set<string>;
  fighting: Set<string>;
  worst: string | null;
}

interface Mark {
  name: GlyphName;
  label: string;
  tone: string;
}
function marksOf(node: TreeNode, marks: Marks): Mark[] {
  const list: Mark[] = [];
  if (node.kind === 'solid' && marks.pinned.has(node.path)) list.push({ name: 'pin', label: 'pinned', tone: 'accent' });
  if (node.kind === 'joint') {
    if (marks.frozen.has(node.path)) list.push({ name: 'freeze', label: 'frozen', tone: 'accent' });
    if (marks.merged.has(node.path)) list.push({ name: 'merge', label: 'merged', tone: 'accent' });
    if (marks.fighting.has(node.path)) list.push({ name: 'fight', label: 'contradicts other joints', tone: 'error' });
    if (marks.worst === node.path) list.push({ name: 'warn', label: 'largest error', tone: 'warn' });
  }
  return list;
}
// A folded node shows what is marked inside it.
function marksBelow(node: TreeNode, marks: Marks, found: Map<string, Mark>): Map<string, Mark> {
  for (const mark of marksOf(node, marks)) found.set(mark.label, mark);
  for (const child of node.children) marksBelow(child, marks, found);
  return found;
}

function RowMarks({ node, open, marks }: { node: TreeNode; open: boolean; marks: Marks }) {
  const any = marks.pinned.size + marks.frozen.size + marks.merged.size + marks.fighting.size > 0 || marks.worst !== null;
  const list = !any ? [] : open ? marksOf(node, marks) : [...marksBelow(node, marks, new Map()).values()];
  if (list.length === 0) return null;
  return (
    <span className="outliner-marks">
      {list.map((m) => (
        <span key={m.label} className={`outliner-mark ${m.tone}`} title={m.label}>
          <Glyph name={m.name} label={m.label} />
        </span>
      ))}
    </span>
  );
}

export default function Outliner() {
  const { page, get, set, run, view } = useStudio();
  const scene = usePage((p) => p.scene);
  const selection = usePage((p) => p.selection);
  const hovered = usePage((p) => p.hovered);
  const held = usePageShallow((p) => ({ pins: p.state?.pins, frozen: p.state?.frozen, merged: p.state?.merged, highlight: p.highlight }));
  const worst = usePage((p) => (p.measures && (p.measures.error ?? Infinity) > openError ? p.measures.worst : null));
  const [query, setQuery] = useState('');
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState<string | null>(null);
  const [renaming, setRenaming] = useState<string | null>(null);
  const [scroll, setScroll] = useState(0);
  const [height, setHeight] = useState(400);
  const box = useRef<HTMLDivElement>(null);
  const own = useRef(false); // the selection came from here: no need to scroll to it
  const base = useId();

  const tree = useMemo(() => (scene ? buildTree(scene) : []), [scene]);
  const name = scene?.name;
  useEffect(() => {
    const opened = get().scene;
    setClosed(opened ? initiallyClosed(buildTree(opened)) : new Set());
    setActive(null);
    setQuery('');
  }, [get, name]);
  const rows = useMemo(() => visibleRows(tree, closed, query), [tree, closed, query]);
  const marks = useMemo<Marks>(
    () => ({
      pinned: new Set(held.pins?.map((p) => p.solid)),
      frozen: new Set(held.frozen),
      merged: new Set(held.merged),
      fighting: new Set(held.highlight),
      worst,
    }),
    [held, worst],
  );
  const selected = useMemo(
    () => new Set([...selection.solids.map((n) => nodeId('solid', n)), ...selection.joints.map((n) => nodeId('joint', n))]),
    [selection],
  );

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const watch = new ResizeObserver(() => setHeight(element.clientHeight));
    watch.observe(element);
    setHeight(element.clientHeight);
    return () => watch.disconnect();
  }, []);

  const reveal = useCallback((index: number) => {
    const element = box.current;
    if (!element || index < 0) return;
    const top = index * rowHeight;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight) element.scrollTop = top + rowHeight - element.clientHeight;
  }, []);

  // What is selected in the view is opened and scrolled to.
  useEffect(() => {
    if (own.current) {
      own.current = false;
      return;
    }
    const first =
      selection.solids[0] !== undefined
        ? nodeId('solid', selection.solids[0])
        : selection.joints[0] !== undefined
          ? nodeId('joint', selection.joints[0])
          : null;
    if (first === null) return;
    setActive(first);
    const above = ancestorsOf(tree, first);
    setClosed((now) => (above.some((id) => now.has(id)) ? new Set([...now].filter((id) => !above.includes(id))) : now));
  }, [selection, tree]);
  // Asked for elsewhere: its row is shown, and its name is a field.
  const asked = usePage((p) => p.renaming);
  useEffect(() => {
    if (asked === null || !scene) return;
    set({ renaming: null });
    const id = nodeId(scene.solids.some((solid) => solid.name === asked) ? 'solid' : 'joint', asked);
    const above = ancestorsOf(tree, id);
    setQuery('');
    setClosed((now) => new Set([...now].filter((each) => !above.includes(each))));
    setActive(id);
    setRenaming(id);
  }, [set, asked, scene, tree]);
  const activeIndex = rows.findIndex((row) => row.node.id === active);
  useEffect(() => reveal(activeIndex), [activeIndex, reveal]);

  const choose = (node: TreeNode, how: { extend: boolean; range: boolean }): void => {
    own.current = true;
    setActive(node.id);
    if (node.kind === 'section') return;
    if (how.range && active !== null) {
      const a = rows.findIndex((r) => r.node.id === active);
      const b = rows.findIndex((r) => r.node.id === node.id);
      const between = rows.slice(Math.min(a, b), Math.max(a, b) + 1).map((r) => r.node);
      select(page, {
        solids: between.filter((n) => n.kind === 'solid').map((n) => n.path),
        joints: between.filter((n) => n.kind === 'joint').map((n) => n.path),
      });
      return;
    }
    const solids = node.kind === 'joint' ? [] : solidsBelow(node);
    const joints = node.kind === 'joint' ? [node.path] : [];
    if (!how.extend) {
      select(page, { solids, joints });
      return;
    }
    const now = get().selection;
    const flip = (list: string[], names: string[]): string[] =>
      names.length > 0 && names.every((n) => list.includes(n)) ? list.filter((n) => !names.includes(n)) : [...new Set([...list, ...names])];
    select(page, { solids: flip(now.solids, solids), joints: flip(now.joints, joints) });
  };
  const fold = (id: string, open: boolean): void =>
    setClosed((now) => {
      const next = new Set(now);
      if (open) next.delete(id);
      else next.add(id);
      return next;
    });
  const rename = async (node: TreeNode, to: string): Promise<void> => {
    setRenaming(null);
    box.current?.focus();
    if (to === '' || to === node.label) return;
    const answer = await run({ do: 'rename', path: node.path, to });
    const path = node.path.slice(0, node.path.length - node.label.length) + to;
    if (answer.ok && node.kind !== 'group') select(page, node.kind === 'joint' ? { joints: [path] } : { solids: [path] });
  };

  const onKey = (event: KeyboardEvent): void => {
    if (renaming !== null || event.altKey) return;
    const row = rows[activeIndex] ?? null;
    const go = (index: number): void => {
      const next = rows[Math.max(0, Math.min(rows.length - 1, index))];
      if (next) choose(next.node, { extend: false, range: false });
    };
    const rowsAPage = Math.max(1, Math.floor(height / rowHeight) - 1);
    let done = true;
    if ((event.ctrlKey || event.metaKey) && event.key !== 'a') return;
    switch (event.key) {
      case 'ArrowDown':
        go(activeIndex + 1);
        break;
      case 'ArrowUp':
        go(activeIndex < 0 ? rows.length - 1 : activeIndex - 1);
        break;
      case 'PageDown':
        go(activeIndex + rowsAPage);
        break;
      case 'PageUp':
        go(activeIndex - rowsAPage);
        break;
      case 'Home':
        go(0);
        break;
      case 'End':
        go(rows.length - 1);
        break;
      case 'ArrowRight':
        if (row && row.node.children.length > 0) {
          if (row.open) go(activeIndex + 1);
          else fold(row.node.id, true);
        }
        break;
      case 'ArrowLeft':
        if (row?.open && query === '') fold(row.node.id, false);
        else if (row?.parent) go(rows.findIndex((r) => r.node.id === row.parent));
        break;
      case 'Enter':
        if (row) view.now()?.frame();
        break;
      case 'F2':
        if (row && row.node.kind !== 'section') setRenaming(row.node.id);
        break;
      case 'Delete':
      case 'Backspace': {
        const { solids, joints } = get().selection;
        const paths = row?.node.kind === 'group' ? [row.node.path] : [...joints, ...solids];
        if (paths.length > 0)
          void run({ do: 'remove', paths }).then((answer) => {
            if (answer.ok) select(page, {});
          });
        break;
      }
      case 'a':
        if (event.ctrlKey || event.metaKey) select(page, { solids: scene?.solids.map((s) => s.name) ?? [] });
        else done = false;
        break;
      default:
        done = false;
    }
    if (done) {
      event.preventDefault();
      event.stopPropagation();
    }
  };

  const first = Math.max(0, Math.floor(scroll / rowHeight) - 8);
  const last = Math.min(rows.length, Math.ceil((scroll + height) / rowHeight) + 8);
  const row = (r: Row, index: number) => {
    const { node } = r;
    const isSelected = node.kind === 'group' ? solidsBelow(node).every((n) => selected.has(nodeId('solid', n))) && selected.size > 0 : selected.has(node.id);
    return (
      <div
        key={node.id}
        id={`${base}${node.id}`}
        role="treeitem"
        aria-level={r.level}
        aria-setsize={r.siblings}
        aria-posinset={r.index + 1}
        aria-selected={isSelected}
        {...(node.children.length > 0 ? { 'aria-expanded': r.open } : {})}
        className={`outliner-row${node.id === active ? ' active' : ''}${node.kind === 'solid' && hovered === node.path ? ' hovered' : ''}`}
        style={{ top: index * rowHeight, paddingLeft: 4 + (r.level - 1) * 14 }}
        onClick={(event: MouseEvent) => choose(node, { extend: event.ctrlKey || event.metaKey, range: event.shiftKey })}
        onDoubleClick={() => view.now()?.frame()}
        onPointerEnter={() => node.kind === 'solid' && set({ hovered: node.path })}
        onPointerLeave={() => node.kind === 'solid' && get().hovered === node.path && set({ hovered: null })}>
        <span
          className={`outliner-fold${r.open ? ' open' : ''}`}
          aria-hidden="true"
          onClick={(event) => {
            if (node.children.length === 0) return;
            event.stopPropagation();
            fold(node.id, !r.open);
          }}>
          {node.children.length > 0 ? <Glyph name="chevron" /> : null}
        </span>
        <span className={`outliner-glyph ${node.kind}`}>
          <Glyph name={glyphOf(node)} />
        </span>
        {renaming === node.id ? (
          <input
            className="outliner-rename"
            defaultValue={node.label}
            autoFocus
            aria-label={`New name of ${node.path}`}
            onFocus={(event) => event.target.select()}
            onClick={(event) => event.stopPropagation()}
            onKeyDown={(event) => {
              event.stopPropagation();
              // To leave the field is what renames, and once is enough.
              if (event.key === 'Escape') event.currentTarget.value = node.label;
              if (event.key === 'Enter' || event.key === 'Escape') event.currentTarget.blur();
            }}
            onBlur={(event) => void rename(node, event.target.value.trim())}
          />
        ) : (
          <span
            className="outliner-label"
            onDoubleClick={(event) => {
              if (node.kind === 'section') return;
              event.stopPropagation(); // elsewhere in the row it frames
              setRenaming(node.id);
            }}>
            {node.label}
          </span>
        )}
        <RowMarks node={node} open={r.open} marks={marks} />
        {node.kind === 'joint' ? <span className="outliner-kind">{node.detail}</span> : null}
        {node.kind === 'group' && !r.open ? <span className="outliner-kind">{solidsBelow(node).length}</span> : null}
      </div>
    );
  };

  return (
    <section className="panel outliner" aria-label="Outliner">
      <h2 className="panel-title">
        Outliner
        <span className="outliner-count">{scene ? `${counted(scene.solids.length, 'solid')}, ${counted(scene.joints.length, 'joint')}` : ''}</span>
      </h2>
      <div className="outliner-search">
        <Glyph name="search" />
        <input
          type="search"
          placeholder="Search solids and joints"
          aria-label="Search solids and joints"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape' && query !== '') {
              event.stopPropagation();
              setQuery('');
            } else if (event.key === 'ArrowDown' || event.key === 'Enter') {
              event.preventDefault();
              const hit = rows.find((r) => `${r.node.path} ${r.node.detail}`.toLowerCase().includes(query.trim().toLowerCase())) ?? rows[0];
              if (hit) choose(hit.node, { extend: false, range: false });
              box.current?.focus();
            }
          }}
        />
        {query !== '' ? (
          <button type="button" className="button quiet icon" aria-label="Clear search" onClick={() => setQuery('')}>
            <Glyph name="close" />
          </button>
        ) : null}
      </div>
      <div
        ref={box}
        className="outliner-tree"
        role="tree"
        tabIndex={0}
        aria-label="Solids and joints"
        aria-multiselectable="true"
        {...(activeIndex >= first && activeIndex < last && active !== null ? { 'aria-activedescendant': `${base}${active}` } : {})}
        onKeyDown={onKey}
        onScroll={(event) => setScroll(event.currentTarget.scrollTop)}>
        <div className="outliner-space" role="presentation" style={{ height: rows.length * rowHeight }}>
          {rows.slice(first, last).map((r, i) => row(r, first + i))}
        </div>
      </div>
      {rows.length === 0 ? (
        <p className="outliner-empty">
          {scene ? (query !== '' ? `No solid or joint is called “${query}”.` : 'The scene is empty. Write a solid in the text (T).') : 'No scene is open.'}
        </p>
      ) : null}
    </section>
  );
}
