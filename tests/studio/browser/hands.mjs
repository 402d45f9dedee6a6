// What mouse and finger do in the view, all of it by the browser's own events.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, distance, error, hash, newSession, openScene, pixelOf, placeOf, posesOf, spotOf, until } from './studio.mjs';

const hand = 'right-arm.hand';
const near = 0.01; // [m]

const grabs = async (page) => (await ask(page, 'state')).grabs;

// The hand's target lies in the plane through the taken point that faces the camera, right under the pointer, and the
// taken point goes there.
async function checkPull(page, before, pointer) {
  await until(async () => {
    const [grab] = await grabs(page);
    const at = grab && (await pixelOf(page, grab.target));
    return grab && Math.hypot(at.x - pointer.x, at.y - pointer.y) < 1;
  }, 'the target is where the pointer is');
  const [{ solid, point, target }] = await grabs(page);
  assert.equal(solid, hand);
  const start = await placeOf(page, solid, point, before);
  const direction = await page.evaluate(() => globalThis.tenon.view.viewDirection().toArray());
  const depth = direction.reduce((sum, d, k) => sum + d * (target[k] - start[k]), 0);
  assert.ok(Math.abs(depth) < 1e-4, `${depth} m off the plane`);
  assert.ok(distance(target, start) > 3 * near, 'a pull of some centimetres');
  await until(async () => distance(await placeOf(page, solid, point), target) < near, 'the taken point is where the pointer is');
  assert.ok((await error(page)) < 1e-6, `${await error(page)} m at a joint`);
}

// A finger, by the protocol of the browser's own tools.
async function finger(page) {
  const session = await newSession(page);
  const touch = (type, at) => session.send('Input.dispatchTouchEvent', { type, touchPoints: at ? [{ ...at, id: 1 }] : [] });
  return {
    down: (at) => touch('touchStart', at), move: (at) => touch('touchMove', at), up: () => touch('touchEnd'),
    done: () => session.detach(),
  };
}
const along = (from, to, count) =>
  Array.from({ length: count }, (_, i) => ({ x: from.x + ((to.x - from.x) * (i + 1)) / count, y: from.y + ((to.y - from.y) * (i + 1)) / count }));
const menu = (page) => page.locator('.tool-menu');

export function testHands(page) {
  test('a mouse pulls a hand: it follows, and the joints stay closed', async () => {
    await openScene(page(), 'Marionette');
    const before = await posesOf(page());
    const from = await spotOf(page(), hand);
    await page().mouse.move(from.x, from.y);
    await until(async () => (await page().locator('.tool-name').textContent()) === hand, 'the name of the hand under the pointer');
    await page().mouse.down();
    const to = { x: from.x + 10, y: from.y - 60 };
    await page().mouse.move(to.x, to.y, { steps: 12 });
    await checkPull(page(), before, to);
    await page().mouse.up();
    await until(async () => (await grabs(page())).length === 0, 'let go');
    assert.ok((await error(page())) < 1e-6);
    assert.deepEqual(page().errors, []);
  });

  test('a finger that moves pulls, though the page is busy, and opens no menu', async () => {
    await openScene(page(), 'Marionette');
    const before = await posesOf(page());
    const from = await spotOf(page(), hand);
    const { down, move, up, done } = await finger(page());
    await down(from);
    // Longer than a long press takes: what the finger did meanwhile is heard late.
    const busy = page().evaluate(() => {
      const end = performance.now() + 900;
      while (performance.now() < end);
    });
    const to = { x: from.x + 10, y: from.y - 60 };
    await Promise.all([busy, ...along(from, to, 12).map(move)]);
    await checkPull(page(), before, to);
    assert.equal(await menu(page()).count(), 0);
    await up();
    await until(async () => (await grabs(page())).length === 0, 'let go');
    assert.equal(await menu(page()).count(), 0);
    await done();
  });

  test('two fingers pull at two hands at once, and both follow', async () => {
    await openScene(page(), 'Marionette');
    const solids = ['left-arm.hand', hand];
    const size = page().viewportSize();
    await page().setViewportSize({ width: 1280, height: 860 }); // both are large enough to be met
    await page().locator('canvas').first().focus();
    await page().keyboard.press('f');
    const starts = [];
    for (const solid of solids) starts.push(await spotOf(page(), solid));
    const session = await newSession(page());
    const touch = (type, touchPoints) => session.send('Input.dispatchTouchEvent', { type, touchPoints });
    const at = (dy) => starts.map(({ x, y }, id) => ({ x, y: y + dy, id }));
    await touch('touchStart', at(0).slice(0, 1));
    await touch('touchStart', at(0));
    for (let dy = 0; dy >= -48; dy -= 6) await touch('touchMove', at(dy));
    await until(async () => (await grabs(page())).length === 2, 'two hands');
    for (const [k, solid] of solids.entries()) {
      const own = async () => (await grabs(page())).find((grab) => grab.solid === solid);
      await until(async () => {
        const pixel = await pixelOf(page(), (await own()).target);
        return Math.hypot(pixel.x - starts[k].x, pixel.y - (starts[k].y - 48)) < 1;
      }, `the target of ${solid} under its finger`);
      const { point, target } = await own();
      await until(async () => distance(await placeOf(page(), solid, point), target) < near, `${solid} under its finger`);
    }
    assert.ok((await error(page())) < 1e-6, `${await error(page())} m at a joint`);
    await touch('touchEnd', []);
    await until(async () => (await grabs(page())).length === 0, 'let go');
    await session.detach();
    await page().setViewportSize(size);
    await page().keyboard.press('Escape'); // what was pulled is selected
    await page().keyboard.press('f');
    assert.deepEqual(page().errors, []);
  });

  test('a pen pulls', async () => {
    await openScene(page(), 'Marionette');
    const before = await posesOf(page());
    const from = await spotOf(page(), hand);
    const session = await newSession(page());
    const pen = (type, { x, y }, rest = {}) => session.send('Input.dispatchMouseEvent', { type, x, y, pointerType: 'pen', button: 'left', buttons: 1, clickCount: 1, ...rest });
    const to = { x: from.x + 10, y: from.y - 60 };
    // In one go: a pen that rests opens the menu.
    await Promise.all([pen('mousePressed', from), ...along(from, to, 10).map((at) => pen('mouseMoved', at))]);
    await checkPull(page(), before, to);
    await pen('mouseReleased', to, { buttons: 0 });
    await until(async () => (await grabs(page())).length === 0, 'let go');
    await session.detach();
  });

  test('the menu leads to the limits of a joint, which hold from then on', async () => {
    await openScene(page(), 'Four-bar linkage');
    await page().getByRole('tab', { name: 'Solver' }).click(); // whatever is shown
    const at = await spotOf(page(), 'crank');
    await page().mouse.click(at.x, at.y, { button: 'right' });
    await page().getByRole('menuitem', { name: 'Limits of O…' }).click();
    const most = page().getByRole('textbox', { name: 'max', exact: true });
    await most.fill('20deg');
    await page().keyboard.press('Enter');
    await until(async () => (await ask(page(), 'state')).limits.length === 1, 'a limit');
    const [limit] = (await ask(page(), 'state')).limits;
    assert.equal(limit.joint, 'O');
    assert.ok(Math.abs(limit.upper - Math.PI / 9) < 1e-9);
    // Pulled to one side and to the other, it stays within.
    const from = await spotOf(page(), 'rocker');
    await page().mouse.move(from.x, from.y);
    await page().mouse.down();
    for (const dx of [-160, 160]) {
      await page().mouse.move(from.x + dx, from.y, { steps: 8 });
      await until(async () => (await error(page())) < 1e-6, 'closed');
      const angle = (await ask(page(), 'joints')).joints.O.coordinates.angle;
      assert.ok(angle < limit.upper + 1e-6, `${angle} rad`);
    }
    await page().mouse.up();
    assert.deepEqual(page().errors, []);
  });

  test('a finger that rests opens the menu', async () => {
    await openScene(page(), 'Marionette');
    const { down, up, done } = await finger(page());
    await down(await spotOf(page(), hand));
    await menu(page()).waitFor();
    await up();
    assert.equal(await menu(page()).getAttribute('aria-label'), hand);
    assert.equal((await grabs(page())).length, 0);
    await page().keyboard.press('Escape');
    await menu(page()).waitFor({ state: 'detached' });
    await done();
  });

  test('pins, freezes and merges by the menu, pulls; undone to the start', async () => {
    await openScene(page(), 'Marionette');
    const start = await hash(page());
    const held = async () => {
      const { pins, frozen, merged } = await ask(page(), 'state');
      return [pins.length, frozen.length, merged.length];
    };
    const choose = async (solid, item) => {
      const at = await spotOf(page(), solid);
      await page().mouse.click(at.x, at.y, { button: 'right' });
      assert.equal(await menu(page()).getAttribute('aria-label'), solid);
      await page().getByRole('menuitem', { name: item }).click();
      await menu(page()).waitFor({ state: 'detached' });
    };
    await choose('pelvis', /^Pin the whole solid/);
    await until(async () => String(await held()) === '1,0,0', 'a pin');
    await choose('left-leg.shin', /^Freeze joint|^Freeze its/);
    await until(async () => (await held())[1] > 0, 'a frozen joint');
    await choose('right-arm.forearm', /^Merge with upper/);
    await until(async () => (await held())[2] === 1, 'two solids that are one');
    const from = await spotOf(page(), hand);
    await page().mouse.move(from.x, from.y);
    await page().mouse.down();
    await page().mouse.move(from.x, from.y - 40, { steps: 6 });
    await page().mouse.up();
    await until(async () => (await ask(page(), 'state')).undo.length === 4, 'four things to take back');
    assert.notEqual(await hash(page()), start);
    for (let i = 0; i < 4; i += 1) await page().keyboard.press('Control+z');
    await until(async () => (await ask(page(), 'state')).redo.length === 4, 'all taken back');
    assert.equal(await hash(page()), start);
    assert.deepEqual(await held(), [0, 0, 0]);
    await page().keyboard.press('Control+Shift+z');
    await until(async () => String(await held()) === '1,0,0', 'the pin again');
    assert.deepEqual(page().errors, []);
  });
}
