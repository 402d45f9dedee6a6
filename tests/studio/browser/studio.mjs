// What the tests of the page share: the server, Chromium, pages, and what is asked of them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync } from 'node:zlib';
import { serve } from '../../../studio/scripts/serve.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
export const require = createRequire(path.join(root, 'studio/package.json'));
const { chromium } = require('playwright-core');
export const program = process.env.TENON_PROGRAM ?? path.join(root, 'build/release/tenon');

// [s] How long anything is waited for. Nothing is judged by how long it takes: the machine may have other work.
const patience = 180;
let browser, context, address, stop;

// The program serves its own page; TENON_PAGE is a folder with another one (studio/dist), while one works on it.
async function startServer() {
  if (process.env.TENON_PAGE) {
    const server = await serve(process.env.TENON_PAGE);
    return [server.address, server.close];
  }
  return startProgram();
}
// `folder`: whose scenes it serves. Gives its address, and how to end it.
export async function startProgram(folder = null) {
  const server = spawn(program, ['studio', ...(folder ? [folder] : []), '--no-open', '--json', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said = await new Promise((resolve, reject) => {
    let text = '';
    server.stdout.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(JSON.parse(text.split('\n')[0]).address);
    });
    server.on('exit', () => reject(new Error('the server ended')));
  });
  return [said, () => server.kill('SIGINT')];
}

export async function start() {
  [address, stop] = await startServer();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
      '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  });
  // One for all pages: what one has loaded, the next has in its cache. Motion of the camera is only waited for.
  context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(1000 * patience);
  await context.addInitScript(() => localStorage.setItem('tenon.guide', 'seen'));
}
export async function end() {
  await browser?.close();
  stop?.();
}

// A page with a scene in it that is drawn, and the errors that its console shows.
export const open = (query, options) => openIn(context, query, options);
// A frame that has no page yet has no memory either.
const skipGuide = () => {
  try {
    localStorage.setItem('tenon.guide', 'seen');
  } catch {
    // nothing to skip
  }
};
// The same in a profile of its own, which nobody has used before; `guide`: with the first steps; `viewLast`: the view comes
// after its scene, as where the engine is quicker than the drawing.
export async function newPage(query, { guide = false, viewLast = false, ...options } = {}) {
  const own = await browser.newContext({ reducedMotion: 'reduce', ...(options.touch ? { hasTouch: true } : {}) });
  own.setDefaultTimeout(1000 * patience);
  if (!guide) await own.addInitScript(skipGuide);
  if (viewLast)
    await own.route(/\/ViewWithTools[^/]*\.js/, async (route) => {
      await own.pages()[0].waitForFunction(() => globalThis.tenon?.store.getState().poses.length > 0);
      await route.continue();
    });
  return openIn(own, query, options);
}
// Another tab of the same profile.
export const openBeside = (page, query, options) => openIn(page.context(), query, options);
// Another page than the program's, at an address of its own.
export const openAt = (place, options) => openIn(context, place, options);
async function openIn(own, query = '', { width = 900, height = 640, colorScheme = 'light' } = {}) {
  const page = await own.newPage();
  await page.setViewportSize({ width, height });
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
  page.errors = [];
  page.on('console', (message) => message.type() === 'error' && page.errors.push(message.text()));
  page.on('pageerror', (error) => page.errors.push(String(error)));
  await page.goto(new URL(query, address).href);
  await page.waitForFunction(() => globalThis.tenon?.view && globalThis.tenon.store.getState().poses.length > 0);
  await drawn(page);
  return page;
}
export const waitForPage = () => context.waitForEvent('page');
export const newSession = (page) => page.context().newCDPSession(page);

export const drawn = (page) => page.evaluate(() => new Promise((done) => {
  requestAnimationFrame(() => requestAnimationFrame(() => done()));
}));
export const state = (page, key) => page.evaluate((k) => globalThis.tenon.store.getState()[k], key);
export const ask = (page, name) => page.evaluate((n) => globalThis.tenon.engine.run({ ask: n }), name);
export const hash = async (page) => (await ask(page, 'state')).hash;
// Whether the page has kept what the session is now, and what stands in the editor.
export const isSaved = (page) => page.evaluate(async () => {
  const { engine, store } = globalThis.tenon;
  const { save } = await engine.run({ ask: 'save' });
  const kept = engine.saved();
  return kept !== null && JSON.stringify(kept.save) === JSON.stringify(save) && kept.draft === store.getState().draft;
});
export const error = async (page) => (await ask(page, 'measures')).error;

// Asked again until it holds; a busy machine takes its time.
export async function until(holds, what = String(holds)) {
  for (const end = Date.now() + 1000 * patience; Date.now() < end;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`never came: ${what}`);
}

// Opens a scene of the gallery by its title: Ctrl+K, and a click on what is found.
export async function openScene(page, title) {
  await page.evaluate(() => void (globalThis.sceneBefore = globalThis.tenon.store.getState().scene));
  await page.keyboard.press('Control+k');
  await page.locator('.palette-field input').fill(title);
  await page.locator('.palette-title', { hasText: exactly(title) }).first().click();
  await discarding(page, () => page.evaluate((t) => {
    const { scene } = globalThis.tenon.store.getState();
    return scene !== globalThis.sceneBefore && scene.title === t;
  }, title));
}
// Opens a scene that is written here, by a link that holds it.
export async function openText(page, text) {
  const scene = deflateRawSync(JSON.stringify({ name: 'test.tenon', text, files: {} })).toString('base64url');
  await page.evaluate((link) => void (globalThis.location.hash = link), `s=${scene}`);
  await discarding(page, () => page.evaluate((t) => globalThis.tenon.store.getState().text === t, text));
  await drawn(page);
}
// Waits for it, and says that what another test has made may go.
export const discarding = (page, holds) => until(async () => {
  const discard = page.getByRole('button', { name: 'Discard changes' });
  if (await discard.isVisible()) await discard.click();
  return holds();
});
const exactly = (text) => new RegExp(`^${text.replace(/[^\w ]/g, '\\$&')}$`);
// A command by its title.
export async function command(page, title) {
  await page.keyboard.press('Control+k');
  await page.locator('.palette-field input').fill(title);
  await page.keyboard.press('Enter');
  await page.locator('.palette-field').waitFor({ state: 'detached' });
}

// ------------------------------------------------------------------------------------------------ where things are

// A point of the world in pixels of the page.
export const pixelOf = (page, point) => page.evaluate((p) => {
  const { view } = globalThis.tenon;
  const at = view.rig.project(view.centre.clone().set(...p));
  const box = view.canvas.getBoundingClientRect();
  return { x: at.x + box.left, y: at.y + box.top };
}, point);
// A pixel at which a solid is seen and no joint's sign is meant, as near to its middle as there is.
export async function spotOf(page, solid) {
  const spot = await findSpot(page, solid);
  assert.ok(spot, `${solid} is seen`);
  return spot;
}
// The same; null if there is none. `slack` [px] from a joint's sign; null: it may lie under one.
export async function findSpot(page, solid, slack = 9) {
  await drawn(page);
  return page.evaluate(([name, reach]) => {
    const { view } = globalThis.tenon;
    const middle = view.rig.project(view.placeOf(name, view.world.bodies[view.world.index.get(name)].box.getCenter(view.centre.clone())));
    const around = [];
    for (let dx = -60; dx <= 60; dx += 2) for (let dy = -60; dy <= 60; dy += 2) around.push([dx, dy]);
    around.sort((a, b) => Math.hypot(...a) - Math.hypot(...b));
    const box = view.canvas.getBoundingClientRect();
    for (const [dx, dy] of around) {
      const [x, y] = [middle.x + dx, middle.y + dy];
      if (view.pick(x, y)?.solid === name && (reach === null || view.pickJoint(x, y, reach) === null)) return { x: x + box.left, y: y + box.top };
    }
    return null;
  }, [solid, slack]);
}
// With the mouse: down at a solid, along, up.
export async function pull(page, solid, dx, dy) {
  const before = await hash(page);
  const from = await spotOf(page, solid);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + dx, from.y + dy, { steps: 6 });
  await until(async () => (await state(page, 'state')).grabs.length === 1, 'a hand has it');
  await page.mouse.move(from.x + dx, from.y + dy + 1);
  await drawn(page);
  await page.mouse.up();
  await until(async () => (await ask(page, 'state')).grabs.length === 0, 'the hand has let go');
  // Joints that a short update left open close when the hand has gone.
  let last = before;
  await until(async () => {
    await drawn(page);
    const now = await hash(page);
    const rests = now !== before && now === last;
    last = now;
    return rests;
  }, 'it has moved, and rests');
}
// Where a point of a solid's frame is, by the poses that the engine has sent: p + v + 2 w (q × v) + 2 q × (q × v).
export async function placeOf(page, solid, v, poses = null) {
  const pose = poses ?? (await posesOf(page));
  const [px, py, pz, qx, qy, qz, w] = pose[solid];
  const q = [qx, qy, qz];
  const once = cross(q, v);
  const twice = cross(q, once);
  return [px, py, pz].map((p, k) => p + v[k] + 2 * (w * once[k] + twice[k]));
}
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const posesOf = (page) => page.evaluate(() => {
  const { scene, poses } = globalThis.tenon.store.getState();
  return Object.fromEntries(scene.solids.map(({ name }, k) => [name, Array.from(poses.slice(7 * k, 7 * k + 7))]));
});
export const distance = (a, b) => Math.hypot(...a.map((x, k) => x - b[k]));
