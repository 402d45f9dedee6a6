// The canvas, its label, and what is said of the selection to those who do not see it. Whoever puts the page together
// passes `onReady`, in which tools are installed on the view; what it returns is called when the view goes.
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { Page, PageStore } from '../store/store';
import { View } from './view';
import './Viewport.css';

export interface ViewportProps {
  page: PageStore;
  onReady?: (view: View) => void | (() => void);
}

const listed = (names: string[]) => (names.length > 3 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', '));

export function describeSelection({ selection, scene, state }: Pick<Page, 'selection' | 'scene' | 'state'>): string {
  const { solids, joints } = selection;
  if (solids.length + joints.length === 0) return 'Nothing is selected.';
  const said: string[] = [];
  if (solids.length > 0) said.push(`${solids.length === 1 ? 'solid' : 'solids'} ${listed(solids)}`);
  if (joints.length > 0) said.push(`${joints.length === 1 ? 'joint' : 'joints'} ${listed(joints)}`);
  const only = solids.length === 1 && joints.length === 0 ? solids[0] : null;
  if (only) {
    const count = scene?.joints.filter((joint) => joint.solid1 === only || joint.solid2 === only).length ?? 0;
    said.push(`${count} ${count === 1 ? 'joint' : 'joints'}`);
    if (state?.pins.some((pin) => pin.solid === only)) said.push('pinned');
  }
  return `Selected: ${said.join(', ')}.`;
}
export function describeView(scene: Page['scene']): string {
  if (!scene) return 'The view is empty';
  const count = (n: number, noun: string) => `${n} ${noun}${n === 1 ? '' : 's'}`;
  return `View of ${scene.title || scene.name}: ${count(scene.solids.length, 'solid')}, ${count(scene.joints.length, 'joint')}`;
}

export default function Viewport({ page, onReady }: ViewportProps) {
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const ready = useRef(onReady);
  const [problem, setProblem] = useState<string | null>(null);
  const scene = useStore(page, (p) => p.scene);
  const selection = useStore(page, (p) => p.selection);
  const state = useStore(page, (p) => p.state);

  useEffect(() => {
    let view: View;
    try {
      view = new View(canvas.current!, host.current!, page);
    } catch {
      setProblem('The view needs WebGL 2, which this browser does not have. Everything else works.');
      return;
    }
    const clean = ready.current?.(view);
    return () => {
      clean?.();
      view.dispose();
    };
  }, [page]);

  return (
    <div className="viewport" ref={host}>
      <canvas
        ref={canvas}
        tabIndex={0}
        role="application"
        aria-roledescription="3D view"
        aria-label={describeView(scene)}
        aria-describedby="viewport-help"
        hidden={problem !== null}
      />
      <p id="viewport-help" className="viewport-hidden">
        Arrow keys turn the view. Shift and arrow keys move it. Plus and minus zoom. The keys [ and ] go through the solids. The context menu key opens the menu
        of the selected solid.
      </p>
      <p className="viewport-hidden" role="status" aria-live="polite">
        {scene ? describeSelection({ selection, scene, state }) : ''}
      </p>
      {problem && (
        <p className="viewport-problem" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
