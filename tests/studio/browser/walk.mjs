// One walk through the page, as someone takes it who comes for the first time and leaves with something: from the first
// screen to a figure that sits, is saved, shared, embedded, and opened again elsewhere.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ask, drawn, error, hash, isSaved, newPage, openBeside, placeOf, posesOf, distance, pull, root, spotOf, startProgram, state, until } from './studio.mjs';

const sceneText = (name) => fs.readFileSync(path.join(root, 'scenes', name), 'utf8');
const fileMenu = async (page, item) => {
  await page.getByRole('button', { name: 'File', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const press = async (page, at, { shift = false } = {}) => {
  if (shift) await page.keyboard.down('Shift');
  await page.mouse.click(at.x, at.y);
  if (shift) await page.keyboard.up('Shift');
};
// Everything that a text can have of a scene.
const made = async (page) => {
  const [{ save }, { hash: number, pins }] = [await ask(page, 'save'), await ask(page, 'state')];
  return { hash: number, position: save.position, orientation: save.orientation, pins: pins.map(({ solid, point, target }) => ({ solid, point, target })) };
};
const origin = [0, 0, 0];

export function testWalk() {
  test('a walk: from the first screen to a sitting figure that is saved, shared, embedded, and opened again', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-walk-'));
    fs.mkdirSync(path.join(folder, 'manikin'));
    fs.writeFileSync(path.join(folder, 'manikin/human.tenon'), sceneText('manikin/human.tenon'));
    const [address, stop] = await startProgram(folder);
    const at = (query) => new URL(query, address).href;
    const pages = [];
    let server;
    try {
      // The first screen: the marionette and the first steps, which may be left.
      const page = await newPage(at(''), { guide: true, width: 1280, height: 800 });
      pages.push(page);
      assert.match((await state(page, 'scene')).title, /marionette/i);
      const guide = page.getByRole('complementary', { name: 'First steps' });
      await guide.waitFor();
      await guide.getByRole('button', { name: 'Skip', exact: true }).click();

      // The gallery has a figure before a chair.
      await page.getByRole('button', { name: 'Gallery', exact: true }).click();
      await page.locator('.gallery-card', { hasText: 'Manikin: into the chair' }).first().click();
      await until(async () => (await state(page, 'scene')).title === 'Manikin: into the chair', 'the figure');
      await drawn(page);

      // Its feet stand, a pin holds its hand on the table, and one pull sits it down.
      const hand = await spotOf(page, 'tom.right-arm.hand');
      await press(page, hand, { shift: true });
      await until(async () => (await ask(page, 'state')).pins.length === 1, 'a pin');
      const standing = await posesOf(page);
      const [{ point, target }] = (await ask(page, 'state')).pins;
      await pull(page, 'tom.pelvis', -70, 190);
      const sitting = await posesOf(page);
      const [before, after] = await Promise.all([standing, sitting].map((poses) => placeOf(page, 'tom.pelvis', origin, poses)));
      assert.ok(before[1] - after[1] > 0.25, `down by ${before[1] - after[1]} m`);
      for (const foot of ['tom.left-leg.foot', 'tom.right-leg.foot'])
        assert.ok(distance(standing[foot], sitting[foot]) < 1e-5, `${foot} stands`);
      assert.ok(distance(await placeOf(page, 'tom.right-arm.hand', point), target) < 1e-5, 'the hand is on the table');
      assert.ok((await error(page)) < 1e-6, 'the joints hold');

      // Saved, into the scene's own folder.
      await page.keyboard.press('Control+s');
      const dialog = page.getByRole('dialog', { name: 'Save' });
      assert.equal(await dialog.getByRole('textbox').inputValue(), 'manikin/chair.tenon');
      await dialog.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('Saved manikin/chair.tenon with the pose and 1 pin.').waitFor();
      assert.match(fs.readFileSync(path.join(folder, 'manikin/chair.tenon'), 'utf8'), /^start kept;/m);
      const figure = await made(page);
      assert.equal(figure.pins.length, 1);
      const same = async (other, who) => assert.deepEqual(await made(other), figure, who);

      // A link, followed in another profile; and the file, opened there.
      await fileMenu(page, /^Share a link/);
      const link = page.getByRole('dialog').getByRole('textbox');
      await until(async () => (await link.inputValue()) !== '', 'the link');
      const shared = await link.inputValue();
      await page.keyboard.press('Escape');
      await page.setViewportSize({ width: 1000, height: 600 }); // fewer pixels, where no graphics card helps
      const follower = await newPage(shared, { width: 500, height: 360 });
      pages.push(follower);
      await same(follower, 'by the link');
      await follower.goto(at('?file=manikin/chair.tenon'));
      await follower.waitForFunction(() => globalThis.tenon?.store.getState().poses.length > 0);
      await same(follower, 'from the file');

      // A page from elsewhere that embeds it.
      await fileMenu(page, /^Embed in a page/);
      const code = page.getByRole('dialog').getByRole('textbox');
      await until(async () => (await code.inputValue()) !== '', 'the code');
      const markup = await code.inputValue();
      await page.keyboard.press('Escape');
      server = http.createServer((request, response) => response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>Elsewhere</title>${markup}`));
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      await follower.goto(`http://localhost:${server.address().port}/`);
      const frame = () => follower.frames().find((one) => one.url().startsWith(address));
      await until(async () => frame()?.evaluate(() => (globalThis.tenon?.view && globalThis.tenon.store.getState().poses.length) || 0).catch(() => 0), 'the bare view');
      await same(frame(), 'in another page');
      await until(async () => new Set(await follower.locator('iframe').screenshot()).size > 100, 'it is drawn');

      // A second tab: what is not saved in either, both have after a reload.
      const tab = await openBeside(page, at('?scene=figures/marionette'), { width: 800, height: 560 });
      pages.push(tab);
      await pull(tab, 'right-arm.hand', 10, -60);
      await until(() => isSaved(tab), 'the second tab is kept');
      await page.bringToFront();
      await pull(page, 'tom.head', 20, 15);
      await until(() => isSaved(page), 'the first tab is kept');
      const kept = [await made(tab), await made(page)];
      assert.notEqual(kept[1].hash, figure.hash);
      for (const [k, one] of [tab, page].entries()) {
        await one.bringToFront();
        await one.reload();
        await one.waitForFunction(() => globalThis.tenon?.store.getState().poses.length > 0);
        assert.deepEqual(await made(one), kept[k], k === 0 ? 'the second tab' : 'the first tab');
      }
      assert.deepEqual(pages.flatMap((one) => one.errors), []);
    } finally {
      for (const context of new Set(pages.map((one) => one.context()))) await context.close();
      server?.close();
      stop();
      fs.rmSync(folder, { recursive: true });
    }
  });
}
