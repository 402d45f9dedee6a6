// What the view shows, where one looks from, and how many calls it takes to draw a crowd.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, drawn, openScene, spotOf, state, until } from './studio.mjs';

// How many of each sign the view has drawn.
const signs = async (page) => {
  await drawn(page);
  return page.evaluate(() => {
    const { marks, world } = globalThis.tenon.view;
    const { axes, ranges, tacks, bands, centres, arrowHeads, halos } = marks;
    const count = ({ count }) => count;
    return { joints: count(axes), limits: count(ranges), pins: count(tacks), hands: count(bands), centres: count(centres), forces: count(arrowHeads), errors: count(halos), outlines: world.outlines.length };
  });
};
const looks = (page) => page.evaluate(() => {
  const { yaw, pitch, distance, target } = globalThis.tenon.view.rig.orbit;
  return { yaw, pitch, distance, target: target.toArray() };
});
const near = (a, b) => Math.abs(a - b) < 1e-6;
const isFrom = async (page, yaw, pitch) => {
  const now = await looks(page);
  return near(Math.cos(now.yaw - yaw), 1) && near(now.pitch, pitch);
};

export function testView(page) {
  test('each kind of sign can be switched', async () => {
    await openScene(page(), 'Marionette');
    await page().getByRole('button', { name: 'What is shown' }).click();
    const box = (title) => page().getByRole('checkbox', { name: title });
    // Switches it on and off by a click, and sees it come and go.
    const check = async (title, what) => {
      await box(title).check();
      await until(async () => (await signs(page()))[what] > 0, `${title}: seen`);
      await box(title).uncheck();
      await until(async () => (await signs(page()))[what] === 0, `${title}: gone`);
      if (await page().evaluate((w) => ['centres', 'forces'].includes(w), what)) return;
      await box(title).check();
    };
    await check('Joints', 'joints');
    await check('Centres of mass', 'centres');
    // Limits of what is selected.
    await page().getByRole('treeitem', { name: /forearm/ }).first().click();
    await page().getByRole('button', { name: 'What is shown' }).click();
    await check('Limits', 'limits');
    await page().keyboard.press('Escape');
    await page().locator('canvas').first().focus();
    await page().keyboard.press('p');
    await until(async () => (await state(page(), 'state')).pins.length === 1, 'a pin');
    await page().getByRole('button', { name: 'What is shown' }).click();
    await check('Pins', 'pins');
    await page().keyboard.press('Escape'); // in a low view the list is over the buttons below
    await page().getByRole('button', { name: 'One step' }).click();
    await page().getByRole('button', { name: 'What is shown' }).click();
    await check('Forces', 'forces');
    await page().keyboard.press('Escape');
    // A hand is a band as long as it pulls.
    const from = await spotOf(page(), 'right-arm.hand');
    await page().mouse.move(from.x, from.y);
    await page().mouse.down();
    await page().mouse.move(from.x + 30, from.y - 30, { steps: 4 });
    await until(async () => (await signs(page())).hands > 0, 'a band');
    await page().evaluate(() => globalThis.tenon.store.setState((p) => ({ show: { ...p.show, hands: false } })));
    await until(async () => (await signs(page())).hands === 0, 'no band');
    await page().evaluate(() => globalThis.tenon.store.setState((p) => ({ show: { ...p.show, hands: true } })));
    await page().mouse.up();
    assert.deepEqual(page().errors, []);
  });

  test('the joint that is open the most glows', async () => {
    await openScene(page(), 'Four-bar linkage');
    assert.equal((await signs(page())).errors, 0);
    await page().getByRole('tab', { name: 'Assemble' }).click();
    await page().getByRole('button', { name: 'Scatter' }).click();
    await until(async () => (await signs(page())).errors === 1, 'one joint glows');
    await page().keyboard.press('Control+z');
    await until(async () => (await signs(page())).errors === 0, 'none glows');
  });

  test('looks from all sides, and frames what is selected', async () => {
    // High enough for the compass, whatever is open below the view.
    const size = page().viewportSize();
    await page().setViewportSize({ width: size.width, height: 1000 });
    await openScene(page(), 'Marionette');
    const half = Math.PI / 2;
    const focus = () => page().locator('canvas').first().focus();
    await focus();
    for (const [key, yaw, pitch] of [['1', 0, 0], ['3', half, 0], ['9', -half, 0], ['7', 0, half]]) {
      await page().keyboard.press(key);
      await until(() => isFrom(page(), yaw, pitch), `the view of key ${key}`);
    }
    for (const [side, yaw, pitch] of [['the left', -half, 0], ['the back', 2 * half, 0], ['below', 0, -half], ['the front', 0, 0]]) {
      await page().getByRole('button', { name: `Look from ${side}` }).click();
      await until(() => isFrom(page(), yaw, pitch), `the view from ${side}`);
    }
    const all = await looks(page());
    await page().getByRole('treeitem', { name: /forearm/ }).first().click();
    await focus();
    await page().keyboard.press('f');
    const one = await looks(page());
    assert.ok(one.distance < all.distance / 3, `from ${all.distance} to ${one.distance} m`);
    await page().keyboard.press('Escape');
    await page().keyboard.press('f');
    await until(async () => (await looks(page())).distance > 2 * one.distance, 'all of it again');
    // The mouse turns, moves and zooms; the wheel leaves what is under it where it is.
    const box = await page().locator('canvas').first().boundingBox();
    const corner = { x: box.x + 40, y: box.y + 120 };
    const before = await looks(page());
    await page().mouse.move(corner.x, corner.y);
    await page().mouse.down();
    await page().mouse.move(corner.x + 60, corner.y + 20, { steps: 4 });
    await page().mouse.up();
    const turned = await looks(page());
    assert.ok(!near(turned.yaw, before.yaw) && !near(turned.pitch, before.pitch));
    await page().mouse.wheel(0, -300);
    await until(async () => (await looks(page())).distance < 0.9 * turned.distance, 'nearer');
    await page().keyboard.press('f');
    await page().setViewportSize(size);
  });

  test('a crowd is drawn in a few calls, and the page goes on answering while it walks', async () => {
    await openScene(page(), 'S5: crowd');
    await page().getByRole('tab', { name: 'Properties' }).click();
    await page().getByRole('textbox', { name: 'people', exact: true }).fill('125');
    await page().keyboard.press('Enter');
    await until(async () => (await state(page(), 'scene')).solids.length === 2000, 'more figures');
    const solids = (await state(page(), 'scene')).solids.length;
    assert.ok(solids >= 2000, `${solids} solids`);
    await drawn(page());
    const { calls, instances } = await page().evaluate(() => {
      const { view } = globalThis.tenon;
      view.draw();
      return { calls: view.renderer.info.render.calls, instances: view.world.crowd.batches.reduce((sum, batch) => sum + batch.solids.length, 0) };
    });
    assert.ok(instances >= solids, `${instances} instances`);
    assert.ok(calls < 60, `${calls} calls`);
    assert.equal((await signs(page())).joints, 0, 'signs that are too small to be seen');
    await page().locator('canvas').first().focus();
    await page().keyboard.press('Space');
    await until(async () => (await state(page(), 'measures')).time > 0.02, 'it moves');
    // Between two frames of motion a panel opens and closes.
    await page().getByRole('tab', { name: 'Solver' }).click();
    await page().getByLabel('Tolerance').waitFor();
    await page().getByRole('tab', { name: 'Properties' }).click();
    await page().locator('canvas').first().focus();
    await page().keyboard.press('Space');
    await until(async () => !(await state(page(), 'playing')), 'a pause');
    // So that the next scene is opened without a question.
    await command(page(), 'Back to the text as it was saved');
    await until(async () => (await state(page(), 'scene')).solids.length === 1600, 'as it was');
    assert.deepEqual(page().errors, []);
  });
}
