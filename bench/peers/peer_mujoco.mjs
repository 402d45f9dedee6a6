// MuJoCo (npm @mujoco/mujoco) in the comparison. Variants are those of peer_mujoco.cpp; beside SCENE.json
// lies SCENE.VARIANT.xml, what `peer_mujoco --mjcf SCENE VARIANT` prints.
import {readFileSync} from 'node:fs';
import loadMujoco from '@mujoco/mujoco';
import {run} from './harness.mjs';

const mujoco = await loadMujoco({print: () => {}, printErr: () => {}});
const models = new Map();

function make(scene, variant) {
  if (!models.has(variant)) {
    const path = process.argv[2].replace(/\.json$/, `.${variant}.xml`);
    models.set(variant, mujoco.MjModel.from_xml_string(readFileSync(path, 'utf8')));
  }
  const model = models.get(variant), data = new mujoco.MjData(model);
  const substeps = variant.endsWith('x4') ? 4 : 1;
  const BODY = mujoco.mjtObj.mjOBJ_BODY.value;
  const ids = scene.boxes.map((box, i) => mujoco.mj_name2id(model, BODY, `b${i}`));
  if (scene.pulled >= 0) data.mocap_pos.set(scene.target, 0);
  const six = new mujoco.DoubleBuffer(6);
  return {
    frame: () => {
      for (let i = 0; i < substeps; ++i) mujoco.mj_step(model, data);
    },
    stop: () => data.qvel.fill(0),
    read: () => {
      mujoco.mj_kinematics(model, data);  // a step leaves poses and velocities of its start
      mujoco.mj_comPos(model, data);
      mujoco.mj_comVel(model, data);
      const places = data.xipos, turns = data.xquat;
      return ids.map(id => {
        mujoco.mj_objectVelocity(model, data, BODY, id, six, 0);
        const [a, b, c, d, e, f] = six.GetView();
        return {position: [...places.subarray(3 * id, 3 * id + 3)],
                q: [...turns.subarray(4 * id, 4 * id + 4)], spin: [a, b, c], velocity: [d, e, f]};
      });
    },
    free: () => {
      six.delete();
      data.delete();
    },
  };
}

run('mujoco-wasm', make);
