// The studio in Chromium: the real page, served by the real program, driven as a person would.
//   node --test tests/studio/     after `./dev studio --no-open` has built everything (./dev test does that)
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const require = createRequire(path.join(root, 'studio/package.json'));
const { chromium } = require('playwright-core');
const program = process.env.TENON_PROGRAM ?? path.join(root, 'build/release/tenon');
const shots = process.env.TENON_SHOTS; // where screenshots go, if they are wanted

let browser, server, address;

before(async () => {
  server = spawn(program, ['studio', '--no-open', '--json', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  address = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(JSON.parse(text.split('\n')[0]).address);
    });
    server.on('exit', () => reject(new Error('the server ended')));
  });
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  });
});
after(async () => {
  await browser?.close();
  server?.kill('SIGINT');
});

// A page with a scene in it, and the errors that its console shows.
async function open(query = '', { width = 1280, height = 800, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme });
  await context.addInitScript(() => localStorage.setItem('tenon.guide', 'seen'));
  const page = await context.newPage();
  const errors = [];
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(new URL(query, address).href);
  await page.waitForFunction(() => globalThis.tenon?.store.getState().scene !== null, null, { timeout: 90000 });
  return { page, errors, close: () => context.close() };
}
const state = (page, key) => page.evaluate((k) => globalThis.tenon.store.getState()[k], key);
const run = (page, request) => page.evaluate((r) => globalThis.tenon.engine.run(r), request);
const hash = async (page) => (await run(page, { ask: 'state' })).hash;
const error = async (page) => (await run(page, { ask: 'measures' })).error;

// Asked again until it holds; a busy machine takes its time.
async function until(holds, seconds = 20) {
  for (let i = 0; i < 10 * seconds; i += 1) {
    if (await holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

const gallery = () => JSON.parse(fs.readFileSync(path.join(root, 'studio/public/scenes/index.json'), 'utf8')).scenes;

test('opens with the marionette', async () => {
  const start = Date.now();
  const { page, errors, close } = await open();
  // Said, not asserted: how long it takes is the machine's affair.
  console.log(`# open after ${Date.now() - start} ms`);
  assert.match((await state(page, 'scene')).title, /marionette/i);
  assert.deepEqual(errors, []);
  await close();
});

test('every scene of the gallery runs without an error in the console, to the hash of `tenon simulate`', async () => {
  const { page, errors, close } = await open();
  for (const entry of gallery()) {
    const file = path.join(root, 'scenes', entry.path);
    let simulated = null;
    try {
      simulated = JSON.parse(execFileSync(program, ['simulate', file, '--time', '2.5', '--dt', String(1 / 240), '--json'],
        { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    } catch { /* a scene that does not move by itself */ }
    const files = Object.fromEntries((entry.files ?? []).map((name) => [name,
      fs.readFileSync(path.join(path.dirname(file), name), 'utf8')]));
    const opened = await page.evaluate(([text, name, included]) => globalThis.tenon.engine.open(text, name, included),
      [fs.readFileSync(file, 'utf8'), entry.path, files]);
    assert.ok(opened.ok, entry.path);
    const answer = await run(page, { do: 'step', count: 600, dt: 1 / 240 });
    assert.ok(answer.ok && answer.finite, entry.path);
    if (simulated?.steps === 600) assert.equal(await hash(page), simulated.state_hash, entry.path);
    await page.evaluate(() => globalThis.tenon.engine.play(true));
    await page.waitForTimeout(120);
    await page.evaluate(() => globalThis.tenon.engine.play(false));
    assert.deepEqual(errors, [], entry.path);
  }
  await close();
});

test('a hand that is dragged follows, and the joints stay closed', async () => {
  const { page, errors, close } = await open('?scene=peers/s6');
  const scene = await state(page, 'scene');
  const hand = scene.solids.find((solid) => /hand/.test(solid.name)) ?? scene.solids.at(-1);
  const number = scene.solids.indexOf(hand);
  const poses = await page.evaluate(() => Array.from(globalThis.tenon.store.getState().poses));
  const at = poses.slice(7 * number, 7 * number + 3);
  await page.evaluate(([name, place]) => globalThis.tenon.engine.grab(1, name, [0, 0, 0], place), [hand.name, at]);
  const target = [at[0] - 0.15, at[1] + 0.2, at[2]];
  for (let i = 1; i <= 30; i += 1) {
    const now = at.map((x, k) => x + (target[k] - x) * (i / 30));
    await page.evaluate((place) => globalThis.tenon.engine.move(1, place), now);
    await page.waitForTimeout(16);
  }
  const away = async () => {
    const there = await page.evaluate(() => Array.from(globalThis.tenon.store.getState().poses));
    return Math.hypot(...target.map((x, k) => x - there[7 * number + k]));
  };
  assert.ok(await until(async () => (await away()) < 0.01), `${await away()} m away`);
  assert.ok((await error(page)) < 1e-6);
  await page.evaluate(() => globalThis.tenon.engine.release(1));
  assert.deepEqual(errors, []);
  await close();
});

test('pin, freeze, merge, and undo to the start', async () => {
  const { page, close } = await open();
  const start = await hash(page);
  const scene = await state(page, 'scene');
  const joint = scene.joints.find((j) => j.kind === 'pin' || j.kind === 'ball');
  const solid = scene.solids.find((s) => s.kind === 'dynamic');
  assert.ok((await run(page, { do: 'pin', solid: solid.name, point: [0, 0, 0] })).ok);
  assert.ok((await run(page, { do: 'freeze', joints: [joint.name] })).ok);
  assert.ok((await run(page, { do: 'step', count: 20 })).ok);
  assert.ok((await run(page, { do: 'merge', joints: [scene.joints.find((j) => j.kind === 'ball' && j !== joint).name] })).ok);
  assert.notEqual(await hash(page), start);
  for (let i = 0; i < 4; i += 1) await page.keyboard.press('Control+z');
  assert.ok(await until(async () => (await hash(page)) === start));
  await page.keyboard.press('Control+Shift+z');
  assert.ok(await until(async () => (await run(page, { ask: 'state' })).pins.length === 1));
  await close();
});

test('a broken text says where, and can be mended', async () => {
  const { page, close } = await open('?scene=linkages/four-bar');
  const text = (await run(page, { ask: 'text' })).text;
  const broken = await run(page, { do: 'edit', text: text.replace('joint pin', 'joint pim') });
  assert.equal(broken.ok, false);
  assert.ok(broken.problems[0].line > 1);
  assert.ok((await run(page, { do: 'edit', text })).ok);
  await close();
});

test('scatters and assembles the ring of figure 3', async () => {
  const { page, close } = await open('?scene=faure/fig3-bound-characters');
  assert.ok((await run(page, { do: 'scatter', seed: 4 })).ok);
  const answer = await run(page, { do: 'assemble' });
  assert.equal(answer.status, 'converged');
  assert.ok((await error(page)) < 1e-8);
  await close();
});

test('says what is wrong with a broken four-bar', async () => {
  const { page, close } = await open('?scene=linkages/four-bar');
  const text = (await run(page, { ask: 'text' })).text;
  const longer = await run(page, { do: 'open', name: 'broken.tenon', text: `${text}
solid strut box 9 0.01 0.01; at 0 0 1; end
joint ball one object2 strut; point1 0 0 0; point2 -4.5 0 0; end
joint ball two object2 strut; point1 0.2 0 0; point2 4.5 0 0; end
` });
  assert.ok(longer.ok, JSON.stringify(longer));
  await run(page, { do: 'assemble', iterations: 200 });
  const verdict = await run(page, { ask: 'verdict' });
  assert.ok(verdict.conflicts.length > 0);
  assert.deepEqual([...verdict.conflicts[0]].sort(), ['one', 'two']);
  assert.match(verdict.words, /contradict/);
  await close();
});

test('compares four methods', async () => {
  const { page, errors, close } = await open('?scene=peers/s1');
  await page.evaluate(() => globalThis.tenon.engine.compare(['energy', 'interactive', 'displacement', 'baumgarte']));
  await page.evaluate(() => globalThis.tenon.engine.play(true));
  await page.waitForFunction(() => globalThis.tenon.store.getState().ghosts.length >= 3, null, { timeout: 60000 });
  assert.ok(await until(() => page.evaluate(() => globalThis.tenon.store.getState().ghosts.every((g) => g.measures.time > 0))));
  const ghosts = await page.evaluate(() => globalThis.tenon.store.getState().ghosts.map((g) => [g.method, g.measures.time]));
  for (const [method, time] of ghosts) assert.ok(time > 0, method);
  assert.deepEqual(errors, []);
  await close();
});

test('the worker may die: nothing is lost', async () => {
  const { page, close } = await open('?scene=linkages/four-bar');
  await run(page, { do: 'step', count: 50 });
  await page.waitForTimeout(1500); // it saves itself now and then
  const before_ = await hash(page);
  await page.evaluate(() => globalThis.tenon.engine.kill());
  assert.ok(await until(async () => (await state(page, 'ready')) && (await hash(page)) === before_));
  assert.ok((await run(page, { do: 'step' })).ok);
  await close();
});

for (const colorScheme of ['light', 'dark'])
  for (const width of [1280, 390])
    test(`is accessible: ${colorScheme}, ${width} px`, async () => {
      const { page, close } = await open('', { width, height: 800, colorScheme });
      await page.waitForTimeout(800);
      if (shots) await page.screenshot({ path: path.join(shots, `studio-${colorScheme}-${width}.png`) });
      await page.addScriptTag({ path: require.resolve('axe-core/axe.min.js') }).catch(() => page.evaluate(
        fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8')));
      const found = await page.evaluate(() => globalThis.axe.run());
      assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`), []);
      await close();
    });
