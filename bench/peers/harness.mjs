// Runs one scene in one engine that is compiled to WebAssembly, measures it and prints one line of JSON:
// harness.h once more, for engines that are called from JavaScript. Options are the same.
//
//   node peer_ENGINE.mjs SCENE.json VARIANT [--frames N] [--unmeasured] [--least MS]
//
// SCENE.json is what `peer_tenon --data SCENE` prints.
import {readFileSync} from 'node:fs';

export const FRAME = 1 / 60;  // [s]

const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (s, a) => [s * a[0], s * a[1], s * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = a => Math.sqrt(dot(a, a));

function rotate([w, x, y, z], v) {
  const u = [x, y, z], t = times(2, cross(u, v));
  return plus(plus(v, times(w, t)), cross(u, t));
}

export const massOf = box => 8 * box.half[0] * box.half[1] * box.half[2] * box.density;  // [kg]
export function inertiaOf(box) {  // [kg m²] principal
  const third = massOf(box) / 3, [x, y, z] = box.half.map(h => h * h);
  return [third * (y + z), third * (z + x), third * (x + y)];
}

const cpuMicroseconds = () => {
  const used = process.cpuUsage();
  return used.user + used.system;
};

function gapOf(scene, now) {
  const gap = {metres: 0, radians: 0, finite: true};
  for (const joint of scene.joints) {
    const place = body => body < 0 ? joint.point :
      plus(now[body].position, rotate(now[body].q, minus(joint.point, scene.boxes[body].centre)));
    const turned = body => body < 0 ? joint.axis : rotate(now[body].q, joint.axis);
    const d = length(minus(place(joint.child), place(joint.parent)));
    if (!Number.isFinite(d)) gap.finite = false;
    gap.metres = Math.max(gap.metres, d);
    if (joint.hinge) {
      const a = turned(joint.parent), b = turned(joint.child);
      gap.radians = Math.max(gap.radians, Math.atan2(length(cross(a, b)), dot(a, b)));
    }
  }
  return gap;
}

function energyOf(scene, now) {
  let kinetic = 0, potential = 0;
  scene.boxes.forEach((box, i) => {
    const {position, q, velocity, spin} = now[i], mass = massOf(box), inertia = inertiaOf(box);
    const w = rotate([q[0], -q[1], -q[2], -q[3]], spin);
    kinetic += 0.5 * mass * dot(velocity, velocity) +
      0.5 * (inertia[0] * w[0] ** 2 + inertia[1] * w[1] ** 2 + inertia[2] * w[2] ** 2);
    potential -= mass * dot(scene.gravity, position);
  });
  return {kinetic, potential};
}

function measure(scene, frames, world) {
  const gap = {metres: 0, radians: 0, finite: true};
  const start = energyOf(scene, world.read());
  let low = start.potential, high = start.potential, end = 0, most = 0;
  for (let f = 0; f < frames && gap.finite; ++f) {
    world.frame();
    const now = world.read(), here = gapOf(scene, now), e = energyOf(scene, now);
    gap.metres = Math.max(gap.metres, here.metres);
    gap.radians = Math.max(gap.radians, here.radians);
    gap.finite = here.finite && Number.isFinite(e.kinetic);
    low = Math.min(low, e.potential);
    high = Math.max(high, e.potential);
    end = e.kinetic + e.potential - start.kinetic - start.potential;
    most = Math.max(most, end);
  }
  const range = Math.max(high - low, 1e-300);
  return {max_error_m: gap.metres, max_error_rad: gap.radians, energy_change: end / range,
          largest_gain: most / range, exploded: !gap.finite || most / range > 0.5};
}

// `make(scene, variant)` gives a world: frame(), read() with position, q (w x y z), velocity and spin of
// every box, free(); for posing also stop(). Null: no such variant.
export function run(engine, make) {
  const words = process.argv.slice(2), options = {frames: 0, least: 150, measured: true};
  const given = [];
  while (words.length) {
    const word = words.shift();
    if (word === '--frames') options.frames = Number(words.shift());
    else if (word === '--least') options.least = Number(words.shift());
    else if (word === '--unmeasured') options.measured = false;
    else given.push(word);
  }
  const [path, variant] = given;
  const scene = JSON.parse(readFileSync(path, 'utf8'));
  const line = scene.pulled >= 0 ? pose(scene, variant, options, make)
                                 : move(scene, variant, options, make);
  console.log(JSON.stringify({engine, variant, scene: scene.name, solids: scene.boxes.length, ...line}));
}

function move(scene, variant, options, make) {
  const frames = options.frames || Math.round(scene.seconds / FRAME);
  let least = Infinity, wall = Infinity, spent = 0, passes = 0;
  // The first ones are compiled while they run.
  while (passes < 3 || (spent < 1e3 * options.least && passes < 1000)) {
    const world = make(scene, variant);
    const wallStart = performance.now(), start = cpuMicroseconds();
    for (let f = 0; f < frames; ++f) world.frame();
    const took = cpuMicroseconds() - start;
    wall = Math.min(wall, 1e3 * (performance.now() - wallStart));
    world.free();
    least = Math.min(least, took);
    spent += Math.max(took, 1);
    ++passes;
    if (spent > 1e7) break;
  }
  const line = {frames, passes, cpu_us: least, wall_us: wall,
                us_per_solid_frame: least / scene.boxes.length / frames};
  if (!options.measured) return line;
  const world = make(scene, variant);
  return {...line, ...measure(scene, frames, world)};
}

function pose(scene, variant, options, make) {
  const tolerance = 1e-3, mostSteps = options.frames || 5000;
  let least = Infinity, spent = 0, passes = 0, steps = 0, gap, away, reached;
  while (passes < 3 || (spent < 1e3 * options.least && passes < 1000)) {
    const world = make(scene, variant);
    let took = 0;
    reached = false;
    for (steps = 0; steps < mostSteps && !reached;) {
      const start = cpuMicroseconds();
      world.frame();
      world.stop();
      took += cpuMicroseconds() - start;
      ++steps;
      const now = world.read();
      gap = gapOf(scene, now);
      away = length(minus(now[scene.pulled].position, scene.target));
      reached = gap.finite && gap.metres <= tolerance && away <= tolerance;
    }
    world.free();
    least = Math.min(least, took);
    spent += Math.max(took, 1);
    ++passes;
    if (spent > 1e7) break;
  }
  return {frames: steps, passes, cpu_us: least, max_error_m: gap.metres, target_m: away, reached};
}
