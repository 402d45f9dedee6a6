// The text beside the view: broken and mended by typing, shared by a link.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, hash, openScene, openText, state, until, waitForPage } from './studio.mjs';

const editor = (page) => page.getByLabel('Text of the scene');

// Puts the cursor behind the first place where something is written.
async function goBehind(page, written) {
  await editor(page).click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Control+f');
  await page.locator('.cm-search input[name=search]').waitFor();
  await page.keyboard.type(written);
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.keyboard.press('ArrowRight');
}
async function showText(page) {
  if (await editor(page).isVisible()) return;
  await page.getByRole('button', { name: 'Text', exact: true }).click();
  await editor(page).waitFor();
}

export function testText(page) {
  test('a text that is broken by typing says where, and goes on once it is mended', async () => {
    await openScene(page(), 'Four-bar linkage');
    await showText(page());
    const start = await hash(page());
    const { text } = await ask(page(), 'text');
    const lines = text.split('\n');
    const at = lines.findIndex((line) => line.startsWith('joint pin '));
    await goBehind(page(), 'joint pi');
    await page().keyboard.type('q');
    const underlined = page().locator('.cm-lintRange-error').first();
    await underlined.waitFor();
    assert.equal(await underlined.textContent(), 'piqn');
    const words = await page().locator('.text-problem').textContent();
    assert.ok(words.startsWith(`${at + 1}:${'joint '.length + 1}: `), words);
    assert.match(words, /piqn/);
    assert.equal((await ask(page(), 'text')).text, text, 'the scene is still the last good one');
    await page().keyboard.press('Backspace');
    await page().getByText('No problems').waitFor();
    await underlined.waitFor({ state: 'detached' });
    assert.equal((await ask(page(), 'text')).text, text);
    assert.equal(await hash(page()), start);
    await page().getByRole('button', { name: 'Play', exact: true }).click();
    await until(async () => (await state(page(), 'measures')).time > 0.05, 'it moves');
    await page().getByRole('button', { name: 'Pause', exact: true }).click();
    assert.deepEqual(page().errors, []);
  });

  test('a text that reads well is not called well while joints are open', async () => {
    await openScene(page(), 'Four-bar linkage');
    await showText(page());
    await page().getByText('No problems').waitFor();
    await page().evaluate(() => globalThis.tenon.engine.run({ do: 'scatter', seed: 1 }));
    await page().getByText(/The text has no errors, but its joints are open by/).waitFor();
    assert.equal(await page().getByText('No problems').count(), 0);
    await page().evaluate(() => globalThis.tenon.engine.run({ do: 'undo' }));
    await page().getByText('No problems').waitFor();
  });

  test('what the editor proposes says what it means', async () => {
    await openText(page(), 'title "Words";\n\nsolid a box 1 1 1; end\n');
    await showText(page());
    await editor(page()).click();
    await page().keyboard.press('Control+End');
    const proposed = async (typed) => {
      await page().keyboard.type(typed);
      await page().keyboard.press('Control+Space');
      const list = page().locator('.cm-tooltip-autocomplete li');
      await list.first().waitFor();
      const rows = await list.evaluateAll((items) => items.map((item) => [item.querySelector('.cm-completionLabel').textContent, item.querySelector('.cm-completionDetail')?.textContent ?? '']));
      await page().keyboard.press('Escape');
      return rows;
    };
    for (const typed of ['s', 'olid b r', 'otatability 1; end joint p', 'in j l', 'imit angle m']) {
      const rows = await proposed(typed);
      assert.deepEqual(rows.filter(([, meaning]) => meaning === ''), [], `after “${typed}”`);
      assert.ok(rows.every(([, meaning]) => meaning !== 'block'));
    }
    const link = page().getByRole('link', { name: 'About the language' });
    const answer = await page().request.get(new URL(await link.getAttribute('href'), page().url().replace(/[?#].*$/, '')).href);
    assert.ok(answer.ok());
    assert.match(await answer.text(), /<h1[^>]*>The scene language<\/h1>/);
    // So that the next scene is opened without a question.
    await until(async () => {
      await page().keyboard.press('Control+z');
      return page().evaluate(() => globalThis.tenon.store.getState().draft === null && globalThis.tenon.store.getState().text === globalThis.tenon.store.getState().origin.saved);
    }, 'the text as it was');
    assert.deepEqual(page().errors, []);
  });

  test('a link holds the scene as it was typed', async () => {
    await openScene(page(), 'Four-bar linkage');
    await showText(page());
    const { text } = await ask(page(), 'text');
    await goBehind(page(), 'param crank 0.1');
    await page().keyboard.press('Delete');
    await page().keyboard.type('2');
    await until(async () => (await ask(page(), 'text')).text !== text, 'another text');
    await page().getByRole('button', { name: 'File' }).click();
    await page().getByRole('menuitem', { name: 'Share a link' }).click();
    const opened = waitForPage();
    await page().getByRole('link', { name: 'Open in a new tab' }).click();
    const other = await opened;
    await other.waitForFunction(() => globalThis.tenon?.store.getState().scene);
    assert.deepEqual((await ask(other, 'text')).text, (await ask(page(), 'text')).text);
    assert.equal(await hash(other), await hash(page()));
    await other.close();
    await page().keyboard.press('Escape');
    await page().getByRole('dialog').waitFor({ state: 'detached' });
    // Back to what is saved, so that the next scene is opened without a question.
    await editor(page()).click();
    await page().keyboard.press('Control+z');
    await until(async () => (await ask(page(), 'text')).text === text, 'the text as it was');
    assert.deepEqual(page().errors, []);
  });
}
