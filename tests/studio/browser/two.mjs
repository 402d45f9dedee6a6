// Two studios on one page: nothing that is done in one reaches the other, and keys go to the one that is used.
import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { serve } from '../../../studio/scripts/serve.mjs';
import { command, drawn, hash, openAt, posesOf, pull, require, root, state, until } from './studio.mjs';

async function built() {
  const { build } = await import(pathToFileURL(path.join(path.dirname(require.resolve('vite/package.json')), 'dist/node/index.js')));
  const outDir = path.join(root, 'build/studio/two');
  await build({
    configFile: path.join(root, 'studio/vite.config.ts'),
    root: path.join(root, 'studio/tests/two'),
    publicDir: path.join(root, 'studio/public'),
    logLevel: 'error',
    build: { outDir, emptyOutDir: true },
  });
  return outDir;
}

export function testTwo() {
  let page, server;
  // What the other tests call the studio is from here on the first one, or the second one.
  const use = (k) => page.evaluate((one) => void (globalThis.tenon = globalThis.tenons[one]), k);
  const all = async (k) => {
    await use(k);
    const now = await hash(page); // and the store has heard of all that was done before
    const { undo, redo, grabs } = await state(page, 'state');
    return { hash: now, poses: await posesOf(page), selection: await state(page, 'selection'), undo, redo, grabs };
  };
  const element = (k) => page.locator(k === 0 ? '#left' : '#right');
  const playing = (k) => page.evaluate((one) => globalThis.tenons[one].store.getState().playing, k);
  // A press where nothing is, beside the figure: the focus goes to that view.
  const press = async (k) => {
    const box = await element(k).locator('canvas').first().boundingBox();
    await page.mouse.click(box.x + 30, box.y + box.height / 3);
  };

  before(async () => {
    server = await serve(await built());
    page = await openAt(server.address, { width: 1300, height: 620 });
    await page.waitForFunction(() => globalThis.tenons.every(({ view, store }) => view && store.getState().poses.length > 0));
    await drawn(page);
  });
  after(() => server?.close());

  test('two studios on a page have a scene each, in the room that is theirs', async () => {
    const titles = await page.evaluate(() => globalThis.tenons.map(({ store }) => store.getState().scene.title));
    assert.notEqual(titles[0], titles[1]);
    for (const k of [0, 1]) {
      const box = await element(k).boundingBox();
      assert.equal(box.width, 650);
      assert.equal(await element(k).locator('.app.narrow').count(), 1); // by its own width, not the window's
      assert.match(await element(k).locator('.scene-title').innerText(), new RegExp(titles[k]));
    }
    assert.equal(page.workers().length, 2);
    assert.equal(new URL(page.url()).search, ''); // neither has the address
  });

  test('a drag in one does not touch the other', async () => {
    const solids = ['crank', 'crank'];
    for (const k of [0, 1]) {
      const other = await all(1 - k);
      const before = await all(k);
      await pull(page, solids[k], 20, 30);
      const now = await all(k);
      assert.notEqual(now.hash, before.hash);
      assert.equal(now.undo.length, before.undo.length + 1);
      assert.deepEqual(now.selection.solids, [solids[k]]);
      assert.deepEqual(await all(1 - k), other);
    }
  });

  test('keys are for the one that has the focus, else for the one that had it last', async () => {
    for (const k of [1, 0]) {
      await press(k);
      await page.keyboard.press('Space');
      await until(() => playing(k), 'it plays');
      assert.equal(await playing(1 - k), false);
      await page.evaluate(() => document.activeElement.blur());
      await page.keyboard.press('Space');
      await until(async () => !(await playing(k)), 'it stands');
      assert.equal(await playing(1 - k), false);
    }
    // Undo goes to the one that is used, too.
    await press(1);
    const left = await all(0);
    const right = await all(1);
    await page.keyboard.press('Control+z');
    await until(async () => (await all(1)).redo.length === right.redo.length + 1, 'undone');
    assert.deepEqual(await all(0), left);
  });

  test('each has its own panels, menu and theme', async () => {
    const theme = (k) => element(k).getByRole('button', { name: /^Theme:/ });
    await theme(0).click(); // light
    await theme(0).click(); // dark
    await theme(1).click(); // light
    await press(1);
    await command(page, 'Text of the scene');
    const themes = await page.evaluate(() => globalThis.tenons.map(({ element: at }) => [at.dataset.theme, getComputedStyle(at).backgroundColor]));
    assert.deepEqual(themes.map(([name]) => name), ['dark', 'light']);
    assert.notEqual(themes[0][1], themes[1][1]);
    await element(1).locator('.cm-editor').waitFor();
    assert.equal(await element(0).locator('.cm-editor').count(), 0);
    assert.deepEqual(await page.evaluate(() => globalThis.tenons.map(({ store }) => store.getState().panels.text)), [false, true]);
  });

  test('one that is removed takes its worker along, and the other goes on', async () => {
    await page.evaluate(() => globalThis.tenons[0].remove());
    await until(() => page.workers().length === 1, 'its worker has ended');
    assert.equal(await element(0).locator('canvas').count(), 0);
    await use(1);
    const before = await hash(page);
    await page.evaluate(() => document.activeElement.blur());
    await page.keyboard.press('.');
    await until(async () => (await hash(page)) !== before, 'a step');
    assert.deepEqual(page.errors, []);
  });
}
