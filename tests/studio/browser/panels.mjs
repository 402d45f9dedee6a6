// What the panels do: assemble, judge, compare; and that they can be used by everyone.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { ask, drawn, error, hash, isSaved, openScene, require, spotOf, state, until } from './studio.mjs';

const tab = (page, name) => page.getByRole('tab', { name }).click();

export function testPanels(page) {
  test('scatters and assembles the ring of figure 3', async () => {
    await openScene(page(), 'Faure, figure 3: bound characters');
    await tab(page(), 'Assemble');
    await page().getByRole('button', { name: 'Scatter' }).click();
    await until(async () => (await error(page())) > 0.1, 'scattered');
    await page().getByRole('button', { name: 'Assemble', exact: true }).click();
    await page().locator('.assemble-report .good').getByText('Assembled').waitFor();
    assert.ok((await error(page())) < 1e-8);
  });

  test('says what is wrong with a broken four-bar', async () => {
    await openScene(page(), 'Four-bar linkage');
    const { text } = await ask(page(), 'text');
    if (!(await page().getByLabel('Text of the scene').isVisible())) await page().keyboard.press('t');
    await page().getByLabel('Text of the scene').click();
    await page().keyboard.press('Control+End');
    await page().keyboard.insertText(`
solid strut box 9 0.01 0.01; at 0 0 1; end
joint ball one object2 strut; point1 0 0 0; point2 -4.5 0 0; end
joint ball two object2 strut; point1 0.2 0 0; point2 4.5 0 0; end
`);
    await until(async () => (await state(page(), 'scene')).solids.some((solid) => solid.name === 'strut'), 'a strut');
    await tab(page(), 'Assemble');
    await page().getByRole('button', { name: 'Assemble', exact: true }).click();
    await page().locator('.assemble-report .bad').waitFor();
    await page().getByRole('button', { name: 'Examine' }).click();
    await page().getByText(/contradict/).first().waitFor();
    const fighting = page().getByLabel('Joints that contradict each other').getByRole('button').first();
    assert.deepEqual((await fighting.textContent()).split(' · ').sort(), ['one', 'two']);
    await fighting.click();
    assert.deepEqual([...(await state(page(), 'selection')).joints].sort(), ['one', 'two']);
    await page().getByLabel('Text of the scene').click();
    await page().keyboard.press('Control+z');
    await until(async () => (await ask(page(), 'text')).text === text, 'the text as it was');
  });

  test('compares four methods', async () => {
    await openScene(page(), 'S1: chain of ball joints');
    await tab(page(), 'Compare');
    const own = (await state(page(), 'state')).settings.method;
    const others = ['energy', 'interactive', 'displacement', 'baumgarte'].filter((method) => method !== own);
    for (const method of others) await page().getByRole('checkbox', { name: method, exact: true }).check();
    await page().getByRole('button', { name: `Compare ${others.length + 1} methods` }).click();
    await page().getByRole('button', { name: 'Play', exact: true }).first().click();
    const ghosts = () => page().evaluate(() => globalThis.tenon.store.getState().ghosts.map((g) => [g.method, g.measures.time]));
    await until(async () => (await ghosts()).length === others.length && (await ghosts()).every(([, time]) => time > 0.1), 'ghosts that move');
    // One upon the other in every plot, and as bodies in the view.
    const plots = page().locator('.plot-canvas');
    assert.equal(await plots.count(), 4);
    for (const method of others) await until(async () => (await plots.first().getAttribute('aria-label')).includes(method), `a line of ${method}`);
    assert.equal(await page().evaluate(() => globalThis.tenon.view.world.ghosts.length), others.length);
    assert.ok(await page().evaluate(() => [...document.querySelectorAll('.plot-canvas canvas')].every((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size > 4;
    })), 'lines are drawn');
    assert.deepEqual((await ghosts()).map(([method]) => method).sort(), [...others].sort());
    await page().getByRole('button', { name: 'Pause', exact: true }).first().click();
    await page().getByRole('button', { name: 'End comparison' }).click();
    await until(async () => (await ghosts()).length === 0, 'no ghosts');
    assert.deepEqual(page().errors, []);
  });

  test('the worker may die: nothing is lost', async () => {
    await openScene(page(), 'Four-bar linkage');
    await page().getByRole('treeitem', { name: /^C/ }).click();
    await page().keyboard.press('z');
    await page().getByRole('treeitem', { name: /^coupler/ }).click();
    await page().keyboard.press('p');
    await page().getByRole('tab', { name: 'Solver' }).click();
    await page().getByLabel('Method', { exact: true }).selectOption('shake');
    await until(async () => (await ask(page(), 'state')).settings.method === 'shake', 'another method');
    const before = await ask(page(), 'state');
    assert.deepEqual([before.pins.length, before.frozen], [1, ['C']]);
    for (let i = 0; i < 5; i += 1) await page().getByRole('button', { name: 'One step' }).click();
    await until(async () => (await ask(page(), 'state')).time > 4.5 / 240, 'five steps');
    const now = await hash(page());
    await until(() => isSaved(page()), 'saved');
    await page().evaluate(() => globalThis.tenon.engine.kill());
    await page().getByText(/started anew: your work is as it was/).waitFor();
    const after = await ask(page(), 'state');
    assert.equal(after.hash, now);
    for (const key of ['pins', 'frozen', 'merged', 'limits', 'gravity', 'settings']) assert.deepEqual(after[key], before[key], key);
    await page().getByRole('button', { name: 'One step' }).click();
    await until(async () => (await ask(page(), 'state')).time > after.time, 'another step');
  });

  test('what takes long says so, and can be cancelled', async () => {
    await openScene(page(), 'Four-bar linkage');
    const now = await hash(page());
    await until(() => isSaved(page()), 'saved');
    // An hour and more of it.
    const answer = page().evaluate(() => globalThis.tenon.engine.run({ do: 'step', count: 1_000_000 }));
    await page().locator('.status-task').getByText('Stepping').waitFor();
    // The page itself goes on meanwhile.
    await page().keyboard.press('?');
    await page().getByRole('dialog', { name: 'Keys' }).waitFor();
    await page().keyboard.press('Escape');
    await page().getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await answer).ok, false);
    await page().getByText(/started anew: your work is as it was/).waitFor();
    assert.equal(await hash(page()), now);
    await page().locator('.status-task').waitFor({ state: 'detached' });
    assert.deepEqual(page().errors, []);
  });

  test('a budget is set by a slider, and what it buys is read beside it', async () => {
    await openScene(page(), 'Faure, figure 5: toy dinosaur');
    await tab(page(), 'Solver');
    const slider = page().getByRole('slider', { name: 'Budget of one update of posing' });
    await slider.focus();
    await page().keyboard.press('Home');
    await until(async () => (await ask(page(), 'state')).settings.budget === 0.1, 'a tenth of a millisecond');
    await page().keyboard.press('End');
    await until(async () => (await ask(page(), 'state')).settings.budget === 32, 'much of it');
    assert.deepEqual((await ask(page(), 'state')).undo.length, 2);
    const moving = (await state(page(), 'scene')).solids.find((solid) => solid.kind === 'dynamic').name;
    const from = await spotOf(page(), moving);
    await page().mouse.move(from.x, from.y);
    await page().mouse.down();
    await page().mouse.move(from.x + 20, from.y - 20, { steps: 5 });
    await until(async () => /iterations/.test(await page().locator('.solver-meters').textContent()), 'what it took');
    await page().mouse.up();
  });

  test('an edit of a property shows in the text, and one of the text in the outliner', async () => {
    await openScene(page(), 'Four-bar linkage');
    // The editor holds only the lines that it shows: it has the drawer to itself.
    const size = page().viewportSize();
    await page().setViewportSize({ width: 1280, height: 900 });
    if (await page().getByRole('button', { name: 'Close plots' }).isVisible()) await page().getByRole('button', { name: 'Close plots' }).click();
    if (!(await page().getByLabel('Text of the scene').isVisible())) await page().keyboard.press('t');
    await page().getByLabel('Text of the scene').click();
    await page().keyboard.press('Control+Home');
    await tab(page(), 'Properties');
    const field = page().getByRole('textbox', { name: 'crank', exact: true });
    await field.fill('0.1');
    await page().keyboard.press('Enter');
    await until(async () => (await page().getByLabel('Text of the scene').textContent()).includes('param crank 0.1 '), 'it is written');
    // Properties of a joint are those of the catalogue.
    await page().getByRole('treeitem', { name: /^O/ }).click();
    const { options, coordinates } = (await state(page(), 'catalogue')).kinds.find(({ name }) => name === 'pin');
    for (const { name } of options) await page().getByLabel(name, { exact: true }).waitFor();
    for (const { name } of coordinates) await page().getByRole('slider', { name: `${name} of O` }).waitFor();
    const turn = page().getByRole('slider', { name: 'angle of O' });
    const angle = async () => (await ask(page(), 'joints')).joints.O.coordinates.angle;
    const was = await angle();
    await turn.focus();
    for (let i = 0; i < 10; i += 1) await page().keyboard.press('ArrowRight');
    await until(async () => Math.abs((await angle()) - was) > 0.05, 'the joint turns');
    assert.ok((await error(page())) < 1e-8, 'and the loop follows');
    // Text to outliner.
    await page().getByLabel('Text of the scene').click();
    await page().keyboard.press('Control+End');
    await page().keyboard.insertText('\nsolid extra sphere 0.02; end\n');
    await page().getByRole('treeitem', { name: /^extra/ }).click();
    // Del takes it out of both.
    await page().keyboard.press('Delete');
    await page().getByRole('treeitem', { name: /^extra/ }).waitFor({ state: 'detached' });
    assert.ok(!(await ask(page(), 'text')).text.includes('solid extra'));
    await page().getByRole('button', { name: 'File', exact: true }).click();
    await page().getByRole('menuitem', { name: 'Back to the text as it was saved' }).click();
    await until(() => page().evaluate(() => globalThis.tenon.store.getState().origin.saved === globalThis.tenon.store.getState().text), 'as it was saved');
    await page().setViewportSize(size);
    assert.deepEqual(page().errors, []);
  });

  test('every panel and dialog is accessible', async () => {
    const size = page().viewportSize();
    await page().setViewportSize({ width: 1280, height: 800 });
    await openScene(page(), 'Four-bar linkage');
    await page().evaluate(fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const check = async (what) => {
      const found = await page().evaluate(() => globalThis.axe.run());
      assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`), [], what);
    };
    await page().getByRole('treeitem', { name: /^O/ }).click();
    for (const name of ['Properties', 'Solver', 'Assemble', 'Compare']) {
      await tab(page(), name);
      await check(name);
    }
    await page().locator('canvas').first().focus();
    if (!(await page().getByLabel('Text of the scene').isVisible())) await page().keyboard.press('t');
    await page().getByLabel('Text of the scene').waitFor();
    await check('Text');
    await page().getByRole('button', { name: 'What is shown' }).click();
    await check('what is shown');
    await page().keyboard.press('Escape');
    for (const [keys, name] of [['?', 'Keys'], ['g', 'Gallery'], ['Control+k', 'palette']]) {
      await page().locator('canvas').first().focus();
      await page().keyboard.press(keys);
      await page().locator('dialog[open], [role=dialog]').first().waitFor();
      await check(name);
      await page().keyboard.press('Escape');
      await page().locator('dialog[open], [role=dialog]').waitFor({ state: 'detached' });
    }
    await page().getByRole('button', { name: 'File', exact: true }).click();
    await check('File');
    await page().getByRole('menuitem', { name: 'Share a link' }).click();
    await check('Share');
    await page().keyboard.press('Escape');
    await page().setViewportSize(size);
  });

  for (const colorScheme of ['light', 'dark'])
    for (const width of [1280, 390])
      test(`is accessible: ${colorScheme}, ${width} px`, async () => {
        const size = page().viewportSize();
        await page().setViewportSize({ width, height: 800 });
        await page().emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page().locator(`[data-theme=${colorScheme}] .app${width < 760 ? '.narrow' : ':not(.narrow)'}`).waitFor();
        await openScene(page(), 'Marionette');
        await drawn(page());
        await page().evaluate(fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
        const found = await page().evaluate(() => globalThis.axe.run());
        assert.ok(found.passes.length > 10);
        assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`), []);
        await page().setViewportSize(size);
      });
}
