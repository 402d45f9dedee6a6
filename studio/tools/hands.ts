// Hands that hold points of solids: where pointers drag them, told to the engine at most once a frame.
import type { Ray, Vector3 } from 'three';
import type { Engine } from '../engine/client';
import type { Vec3 } from '../store/store';
import { dragged, type DragPlane, planeThrough } from './plane';

interface Held {
  id: number;
  plane: DragPlane;
  target: Vector3;
  told: boolean;
}
const triple = (v: Vector3): Vec3 => [v.x, v.y, v.z];

// Numbers of hands are the page's own: those of pointers are reused by some browsers.
let lastId = 0;
export const newHandId = (): number => ++lastId;

export class Hands {
  private held = new Map<number, Held>(); // by pointer

  constructor(private engine: Pick<Engine, 'grab' | 'move' | 'release'>) {}

  get count() {
    return this.held.size;
  }
  // Takes hold; answers the hand's number.
  grab(pointer: number, solid: string, local: Vector3, point: Vector3, viewDirection: Vector3, ray: Ray): number {
    this.release(pointer);
    const id = newHandId();
    this.held.set(pointer, { id, plane: planeThrough(point, viewDirection, ray), target: point.clone(), told: true });
    this.engine.grab(id, solid, triple(local), triple(point));
    return id;
  }
  // Where the hand is now, or null if the pointer holds nothing or points past everything.
  move(pointer: number, ray: Ray): { id: number; target: Vector3 } | null {
    const held = this.held.get(pointer);
    const target = held && dragged(held.plane, ray);
    if (!held || !target) return null;
    held.target = target;
    held.told = false;
    return { id: held.id, target };
  }
  tell() {
    for (const held of this.held.values())
      if (!held.told) {
        held.told = true;
        this.engine.move(held.id, triple(held.target));
      }
  }
  // Answers the hand's number, or null if there was none.
  release(pointer: number): number | null {
    const held = this.held.get(pointer);
    if (!held) return null;
    if (!held.told) this.engine.move(held.id, triple(held.target));
    this.held.delete(pointer);
    this.engine.release(held.id);
    return held.id;
  }
}
