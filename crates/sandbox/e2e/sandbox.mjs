// The sandbox in a real browser: starts the server, opens the page, uses it, and looks at what happens.
// Usage: node sandbox.mjs PATH_OF_TUMBLE PATH_OF_CHROMIUM

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chromium } from 'playwright-core';

const [tumble, executablePath] = process.argv.slice(2);
const FLAGS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Starts the server and waits for its address. */
async function serve(scene, port = 0) {
  const server = spawn(tumble, ['view', scene, '--no-open', '--port', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const url = await new Promise((resolve, reject) => {
    server.stdout.once('data', (data) => resolve(String(data).split('\n')[0]));
    server.once('exit', () => reject(new Error('the server ended')));
  });
  return { server, url, stop: () => new Promise((done) => { server.once('exit', done); server.kill('SIGINT'); }) };
}

let running = await serve('dominoes');
const browser = await chromium.launch({ executablePath, headless: true, args: FLAGS });
const page = await browser.newPage({ viewport: { width: 900, height: 520 } });
page.setDefaultTimeout(20_000);
const complaints = [];
page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
page.on('pageerror', (error) => complaints.push(String(error)));

const sandbox = (read) => page.evaluate(`(() => { const { bodies, stage, status, scene, link } = sandbox; return ${read}; })()`);
/** Waits until something holds. (The page's policy forbids what waitForFunction does.) */
const until = async (condition) => {
  for (const begun = Date.now(); Date.now() - begun < 20_000; await page.waitForTimeout(50)) if (await sandbox(condition)) return;
  throw new Error(`never: ${condition}`);
};
const heights = () => sandbox('[...bodies.bySlot.values()].map((body) => body.position.y)');
const step = async (name, test) => {
  const begun = Date.now();
  await test();
  console.log(`  ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
};
/** Where a body is on the screen. */
const onScreen = (name) => page.evaluate((wanted) => {
  const { bodies, stage } = window.sandbox;
  const body = [...bodies.bySlot.values()].find(({ look }) => look.name === wanted);
  stage.camera.updateMatrixWorld();
  const place = body.position.clone().project(stage.camera);
  const box = stage.canvas.getBoundingClientRect();
  return [box.left + ((place.x + 1) / 2) * box.width, box.top + ((1 - place.y) / 2) * box.height];
}, name);

try {
  await step('the page loads and the bodies are there', async () => {
    await page.goto(running.url);
    await until('bodies.bySlot.size === 31 && stage.drawn > 0');
    assert.equal(await page.textContent('#title'), 'Dominoes');
  });

  await step('the canvas is not blank', async () => {
    const colours = await page.evaluate(async () => {
      const { stage } = window.sandbox;
      stage.draw();
      const image = await createImageBitmap(stage.canvas);
      const paper = new OffscreenCanvas(90, 52);
      const pen = paper.getContext('2d');
      pen.drawImage(image, 0, 0, 90, 52);
      const { data } = pen.getImageData(0, 0, 90, 52);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4) seen.add(`${data[i] >> 3},${data[i + 1] >> 3},${data[i + 2] >> 3}`);
      return seen.size;
    });
    assert.ok(colours > 20, `${colours} colours`);
  });

  await step('bodies move when playing and not when paused', async () => {
    const before = await heights();
    await until('status().playing && bodies.time > 0.3');
    assert.notDeepEqual(await heights(), before);
    await page.click('#play');
    await until('!status().playing');
    const paused = await heights();
    await page.waitForTimeout(300);
    assert.deepEqual(await heights(), paused);
  });

  await step('one step is one step', async () => {
    const steps = await sandbox('bodies.steps');
    await page.click('#step');
    await until(`bodies.steps === ${steps + 1}`);
    await page.waitForTimeout(200);
    assert.equal(await sandbox('bodies.steps'), steps + 1);
  });

  await step('the slider goes back in time', async () => {
    await page.locator('#timeline').fill('0.1');
    await until('Math.abs(bodies.time - 0.1) < 0.03');
  });

  await step('a text is run, and a wrong one shows its error at the line', async () => {
    await page.click('#tab-edit');
    const text = 'title = "One box"\n[bodies.floor]\nkind = "fixed"\nshape.half_space = {}\n[bodies.box]\nshape.box.size = [1, 1, 1]\nposition = [0, 0.5, 0]\n';
    await page.fill('.editor textarea', text.replace('size', 'sise'));
    await page.click('#apply');
    await page.waitForSelector('.problems li');
    assert.match(await page.textContent('.problems li'), /^Line 6: .*sise/);
    assert.equal(await page.textContent('.editor pre .bad'), '6');
    await page.fill('.editor textarea', text);
    await page.click('#apply');
    await until("scene().title === 'One box' && bodies.bySlot.size === 2 && status().playing");
    assert.equal(await page.locator('.problems li').count(), 0);
  });

  await step('a body is dragged and falls back', async () => {
    await sandbox('stage.look({ camera: { from: [0, 3, 9], to: [0, 1, 0], view_deg: 40 }, extent: null })');
    await until("[...bodies.bySlot.values()].every((body) => body.placed)");
    const height = "[...bodies.bySlot.values()].find(({ look }) => look.name === 'box').position.y";
    const [x, y] = await onScreen('box');
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x, y - 60, { steps: 4 });
    await page.mouse.move(x, y - 130, { steps: 4 });
    await until(`${height} > 1.2`);
    await page.mouse.up();
    await until(`${height} < 0.8`);
  });

  await step('a body is selected, inspected and deleted', async () => {
    const [x, y] = await onScreen('box');
    await page.mouse.click(x, y);
    await page.waitForSelector('#pane-body .facts');
    assert.match(await page.textContent('#pane-body'), /1000 kg/);
    await page.keyboard.press('f');
    await until('bodies.bySlot.size === 3');
    await page.keyboard.press('Delete');
    await until('bodies.bySlot.size === 2');
  });

  await step('another scene', async () => {
    await page.click('#tab-scenes');
    await page.click('#scenes button[value="pendulum-2"]');
    await until("scene().name === 'pendulum-2' && bodies.time > 0");
  });

  await step('another method, while it runs', async () => {
    await page.click('#tab-method');
    await page.selectOption('#field-integrator', 'runge_kutta_4');
    await until("JSON.stringify(status().method).includes('runge_kutta_4')");
    const time = await sandbox('bodies.time');
    await until(`bodies.time > ${time} + 0.05`);
  });

  await step('instruments and plots are drawn', async () => {
    await page.click('#tab-show');
    await page.check('#show-joints');
    await until('stage.scene.children.some((child) => child.children[0]?.type === "LineSegments" && child.children[0].renderOrder === 2)');
    await page.uncheck('#show-joints');
    await page.click('#tab-plots');
    await until("document.querySelector('.plot .legend span span').textContent !== ''");
  });

  await step('the keys are listed and the theme changes', async () => {
    await page.keyboard.press('?');
    assert.ok(await page.isVisible('#help'));
    await page.keyboard.press('Escape');
    const before = await page.evaluate(() => document.documentElement.dataset.theme);
    await page.click('#theme');
    assert.notEqual(await page.evaluate(() => document.documentElement.dataset.theme), before);
  });

  assert.deepEqual(complaints, [], 'complaints in the console');

  await step('the page comes back when the server does', async () => {
    const port = Number(new URL(running.url).port);
    await running.stop();
    await page.waitForSelector('body[data-connected="false"]', { state: 'attached' });
    running = await serve('dominoes', port);
    await until("document.body.dataset.connected === 'true' && scene().name === 'dominoes' && bodies.time > 0 && bodies.bySlot.size === 31");
  });
} catch (error) {
  console.error(complaints.join('\n'));
  throw error;
} finally {
  await browser.close();
  await running.stop();
}
