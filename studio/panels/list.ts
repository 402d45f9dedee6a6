// The panels. A panel is one file with a component, and one line here: its tab or drawer, its button, its command with title
// and keys, its place in the sheet of a narrow page and its tests follow.
import { lazy, type ComponentType } from 'react';
import type { Page, PageStore } from '../store/store';
import Assemble from './Assemble';
import Compare from './Compare';
import Gallery from './Gallery';
import type { IconName } from './icons';
import Outliner from './Outliner';
import Properties from './Properties';
import Solver from './Solver';

export interface PanelKind {
  id: string;
  title: string;
  place: 'left' | 'right' | 'drawer' | 'dialog'; // the right has tabs; the drawer is below the view
  content: ComponentType;
  command?: string; // its title in the palette and on the sheet of keys, if that is not the panel's
  keys?: string[];
  icon?: IconName; // of its button in the bar at the top
  sheet?: string; // its tab's label in the sheet of a narrow page, if that is not its title
  open?: boolean; // at first
}

// What is not seen at first is not loaded at first.
export const panels = [
  { id: 'gallery', title: 'Gallery', place: 'dialog', content: Gallery, command: 'Gallery of scenes', keys: ['G'] },
  { id: 'outliner', title: 'Outliner', place: 'left', content: Outliner, icon: 'left', sheet: 'Scene', open: true },
  { id: 'properties', title: 'Properties', place: 'right', content: Properties, icon: 'right', open: true },
  { id: 'solver', title: 'Solver', place: 'right', content: Solver, command: 'Solver settings' },
  { id: 'assemble', title: 'Assemble', place: 'right', content: Assemble, command: 'Assembly and verdict' },
  { id: 'compare', title: 'Compare', place: 'right', content: Compare, command: 'Comparison of methods' },
  { id: 'plots', title: 'Plots', place: 'drawer', content: lazy(() => import('./Plots')), icon: 'plots' },
  { id: 'text', title: 'Text', place: 'drawer', content: lazy(() => import('./TextEditor')), command: 'Text of the scene', keys: ['T'], icon: 'text' },
] as const satisfies readonly PanelKind[];

export type PanelId = (typeof panels)[number]['id'];
const kinds: readonly PanelKind[] = panels;
export const panelsAt = (place: PanelKind['place']): PanelKind[] => kinds.filter((panel) => panel.place === place);
const kindOf = (id: PanelId): PanelKind => kinds.find((panel) => panel.id === id) as PanelKind;

// What `panels` of the page says of it: those on the right are open together, by the name of the first.
const onTheRight = panelsAt('right').map(({ id }) => id);
export const flagOf = ({ id, place }: PanelKind): string => (place === 'right' ? (onTheRight[0] ?? id) : id);

// How a studio begins.
export const atFirst: Pick<Page, 'panels' | 'tab'> = {
  panels: Object.fromEntries(kinds.map((panel) => [flagOf(panel), kinds.some((one) => flagOf(one) === flagOf(panel) && one.open === true)])),
  tab: onTheRight[0] ?? '',
};

export const isOpen = ({ panels: open, tab }: Pick<Page, 'panels' | 'tab'>, panel: PanelKind): boolean =>
  open[flagOf(panel)] === true && (panel.place !== 'right' || tab === panel.id);

export function showPanel(page: PageStore, panel: PanelKind, on: boolean): void {
  page.setState((now) => ({
    panels: { ...now.panels, [flagOf(panel)]: on },
    ...(on && panel.place === 'right' ? { tab: panel.id, asked: now.asked + 1, limits: null } : {}),
  }));
}
export const openPanel = (page: PageStore, id: PanelId): void => showPanel(page, kindOf(id), true);
export const closePanel = (page: PageStore, id: PanelId): void => showPanel(page, kindOf(id), false);
export const flipPanel = (page: PageStore, panel: PanelKind): void => showPanel(page, panel, !isOpen(page.getState(), panel));
