// What leaves the page and comes back: files, pictures, a bare view in another page, and what a reload finds.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import {
  ask, drawn, hash, isSaved, newPage, open, openBeside, openScene, pull, root, spotOf, startProgram, state, until,
} from './studio.mjs';

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

// A page of `tenon studio`, which serves a folder with these scenes.
async function withFolder(files, use) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tenon-studio-'));
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
  const [address, stop] = await startProgram(folder);
  try {
    await use((query) => new URL(query, address).href, (name) => fs.readFileSync(path.join(folder, name), 'utf8'), (name) => fs.existsSync(path.join(folder, name)));
  } finally {
    stop();
    fs.rmSync(folder, { recursive: true });
  }
}
const sceneText = (name) => fs.readFileSync(path.join(root, 'scenes', name), 'utf8');
const type = async (page, words) => {
  if (!(await editor(page).isVisible())) await page.keyboard.press('t');
  await editor(page).click();
  await page.keyboard.press('Control+End');
  await page.keyboard.insertText(words);
  await until(async () => (await ask(page, 'text')).text.endsWith(words), 'the session has read it');
};
const pinAt = async (page, solid) => {
  const at = await spotOf(page, solid);
  await page.keyboard.down('Shift');
  await page.mouse.click(at.x, at.y);
  await page.keyboard.up('Shift');
  await until(async () => (await ask(page, 'state')).pins.length === 1, 'a pin');
};
const exactPoses = async (page) => {
  const { save } = await ask(page, 'save');
  return [save.position, save.orientation];
};
const asked = (page) => page.getByRole('dialog', { name: 'Discard changes and open another scene?' });

export function testFiles(page) {
  test('saves the pose and the pins with the scene, and says so', async () => {
    await withFolder({ 'four-bar.tenon': sceneText('linkages/four-bar.tenon') }, async (at, read) => {
      const other = await newPage(at('?file=four-bar.tenon'));
      const unposed = await exactPoses(other);
      await pull(other, 'coupler', -40, 10);
      await pinAt(other, 'rocker');
      const [poses, { pins }] = [await exactPoses(other), await ask(other, 'state')];
      assert.notDeepEqual(poses, unposed);
      await other.keyboard.press('Control+s');
      await other.getByText('Saved four-bar.tenon with the pose and 1 pin.').waitFor();
      assert.match(read('four-bar.tenon'), /^start kept;/m);
      assert.equal(await asked(other).count(), 0);

      const fresh = await newPage(at('?file=four-bar.tenon'));
      assert.deepEqual(await exactPoses(fresh), poses);
      assert.deepEqual((await ask(fresh, 'state')).pins.map(({ solid, point, target }) => ({ solid, point, target })), pins.map(({ solid, point, target }) => ({ solid, point, target })));
      // Saved again, it is the same to the byte.
      const text = read('four-bar.tenon');
      await fresh.keyboard.press('Control+s');
      await fresh.getByText('Saved four-bar.tenon').waitFor();
      assert.equal(read('four-bar.tenon'), text);
      // Motion has velocities, which a text does not have.
      await fresh.keyboard.press('Space');
      await until(async () => (await state(fresh, 'measures')).time > 0.05, 'it moves');
      await fresh.keyboard.press('Space');
      await fresh.keyboard.press('Control+s');
      await fresh.getByText('Velocities are not saved').waitFor();
      for (const one of [other, fresh]) {
        assert.deepEqual(one.errors, []);
        await one.context().close();
      }
    });
  });

  test('asks before another scene takes the place of a pose that is not saved', async () => {
    const other = await newPage('?scene=linkages/four-bar');
    await pull(other, 'coupler', -40, 10);
    const poses = await exactPoses(other);
    const openOther = async () => {
      await other.keyboard.press('Control+k');
      await other.locator('.palette-field input').fill('Slider-crank');
      await other.keyboard.press('Enter');
    };
    await openOther();
    await asked(other).getByText('The pose and the holds (pins, frozen joints, limits, forces) are not saved.').waitFor();
    await asked(other).getByRole('button', { name: 'Cancel' }).click();
    await asked(other).waitFor({ state: 'detached' });
    assert.deepEqual(await exactPoses(other), poses);
    await openOther();
    await asked(other).getByRole('button', { name: 'Discard changes' }).click();
    await until(async () => (await state(other, 'scene')).title !== 'Four-bar linkage', 'the other scene');
    // What was discarded can be had again.
    await fileMenu(other, 'Recover unsaved work');
    await other.getByRole('dialog').getByRole('button', { name: /^Four-bar linkage/ }).click();
    await until(async () => (await state(other, 'scene')).title === 'Four-bar linkage', 'recovered');
    assert.deepEqual(await exactPoses(other), poses);
    assert.deepEqual(other.errors, []);
    await other.context().close();
  });

  test('saves a scene into its own folder, and elsewhere as one file that opens', async () => {
    const files = { 'manikin/chair.tenon': sceneText('manikin/chair.tenon'), 'manikin/human.tenon': sceneText('manikin/human.tenon') };
    await withFolder(files, async (at, read, exists) => {
      const other = await newPage(at('?scene=manikin/chair'));
      const start = await hash(other);
      await other.keyboard.press('Control+s');
      const name = other.getByLabel('File name, in the folder of “tenon studio”');
      assert.equal(await name.inputValue(), 'manikin/chair.tenon');
      await name.fill('alone.tenon');
      await other.keyboard.press('Enter');
      const dialog = other.getByRole('dialog', { name: 'This scene includes other files' });
      await dialog.getByText('human.tenon is not in that folder').waitFor();
      assert.equal(exists('alone.tenon'), false, 'nothing is written before it is said');
      await dialog.getByRole('button', { name: 'Save one self-contained file' }).click();
      await other.getByText('Saved alone.tenon').waitFor();
      const text = read('alone.tenon');
      assert.doesNotMatch(text, /^include/m);
      assert.match(text, /^\/\/ From human\.tenon:$/m);
      assert.equal(await hash(other), start);
      const fresh = await newPage(at('?file=alone.tenon'));
      assert.equal((await state(fresh, 'scene')).solids.length, (await state(other, 'scene')).solids.length);
      assert.equal(await hash(fresh), start);
      for (const one of [other, fresh]) {
        assert.deepEqual(one.errors, []);
        await one.context().close();
      }
    });
  });

  test('a link has the pose, and says whom it reaches', async () => {
    const other = await newPage('?scene=linkages/four-bar');
    await pull(other, 'coupler', -40, 10);
    const poses = await exactPoses(other);
    await fileMenu(other, 'Share a link');
    const dialog = other.getByRole('dialog', { name: 'Share a link' });
    await dialog.getByText('works only on this machine').waitFor();
    const link = dialog.getByLabel('Link');
    await until(async () => (await link.inputValue()) !== '', 'the link');
    const file = await downloaded(other, () => dialog.getByRole('button', { name: 'Save the file' }).click());
    assert.equal(file.name, 'four-bar.tenon');
    assert.match(file.bytes.toString(), /^start kept;/m);
    const fresh = await newPage(await link.inputValue());
    assert.deepEqual(await exactPoses(fresh), poses);
    for (const one of [other, fresh]) {
      assert.deepEqual(one.errors, []);
      await one.context().close();
    }
  });

  test('the bare view may stand in a page from elsewhere, the studio may not', async () => {
    await withFolder({}, async (at) => {
      const server = http.createServer((request, response) => {
        response.setHeader('Content-Type', 'text/html');
        response.end(`<iframe name="bare" src="${at('?embed&scene=linkages/four-bar')}"></iframe><iframe name="studio" src="${at('?scene=linkages/four-bar')}"></iframe>`);
      });
      await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
      const other = await newPage('?scene=linkages/four-bar');
      try {
        await other.goto(`http://localhost:${server.address().port}/`);
        const title = (name) => other.frame({ name }).evaluate(() => globalThis.tenon?.store.getState().scene?.title).catch(() => undefined);
        await until(async () => (await title('bare')) === 'Four-bar linkage', 'the bare view');
        assert.equal(await title('studio'), undefined);
      } finally {
        server.close();
        await other.context().close();
      }
    });
  });

  test('loaded anew while a hand pulls, it has the pose that was seen last', async () => {
    const other = await newPage('?scene=figures/marionette');
    const seen = () => other.evaluate(() => Array.from(globalThis.tenon.store.getState().poses));
    const before = await seen();
    await other.evaluate(() => globalThis.addEventListener('pagehide', () => {
      sessionStorage.setItem('seen', JSON.stringify(Array.from(globalThis.tenon.store.getState().poses)));
    }));
    const from = await spotOf(other, 'right-arm.hand');
    await other.mouse.move(from.x, from.y);
    await other.mouse.down();
    await other.mouse.move(from.x + 10, from.y - 60, { steps: 10 });
    await until(async () => (await seen()).some((x, k) => Math.abs(x - before[k]) > 0.02), 'it follows');
    await other.reload();
    await other.getByText('Your scene is as you left it').waitFor();
    const last = JSON.parse(await other.evaluate(() => sessionStorage.getItem('seen')));
    assert.ok(last.some((x, k) => Math.abs(x - before[k]) > 0.02));
    await until(async () => (await seen()).length === last.length, 'the poses');
    assert.deepEqual(await seen(), last);
    await other.mouse.up();
    await other.context().close();
  });

  test('two tabs keep their own work, and what no tab has can be recovered', async () => {
    const scene = (title) => `title "${title}";\nsolid ball sphere 0.1; end\n`;
    await withFolder({ 'a.tenon': scene('A'), 'b.tenon': scene('B') }, async (at) => {
      const a = await newPage(at('?file=a.tenon'));
      const b = await openBeside(a, at('?file=b.tenon'));
      await type(a, '// typed in a\n');
      await until(() => isSaved(a), 'a is kept');
      await type(b, '// typed in b\n');
      await until(() => isSaved(b), 'b is kept');
      for (const [one, words] of [[a, '// typed in a\n'], [b, '// typed in b\n']]) {
        await one.bringToFront();
        await one.reload();
        await one.getByText('Your scene is as you left it').waitFor();
        await until(async () => (await ask(one, 'text')).text?.endsWith(words), `its own text: ${words}`);
      }
      // One is closed, and found in the list of the other.
      await a.close();
      await fileMenu(b, 'Recover unsaved work');
      const list = b.getByRole('dialog', { name: 'Recover unsaved work' });
      await list.getByRole('button', { name: /^A\b/ }).waitFor();
      assert.equal(await list.locator('li').count(), 1);
      await b.keyboard.press('Escape');
      // A new tab at its address has it.
      const again = await openBeside(b, at('?file=a.tenon'));
      assert.ok((await ask(again, 'text')).text.endsWith('// typed in a\n'));
      assert.deepEqual([...b.errors, ...again.errors], []);
      await b.context().close();
    });
  });

  test('a link that is followed in the same tab asks first, and Back brings back what was there', async () => {
    const other = await newPage('?scene=linkages/four-bar');
    await fileMenu(other, 'Share a link');
    const link = other.getByLabel('Link', { exact: true });
    await until(async () => (await link.inputValue()) !== '', 'the link');
    const { hash: fragment } = new URL(await link.inputValue());
    await other.keyboard.press('Escape');
    await type(other, '// mine\n');
    const follow = () => other.evaluate((h) => void (globalThis.location.hash = h), fragment);
    await follow();
    await asked(other).getByRole('button', { name: 'Cancel' }).click();
    await until(async () => !other.url().includes('#s='), 'the address is as it was');
    assert.ok((await ask(other, 'text')).text.endsWith('// mine\n'));
    await follow();
    await asked(other).getByRole('button', { name: 'Discard changes' }).click();
    await until(async () => !(await ask(other, 'text')).text.endsWith('// mine\n'), 'the scene of the link');
    await other.goBack();
    await until(async () => (await ask(other, 'text')).text.endsWith('// mine\n'), 'what was there');
    assert.match(other.url(), /\?scene=linkages\/four-bar$/);
    assert.deepEqual(other.errors, []);
    await other.context().close();
  });

  test('a dropped file that is no scene is named, and so is what can be opened', async () => {
    await page().evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'holiday.png', { type: 'image/png' }));
      document.querySelector('.studio').dispatchEvent(new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    await page().getByText('holiday.png cannot be opened. The studio opens scenes: files whose names end in .tenon.').waitFor();
  });

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
      await other.getByRole('button', { name: 'Replace the file' }).click();
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
    await other.getByRole('button', { name: 'Show or hide' }).click();
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
