// Pictures of the studio's main views into docs/pictures/: `node scripts/pictures.mjs --views [NAME…]`.
// In light and dark, wide and narrow; each is reached as a person would, by keys and clicks.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from './serve.mjs';

const studio = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(studio, '..', 'docs', 'pictures');
const sizes = { 1280: 800, 390: 780 };

const press = (page, key) => page.keyboard.press(key);
const state = (page, read, argument) => page.waitForFunction(`(${read})(window.tenon.store.getState(), ${JSON.stringify(argument ?? null)})`);
const tab = (page, name) => page.getByRole('tab', { name, exact: true }).click();
const narrow = (page) => page.viewportSize().width < 760;

async function openScene(page, title) {
  await press(page, 'Control+k');
  await page.locator('.palette-field input').fill(title);
  await page.locator('.palette-title', { hasText: new RegExp(`^${title}$`) }).first().click();
  await state(page, '(page, title) => page.scene && page.scene.title === title', title);
}
async function panel(page, name) {
  if (narrow(page)) await tab(page, name);
  else await page.getByRole('button', { name, exact: true }).click();
}
const broken = `
// Longer than where its ends are held.
solid strut box 0.5 0.01 0.01; at 0.2 0.1 0; end
joint ball left object2 strut; point1 0 0 0; point2 -0.25 0 0; end
joint ball right object2 strut; point1 0.2 0 0; point2 0.25 0 0; end
`;
async function play(page, seconds) {
  await page.getByRole('button', { name: 'Play', exact: true }).first().click();
  await state(page, '(page, seconds) => page.measures.time > seconds', seconds);
  await page.getByRole('button', { name: 'Pause', exact: true }).first().click();
}

// A pixel at which a solid is seen.
const spotOf = (page, name) => page.evaluate((solid) => {
  const { view } = window.tenon;
  const box = view.canvas.getBoundingClientRect();
  const middle = view.rig.project(view.placeOf(solid, view.world.bodies[view.world.index.get(solid)].box.getCenter(view.centre.clone())));
  return { x: box.left + middle.x, y: box.top + middle.y };
}, name);

const views = {
  default: async () => {},
  held: async (page) => {
    for (const [solid, key, then] of [['pelvis', 'p', 'pins.length === 1'], ['right-leg.shin', 'z', 'frozen.length > 0']]) {
      const { x, y } = await spotOf(page, solid);
      await page.mouse.click(x, y);
      await press(page, key);
      await state(page, `(page) => page.state.${then}`);
    }
    const from = await spotOf(page, 'right-arm.hand');
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(from.x + 70, from.y - 90, { steps: 12 });
    await state(page, '(page) => page.state.grabs.length === 1');
    await page.waitForTimeout(1500);
  },
  text: async (page) => {
    await openScene(page, 'Four-bar linkage');
    await panel(page, 'Text');
    await page.getByLabel('Text of the scene').waitFor();
  },
  plots: async (page) => {
    await openScene(page, 'Four-bar linkage');
    await panel(page, 'Plots');
    await page.locator('.uplot').first().waitFor();
    await play(page, 3);
  },
  compare: async (page) => {
    await openScene(page, 'S1: chain of ball joints');
    await tab(page, 'Compare');
    for (const method of ['interactive', 'baumgarte']) await page.getByRole('checkbox', { name: method, exact: true }).check();
    await page.getByRole('button', { name: /^Compare \d/ }).click();
    await play(page, 1.4);
    await press(page, 'f');
    await page.waitForTimeout(500);
  },
  gallery: async (page) => {
    await press(page, 'g');
    await page.locator('.gallery-card img').first().waitFor();
    await page.waitForLoadState('networkidle');
  },
  verdict: async (page) => {
    await openScene(page, 'Four-bar linkage');
    await panel(page, 'Text');
    await page.getByLabel('Text of the scene').click();
    await press(page, 'Control+End');
    await page.keyboard.insertText(broken);
    await state(page, '(page) => page.scene.joints.length === 6');
    if (!narrow(page)) await panel(page, 'Text');
    await tab(page, 'Assemble');
    await page.getByRole('button', { name: 'Assemble', exact: true }).click();
    await page.locator('.assemble-report .bad').waitFor();
    await state(page, '(page) => page.task === null');
    await page.getByRole('button', { name: 'Examine' }).click();
    await page.getByLabel('Joints that contradict each other').getByRole('button').first().click();
    await page.getByLabel('Iterations shown').waitFor({ state: 'detached' });
    await state(page, '(page) => page.task === null');
  },
  palette: async (page) => {
    await press(page, 'Control+k');
    await page.locator('.palette-field input').fill('hand');
    await page.locator('.palette-entry').first().waitFor();
  },
  joint: async (page) => {
    await openScene(page, 'Four-bar linkage');
    await press(page, 'Control+k');
    await page.locator('.palette-field input').fill('A');
    await page.locator('.palette-title', { hasText: /^A$/ }).click();
    if (narrow(page)) await tab(page, 'Properties');
    await page.locator('.properties-head').waitFor();
  },
};

// Chromium writes WebP itself: a third of the PNG.
async function smaller(page, png) {
  const webp = await page.evaluate(async (address) => {
    const image = await createImageBitmap(await (await fetch(address)).blob());
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext('2d').drawImage(image, 0, 0);
    const blob = await canvas.convertToBlob({ type: 'image/webp', quality: 0.9 });
    return Array.from(new Uint8Array(await blob.arrayBuffer()));
  }, `data:image/png;base64,${png.toString('base64')}`);
  return Buffer.from(webp);
}

export async function drawViews(wanted) {
  mkdirSync(target, { recursive: true });
  const server = await serve(join(studio, 'dist'));
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
  });
  const context = await browser.newContext({ reducedMotion: 'reduce', bypassCSP: true }); // it waits by functions that are texts
  await context.addInitScript(() => localStorage.setItem('tenon.guide', 'seen'));
  const page = await context.newPage();
  page.on('dialog', (dialog) => dialog.accept());
  await page.goto(server.address);
  for (const [name, show] of Object.entries(views)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: sizes[width] });
      await page.evaluate(() => {
        for (const key of Object.keys(localStorage)) if (key !== 'tenon.guide') localStorage.removeItem(key);
        indexedDB.deleteDatabase('tenon-studio');
      });
      await page.mouse.up();
      await page.goto(server.address);
      await state(page, '(page) => window.tenon.view && page.poses.length > 0');
      try {
        await show(page);
      } catch (problem) {
        console.error(`${name}, ${width} px: ${problem.message}`);
      }
      for (const colorScheme of ['light', 'dark']) {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.locator(`[data-theme=${colorScheme}]`).waitFor();
        if (name !== 'held') await page.mouse.move(0, 0); // there a hand holds on
        await page.evaluate(() => document.querySelectorAll('.panel-body').forEach((body) => body.scrollTo(0, 0)));
        await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
        const picture = await smaller(page, await page.screenshot());
        const file = `studio-${name}-${colorScheme}-${width}.webp`;
        writeFileSync(join(target, file), picture);
        console.log(`${file} ${Math.round(picture.length / 1000)} kB`);
      }
    }
  }
  await browser.close();
  server.close();
}
