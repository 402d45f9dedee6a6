// The studio in Chromium: the real page, served by the real program, driven as a person would.
//   node --test tests/studio/     after `./dev studio --no-open` has built everything (./dev test does that)
// A page takes long to open where no graphics card helps: tests that can share one do, and the gallery runs beside them.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { testFiles } from './browser/files.mjs';
import { testGallery } from './browser/gallery.mjs';
import { testHands } from './browser/hands.mjs';
import { testHeadset } from './browser/headset.mjs';
import { testPanels } from './browser/panels.mjs';
import { end, open, start, state } from './browser/studio.mjs';
import { testText } from './browser/text.mjs';
import { testTwo } from './browser/two.mjs';
import { testView } from './browser/view.mjs';
import { testWalk } from './browser/walk.mjs';

before(start);
after(end);

describe('the studio', { concurrency: 2 }, () => {
  describe('one page', { concurrency: 1 }, () => {
    let page;
    test('opens with the marionette', async () => {
      const begin = Date.now();
      page = await open();
      // Said, not asserted: how long it takes is the machine's affair.
      console.log(`# open after ${Date.now() - begin} ms`);
      assert.match((await state(page, 'scene')).title, /marionette/i);
      assert.deepEqual(page.errors, []);
    });
    testHands(() => page);
    testText(() => page);
    testPanels(() => page);
    testView(() => page);
    testFiles(() => page);
    testHeadset(() => page);
  });
  describe('the gallery', { concurrency: 1 }, () => {
    let page;
    before(async () => {
      page = await open('', { width: 400, height: 360 });
    });
    testGallery(() => page);
  });
  describe('two studios', { concurrency: 1 }, testTwo);
  describe('a walk', testWalk);
});
