// What the panels do: assemble, judge, compare; and that they can be used by everyone.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { ask, drawn, error, hash, openScene, require, state, until } from './studio.mjs';

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
    assert.deepEqual((await ghosts()).map(([method]) => method).sort(), [...others].sort());
    await page().getByRole('button', { name: 'Pause', exact: true }).first().click();
    await page().getByRole('button', { name: 'End comparison' }).click();
    await until(async () => (await ghosts()).length === 0, 'no ghosts');
    assert.deepEqual(page().errors, []);
  });

  test('the worker may die: nothing is lost', async () => {
    await openScene(page(), 'Four-bar linkage');
    for (let i = 0; i < 5; i += 1) await page().getByRole('button', { name: 'One step' }).click();
    await until(async () => (await ask(page(), 'state')).time > 4.5 / 240, 'five steps');
    const now = await hash(page());
    await until(() => page().evaluate((h) => globalThis.tenon.engine.saved()?.state.hash === h, now), 'saved');
    await page().evaluate(() => globalThis.tenon.engine.kill());
    await page().getByText(/started anew: your work is as it was/).waitFor();
    assert.equal(await hash(page()), now);
    await page().getByRole('button', { name: 'One step' }).click();
    await until(async () => (await hash(page())) !== now, 'another step');
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
