// What the view shows, where one looks from, and how many calls it takes to draw a crowd.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { command, drawn, findSpot, newPage, openScene, openText, spotOf, state, until } from './studio.mjs';

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

// Whether the camera is where F would put it.
const isFramed = (page) => page.evaluate(() => {
  const { rig, world } = globalThis.tenon.view;
  const { yaw, pitch, distance, target } = rig.orbit;
  const wanted = rig.framing(world.corners(), yaw, pitch);
  return Math.abs(wanted.distance - distance) < 1e-9 && wanted.target.distanceTo(target) < 1e-9;
});
// Whether all of the motion bar is seen: the bar in the view, and its buttons in the bar.
const barIsWhole = (page) => page.evaluate(() => {
  const bar = document.querySelector('.transport');
  const { left, right } = bar.getBoundingClientRect();
  const stage = document.querySelector('.stage').getBoundingClientRect();
  const parts = [...bar.querySelectorAll('button, select, output')].map((part) => part.getBoundingClientRect());
  return left >= stage.left && right <= stage.right && parts.every((part) => part.width > 20 && part.left >= left && part.right <= right + 0.5)
    && parts.every((part, k) => k === 0 || part.left >= parts[k - 1].right - 0.5);
});

export function testView(page) {
  test('the motion bar is whole at every width', async () => {
    const size = page().viewportSize();
    await openScene(page(), 'Four-bar linkage');
    for (const panel of ['Outliner', 'Properties']) {
      const button = page().getByRole('button', { name: panel, exact: true });
      if ((await button.getAttribute('aria-pressed')) === 'false') await button.click();
    }
    const cut = [];
    for (const width of [360, 390, 759, 760, 780, 820, 860, 900, 940, 1000, 1100, 1280]) {
      await page().setViewportSize({ width, height: 700 });
      await page().locator(width < 760 ? '.app.narrow' : '.app:not(.narrow)').waitFor();
      // Slower than real time: the bar says that, too.
      await page().evaluate(() => globalThis.tenon.store.setState({ playing: true, rate: 0.42 }));
      await page().locator('.transport-behind').waitFor();
      await until(() => barIsWhole(page()), `the whole bar at ${width} px`).catch(() => cut.push(width));
      await page().evaluate(() => globalThis.tenon.store.setState({ playing: false, rate: 1 }));
    }
    assert.deepEqual(cut, []);
    await page().setViewportSize(size);
  });

  test('a telephone on its side has the view, and a sheet beside it', async () => {
    const size = page().viewportSize();
    await page().setViewportSize({ width: 844, height: 390 });
    await page().locator('.app.narrow.beside').waitFor();
    const view = await page().locator('.stage').boundingBox();
    assert.ok(view.height > 320 && view.width > 450, `a view of ${view.width} × ${view.height}`);
    await until(() => barIsWhole(page()), 'the whole bar');
    const sheet = await page().getByRole('region', { name: 'Panels' }).boundingBox();
    assert.ok(sheet.x >= view.x + view.width - 1 && sheet.width > 250 && sheet.height > 320, `a sheet of ${sheet.width} × ${sheet.height}`);
    for (const name of ['Scene', 'Properties', 'Solver', 'Plots', 'Text']) await page().getByRole('tab', { name, exact: true }).click();
    await page().getByLabel('Text of the scene').waitFor();
    await page().getByRole('button', { name: 'Close the panels' }).click();
    await until(async () => (await page().locator('.stage').boundingBox()).width > 800, 'all of it for the view');
    await page().getByRole('button', { name: 'Open the panels' }).click();
    await page().getByRole('tab', { name: 'Scene', exact: true }).click();
    await page().setViewportSize(size);
    await drawn(page());
    assert.deepEqual(page().errors, []);
  });

  test('on small pages nothing covers what it is about', async () => {
    const other = await newPage('', { guide: true, viewLast: true, width: 390, height: 844 });
    const guide = other.getByRole('complementary', { name: 'First steps' });
    await guide.waitFor();
    const top = (at) => at && other.evaluate(({ x, y }) => document.elementFromPoint(x, y)?.closest('canvas, button, aside')?.tagName, at);
    const middle = async (locator) => {
      const { x, y, width, height } = await locator.boundingBox();
      return { x: x + width / 2, y: y + height / 2 };
    };
    for (const [width, height] of [[390, 844], [844, 390], [900, 700], [1280, 800]]) {
      await other.setViewportSize({ width, height });
      for (const solid of ['head', 'right-arm.hand', 'left-leg.foot'])
        await until(async () => (await top(await findSpot(other, solid, null))) === 'CANVAS', `${solid} is seen at ${width} px`);
      await until(async () => (await top(await middle(other.getByRole('button', { name: 'Look from the front' })))) === 'BUTTON', `the compass is seen at ${width} px`);
      // The camera is where F would put it, whatever came first: the view, its size or the scene.
      await until(() => isFramed(other), `framed at ${width} px`);
    }
    await guide.getByRole('button', { name: 'Skip', exact: true }).click();
    // The title is read on a telephone, and the menu of files is whole on one that lies on its side.
    await other.setViewportSize({ width: 390, height: 844 });
    await until(() => other.locator('.app.narrow:not(.beside) .scene-title').evaluateAll(([e]) => e && e.scrollWidth <= e.clientWidth), 'the title is whole');
    await other.setViewportSize({ width: 844, height: 390 });
    await other.locator('.app.beside').waitFor();
    await other.getByRole('button', { name: 'File', exact: true }).click();
    const last = other.getByRole('menuitem').last();
    await last.scrollIntoViewIfNeeded();
    const item = await last.boundingBox();
    assert.ok(item.y + item.height <= 390, `the menu ends at ${item.y + item.height} px`);
    await other.keyboard.press('Escape');
    // A problem that is said below the text leaves the line in view that is being typed.
    await other.setViewportSize({ width: 900, height: 700 });
    await other.locator('.app:not(.narrow)').waitFor();
    await other.keyboard.press('t');
    await other.getByLabel('Text of the scene').click();
    await other.keyboard.press('Control+End');
    await other.keyboard.insertText('\nsolid half spere 0.1; end');
    await other.locator('.text-problem').waitFor();
    const bottom = async (name) => { const box = await other.locator(name).last().boundingBox(); return box.y + box.height; };
    await until(async () => (await bottom('.text-host .cm-activeLine')) <= (await bottom('.text-host')) + 1, 'the line is in view');
    // The system's colours change, as at dusk: the camera stays.
    await other.evaluate(() => globalThis.tenon.view.rig.turn(70, 10));
    const before = await looks(other);
    await other.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
    await other.locator('html[data-theme=dark]').waitFor();
    await drawn(other);
    assert.deepEqual(await looks(other), before);
    assert.deepEqual(other.errors, []);
    await other.context().close();
  });

  test('what has left the view is said, with two ways back', async () => {
    await openText(page(), 'solid table immobile; box 2 0.1 2; end solid ball sphere 0.1; at 0 1 0; end');
    const said = page().getByText('Everything that moves has left the view.');
    assert.equal(await said.count(), 0);
    const fall = () => page().evaluate(() => globalThis.tenon.engine.run({ do: 'step', count: 1000 }));
    await fall();
    await said.waitFor();
    await page().getByRole('button', { name: 'Frame all' }).click();
    await said.waitFor({ state: 'detached' });
    await spotOf(page(), 'ball');
    await fall();
    await said.waitFor();
    await said.locator('..').getByRole('button', { name: 'Reset' }).click();
    await until(async () => (await state(page(), 'measures')).time === 0, 'as written');
    await page().locator('canvas').first().focus();
    await page().keyboard.press('f');
    await said.waitFor({ state: 'detached' });
    assert.deepEqual(page().errors, []);
  });

  test('each kind of sign can be switched', async () => {
    // High enough for a hand to be seen, whatever is open below the view.
    const size = page().viewportSize();
    await page().setViewportSize({ width: size.width, height: 1000 });
    await openScene(page(), 'Marionette');
    await page().getByRole('button', { name: 'Show or hide' }).click();
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
    await page().getByRole('button', { name: 'Show or hide' }).click();
    await check('Limits', 'limits');
    await page().keyboard.press('Escape');
    await page().locator('canvas').first().focus();
    await page().keyboard.press('p');
    await until(async () => (await state(page(), 'state')).pins.length === 1, 'a pin');
    await page().getByRole('button', { name: 'Show or hide' }).click();
    await check('Pins', 'pins');
    await page().keyboard.press('Escape'); // in a low view the list is over the buttons below
    await page().getByRole('button', { name: 'One step' }).click();
    await page().getByRole('button', { name: 'Show or hide' }).click();
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
    await page().setViewportSize(size);
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
    await command(page(), 'Revert to saved');
    await until(async () => (await state(page(), 'scene')).solids.length === 1600, 'as it was');
    assert.deepEqual(page().errors, []);
  });
}
