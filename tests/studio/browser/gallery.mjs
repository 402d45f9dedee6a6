// The gallery: how one finds it and what its cards say; and every scene of it, played by the page's own loop, ends in the bits
// of `tenon simulate`. Beside it, what the keys' sheet links to.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { ask, command, openScene, program, root, until } from './studio.mjs';

const seconds = 5, leastSteps = 600; // of each scene, whichever is longer
const { scenes } = JSON.parse(fs.readFileSync(path.join(root, 'studio/public/scenes/index.json'), 'utf8'));

// The state after so many steps, by the program.
async function simulated(scene, dt, steps) {
  const { stdout } = await promisify(execFile)(program, ['simulate', path.join(root, 'scenes', scene.path),
    '--time', String(steps * dt), '--dt', String(dt), '--json'], { maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}

export function testGallery(page) {
  test('a button that is seen opens the gallery, wide and narrow; its scenes are ordered by what they are for', async () => {
    for (const size of [{ width: 1280, height: 800 }, { width: 400, height: 360 }]) {
      await page().setViewportSize(size);
      const button = page().getByRole('button', { name: 'Gallery', exact: true });
      await until(async () => {
        const box = await button.boundingBox();
        return box && box.x >= 0 && box.x + box.width <= size.width && box.y >= 0;
      }, `the button is seen at ${size.width} px`);
      await button.click();
      const gallery = page().getByRole('dialog', { name: 'Gallery' });
      await gallery.locator('.gallery-card').first().waitFor();
      assert.deepEqual(await gallery.locator('.gallery-heading').allTextContents(),
        ['People and animals', 'Walking machines', 'Machines', 'Joints, one by one', 'From the papers', 'Benchmarks']);
      const hints = await gallery.locator('.gallery-try').allTextContents();
      assert.equal(hints.length, scenes.length);
      assert.equal(new Set(hints).size, hints.length, 'each card has a hint of its own');
      for (const words of await gallery.locator('.gallery-words').allTextContents()) assert.doesNotMatch(words, /--\w|`/);
      await page().keyboard.press('Escape');
      await gallery.waitFor({ state: 'detached' });
    }
  });
  test('the sheet of keys links to the licences of all that is inside', async () => {
    await page().keyboard.press('?');
    const link = page().getByRole('dialog', { name: 'Keys' }).getByRole('link', { name: /licences/i });
    const text = await page().evaluate((href) => fetch(href).then((answer) => (answer.ok ? answer.text() : '')), await link.getAttribute('href'));
    const { dependencies } = JSON.parse(fs.readFileSync(path.join(root, 'studio/package.json'), 'utf8'));
    for (const name of [...Object.keys(dependencies), 'scheduler', 'Eigen', 'musl']) assert.ok(text.includes(`\n${name} `) || text.includes(`\n${name}\n`) || text.includes(`, ${name},`), name);
    assert.match(text, /Permission is hereby granted/);
    await page().keyboard.press('Escape');
  });
  test(`every scene of the gallery plays ${seconds} s and ${leastSteps} steps without an error in the console, to the bits of \`tenon simulate\``, async () => {
    // As fast as the loop gets on, and without shadows, which take long to draw here.
    await page().evaluate(() => globalThis.tenon.engine.setSpeed(16));
    await command(page(), 'Show shadows');
    const checks = [];
    for (const scene of scenes) {
      await openScene(page(), scene.title);
      const { settings: { dt } } = await ask(page(), 'state');
      const end = Math.max(seconds, leastSteps * dt);
      await page().keyboard.press('Space');
      // Some scenes end by themselves.
      await page().waitForFunction((last) => {
        const { playing, measures } = globalThis.tenon.store.getState();
        return !playing || measures.time >= last;
      }, end, { polling: 20, timeout: 240_000 });
      if (await page().evaluate(() => globalThis.tenon.store.getState().playing)) await page().keyboard.press('Space');
      await until(() => page().evaluate(() => !globalThis.tenon.store.getState().playing), `${scene.path} pauses`);
      const { time, hash } = await ask(page(), 'state');
      assert.ok(time >= end - dt || (await page().getByText('The scene stops here, as its text says.').count()) > 0, `${scene.path} stopped at ${time} s`);
      assert.deepEqual(page().errors, [], scene.path);
      const steps = Math.round(time / dt);
      await checks.shift(); // one at a time, beside the next scene
      checks.push(simulated(scene, dt, steps).then((answer) => {
        assert.equal(answer.steps, steps, scene.path);
        assert.equal(answer.state_hash, hash, scene.path);
      }));
    }
    await Promise.all(checks);
    assert.ok(scenes.length > 50);
  });
}
