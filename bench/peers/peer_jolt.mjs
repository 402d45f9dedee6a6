// Jolt (npm jolt-physics) in the comparison: `default` (10 velocity and 2 position iterations), `x8` and
// `x32` (so many substeps in a frame).
import initJolt from 'jolt-physics';
import {FRAME, run} from './harness.mjs';

const Jolt = await initJolt();
const SUBSTEPS = {default: 1, x8: 8, x32: 32};

function make(scene, variant) {
  if (!(variant in SUBSTEPS)) throw new Error(`no variant ${variant}`);
  // One layer, and it does not collide with itself.
  const settings = new Jolt.JoltSettings();
  settings.mMaxBodies = Math.max(1024, 2 * scene.boxes.length);
  settings.mMaxWorkerThreads = 0;
  const pairs = new Jolt.ObjectLayerPairFilterTable(1);
  pairs.DisableCollision(0, 0);
  const layer = new Jolt.BroadPhaseLayer(0);
  const layers = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
  layers.MapObjectToBroadPhaseLayer(0, layer);
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter =
    new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 1, pairs, 1);
  const jolt = new Jolt.JoltInterface(settings);
  const system = jolt.GetPhysicsSystem(), bodies = system.GetBodyInterface();
  system.SetGravity(new Jolt.Vec3(...scene.gravity));
  const physics = system.GetPhysicsSettings();
  physics.mAllowSleeping = false;
  system.SetPhysicsSettings(physics);

  const made = scene.boxes.map(box => {
    const shape = new Jolt.BoxShape(new Jolt.Vec3(...box.half), 0);
    const creation = new Jolt.BodyCreationSettings(shape, new Jolt.RVec3(...box.centre),
      new Jolt.Quat(0, 0, 0, 1), Jolt.EMotionType_Dynamic, 0);
    creation.mLinearDamping = creation.mAngularDamping = 0;
    creation.mMaxLinearVelocity = creation.mMaxAngularVelocity = 1e6;
    creation.mAllowSleeping = false;
    creation.mApplyGyroscopicForce = true;
    creation.mOverrideMassProperties = Jolt.EOverrideMassProperties_MassAndInertiaProvided;
    creation.mMassPropertiesOverride.SetMassAndInertiaOfSolidBox(
      new Jolt.Vec3(...box.half.map(h => 2 * h)), box.density);
    const body = bodies.CreateBody(creation);
    bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
    Jolt.destroy(creation);
    return body;
  });
  const fixed = Jolt.Body.prototype.sFixedToWorld;
  const bodyOf = i => i < 0 ? fixed : made[i];
  const join = (hinge, point1, point2, axis, one, two, space) => {
    const joint = hinge ? new Jolt.HingeConstraintSettings() : new Jolt.PointConstraintSettings();
    joint.mSpace = space;
    joint.mPoint1 = new Jolt.RVec3(...point1);
    joint.mPoint2 = new Jolt.RVec3(...point2);
    if (hinge) {
      joint.mHingeAxis1 = joint.mHingeAxis2 = new Jolt.Vec3(...axis);
      joint.mNormalAxis1 = joint.mNormalAxis2 = new Jolt.Vec3(1, 0, 0);  // across y and z
    }
    system.AddConstraint(joint.Create(one, two));
  };
  for (const {hinge, point, axis, parent, child} of scene.joints)
    join(hinge, point, point, axis, bodyOf(parent), made[child], Jolt.EConstraintSpace_WorldSpace);
  if (scene.pulled >= 0)  // in local coordinates: the world's own for what is fixed to it
    join(false, scene.target, [0, 0, 0], null, fixed, made[scene.pulled],
         Jolt.EConstraintSpace_LocalToBodyCOM);
  const still = new Jolt.Vec3(0, 0, 0);
  return {
    frame: () => jolt.Step(FRAME, SUBSTEPS[variant]),
    stop: () => made.forEach(body => bodies.SetLinearAndAngularVelocity(body.GetID(), still, still)),
    read: () => made.map(body => {
      const triple = v => [v.GetX(), v.GetY(), v.GetZ()];
      const position = triple(body.GetCenterOfMassPosition()), r = body.GetRotation();
      const q = [r.GetW(), r.GetX(), r.GetY(), r.GetZ()];
      return {position, q, velocity: triple(body.GetLinearVelocity()),
              spin: triple(body.GetAngularVelocity())};
    }),
    free: () => Jolt.destroy(jolt),
  };
}

run('jolt-wasm', make);
