// The outliner's tree: solids by the parts of their paths, figures as groups, joints under the solid that they move.
import type { Scene } from '../store/store';

export type NodeKind = 'group' | 'solid' | 'joint' | 'section';
export interface TreeNode {
  id: string; // kind and path: a placed figure may have the name of a solid in it
  kind: NodeKind;
  path: string;
  label: string;
  detail: string; // the kind of a solid or joint
  children: TreeNode[];
}
export interface Row {
  node: TreeNode;
  level: number;
  open: boolean;
  index: number;
  siblings: number;
  parent: string | null;
}

export const nodeId = (kind: NodeKind, path: string): string => `${kind}:${path}`;

// Names of repetitions come in the order of their numbers: link-2 before link-10.
const order = new Intl.Collator('en', { numeric: true });

interface Group {
  node: TreeNode;
  groups: Map<string, Group>;
}

export function buildTree(scene: Scene): TreeNode[] {
  const root: Group = { node: { id: '', kind: 'group', path: '', label: '', detail: '', children: [] }, groups: new Map() };
  const groupOf = (parts: string[]): Group => {
    let group = root;
    for (let i = 0; i < parts.length; i += 1) {
      const part = parts[i] as string;
      let next = group.groups.get(part);
      if (!next) {
        const path = parts.slice(0, i + 1).join('.');
        next = { node: { id: nodeId('group', path), kind: 'group', path, label: part, detail: '', children: [] }, groups: new Map() };
        group.groups.set(part, next);
        group.node.children.push(next.node);
      }
      group = next;
    }
    return group;
  };
  const place = (kind: 'solid' | 'joint', path: string, detail: string, under?: TreeNode): TreeNode => {
    const parts = path.split('.');
    const label = parts.pop() as string;
    const node: TreeNode = { id: nodeId(kind, path), kind, path, label, detail, children: [] };
    (under ?? groupOf(parts).node).children.push(node);
    return node;
  };
  const solids = new Map<string, TreeNode>();
  for (const solid of scene.solids) solids.set(solid.name, place('solid', solid.name, solid.kind));
  const loose: TreeNode[] = [];
  for (const joint of scene.joints) {
    const holder = solids.get(joint.solid2) ?? solids.get(joint.solid1);
    if (holder) place('joint', joint.name, joint.kind, holder);
    else loose.push({ id: nodeId('joint', joint.name), kind: 'joint', path: joint.name, label: joint.name, detail: joint.kind, children: [] });
  }
  const sort = (nodes: TreeNode[]): void => {
    const rank = { group: 0, section: 0, solid: 1, joint: 2 };
    nodes.sort((a, b) => rank[a.kind] - rank[b.kind] || order.compare(a.label, b.label));
    for (const node of nodes) sort(node.children);
  };
  sort(root.node.children);
  // Gears and other relations of coordinates have no solid to stand under.
  if (loose.length > 0) {
    sort(loose);
    root.node.children.push({ id: 'section:loose', kind: 'section', path: '', label: 'Joints that couple joints', detail: '', children: loose });
  }
  return root.node.children;
}

// The rows that show: what is open, or with a query what matches and what leads there.
export function visibleRows(tree: TreeNode[], closed: ReadonlySet<string>, query: string): Row[] {
  const rows: Row[] = [];
  const wanted = query.trim().toLowerCase();
  const words = wanted === '' ? [] : wanted.split(/\s+/);
  const matches = (node: TreeNode): boolean => {
    const text = `${node.path} ${node.detail}`.toLowerCase();
    return node.kind !== 'section' && words.every((word) => text.includes(word));
  };
  const keep = new Set<string>();
  if (words.length > 0) {
    const mark = (node: TreeNode): boolean => {
      let any = matches(node);
      for (const child of node.children) any = mark(child) || any;
      if (any) keep.add(node.id);
      return any;
    };
    tree.forEach(mark);
  }
  const walk = (nodes: TreeNode[], level: number, parent: string | null): void => {
    const shown = words.length > 0 ? nodes.filter((node) => keep.has(node.id)) : nodes;
    shown.forEach((node, index) => {
      const open = node.children.length > 0 && (words.length > 0 || !closed.has(node.id));
      rows.push({ node, level, open, index, siblings: shown.length, parent });
      if (open) walk(node.children, level + 1, node.id);
    });
  };
  walk(tree, 1, null);
  return rows;
}

// Everything that has children, and the way to a node: to open and close.
export function ancestorsOf(tree: TreeNode[], id: string): string[] {
  for (const node of tree) {
    if (node.id === id) return [];
    if (node.children.length === 0) continue;
    const below = ancestorsOf(node.children, id);
    if (below.length > 0 || node.children.some((child) => child.id === id)) return [node.id, ...below];
  }
  return [];
}

// Large scenes begin folded: groups closed, so that the first look is at figures and not at thousands of bones.
export function initiallyClosed(tree: TreeNode[], limit = 60): Set<string> {
  const closed = new Set<string>();
  let count = 0;
  const walk = (nodes: TreeNode[]): void => {
    for (const node of nodes) {
      count += 1;
      walk(node.children);
    }
  };
  walk(tree);
  if (count <= limit) return closed;
  const fold = (nodes: TreeNode[], solidsToo: boolean): void => {
    for (const node of nodes) {
      if (node.children.length > 0 && (solidsToo || node.kind === 'group')) closed.add(node.id);
      fold(node.children, solidsToo);
    }
  };
  fold(tree, true);
  return closed;
}

export function solidsBelow(node: TreeNode): string[] {
  if (node.kind === 'solid') return [node.path];
  return node.children.flatMap(solidsBelow);
}
