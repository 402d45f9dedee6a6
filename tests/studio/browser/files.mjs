// What leaves the page and comes back: files, pictures, a bare view in another page, and what a reload finds.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ask, drawn, hash, isSaved, newPage, open, openScene, spotOf, startProgram, state, until } from './studio.mjs';

const editor = (page) => page.getByLabel('Text of the scene');
const fileMenu = async (page, item) => {
  await page.getByRole('button', { name: 'File', exact: true }).click();
  await page.getByRole('menuitem', { name: item }).click();
};
const downloaded = async (page, act) => {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return { name: download.suggestedFilename(), bytes: fs.readFileSync(await download.path()) };
};
// The size that a PNG says it has, and how many of its colours differ.
const pictureOf = (page, bytes) => page.evaluate(async (data) => {
  const image = await createImageBitmap(new Blob([Uint8Array.from(data)], { type: 'image/png' }));
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
  return { width: image.width, height: image.height, colours: new Set(new Uint32Array(pixels.buffer)).size };
}, [...bytes]);

export function testFiles(page) {
  test('saves a scene as a file, and opens it again', async () => {
    await openScene(page(), 'Four-bar linkage');
    const { text } = await ask(page(), 'text');
    const start = await hash(page());
    const saved = await downloaded(page(), () => page().keyboard.press('Control+s'));
    assert.equal(saved.name, 'four-bar.tenon');
    assert.equal(saved.bytes.toString(), text);

    const other = text.replace('title "Four-bar linkage";', 'title "Opened from a file";').replace('param crank 0.15', 'param crank 0.12');
    assert.notEqual(other, text);
    const [chooser] = await Promise.all([page().waitForEvent('filechooser'), page().keyboard.press('Control+o')]);
    await chooser.setFiles({ name: 'mine.tenon', mimeType: 'text/plain', buffer: Buffer.from(other) });
    await until(async () => (await state(page(), 'scene')).title === 'Opened from a file', 'the file is the scene');
    assert.equal((await ask(page(), 'text')).text, other);
    assert.notEqual(await hash(page()), start);
    assert.deepEqual(page().errors, []);
  });

  test('saves into the folder that is served, and not over what another has written', async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-studio-'));
    const file = path.join(folder, 'mine.tenon');
    fs.writeFileSync(file, 'title "Mine";\nsolid ball sphere 0.1; end\n');
    const [address, stop] = await startProgram(folder);
    try {
      const other = await newPage(new URL('?file=mine.tenon', address).href);
      assert.equal((await state(other, 'scene')).title, 'Mine');
      const type = async (words) => {
        if (!(await editor(other).isVisible())) await other.keyboard.press('t');
        await editor(other).click();
        await other.keyboard.press('Control+End');
        await other.keyboard.insertText(words);
      };
      await type('// once\n');
      await other.keyboard.press('Control+s');
      await other.getByText('Saved mine.tenon').waitFor();
      await until(() => fs.readFileSync(file, 'utf8').endsWith('// once\n'), 'written');
      fs.writeFileSync(file, 'title "Theirs";\n');
      await type('// twice\n');
      await until(async () => (await ask(other, 'text')).text.endsWith('// twice\n'), 'read');
      await other.keyboard.press('Control+s');
      await other.getByRole('dialog', { name: 'The file has changed' }).waitFor();
      assert.equal(fs.readFileSync(file, 'utf8'), 'title "Theirs";\n');
      await other.getByRole('button', { name: 'Replace it' }).click();
      await until(() => fs.readFileSync(file, 'utf8').endsWith('// twice\n'), 'replaced');
      await other.context().close();
    } finally {
      stop();
      fs.rmSync(folder, { recursive: true });
    }
  });

  test('gives a picture of the view', async () => {
    await openScene(page(), 'Four-bar linkage');
    const { name, bytes } = await downloaded(page(), () => fileMenu(page(), 'Save a picture of the view'));
    assert.equal(name, 'four-bar.png');
    const picture = await pictureOf(page(), bytes);
    const size = await page().evaluate(() => globalThis.tenon.view.size);
    assert.ok(picture.width >= size.width && picture.height >= size.height, JSON.stringify(picture));
    assert.ok(picture.colours > 200, `${picture.colours} colours`);
  });

  test('a bare view for other pages plays, and can be pulled at', async () => {
    await openScene(page(), 'Four-bar linkage');
    await fileMenu(page(), 'Embed in a page');
    const field = page().getByLabel('Code');
    await until(async () => (await field.inputValue()) !== '', 'the code');
    const code = await field.inputValue();
    const link = /src="([^"]+)"/.exec(code)[1].replaceAll('&amp;', '&');
    assert.match(link, /\?embed#s=/);
    await page().keyboard.press('Escape');
    const bare = await open(link, { width: 640, height: 400 });
    assert.equal((await state(bare, 'scene')).title, 'Four-bar linkage');
    for (const gone of ['.topbar', '.outliner', '.side', '.status', '.first-run']) assert.equal(await bare.locator(gone).count(), 0, gone);
    const box = await bare.locator('canvas').first().boundingBox();
    assert.deepEqual([box.width, box.height], [640, 400]);
    const before = await hash(bare);
    const from = await spotOf(bare, 'rocker');
    await bare.mouse.move(from.x, from.y);
    await bare.mouse.down();
    await bare.mouse.move(from.x - 30, from.y, { steps: 5 });
    await bare.mouse.up();
    await until(async () => (await hash(bare)) !== before, 'pulled');
    await bare.getByRole('button', { name: 'Play' }).click();
    await until(async () => (await state(bare, 'measures')).time > 0.05, 'it moves');
    await bare.getByRole('button', { name: 'Pause' }).click();
    assert.match(await bare.getByRole('link', { name: 'Open in Tenon' }).getAttribute('href'), /\/#s=/);
    assert.deepEqual(bare.errors, []);
    await bare.close();
  });

  test('a page that is loaded anew has the scene, what holds it, and the text that was being typed', async () => {
    const other = await newPage('?scene=linkages/four-bar');
    const at = await spotOf(other, 'coupler');
    await other.mouse.move(at.x, at.y);
    await other.mouse.down();
    await other.mouse.move(at.x - 40, at.y + 10, { steps: 6 });
    await other.mouse.up();
    await until(async () => (await ask(other, 'state')).undo.length === 1, 'a pull');
    const pin = await spotOf(other, 'rocker');
    await other.keyboard.down('Shift');
    await other.mouse.click(pin.x, pin.y);
    await other.keyboard.up('Shift');
    await until(async () => (await ask(other, 'state')).pins.length === 1, 'a pin');
    await other.locator('[role=treeitem]', { hasText: /^O/ }).first().click();
    await other.keyboard.press('z');
    await until(async () => (await ask(other, 'state')).frozen.length === 1, 'a frozen joint');
    await other.keyboard.press('t');
    await editor(other).click();
    await other.keyboard.press('Control+End');
    await other.keyboard.insertText('\nsolid half');
    await until(async () => (await state(other, 'draft'))?.endsWith('solid half'), 'a text with an error');
    const now = await ask(other, 'state');
    await until(() => isSaved(other), 'saved');

    await other.reload();
    await other.getByText('Your scene is as you left it').waitFor();
    await until(async () => (await ask(other, 'state')).hash === now.hash, 'the same pose');
    const then = await ask(other, 'state');
    assert.deepEqual([then.pins, then.frozen], [now.pins, now.frozen]);
    await other.locator('.text-problem').waitFor();
    await editor(other).click();
    await other.keyboard.press('Control+End');
    await until(async () => (await editor(other).textContent()).endsWith('solid half'), 'the text with its error');
    // Mended, it is the scene again.
    await other.keyboard.insertText(' sphere 0.01; end');
    await until(async () => (await state(other, 'scene')).solids.length === 5, 'a fifth solid');
    assert.equal(await state(other, 'draft'), null);
    assert.deepEqual(other.errors, []);
    await other.context().close();
  });

  test('a first visit is shown four things, and the layout of the last one is kept', async () => {
    const other = await newPage('', { guide: true });
    const guide = other.getByRole('complementary', { name: 'First steps' });
    await guide.waitFor();
    const step = (title) => guide.getByRole('heading', { name: title }).waitFor();
    await step('Drag');
    const from = await spotOf(other, 'right-arm.hand');
    await other.mouse.move(from.x, from.y);
    await other.mouse.down();
    await other.mouse.move(from.x, from.y - 30, { steps: 5 });
    await until(async () => (await state(other, 'state')).grabs.length === 1, 'a hand');
    await other.mouse.up();
    await step('Pin');
    await other.keyboard.press('p');
    await step('Play');
    await other.keyboard.press('Space');
    await step('Undo');
    await other.keyboard.press('Space');
    await until(async () => !(await state(other, 'playing')), 'a pause');
    await other.keyboard.press('Control+z');
    await guide.waitFor({ state: 'detached' });

    await other.getByRole('button', { name: 'Outliner', exact: true }).click();
    await other.getByRole('button', { name: 'Plots', exact: true }).click();
    await other.getByRole('tab', { name: 'Solver' }).click();
    await other.getByRole('button', { name: 'What is shown' }).click();
    await other.getByRole('checkbox', { name: 'Centres of mass' }).check();
    const width = other.getByRole('separator', { name: 'Width of the properties' });
    const before = (await other.locator('.side.right').boundingBox()).width;
    await width.focus();
    for (let i = 0; i < 3; i += 1) await other.keyboard.press('ArrowLeft');
    const wide = (await other.locator('.side.right').boundingBox()).width;
    assert.ok(wide > before, `${wide} px`);

    await other.reload();
    await other.waitForFunction(() => globalThis.tenon?.view && globalThis.tenon.store.getState().poses.length > 0);
    await drawn(other);
    assert.equal(await guide.count(), 0);
    assert.equal(await other.locator('.side.left').count(), 0);
    assert.equal(await other.getByLabel('Plots', { exact: true }).first().isVisible(), true);
    assert.equal(await other.getByRole('tab', { name: 'Solver' }).getAttribute('aria-selected'), 'true');
    assert.equal((await state(other, 'show')).centres, true);
    assert.equal((await other.locator('.side.right').boundingBox()).width, wide);
    await other.context().close();
  });
}
