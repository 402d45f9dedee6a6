// A headset that is not there: IWER plays one, with two controllers.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { ask, command, distance, error, openScene, placeOf, posesOf, require, until } from './studio.mjs';

const solids = ['left-arm.hand', 'right-arm.hand'];
const sides = ['left', 'right'];
const lift = 0.05; // [m] of the user

export function testHeadset(page) {
  test('in a headset two controllers take hold of two hands, and both follow', async () => {
    await page().setViewportSize({ width: 780, height: 300 });
    await openScene(page(), 'Marionette');
    await command(page(), 'Show shadows');
    await page().evaluate(fs.readFileSync(require.resolve('iwer/build/iwer.min.js'), 'utf8'));
    await page().evaluate(async () => {
      globalThis.headset = new globalThis.IWER.XRDevice(globalThis.IWER.metaQuest3);
      globalThis.headset.installRuntime({ forceInstall: true });
      await globalThis.tenon.view.headset.refresh();
    });
    await page().getByRole('button', { name: 'Enter VR' }).click();
    await until(() => page().evaluate(() => globalThis.tenon.view.headset.presenting() && globalThis.tenon.view.headset.frames() > 1), 'frames in the headset');

    // Each controller 25 cm before the middle of its hand, pointing at it: the figure looks along x.
    const before = await posesOf(page());
    const place = (up) => page().evaluate(([names, which, height]) => {
      const { view } = globalThis.tenon;
      const [centre, scale] = [globalThis.tenon.view.headset.centre(), globalThis.tenon.view.headset.scale()];
      names.forEach((name, k) => {
        globalThis.places ??= {};
        const box = view.world.bodies[view.world.index.get(name)].box;
        const at = (globalThis.places[name] ??= view.placeOf(name, box.getCenter(view.centre.clone())).sub(view.centre).divideScalar(scale));
        globalThis.headset.controllers[which[k]].position.set(centre[0] + at.x + 0.25, centre[1] + at.y + height, centre[2] + at.z);
        globalThis.headset.controllers[which[k]].quaternion.set(0, Math.SQRT1_2, 0, Math.SQRT1_2);
      });
    }, [solids, sides, up]);
    const press = (value) => page().evaluate(([which, v]) => {
      for (const side of which) globalThis.headset.controllers[side].updateButtonValue('trigger', v);
    }, [sides, value]);
    const holds = (what) => page().evaluate((w) => globalThis.tenon.view.headset.controllers().map((c) => c[w]).sort(), what);

    await place(0);
    await until(async () => String(await holds('hit')) === String(solids), 'both point at their hands');
    await press(1);
    await until(async () => String(await holds('held')) === String(solids), 'both hold');
    await until(async () => (await ask(page(), 'state')).grabs.length === 2, 'two grabs');
    const scale = await page().evaluate(() => globalThis.tenon.view.headset.scale());
    for (let i = 1; i <= 5; i += 1) await place((lift * i) / 5);
    for (const { solid, point } of (await ask(page(), 'state')).grabs) {
      const from = await placeOf(page(), solid, point, before);
      const to = [from[0], from[1] + lift * scale, from[2]];
      await until(async () => distance(await placeOf(page(), solid, point), to) < 0.01, `${solid} follows`);
    }
    assert.ok((await error(page())) < 1e-6);

    await press(0);
    await until(async () => (await ask(page(), 'state')).grabs.length === 0, 'let go');
    await page().getByRole('button', { name: 'Leave VR' }).press('Enter');
    await until(() => page().evaluate(() => !globalThis.tenon.view.headset.presenting()), 'out of the headset');
    await command(page(), 'Show shadows');
    assert.deepEqual(page().errors, []);
  });
}
