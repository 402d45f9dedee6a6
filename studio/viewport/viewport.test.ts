import { Box3, Matrix4, Quaternion, Vector3 } from 'three';
import { describe, expect, it } from 'vitest';
import { initialPage, type Joint, type Scene, type SessionState, type Shape } from '../store/store';
import { angleAbout, arc, coil, coneRim, hookeAngles, rope, shownRange, untwisted } from './arcs';
import { basisOf, between, CameraRig, copyOf, fitted, panned, standardView, turned, viewOfText, zoomed } from './camera';
import { fine, formOf, formsOf, halfExtents, matrixOf, smooth } from './geometry';
import { gridPace } from './ground';
import { describeSelection, describeView } from './Viewport';
import { bodyOf, Frames } from './world';
import { Grip, standFor } from '../tools/xr';

const x = new Vector3(1, 0, 0),
  y = new Vector3(0, 1, 0),
  z = new Vector3(0, 0, 1),
  o = new Vector3();
const near = (a: Vector3, b: Vector3, digits = 6) => {
  expect(a.x).toBeCloseTo(b.x, digits);
  expect(a.y).toBeCloseTo(b.y, digits);
  expect(a.z).toBeCloseTo(b.z, digits);
};

describe('arcs', () => {
  it('goes right-handed about the axis from the direction of zero', () => {
    const points = arc(new Vector3(1, 2, 3), z, x, 2, 0, Math.PI / 2);
    near(points[0]!, new Vector3(3, 2, 3));
    near(points[points.length - 1]!, new Vector3(1, 4, 3));
    for (const p of points) expect(p.distanceTo(new Vector3(1, 2, 3))).toBeCloseTo(2);
  });
  it('has the rim of a cone at the angle, beyond a right one too', () => {
    for (const angle of [0.4, 2.1]) for (const p of coneRim(o, y, x, 3, angle)) expect(p.angleTo(y)).toBeCloseTo(angle);
  });
  it('finds both angles of a cardan joint', () => {
    const frame1 = new Matrix4().makeRotationFromQuaternion(new Quaternion(0.1, 0.5, -0.3, 0.8).normalize()).setPosition(1, 2, 3);
    const frame2 = frame1.clone().multiply(new Matrix4().makeRotationX(0.7)).multiply(new Matrix4().makeRotationY(-1.1));
    const { first, second } = hookeAngles(frame1, frame2);
    expect(first).toBeCloseTo(0.7);
    expect(second).toBeCloseTo(-1.1);
  });
  it('counts a twist from where the swing takes the normal', () => {
    const swing = new Quaternion().setFromAxisAngle(new Vector3(0, 0.6, 0.8), 1.2),
      twist = new Quaternion().setFromAxisAngle(x, 0.4);
    const turn = swing.multiply(twist);
    const i2 = x.clone().applyQuaternion(turn),
      j2 = y.clone().applyQuaternion(turn);
    expect(angleAbout(i2, untwisted(x, y, i2), j2)).toBeCloseTo(0.4);
  });
  it('shows an open end up to a bit past where it stands', () => {
    expect(shownRange(null, null, 0, 1)).toBeNull();
    expect(shownRange(0.5, null, 2, 1)).toEqual([0.5, 3]);
    expect(shownRange(null, 1, -4, 1)).toEqual([-5, 1]);
  });
  it('begins and ends coils and ropes at their points', () => {
    const a = new Vector3(0, 1, 0),
      b = new Vector3(2, 1, 0);
    for (const points of [coil(a, b, 0.1, 6), rope(a, b, 2.5, new Vector3(0, -1, 0)), rope(a, b, 2, new Vector3(0, -1, 0))]) {
      near(points[0]!, a);
      near(points[points.length - 1]!, b);
    }
    expect(rope(a, b, 2, y).length).toBe(2);
    const hung = rope(a, b, 2.5, new Vector3(0, -1, 0), 200);
    let length = 0;
    for (let k = 1; k < hung.length; ++k) length += hung[k]!.distanceTo(hung[k - 1]!);
    expect(length).toBeGreaterThan(2.35);
    expect(length).toBeLessThan(2.65);
  });
});

describe('camera', () => {
  it('looks from the front, the right and the top', () => {
    near(basisOf(standardView('front')).back, z);
    near(basisOf(standardView('right')).back, x);
    near(basisOf(standardView('top')).back, y);
    near(basisOf(standardView('top')).right, x);
  });
  it('sees all points it was fitted to, touching one edge', () => {
    const points = [new Vector3(-1, 0, 0), new Vector3(2, 0.3, 1), new Vector3(0, 1.5, -2), new Vector3(0.3, -1, 0.2)];
    const tall = 0.3,
      wide = 0.5,
      orbit = fitted(points, 0.7, 0.4, tall, wide, 1);
    const { right, up, back } = basisOf(orbit);
    let most = 0;
    for (const p of points) {
      const d = p.clone().sub(orbit.target),
        depth = orbit.distance - d.dot(back);
      expect(depth).toBeGreaterThan(0);
      most = Math.max(most, Math.abs(d.dot(right)) / (wide * depth), Math.abs(d.dot(up)) / (tall * depth));
    }
    expect(most).toBeCloseTo(1, 5);
  });
  it('keeps what is under the pointer when it zooms', () => {
    const orbit = { target: new Vector3(1, 2, 3), yaw: 0.4, pitch: 0.2, distance: 5 };
    const { right, up } = basisOf(orbit);
    const under = orbit.target.clone().addScaledVector(right, 0.8).addScaledVector(up, -0.3);
    const after = zoomed(orbit, 0.5, 0.8, -0.3);
    expect(after.distance).toBe(2.5);
    near(after.target.clone().addScaledVector(right, 0.4).addScaledVector(up, -0.15), under);
  });
  it('does not turn over the pole, and takes the short way between two yaws', () => {
    const orbit = { target: o.clone(), yaw: 3, pitch: 0, distance: 1 };
    expect(turned(orbit, 0, 1e6).pitch).toBeCloseTo(Math.PI / 2);
    const half = between(orbit, { ...orbit, yaw: -3, distance: 4 }, 0.5);
    expect(half.yaw).toBeCloseTo(Math.PI);
    expect(half.distance).toBeCloseTo(2);
    near(panned({ ...orbit, yaw: 0 }, 10, 0, 0.1).target, new Vector3(-1, 0, 0));
  });
  it('reads where a scene wants to be seen from', () => {
    expect(viewOfText('// a\n// view: front\n')).toEqual({ yaw: 0, pitch: 0 });
    const view = viewOfText('/* */\n  // view: yaw 30 pitch -15\nsolid a end')!;
    expect(view.yaw).toBeCloseTo(Math.PI / 6);
    expect(view.pitch).toBeCloseTo(-Math.PI / 12);
    expect(viewOfText('solid view end')).toBeNull();
  });
  it('says of a change, in both projections', () => {
    let changes = 0;
    const rig = new CameraRig(() => ++changes);
    rig.resize(400, 800);
    rig.frame([new Vector3(-1, -1, 0), new Vector3(1, 1, 0)], false, standardView('front'));
    for (let k = 0; k < 2; ++k) {
      const p = rig.project(new Vector3(0, 0, 0));
      expect(p.x).toBeCloseTo(200);
      expect(p.y).toBeCloseTo(400);
      expect(Math.abs(rig.project(new Vector3(1, 0, 0)).x - 200)).toBeLessThan(200);
      rig.toggleOrthographic();
    }
    expect(changes).toBe(3);
  });
  it('leaves the foot of the view free', () => {
    const rig = new CameraRig(() => {});
    rig.foot = 60;
    rig.resize(800, 400);
    rig.frame([new Vector3(-0.1, -1, 0), new Vector3(0.1, 1, 0)], false, standardView('front'));
    const top = rig.project(new Vector3(0, 1, 0)).y,
      bottom = rig.project(new Vector3(0, -1, 0)).y;
    expect(top).toBeGreaterThan(0);
    expect(bottom).toBeLessThan(340);
    expect(340 - bottom).toBeCloseTo(top);
  });
  it('frames anew what it framed when the view gets another size, whenever that is known, until someone moves it', () => {
    const points = [new Vector3(-0.5, -1, 0.2), new Vector3(0.5, 1, 0)];
    const fresh = (width: number, height: number) => {
      const rig = new CameraRig(() => {});
      rig.foot = 60;
      rig.side = 48;
      rig.resize(width, height);
      rig.frame(points, false, standardView('front'));
      return rig;
    };
    // Framed before anything is laid out, then on a telephone, on its side, and in a window.
    const rig = fresh(1, 1);
    for (const [width, height] of [
      [390, 460],
      [506, 346],
      [900, 600],
      [390, 460],
    ] as const) {
      rig.resize(width, height);
      rig.reframe();
      expect(rig.orbit).toEqual(fresh(width, height).orbit);
    }
    const moves: ((rig: CameraRig) => void)[] = [(r) => r.turn(5, 0), (r) => r.pan(5, 0), (r) => r.zoom(0.9), (r) => r.look('top'), (r) => r.lookOpposite()];
    for (const move of moves) {
      const own = fresh(390, 460);
      move(own);
      const before = copyOf(own.orbit);
      own.resize(506, 346);
      own.reframe();
      expect(own.orbit).toEqual(before);
    }
  });
});

const shape = (kind: Shape['kind'], size: Shape['size'], more: Partial<Shape> = {}): Shape => ({
  kind,
  size,
  position: [0, 0, 0],
  rotation: [0, 0, 0, 1],
  ...more,
});
const tetrahedron = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1];

describe('forms', () => {
  const all: Shape[] = [
    shape('box', [1, 2, 3]),
    shape('sphere', [0.5, 0, 0]),
    shape('ellipsoid', [1, 2, 3]),
    shape('capsule', [0.2, 1, 0]),
    shape('cylinder', [0.5, 2, 0]),
    shape('cone', [0.5, 2, 0]),
    shape('hull', [0, 0, 0], { points: tetrahedron }),
    shape('mesh', [0, 0, 0], { points: tetrahedron, triangles: [0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2] }),
  ];
  it.each(all)('$kind is as large as it says', (one) => {
    for (const detail of [fine, { shared: true, coarse: true }]) {
      const form = formOf(one, detail),
        geometry = form.make();
      geometry.applyMatrix4(matrixOf(one, form.scale));
      geometry.computeBoundingBox();
      const half = halfExtents(one);
      near(geometry.boundingBox!.max, half, 2);
      if (one.kind !== 'hull' && one.kind !== 'mesh') near(geometry.boundingBox!.min, half.clone().negate(), 2);
    }
  });
  it.each(all)('faces of $kind point outwards', (one) => {
    const form = formOf(one),
      geometry = form.make().toNonIndexed();
    const inside = one.kind === 'hull' || one.kind === 'mesh' ? new Vector3(0.2, 0.2, 0.2) : o;
    const p = geometry.getAttribute('position'),
      a = new Vector3(),
      b = new Vector3(),
      c = new Vector3();
    for (let t = 0; t < p.count; t += 3) {
      a.fromBufferAttribute(p, t);
      b.fromBufferAttribute(p, t + 1).sub(a);
      c.fromBufferAttribute(p, t + 2).sub(a);
      const normal = b.cross(c);
      if (normal.length() > 1e-9) expect(normal.dot(a.sub(inside))).toBeGreaterThanOrEqual(-1e-9);
    }
  });
  it('shares equal ones', () => {
    expect(formOf(all[0]!).key).toBe(formOf({ ...all[0]!, position: [1, 1, 1] }).key);
    expect(formOf(all[0]!).key).not.toBe(formOf(shape('box', [1, 2, 4])).key);
    const shared = { shared: true, coarse: false };
    expect(formOf(shape('box', [1, 2, 4]), shared).key).toBe(formOf(all[0]!, shared).key);
  });
  it('makes a capsule of parts that can be stretched', () => {
    const one = shape('capsule', [0.2, 1, 0], { position: [1, 0, 0], rotation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] });
    const box = new Box3();
    for (const { form, shape: part } of formsOf(one, { shared: true, coarse: true })) {
      expect(['tube', 'sphere']).toContain(form.key);
      const geometry = form.make().applyMatrix4(matrixOf(part, form.scale));
      geometry.computeBoundingBox();
      box.union(geometry.boundingBox!);
    }
    near(box.min, new Vector3(0.3, -0.2, -0.2), 2);
    near(box.max, new Vector3(1.7, 0.2, 0.2), 2);
  });
  it('gives outlines one normal a place', () => {
    const geometry = formOf(all[7]!).make();
    expect(smooth(geometry).getAttribute('position').count).toBe(4);
    expect(smooth(geometry)).toBe(smooth(geometry));
  });
});

describe('world', () => {
  it('places solids by seven numbers', () => {
    const q = new Quaternion(0.1, -0.5, 0.3, 0.7).normalize();
    const frames = new Frames();
    frames.update(new Float32Array([0, 0, 0, 0, 0, 0, 1, 1, 2, 3, q.x, q.y, q.z, q.w]), 2);
    const expected = new Matrix4().compose(new Vector3(1, 2, 3), q, new Vector3(1, 1, 1));
    frames.get(1, new Matrix4()).elements.forEach((e, k) => expect(e).toBeCloseTo(expected.elements[k]!, 5));
    expect(frames.get(-1, new Matrix4()).equals(new Matrix4())).toBe(true);
  });
  it('measures a solid by all its shapes', () => {
    const body = bodyOf(
      {
        name: 'a',
        kind: 'dynamic',
        point_mass: false,
        mass: 1,
        com: [0, 0, 0],
        colour: [1, 1, 1],
        groups: [],
        shared: false,
        line: 0,
        shapes: [shape('box', [1, 0.2, 0.1]), shape('sphere', [0.1, 0, 0], { position: [1, 0, 0] })],
      },
      0.02,
    );
    near(body.box.min, new Vector3(-0.5, -0.1, -0.1));
    near(body.box.max, new Vector3(1.1, 0.1, 0.1));
    expect(body.reach).toBeCloseTo(0.8);
  });
  it('knows which solids are one', async () => {
    const { mergedGroups } = await import('./view');
    const joint = (name: string, solid1: string, solid2: string) => ({ name, solid1, solid2 }) as Joint;
    const scene = { joints: [joint('p', 'a', 'b'), joint('q', 'b', 'c'), joint('r', 'd', 'e'), joint('s', '', 'a')] } as Scene;
    const state = { merged: ['p', 'q', 's'] } as SessionState;
    expect(mergedGroups({ scene, state })).toEqual([['a', 'b', 'c']]);
    expect(mergedGroups(initialPage)).toEqual([]);
  });
  it('has a grid of some ten lines', () => {
    for (const extent of [0.01, 0.3, 1, 7, 40]) {
      expect(extent / gridPace(extent)).toBeGreaterThanOrEqual(4);
      expect(extent / gridPace(extent)).toBeLessThan(10.1);
    }
  });
});

describe('what is said', () => {
  const scene = { title: 'Lamp', name: 'lamp', solids: [{}, {}], joints: [{ solid1: 'a', solid2: 'b' }] } as Scene;
  it('names the scene and what is selected', () => {
    expect(describeView(scene)).toBe('View of Lamp: 2 solids, 1 joint');
    const state = { pins: [{ solid: 'a' }] } as SessionState;
    expect(describeSelection({ scene, state, selection: { solids: ['a'], joints: [] } })).toBe('Selected: solid a, 1 joint, pinned.');
    expect(describeSelection({ scene, state, selection: { solids: ['a', 'b', 'c', 'd', 'e'], joints: ['k'] } })).toBe(
      'Selected: solids a, b, c and 2 more, joint k.',
    );
    expect(describeSelection({ scene, state, selection: { solids: [], joints: [] } })).toBe('Nothing is selected.');
  });
});

describe('headset', () => {
  it('takes a solid along as if it were in the hand, at any size of the user', () => {
    const hand = (p: Vector3, q: Quaternion) => new Matrix4().compose(p, q, new Vector3(3, 3, 3));
    const q0 = new Quaternion(0.2, 0.1, 0.4, 0.8).normalize(),
      turn = new Quaternion().setFromAxisAngle(y, 0.7);
    const point = new Vector3(0, 0, -4),
      orientation = new Quaternion(0.5, 0.5, 0.5, 0.5);
    const grip = new Grip(hand(o, q0), point, orientation);
    near(grip.at(hand(o, q0)).target, point);
    const after = grip.at(hand(new Vector3(1, 0, 0), turn.clone().multiply(q0)));
    near(after.target, point.clone().applyQuaternion(turn).add(x));
    expect(after.orientation.angleTo(turn.clone().multiply(orientation))).toBeLessThan(1e-6);
  });
  it('stands so that the scene is in front', () => {
    const ahead = new Vector3(0, 1.15, -1.5),
      centre = new Vector3(5, 2, 1);
    const { position, scale } = standFor(centre, 11, ahead);
    near(position.clone().addScaledVector(ahead, scale), centre);
    expect(scale).toBeCloseTo(20);
  });
});
