// What the panels do: assemble, judge, compare; and that they can be used by everyone.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { ask, drawn, error, hash, isSaved, newPage, openScene, openText, require, spotOf, state, until } from './studio.mjs';

const tab = (page, name) => page.getByRole('tab', { name }).click();

export function testPanels(page) {
  test('scatters and assembles the ring of figure 3', async () => {
    await openScene(page(), 'Faure, figure 3: bound characters');
    await tab(page(), 'Assemble');
    await page().getByRole('button', { name: 'Scatter' }).click();
    await until(async () => (await error(page())) > 0.1, 'scattered');
    await page().getByRole('button', { name: 'Assemble', exact: true }).click();
    await page().locator('.assemble-report .good').getByText('Assembled').waitFor();
    assert.ok((await error(page())) < 1e-8);
  });

  test('says what is wrong with a broken four-bar', async () => {
    await openScene(page(), 'Four-bar linkage');
    const { text } = await ask(page(), 'text');
    if (!(await page().getByLabel('Text of the scene').isVisible())) await page().keyboard.press('t');
    await page().getByLabel('Text of the scene').click();
    await page().keyboard.press('Control+End');
    await page().keyboard.insertText(`
solid strut box 9 0.01 0.01; at 0 0 1; end
joint ball one object2 strut; point1 0 0 0; point2 -4.5 0 0; end
joint ball two object2 strut; point1 0.2 0 0; point2 4.5 0 0; end
`);
    await until(async () => (await state(page(), 'scene')).solids.some((solid) => solid.name === 'strut'), 'a strut');
    await tab(page(), 'Assemble');
    await page().getByRole('button', { name: 'Assemble', exact: true }).click();
    await page().locator('.assemble-report .bad').waitFor();
    await page().getByRole('button', { name: 'Examine' }).click();
    await page().getByText(/contradict/).first().waitFor();
    const fighting = page().getByLabel('Joints that contradict each other').getByRole('button').first();
    assert.deepEqual((await fighting.textContent()).split(' · ').sort(), ['one', 'two']);
    await fighting.click();
    assert.deepEqual([...(await state(page(), 'selection')).joints].sort(), ['one', 'two']);
    await page().getByLabel('Text of the scene').click();
    await page().keyboard.press('Control+z');
    await until(async () => (await ask(page(), 'text')).text === text, 'the text as it was');
  });

  test('compares four methods', async () => {
    await openScene(page(), 'S1: chain of ball joints');
    await tab(page(), 'Compare');
    const own = (await state(page(), 'state')).settings.method;
    const others = ['energy', 'interactive', 'displacement', 'baumgarte'].filter((method) => method !== own);
    for (const method of others) await page().getByRole('checkbox', { name: method, exact: true }).check();
    await page().getByRole('button', { name: `Compare ${others.length + 1} methods` }).click();
    await page().getByRole('button', { name: 'Play', exact: true }).first().click();
    const ghosts = () => page().evaluate(() => globalThis.tenon.store.getState().ghosts.map((g) => [g.method, g.measures.time]));
    await until(async () => (await ghosts()).length === others.length && (await ghosts()).every(([, time]) => time > 0.1), 'ghosts that move');
    // One upon the other in every plot, and as bodies in the view.
    const plots = page().locator('.plot-canvas');
    await until(async () => (await plots.count()) === 4, 'four plots');
    for (const method of others) await until(async () => (await plots.first().getAttribute('aria-label')).includes(method), `a line of ${method}`);
    assert.equal(await page().evaluate(() => globalThis.tenon.view.world.ghosts.length), others.length);
    await until(() => page().evaluate(() => [...document.querySelectorAll('.plot-canvas canvas')].every((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return new Set(new Uint32Array(data.buffer)).size > 4;
    })), 'lines are drawn');
    assert.deepEqual((await ghosts()).map(([method]) => method).sort(), [...others].sort());
    await page().getByRole('button', { name: 'Pause', exact: true }).first().click();
    await page().getByRole('button', { name: 'End comparison' }).click();
    await until(async () => (await ghosts()).length === 0, 'no ghosts');
    assert.deepEqual(page().errors, []);
  });

  test('the cross-hair of a plot reads value and time', async () => {
    const size = page().viewportSize();
    await page().setViewportSize({ width: 1280, height: 900 });
    await openScene(page(), 'Four-bar linkage');
    if (!(await page().locator('.plots').isVisible())) await page().getByRole('button', { name: 'Plots', exact: true }).click();
    await page().evaluate(() => globalThis.tenon.engine.play(true));
    await until(async () => (await state(page(), 'measures')).time > 0.5, 'some motion');
    await page().evaluate(() => globalThis.tenon.engine.play(false));
    await drawn(page());
    const plot = page().locator('.plot', { has: page().getByText('Energy', { exact: true }) });
    const over = await plot.locator('.u-over').boundingBox();
    const middle = { x: over.x + over.width * 0.4, y: over.y + over.height / 2 };
    const reading = plot.locator('.plot-reading');
    // The sample that is nearest to the pointer, by the page's own history.
    await until(async () => {
      await page().mouse.move(middle.x, middle.y);
      await page().mouse.move(middle.x + 1, middle.y);
      return reading.isVisible();
    }, 'a reading');
    const words = await reading.innerText();
    const time = Number(/([\d.]+) s/.exec(words)[1]);
    const history = await state(page(), 'history');
    const sample = history.reduce((best, each) => (Math.abs(each.time - time) < Math.abs(best.time - time) ? each : best));
    const [first, last] = [history[0].time, history[history.length - 1].time];
    assert.ok(Math.abs((time - first) / Math.max(0.5, last - first) - 0.4) < 0.05, `${time} s of ${first} to ${last} s`);
    const read = (label) => Number(new RegExp(`${label}\\s+([-\\d.e]+)`).exec(words)[1]);
    assert.ok(Math.abs(read('total') - sample.kinetic - sample.potential) < 0.02 * Math.abs(sample.kinetic + sample.potential) + 1e-3, words);
    assert.ok(Math.abs(read('kinetic') - sample.kinetic) < 0.1 * sample.kinetic + 1e-3, words);
    // The others read the same time in their heads.
    await page().locator('.plot', { hasText: 'Joint error' }).locator('.plot-time').getByText(`at ${time.toFixed(2)} s`).waitFor();
    await page().mouse.move(10, 300);
    await reading.waitFor({ state: 'detached' });
    await page().setViewportSize(size);
    assert.deepEqual(page().errors, []);
  });

  test('a ghost that explodes leaves the energy axis to the others', async () => {
    await openScene(page(), 'Four-bar linkage');
    if (!(await page().locator('.plots').isVisible())) await page().getByRole('button', { name: 'Plots', exact: true }).click();
    await page().evaluate(() => {
      const { store } = globalThis.tenon;
      const { measures, state } = store.getState();
      const history = [];
      for (let k = 0; k < 50; k += 1) {
        const own = { ...measures, time: 0.02 * k, kinetic: 1 + Math.sin(k / 5), potential: 1 - Math.sin(k / 5), milliseconds: 0.1 };
        history.push({ ...own, method: state.settings.method }, { ...own, kinetic: own.kinetic * 10 ** k, method: 'baumgarte' });
      }
      store.setState({ history });
    });
    const plot = page().locator('.plot', { has: page().getByText('Energy', { exact: true }) });
    await plot.getByText('baumgarte off the scale').waitFor();
    await page().getByRole('button', { name: 'Clear' }).click();
    await plot.getByText('off the scale').waitFor({ state: 'detached' });
  });

  test('the status line is about this scene', async () => {
    const size = page().viewportSize();
    await page().setViewportSize({ width: 1280, height: 700 });
    await openScene(page(), 'Four-bar linkage');
    const status = page().getByLabel('Status');
    await status.getByText('1 degree of freedom').waitFor();
    await page().evaluate(() => globalThis.tenon.engine.run({ do: 'step', count: 1 }));
    await status.getByText(/^step/).waitFor();
    await openScene(page(), 'Marionette');
    await status.getByText(/^step/).waitFor({ state: 'detached' }); // no time of a step that was not made
    // What undo leads back to is counted, too.
    await openScene(page(), 'Four-bar linkage');
    await status.getByText('1 degree of freedom').waitFor();
    await page().evaluate(() => globalThis.tenon.engine.run({ do: 'pin', solid: 'coupler' }));
    await status.getByText('0 degrees of freedom').waitFor();
    // Watched frame by frame: the number changes, and never is not there.
    await page().evaluate(() => {
      globalThis.missed = 0;
      const line = document.querySelector('.status-counts');
      new MutationObserver(() => { globalThis.missed += /of freedom/.test(line.textContent) ? 0 : 1; }).observe(line, { childList: true, subtree: true, characterData: true });
    });
    await page().evaluate(() => globalThis.tenon.engine.run({ do: 'undo' }));
    await status.getByText('1 degree of freedom').waitFor();
    assert.equal(await page().evaluate(() => globalThis.missed), 0);
    await openText(page(), 'solid a box 1 1 1; end joint pin p object2 a; end');
    await status.getByText('1 solid, 1 joint, 1 degree of freedom').waitFor();
    await page().locator('.outliner-count').getByText('1 solid, 1 joint').waitFor();
    await page().setViewportSize(size);
  });

  test('an error stays until it is dismissed, also while another scene opens', async () => {
    const other = await newPage('?scene=linkages/none-of-these');
    const said = other.getByText(/none-of-these could not be loaded/);
    await other.waitForFunction(() => /marionette/i.test(globalThis.tenon.store.getState().scene?.title ?? ''));
    await said.waitFor(); // beside the first scene
    assert.equal(await said.count(), 1);
    await openScene(other, 'Four-bar linkage');
    await other.evaluate(() => globalThis.tenon.engine.run({ do: 'freeze', joints: ['nobody'] }));
    await other.locator('.toast.error', { hasText: 'nobody' }).waitFor();
    assert.equal(await said.count(), 1, 'and beside the next error');
    await said.locator('..').getByRole('button', { name: 'Dismiss' }).click();
    await said.waitFor({ state: 'detached' });
    await other.locator('.toast.error', { hasText: 'nobody' }).waitFor();
    await other.context().close();
  });

  test('warnings of motion are said once each, and energy from nowhere is never well', async () => {
    await openText(page(), `gravity 0 0 0;
solid a box 1 0.1 0.1; at 0.5 0 0; end
solid b box 1 0.1 0.1; at 1.5 0 0; spin 0 0 3.1415926535; velocity 0 1.57079632675 0; end
joint pin knee object1 a; object2 b; at 1 0 0; axis 0 0 1; active 0 0.5; end
joint weld later object1 a; object2 b; active 0.5; end
`);
    await page().getByRole('button', { name: 'Play', exact: true }).first().click();
    const toast = page().locator('.toast.warning');
    await toast.getByText(/'later' becomes active .* while it is open/).waitFor();
    await until(async () => (await state(page(), 'measures')).time > 0.7, 'it goes on');
    await page().getByRole('button', { name: 'Pause', exact: true }).first().click();
    const texts = await toast.allTextContents();
    assert.equal(texts.length, new Set(texts.map((words) => words.replace(/\d[\d.e-]*/g, '#'))).size, texts.join('\n'));
    await toast.first().getByRole('button', { name: 'Dismiss' }).click();
    // The same by a method that feeds errors back: energy comes from nowhere, and that is read until the motion begins anew.
    await page().evaluate(() => globalThis.tenon.engine.run({ do: 'reset' }));
    await page().evaluate(() => globalThis.tenon.engine.run({ do: 'settings', method: 'baumgarte' }));
    const answer = await page().evaluate(() => globalThis.tenon.engine.run({ do: 'step', count: 200 }));
    assert.ok(answer.unexplained > 0, 'a step that nothing explains');
    await page().getByLabel('Status').getByText(/energy appeared from nowhere in \d+ steps?/).waitFor();
    await page().locator('.toast.warning', { hasText: 'no force explains it' }).getByRole('button', { name: 'Dismiss' }).click();
    assert.equal(await page().getByLabel('Status').getByText(/energy appeared from nowhere/).count(), 1);
    await page().evaluate(() => globalThis.tenon.engine.run({ do: 'reset' }));
    await page().getByText(/energy appeared from nowhere/).waitFor({ state: 'detached' });
    assert.deepEqual(page().errors, []);
  });

  test('a number that is refused says why', async () => {
    await openScene(page(), 'Four-bar linkage');
    await tab(page(), 'Solver');
    const step = page().getByRole('textbox', { name: 'Time step' });
    const refuse = async (field, typed, why) => {
      await field.fill(typed);
      await page().keyboard.press('Enter');
      await page().getByRole('alert').getByText(why).waitFor();
      assert.equal(await field.inputValue(), typed, 'it stays, to be mended');
      assert.equal(await field.getAttribute('aria-invalid'), 'true');
      await page().keyboard.press('Escape');
      await page().getByRole('alert').getByText(why).waitFor({ state: 'detached' });
    };
    await refuse(step, '5000', 'Choose a number from 0.001 to 1000.');
    await refuse(step, 'quick', '“quick” is not a number.');
    await tab(page(), 'Properties');
    const crank = page().getByRole('textbox', { name: 'crank', exact: true });
    await refuse(crank, '9', 'Choose a number from 0.05 to 0.17.');
    await page().getByRole('treeitem', { name: /^A/ }).click();
    await refuse(page().getByLabel('Coordinates').getByRole('textbox', { name: 'angle', exact: true }), '3kg', /kg is not a unit of angle: use rad, deg or rev/);
    assert.equal((await ask(page(), 'state')).undo.length, 0, 'nothing was done');
  });

  test('parameters stay in view when something is selected', async () => {
    await openScene(page(), 'Four-bar linkage');
    await tab(page(), 'Properties');
    for (const item of [/^coupler/, /^A/]) {
      await page().getByRole('treeitem', { name: item }).click();
      await page().locator('.properties-head').getByText(/coupler|A/).waitFor();
      await until(async () => {
        const box = await page().getByRole('slider', { name: 'Parameter crank' }).boundingBox();
        const panel = await page().locator('.properties').boundingBox();
        return box && panel && box.y > panel.y && box.y + box.height < panel.y + panel.height;
      }, 'without scrolling');
    }
  });

  test('what is redundant in a flat linkage is no warning', async () => {
    await openScene(page(), 'Four-bar linkage');
    await tab(page(), 'Assemble');
    await page().getByText('redundant constraints', { exact: true }).waitFor();
    await page().getByText(/normal for a flat linkage in space/).waitFor();
    const chip = page().getByLabel('Redundant joints').getByRole('button').first();
    const [colour, warn, dim] = await chip.evaluate((element) => {
      const of = (name) => {
        const probe = Object.assign(document.createElement('i'), { style: `color: var(${name})` });
        document.body.append(probe);
        const { color } = getComputedStyle(probe);
        probe.remove();
        return color;
      };
      return [getComputedStyle(element).color, of('--warn'), of('--text-dim')];
    });
    assert.notEqual(colour, warn);
    assert.equal(colour, dim);
    // One of anything is not several.
    await openText(page(), 'solid a box 1 1 1; end joint pin p object2 a; end');
    await page().getByRole('button', { name: 'Assemble', exact: true }).click();
    await page().locator('.assemble-report').waitFor();
    assert.doesNotMatch(await page().locator('.assemble-report').innerText(), /\b1 (iterations|restarts)/);
  });

  test('joints that contradict each other are relaxed, and the page says how far each gave', async () => {
    await openText(page(), 'gravity 0 0 0; solid a box 1 0.1 0.1; at 1.1 0 0; end joint ball left object2 a; point1 0 0 0; '
      + 'point2 -0.5 0 0; end joint ball right object2 a; point1 2 0 0; point2 0.5 0 0; end');
    await tab(page(), 'Assemble');
    await page().getByRole('button', { name: 'Examine' }).click();
    const before = await hash(page());
    await page().getByRole('button', { name: 'Relax these' }).click();
    const gave = page().getByLabel('Joints that gave way').getByRole('listitem');
    await gave.first().waitFor();
    assert.deepEqual((await gave.allInnerTexts()).sort(), ['left by 500 mm', 'right by 500 mm']);
    await page().locator('.assemble-report .good').getByText('Assembled').waitFor();
    await page().keyboard.press('Control+z');
    await until(async () => (await hash(page())) === before, 'undo puts the pose back');
  });

  test('the documentation is linked', async () => {
    const href = await page().getByRole('link', { name: 'Documentation' }).getAttribute('href');
    const answer = await page().request.get(new URL(href, page().url().replace(/[?#].*$/, '')).href);
    assert.ok(answer.ok());
    assert.match(await answer.text(), /<h2 id="take-hold">Take hold<\/h2>/);
  });

  test('the worker may die: nothing is lost', async () => {
    await openScene(page(), 'Four-bar linkage');
    await page().getByRole('treeitem', { name: /^C/ }).click();
    await page().keyboard.press('z');
    await page().getByRole('treeitem', { name: /^coupler/ }).click();
    await page().keyboard.press('p');
    await page().getByRole('tab', { name: 'Solver' }).click();
    await page().getByLabel('Method', { exact: true }).selectOption('shake');
    await until(async () => (await ask(page(), 'state')).settings.method === 'shake', 'another method');
    const before = await ask(page(), 'state');
    assert.deepEqual([before.pins.length, before.frozen], [1, ['C']]);
    for (let i = 0; i < 5; i += 1) await page().getByRole('button', { name: 'One step' }).click();
    await until(async () => (await ask(page(), 'state')).time > 4.5 / 240, 'five steps');
    const now = await hash(page());
    await until(() => isSaved(page()), 'saved');
    await page().evaluate(() => globalThis.tenon.engine.kill());
    await page().getByText(/was restarted. Your work is as it was/).waitFor();
    const after = await ask(page(), 'state');
    assert.equal(after.hash, now);
    for (const key of ['pins', 'frozen', 'merged', 'limits', 'gravity', 'settings']) assert.deepEqual(after[key], before[key], key);
    await page().getByRole('button', { name: 'One step' }).click();
    await until(async () => (await ask(page(), 'state')).time > after.time, 'another step');
  });

  test('what takes long says so, and can be cancelled', async () => {
    await openScene(page(), 'Four-bar linkage');
    const now = await hash(page());
    await until(() => isSaved(page()), 'saved');
    // An hour and more of it.
    const answer = page().evaluate(() => globalThis.tenon.engine.run({ do: 'step', count: 1_000_000 }));
    await page().locator('.status-task').getByText('Computing a step').waitFor();
    // The page itself goes on meanwhile.
    await page().keyboard.press('?');
    await page().getByRole('dialog', { name: 'Keys' }).waitFor();
    await page().keyboard.press('Escape');
    await page().getByRole('button', { name: 'Cancel' }).click();
    assert.equal((await answer).ok, false);
    await page().getByText(/was restarted. Your work is as it was/).waitFor();
    assert.equal(await hash(page()), now);
    await page().locator('.status-task').waitFor({ state: 'detached' });
    assert.deepEqual(page().errors, []);
  });

  test('the solver panel says which way the islands go, and why, and follows what acts', async () => {
    await openText(page(), `solid a box 1 0.1 0.1; end joint pin ja object2 a; point2 -0.5 0 0; axis 0 0 1; end
solid b box 1 0.1 0.1; at 0 0 1; end joint pin jb object2 b; point1 -0.5 0 1; point2 -0.5 0 0; axis 0 0 1; end
solid p sphere 0.1; at 2 0 0; end solid q sphere 0.1; at 3 0 0; end
spring tie object1 p; object2 q; stiffness 5; rest 1; end
`);
    await tab(page(), 'Solver');
    const ways = page().locator('.solver-ways li');
    const said = async () => (await ways.allInnerTexts()).map((words) => words.replaceAll(/\s+/g, ' '));
    const kernel = '2 islands, 2 solids tree kernel They have no loops, and the kernel knows all that acts there.';
    const rows = '1 island, 2 solids, with p rows Because of springs between solids.';
    await until(async () => String(await said()) === String([kernel, rows]), 'two ways');
    // A solid that cannot move is in no island.
    await page().evaluate(() => globalThis.tenon.engine.run({ do: 'freeze', joints: ['ja'] }));
    await until(async () => (await said())[0] === '1 island, b tree kernel It has no loops, and the kernel knows all that acts there.', 'one island less');
    await page().keyboard.press('Control+z');
    await until(async () => (await said())[0] === kernel, 'both again');
    await page().getByLabel('Method', { exact: true }).selectOption('shake');
    await page().getByText('This method moves the whole scene at once, by rows.').waitFor();
    await page().keyboard.press('Control+z');
    await until(async () => (await said()).length === 2, 'islands again');
    // What the panel says and offers with a method is what the engine's list has of it.
    const { methods, settings } = await state(page(), 'catalogue');
    const takes = (method, setting) => settings.find(({ name }) => name === setting).motion.methods.includes(method);
    for (const setting of ['solver', 'alpha']) {
      assert.ok(methods.some(({ name }) => takes(name, setting)) && methods.some(({ name }) => !takes(name, setting)), setting);
    }
    assert.ok(methods.some(({ islands }) => !islands));
    for (const { name, summary, islands } of methods) {
      await page().getByLabel('Method', { exact: true }).selectOption(name);
      await page().getByText(summary, { exact: true }).waitFor();
      assert.equal(await page().getByRole('combobox', { name: 'Solver', exact: true }).count(), takes(name, 'solver') ? 1 : 0, name);
      assert.equal(await page().getByLabel('α', { exact: true }).count(), takes(name, 'alpha') ? 1 : 0, name);
      assert.equal(await page().getByText('This method moves the whole scene at once, by rows.').count(), islands ? 0 : 1, name);
    }
    assert.deepEqual(page().errors, []);
  });

  test('a name is changed by a double click, by the menu, and by F2', async () => {
    await openText(page(), 'title "Names";\nsolid one box 1 1 1; end\nsolid two sphere 0.3; at 2 0 0; end\njoint ball link object1 one; object2 two; at 1 0 0; end\n');
    const give = async (old, name) => {
      await page().getByLabel(`New name of ${old}`).fill(name);
      await page().keyboard.press('Enter');
      await page().getByRole('treeitem', { name: new RegExp(`^${name}`) }).waitFor();
    };
    await page().getByRole('treeitem', { name: /^one/ }).locator('.outliner-label').dblclick();
    await give('one', 'first');
    assert.deepEqual((await state(page(), 'selection')).solids, ['first']);
    const at = await spotOf(page(), 'two');
    await page().mouse.click(at.x, at.y, { button: 'right' });
    await page().getByRole('menuitem', { name: /^Rename/ }).click();
    await give('two', 'second');
    // From the view, with the outliner closed.
    await page().getByRole('treeitem', { name: /^link/ }).click();
    await page().getByRole('button', { name: 'Outliner', exact: true }).click();
    await page().locator('canvas').first().focus();
    await page().keyboard.press('F2');
    await give('link', 'tie');
    const { text } = await ask(page(), 'text');
    assert.match(text, /solid first [^]*solid second [^]*joint ball tie object1 first; object2 second;/);
    for (let i = 0; i < 3; i += 1) await page().keyboard.press('Control+z');
    await until(async () => (await ask(page(), 'state')).undo.length === 0, 'the names as they were');
    assert.deepEqual(page().errors, []);
  });

  test('no number of a comparison touches the edge of its panel', async () => {
    const size = page().viewportSize();
    await page().setViewportSize({ width: 1280, height: 800 });
    await openScene(page(), 'S1: chain of ball joints');
    await tab(page(), 'Compare');
    // The widest that there are.
    const width = await page().evaluate(() => {
      const { store } = globalThis.tenon;
      const { measures, state, poses } = store.getState();
      const wide = { ...measures, time: 1, error: 1.23456e-13, kinetic: -123.456, potential: -1e-8 };
      const methods = ['poststabilized', 'displacement'];
      const ghosts = methods.map((method) => ({ method, measures: wide, milliseconds: 12.345, poses }));
      store.setState({ measures: wide, milliseconds: 12.345, ghosts, frame: store.getState().frame + 60, history: [state.settings.method, ...methods].map((method) => ({ ...wide, kinetic: 1000, time: 0, milliseconds: 1, method })) });
    }).then(() => page().locator('.compare td', { hasText: 'ms' }).first().waitFor()).then(() => page().evaluate(() => {
      const panel = document.querySelector('.compare').closest('.panel-body');
      const edge = panel.getBoundingClientRect().left + panel.clientWidth;
      return Math.min(...[...document.querySelectorAll('.compare td, .compare th')].map((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return edge - range.getBoundingClientRect().right;
      }));
    }));
    assert.ok(width >= 10, `${width} px from the edge`);
    await page().evaluate(() => globalThis.tenon.store.setState({ ghosts: [], history: [] }));
    await page().setViewportSize(size);
  });

  test('a budget is set by a slider, and what it buys is read beside it', async () => {
    await openScene(page(), 'Faure, figure 5: toy dinosaur');
    await tab(page(), 'Solver');
    const slider = page().getByRole('slider', { name: 'Posing budget' });
    await slider.focus();
    await page().keyboard.press('Home');
    await until(async () => (await ask(page(), 'state')).settings.budget === 0.1, 'a tenth of a millisecond');
    await page().keyboard.press('End');
    await until(async () => (await ask(page(), 'state')).settings.budget === 32, 'much of it');
    assert.deepEqual((await ask(page(), 'state')).undo.length, 2);
    const moving = (await state(page(), 'scene')).solids.find((solid) => solid.kind === 'dynamic').name;
    const from = await spotOf(page(), moving);
    await page().mouse.move(from.x, from.y);
    await page().mouse.down();
    await page().mouse.move(from.x + 20, from.y - 20, { steps: 5 });
    await until(async () => /iterations/.test(await page().locator('.solver-meters').textContent()), 'what it took');
    await page().mouse.up();
  });

  test('an edit of a property shows in the text, and one of the text in the outliner', async () => {
    await openScene(page(), 'Four-bar linkage');
    // The editor holds only the lines that it shows: it has the drawer to itself.
    const size = page().viewportSize();
    await page().setViewportSize({ width: 1280, height: 900 });
    if (await page().getByRole('button', { name: 'Close plots' }).isVisible()) await page().getByRole('button', { name: 'Close plots' }).click();
    if (!(await page().getByLabel('Text of the scene').isVisible())) await page().keyboard.press('t');
    await page().getByLabel('Text of the scene').click();
    await page().keyboard.press('Control+Home');
    await tab(page(), 'Properties');
    const field = page().getByRole('textbox', { name: 'crank', exact: true });
    await field.fill('0.1');
    await page().keyboard.press('Enter');
    await until(async () => (await page().getByLabel('Text of the scene').textContent()).includes('param crank 0.1 '), 'it is written');
    // Properties of a joint are those of the catalogue.
    await page().getByRole('treeitem', { name: /^O/ }).click();
    const { options, coordinates } = (await state(page(), 'catalogue')).kinds.find(({ name }) => name === 'pin');
    for (const { name } of options) await page().getByLabel(name, { exact: true }).waitFor();
    for (const { name } of coordinates) await page().getByRole('slider', { name: `${name} of O` }).waitFor();
    const turn = page().getByRole('slider', { name: 'angle of O' });
    const angle = async () => (await ask(page(), 'joints')).joints.O.coordinates.angle;
    const was = await angle();
    await turn.focus();
    for (let i = 0; i < 10; i += 1) await page().keyboard.press('ArrowRight');
    await until(async () => Math.abs((await angle()) - was) > 0.05, 'the joint turns');
    assert.ok((await error(page())) < 1e-8, 'and the loop follows');
    // Text to outliner.
    await page().getByLabel('Text of the scene').click();
    await page().keyboard.press('Control+End');
    await page().keyboard.insertText('\nsolid extra sphere 0.02; end\n');
    await page().getByRole('treeitem', { name: /^extra/ }).click();
    // Under another name it is pinned as it was, and nothing else is said.
    await page().keyboard.press('p');
    await until(async () => (await ask(page(), 'state')).pins.some(({ solid }) => solid === 'extra'), 'a pin');
    await page().keyboard.press('F2');
    await page().getByLabel('New name of extra').fill('spare');
    await page().keyboard.press('Enter');
    await page().getByRole('treeitem', { name: /^spare/ }).waitFor();
    assert.ok((await ask(page(), 'state')).pins.some(({ solid }) => solid === 'spare'));
    assert.deepEqual((await state(page(), 'notices')).filter(({ kind }) => kind !== 'info'), []);
    // Del takes it out of both.
    await page().keyboard.press('Delete');
    await page().getByRole('treeitem', { name: /^spare/ }).waitFor({ state: 'detached' });
    assert.ok(!(await ask(page(), 'text')).text.includes('solid spare'));
    await page().getByRole('button', { name: 'File', exact: true }).click();
    await page().getByRole('menuitem', { name: 'Revert to saved' }).click();
    await until(() => page().evaluate(() => globalThis.tenon.store.getState().origin.saved === globalThis.tenon.store.getState().text), 'as it was saved');
    await page().setViewportSize(size);
    assert.deepEqual(page().errors, []);
  });

  test('every panel and dialog is accessible', async () => {
    const size = page().viewportSize();
    await page().setViewportSize({ width: 1280, height: 800 });
    await openScene(page(), 'Four-bar linkage');
    await page().evaluate(fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const check = async (what) => {
      const found = await page().evaluate(() => globalThis.axe.run());
      assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`), [], what);
    };
    await page().getByRole('treeitem', { name: /^O/ }).click();
    for (const name of ['Properties', 'Solver', 'Assemble', 'Compare']) {
      await tab(page(), name);
      await check(name);
    }
    await page().locator('canvas').first().focus();
    if (!(await page().getByLabel('Text of the scene').isVisible())) await page().keyboard.press('t');
    await page().getByLabel('Text of the scene').waitFor();
    await check('Text');
    await page().getByRole('button', { name: 'Show or hide' }).click();
    await check('what is shown');
    await page().keyboard.press('Escape');
    for (const [keys, name] of [['?', 'Keys'], ['g', 'Gallery'], ['Control+k', 'palette']]) {
      await page().locator('canvas').first().focus();
      await page().keyboard.press(keys);
      await page().locator('dialog[open], [role=dialog]').first().waitFor();
      await check(name);
      await page().keyboard.press('Escape');
      await page().locator('dialog[open], [role=dialog]').waitFor({ state: 'detached' });
    }
    await page().getByRole('button', { name: 'File', exact: true }).click();
    await check('File');
    await page().getByRole('menuitem', { name: 'Share a link' }).click();
    await check('Share');
    await page().keyboard.press('Escape');
    await page().setViewportSize(size);
  });

  for (const colorScheme of ['light', 'dark'])
    for (const width of [1280, 390])
      test(`is accessible: ${colorScheme}, ${width} px`, async () => {
        const size = page().viewportSize();
        await page().setViewportSize({ width, height: 800 });
        await page().emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page().locator(`[data-theme=${colorScheme}] .app${width < 760 ? '.narrow' : ':not(.narrow)'}`).waitFor();
        await openScene(page(), 'Marionette');
        await drawn(page());
        await page().evaluate(fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
        const found = await page().evaluate(() => globalThis.axe.run());
        assert.ok(found.passes.length > 10);
        assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target).join(' ')}`), []);
        await page().setViewportSize(size);
      });
}
