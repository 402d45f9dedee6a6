// How long the page takes until it can be used, here: `node scripts/load.mjs [COUNT]`.
// Each time in a new profile of headless Chromium with software rendering, nothing in its cache, from `tenon studio` if
// the program is built, else from dist/. Milliseconds from the navigation; the median of COUNT (7), and the worst.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { serve } from './serve.mjs';

const studio = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const program = process.env.TENON_PROGRAM ?? join(studio, '../build/release/tenon');
const count = Number(process.argv[2] ?? 7);

async function start() {
  if (!existsSync(program)) {
    const server = await serve(join(studio, 'dist'));
    return [server.address, server.close];
  }
  const server = spawn(program, ['studio', '--no-open', '--json', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const line = await new Promise((done) => server.stdout.once('data', (data) => done(String(data).split('\n')[0])));
  return [JSON.parse(line).address, () => server.kill('SIGINT')];
}

// In the page: when each thing was there first. Usable: the scene is drawn, and the page has answered a frame later.
function watch() {
  localStorage.setItem('tenon.guide', 'seen');
  globalThis.marks = {};
  globalThis.busy = [];
  new PerformanceObserver((list) => globalThis.busy.push(...list.getEntries().map((e) => [Math.round(e.startTime), Math.round(e.duration)]))).observe({ type: 'longtask', buffered: true });
  const mark = (name) => (globalThis.marks[name] ??= performance.now());
  const look = setInterval(() => {
    const page = globalThis.tenon?.store.getState();
    if (!page) return;
    mark('page');
    if (page.ready) mark('engine');
    if (page.scene) mark('scene');
    if (globalThis.tenon.view) mark('view');
    if (!page.scene || page.poses.length === 0 || !globalThis.tenon.view) return;
    clearInterval(look);
    requestAnimationFrame(() => requestAnimationFrame(() => mark('usable')));
  }, 4);
}

const [address, stop] = await start();
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless=new', '--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader',
    '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
});
const runs = [];
for (let i = 0; i < count; i += 1) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addInitScript(watch);
  const page = await context.newPage();
  await page.goto(address);
  await page.waitForFunction(() => globalThis.marks.usable, null, { timeout: 60_000 });
  runs.push(await page.evaluate(() => ({
    ...globalThis.marks,
    painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN,
    bytes: performance.getEntriesByType('resource').reduce((sum, r) => sum + r.encodedBodySize, 0),
    busy: globalThis.busy,
  })));
  await context.close();
}
await browser.close();
stop();

const column = (name) => runs.map((run) => run[name]).sort((a, b) => a - b);
console.log(`${count} loads of ${existsSync(program) ? 'tenon studio' : 'dist/'}, load of the machine ${loadavg()[0].toFixed(1)}`);
for (const name of ['painted', 'page', 'engine', 'scene', 'view', 'usable']) {
  const values = column(name);
  console.log(`${name.padEnd(8)} ${Math.round(values[count >> 1])} ms, at most ${Math.round(values[count - 1])} ms`);
}
console.log(`loaded   ${Math.round(column('bytes')[count >> 1] / 1000)} kB`);
console.log(`busy     ${runs[count - 1].busy.map(([at, long]) => `${long} ms at ${at}`).join(', ')}`);
