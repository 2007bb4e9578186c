// The page is there, time passes, bodies are dragged, scenes and methods are changed.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { colours } from './harness.mjs';

const ONE_BOX = 'title = "One box"\n[bodies.floor]\nkind = "fixed"\nshape.half_space = {}\n[bodies.box]\nshape.box.size = [1, 1, 1]\nposition = [0, 0.5, 0]\n';

export async function basics(t) {
  const { page } = t;
  const heights = () => t.read('[...bodies.bySlot.values()].map((body) => body.position.y)');

  await t.step('the page loads and the bodies are there', async () => {
    await page.goto(t.running.url);
    await t.until('bodies.bySlot.size === 31 && bodies.placed && stage.drawn > 0');
    assert.equal(await page.textContent('#title'), 'Dominoes');
    // Drawing is by software here; shadows would take most of the time.
    await t.read("stage.setQuality('low')");
  });

  await t.step('the first scene can run in real time, and says so', async () => {
    assert.equal(await t.read('status().method.realtime !== undefined || status().method === "realtime"'), true);
    await t.play();
    await t.until('status().playing && status().step_ms < 1000 * status().dt');
    await t.until("/^[0-9.]+ × real time/.test(document.querySelector('#pace').textContent)");
    assert.ok(await page.isVisible('#pace b'));
  });

  await t.step('the canvas is not blank', async () => {
    const count = colours(await t.pixels());
    assert.ok(count > 20, `${count} colours`);
  });

  await t.step('bodies move when playing and not when paused', async () => {
    // From the start: on a slow machine they may all have fallen by now.
    await t.ask('pause', 'reset');
    const before = await heights();
    await page.click('#play');
    await t.until('status().playing && bodies.time > 0.4');
    await page.click('#play');
    await t.settled();
    assert.equal(await t.read('status().playing'), false);
    const paused = await heights();
    assert.notDeepEqual(paused, before);
    for (let looks = 0; looks < 10; looks++) {
      await t.settled();
      assert.deepEqual(await heights(), paused);
    }
  });

  await t.step('one step is one step', async () => {
    const steps = await t.read('bodies.steps');
    await page.click('#step');
    for (let looks = 0; looks < 10; looks++) {
      await t.settled();
      assert.equal(await t.read('bodies.steps'), steps + 1);
    }
  });

  await t.step('the slider goes back in time, and time goes on as it did', async () => {
    const numbers = '[status().time, status().kinetic, status().potential, status().angular_momentum]';
    const [steps, end] = [await t.read('bodies.steps'), await t.read(numbers)];
    // Not far, since as many steps are asked for at once as were taken since, and the server refuses to be flooded.
    const back = Math.max(0.1, end[0] - 0.2);
    await page.locator('#timeline').fill(String(back));
    await t.settled();
    const [time, reached] = await t.read('[bodies.time, bodies.steps]');
    assert.ok(Math.abs(time - back) < 0.03 && reached < steps, `${time} s, ${reached} steps`);
    await t.ask(...Array.from({ length: steps - reached }, () => 'step'));
    assert.equal(await t.read('status().steps'), steps);
    assert.deepEqual(await t.read(numbers), end);
  });

  await t.step('the speed is chosen', async () => {
    await page.selectOption('#speed', '0.1');
    // A machine that is too slow makes time pass slower still, never faster. What is read first is of a moment after `begun`.
    const begun = Date.now();
    await t.play();
    assert.equal(await t.read('status().speed'), 0.1);
    const [time, dt] = await t.read('[bodies.time, status().dt]');
    await t.until(`bodies.time > ${time + 0.1}`);
    const passed = (await t.read('bodies.time')) - time;
    const outside = (Date.now() - begun) / 1000;
    assert.ok(passed < 0.1 * outside + 2 * dt, `${passed} s passed in ${outside} s`);
    await page.focus('#stage');
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('+');
    await t.settled();
    assert.equal(await t.read('status().speed'), 1);
  });

  await t.step('a picture is taken', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#picture')]);
    assert.equal(download.suggestedFilename(), 'dominoes.png');
    const bytes = readFileSync(await download.path());
    assert.equal(bytes.toString('latin1', 1, 4), 'PNG');
    assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [900, 520]);
    assert.ok(bytes.length > 5000, `${bytes.length} bytes`);
  });

  await t.step('the last minute is saved, and tumble can draw it', async () => {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('#record')]);
    assert.equal(download.suggestedFilename(), 'dominoes.tumble');
    const path = `${await download.path()}.tumble`;
    await download.saveAs(path);
    execFileSync(t.tumble, ['render', path, '--out', `${path}.png`, '--size', '160x90', '--quiet']);
    assert.ok(readFileSync(`${path}.png`).length > 1000);
  });

  await t.step('a text is run, and a wrong one shows its error at the line', async () => {
    await t.open('edit');
    await page.fill('.editor textarea', ONE_BOX.replace('size', 'sise'));
    await page.click('#apply');
    await page.waitForSelector('.problems li');
    assert.match(await page.textContent('.problems li'), /^Line 6: .*sise/);
    assert.equal(await page.textContent('.editor pre .bad'), '6');
    await page.fill('.editor textarea', ONE_BOX);
    await page.click('#apply');
    await t.settled();
    assert.deepEqual(await t.read('[scene().title, bodies.bySlot.size, status().playing]'), ['One box', 2, true]);
    assert.equal(await page.locator('.problems li').count(), 0);
  });

  await t.step('a body is dragged and falls back', async () => {
    await t.read('stage.look({ camera: { from: [0, 3, 9], to: [0, 1, 0], view_deg: 40 }, extent: null })');
    const height = "[...bodies.bySlot.values()].find(({ look }) => look.name === 'box').position.y";
    const [x, y] = await t.onScreen('box');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 60, { steps: 4 });
    await page.mouse.move(x, y - 130, { steps: 4 });
    await t.until(`${height} > 1.2`);
    await page.mouse.up();
    await t.until(`${height} < 0.8`);
    // Where it is when it is clicked, it was when somebody looked.
    await t.pause();
  });

  await t.step('a body is selected, inspected and deleted; a ball is shot', async () => {
    const [x, y] = await t.onScreen('box');
    await page.mouse.click(x, y);
    await t.settled();
    assert.match(await page.textContent('#pane-body .facts'), /1000 kg/);
    await page.keyboard.press('f');
    await t.settled();
    assert.equal(await t.read('bodies.bySlot.size'), 3);
    await page.keyboard.press('Delete');
    await t.settled();
    assert.equal(await t.read('bodies.bySlot.size'), 2);
  });

  await t.step('another scene', async () => {
    await t.open('scenes');
    await page.fill('#filter', 'pendulum');
    assert.ok(!(await page.isVisible('#scenes button[value="dominoes"]')));
    await page.click('#scenes button[value="pendulum-2"]');
    await t.settled();
    assert.equal(await t.read('scene().name'), 'pendulum-2');
    await t.until('bodies.placed && bodies.time > 0');
    await page.fill('#filter', '');
  });

  await t.step('the camera follows a body', async () => {
    await page.focus('#stage');
    await page.keyboard.press('n');
    await page.keyboard.press('l');
    const away = 'stage.controls.target.distanceTo(selected().position)';
    const from = await t.read('{ stage.draw(); return stage.camera.position.toArray(); }');
    await t.until(`stage.draw() ?? (${away} < 1e-6 && Math.hypot(...stage.camera.position.toArray().map((x, i) => x - [${from}][i])) > 0.1)`);
    await page.keyboard.press('l');
    await t.until(`${away} > 0.05`);
    await page.keyboard.press('c');
    await page.keyboard.press('Escape');
    assert.equal(await t.read('selected()'), undefined);
  });

  await t.step('another method and another step, while it runs', async () => {
    await t.open('method');
    await page.selectOption('#field-integrator', 'runge_kutta_4');
    await t.until("JSON.stringify(status().method).includes('runge_kutta_4')");
    await page.fill('#field-dt', '1/500');
    await page.keyboard.press('Enter');
    await t.until('status().dt === 0.002');
    const time = await t.read('bodies.time');
    await t.until(`bodies.time > ${time} + 0.05`);
  });

  await t.step('the keys are listed', async () => {
    await page.focus('#stage');
    await page.keyboard.press('?');
    assert.ok(await page.isVisible('#help'));
    await page.keyboard.press('Escape');
  });
}
