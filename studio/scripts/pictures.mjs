// Draws the gallery's pictures with the page itself: `npx vite build`, then `node scripts/pictures.mjs [PATH…]`.
// Serves dist/, opens each scene as `?scene=…&embed` in headless Chromium, and writes public/pictures/*.webp, which are
// committed. Afterwards `node scripts/gallery.mjs` enters them in the index. `--sheet FILE.png` draws all on one sheet;
// with --views: pictures of the studio's own views.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { pictureName } from './gallery.mjs';
import { serve } from './serve.mjs';

const studio = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const dist = join(studio, 'dist');
const target = join(studio, 'public', 'pictures');
const [width, height] = [480, 300]; // cards are 240 and more across
const most = 12_000; // bytes of a picture
if (!existsSync(join(dist, 'index.html'))) {
  console.error('dist/ is not there: run `npx vite build` first');
  process.exit(1);
}
if (process.argv[2] === '--views') {
  await (await import('./views.mjs')).drawViews(process.argv.slice(3));
  process.exit(0);
}
const browserPath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  (path) => path && existsSync(path),
);
if (!browserPath) {
  console.error('no Chromium found; say where it is in CHROMIUM');
  process.exit(1);
}

const server = await serve(dist);

const all = JSON.parse(readFileSync(join(dist, 'scenes', 'index.json'), 'utf8')).scenes;
const wanted = process.argv.slice(2);
const sheetAt = wanted.indexOf('--sheet');
const sheet = sheetAt < 0 ? null : wanted.splice(sheetAt, 2)[1];
const fileOf = (scene) => join(target, `${pictureName(scene.path)}.webp`);
const scenes = wanted.length > 0 ? all.filter((s) => wanted.includes(s.path)) : all;
mkdirSync(target, { recursive: true });

const browser = await chromium.launch({
  executablePath: browserPath,
  args: [
    '--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run',
  ],
});
let failed = 0;
for (const scene of scenes) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: 'light', reducedMotion: 'reduce' });
  const page = await context.newPage();
  try {
    await page.goto(`${server.address}?scene=${encodeURIComponent(scene.path)}&embed&theme=light`);
    await page.waitForFunction(() => window.tenon?.view && window.tenon.store.getState().scene && window.tenon.store.getState().poses.length > 0, null, { timeout: 60_000 });
    await page.waitForTimeout(500); // the camera comes to rest
    // The view draws at any size; Chromium encodes WebP itself, as well as the bytes allow.
    const webp = await page.evaluate(async ([width, height, most]) => {
      const image = await createImageBitmap(await window.tenon.view.picture(width, height));
      const canvas = new OffscreenCanvas(width, height);
      canvas.getContext('2d').drawImage(image, 0, 0, width, height);
      for (let quality = 0.88; ; quality -= 0.08) {
        const blob = await canvas.convertToBlob({ type: 'image/webp', quality });
        if (blob.size <= most || quality < 0.2) return Array.from(new Uint8Array(await blob.arrayBuffer()));
      }
    }, [width, height, most]);
    if (webp.length > most) throw new Error(`${webp.length} bytes`);
    writeFileSync(fileOf(scene), Buffer.from(webp));
    console.log(`${scene.path} ${webp.length}`);
  } catch (error) {
    failed += 1;
    console.error(`${scene.path}: ${error instanceof Error ? error.message : error}`);
  }
  await context.close();
}
if (sheet) {
  const page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
  const cells = all.filter((scene) => existsSync(fileOf(scene))).map((scene) =>
    `<figure><img src="data:image/webp;base64,${readFileSync(fileOf(scene)).toString('base64')}"><figcaption>${scene.path}</figcaption></figure>`);
  await page.setContent(`<style>body{margin:8px;display:grid;grid-template-columns:repeat(6,1fr);gap:6px;font:12px sans-serif}figure{margin:0}img{width:100%}</style>${cells.join('')}`);
  await page.screenshot({ path: sheet, fullPage: true });
}
await browser.close();
server.close();
process.exit(failed > 0 ? 1 : 0);
