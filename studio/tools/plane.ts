// Dragging in a plane: what a pointer means in space.
import { Plane, type Ray, Vector3 } from 'three';

export interface DragPlane {
  plane: Plane;
  offset: Vector3; /* from where the ray met it to what is dragged */
}

// The plane through a point that faces the camera. A pointer that did not hit the point exactly keeps its distance.
export function planeThrough(point: Vector3, viewDirection: Vector3, ray: Ray): DragPlane {
  const plane = new Plane().setFromNormalAndCoplanarPoint(viewDirection.clone().normalize(), point);
  const met = ray.intersectPlane(plane, new Vector3());
  return { plane, offset: met ? point.clone().sub(met) : new Vector3() };
}
// Null: the ray misses it, as seen from the side or from behind.
export function dragged({ plane, offset }: DragPlane, ray: Ray): Vector3 | null {
  const met = ray.intersectPlane(plane, new Vector3());
  return met ? met.add(offset) : null;
}
