// Rapier (npm @dimforge/rapier3d-compat) in the comparison: `default` (4 iterations), `iterations16`,
// `iterations64`, and `multibody` (joint coordinates; loops by impulse joints).
import RAPIER from '@dimforge/rapier3d-compat';
import {FRAME, inertiaOf, massOf, minus, run} from './harness.mjs';

await RAPIER.init();
const ITERATIONS = {default: 4, iterations16: 16, iterations64: 64, multibody: 4};

const vector = ([x, y, z]) => ({x, y, z});
const UNTURNED = {x: 0, y: 0, z: 0, w: 1};

function make(scene, variant) {
  if (!(variant in ITERATIONS)) throw new Error(`no variant ${variant}`);
  const world = new RAPIER.World(vector(scene.gravity));
  world.timestep = FRAME;
  world.numSolverIterations = ITERATIONS[variant];
  // No colliders: masses are given.
  const bodies = scene.boxes.map(box => world.createRigidBody(
    RAPIER.RigidBodyDesc.dynamic().setTranslation(...box.centre).setCanSleep(false)
      .setLinearDamping(0).setAngularDamping(0)
      .setAdditionalMassProperties(massOf(box), vector([0, 0, 0]), vector(inertiaOf(box)), UNTURNED)));
  const fixed = world.createRigidBody(RAPIER.RigidBodyDesc.fixed());
  for (const {hinge, point, axis, parent, child, loop} of scene.joints) {
    const within = body => vector(body < 0 ? point : minus(point, scene.boxes[body].centre));
    const data = hinge ? RAPIER.JointData.revolute(within(parent), within(child), vector(axis))
                       : RAPIER.JointData.spherical(within(parent), within(child));
    const first = parent < 0 ? fixed : bodies[parent];
    if (variant === 'multibody' && !loop) world.createMultibodyJoint(data, first, bodies[child], true);
    else world.createImpulseJoint(data, first, bodies[child], true);
  }
  if (scene.pulled >= 0)
    world.createImpulseJoint(RAPIER.JointData.spherical(vector(scene.target), vector([0, 0, 0])), fixed,
                             bodies[scene.pulled], true);
  const still = vector([0, 0, 0]);
  return {
    frame: () => world.step(),
    stop: () => bodies.forEach(body => {
      body.setLinvel(still, true);
      body.setAngvel(still, true);
    }),
    read: () => bodies.map(body => {
      const triple = ({x, y, z}) => [x, y, z], r = body.rotation();
      return {position: triple(body.translation()), q: [r.w, r.x, r.y, r.z],
              velocity: triple(body.linvel()), spin: triple(body.angvel())};
    }),
    free: () => world.free(),
  };
}

run('rapier-wasm', make);
