// Starts the server and a browser, and gives tests what they need to look at the page.
//
// The machine may be ten times faster or slower than yours, have one core, and draw three pictures a second: tests wait for
// what they want to see, never for a time, and before they read what became of a request, until it has `settled`.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chromium } from 'playwright-core';

const FLAGS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];
/** Everything happens within this time, in milliseconds, even on a machine that has much else to do. */
const PATIENCE = 120_000;
/** How many times slower than it is the browser is made, to see whether anything depends on time. */
const SLOWER = Number(process.env.TUMBLE_E2E_SLOWER ?? 1);
/** Said of the machine, not of the page: reading pixels back is slow. */
const DRIVER = /GL Driver Message \(OpenGL, Performance/;

export class Harness {
  complaints = [];

  static async start(tumble, executablePath, scene) {
    const harness = new Harness();
    harness.tumble = tumble;
    harness.running = await harness.serve(scene);
    harness.browser = await chromium.launch({ executablePath, headless: true, args: FLAGS });
    harness.page = await harness.newPage();
    return harness;
  }

  async newPage(device = { viewport: { width: 900, height: 520 } }) {
    // Colours that fade into each other would be read halfway.
    const page = await this.browser.newPage({ ...device, reducedMotion: 'reduce' });
    page.setDefaultTimeout(PATIENCE);
    if (SLOWER > 1) await (await page.context().newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()) && !DRIVER.test(message.text())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    return page;
  }

  /** Starts the server and waits for its address. */
  async serve(scene, port = 0) {
    const server = spawn(this.tumble, ['view', scene, '--no-open', '--port', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    const url = await new Promise((resolve, reject) => {
      let said = '';
      server.stdout.on('data', (data) => {
        said += data;
        if (said.includes('\n')) resolve(said.split('\n')[0]);
      });
      server.once('exit', () => reject(new Error('the server ended')));
    });
    return { server, url, stop: () => new Promise((done) => { server.once('exit', done); server.kill('SIGINT'); }) };
  }

  async stop() {
    await this.browser.close();
    await this.running.stop();
  }

  /** A test, or a part of one, with its name. */
  async step(name, test) {
    const begun = Date.now();
    await test();
    console.log(`  ${name} (${((Date.now() - begun) / 1000).toFixed(1)} s)`);
  }

  /** Reads something of the page. */
  read(what, page = this.page) {
    const names = 'bodies, shades, strands, fluids, shadows, overlay, stage, status, scene, link, compare, plots, selected';
    return page.evaluate(`(() => { const { ${names} } = sandbox; ${what.startsWith('{') ? what : `return ${what};`} })()`);
  }

  /** Waits until something holds. (The page's policy forbids what waitForFunction does.) */
  async until(condition, page = this.page) {
    for (const begun = Date.now(); Date.now() - begun < PATIENCE; await page.waitForTimeout(50)) if (await this.read(condition, page)) return;
    throw new Error(`never: ${condition}`);
  }

  /** Waits until everything asked for so far, by clicks too, has happened and has arrived at the page. */
  settled() {
    return this.page.evaluate(() => window.sandbox.link.settled());
  }

  /** Asks the server for things, and waits until they have happened. */
  async ask(...requests) {
    await this.page.evaluate((requests) => {
      for (const [what, details] of requests) window.sandbox.link.ask(what, details);
    }, requests.map((request) => [request].flat()));
    await this.settled();
  }

  /** Runs a text, and waits until it is there. */
  async run(text) {
    await this.ask(['text', { text }]);
    assert.equal(await this.read('scene().title'), text.match(/title = "(.*)"/)[1]);
  }

  pause() {
    return this.ask('pause');
  }

  play() {
    return this.ask('play');
  }

  async open(pane) {
    await this.page.click(`#tab-${pane}`);
  }

  /** Where a body is on the screen. */
  onScreen(name, page = this.page) {
    return page.evaluate((wanted) => {
      const { bodies, stage } = window.sandbox;
      const body = [...bodies.bySlot.values()].find(({ look }) => look.name === wanted);
      stage.draw();
      stage.camera.updateMatrixWorld();
      const place = body.position.clone().project(stage.camera);
      const view = stage.views.at(-1);
      return [view.left + ((place.x + 1) / 2) * view.width, view.top + ((1 - place.y) / 2) * view.height];
    }, name);
  }

  /** The stage in few pixels: a flat list of red, green and blue. */
  pixels([width, height] = [90, 52]) {
    return this.page.evaluate(`(async () => { ${SMALL} return [...await small(${width}, ${height})]; })()`);
  }

  /** Looks at the stage, to compare with later. */
  remember() {
    return this.page.evaluate(`(async () => { ${SMALL} window.remembered = await small(450, 260); })()`);
  }

  /** How many pixels of the stage, of 450 × 260, differ visibly from what is remembered. */
  changed() {
    return this.page.evaluate(`(async () => { ${SMALL} return (${differing})(await small(450, 260), window.remembered); })()`);
  }
}

/** Draws the stage, when the camera has come to rest, and makes it small; for the page. */
const SMALL = `const small = async (width, height) => {
  for (let turns = 0; turns < 1000 && sandbox.stage.controls.update(); turns++);
  sandbox.stage.draw();
  const pen = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  pen.drawImage(await createImageBitmap(sandbox.stage.canvas), 0, 0, width, height);
  return pen.getImageData(0, 0, width, height).data.filter((_, index) => index % 4 < 3);
};`;

/** How many pixels differ visibly. */
export function differing(a, b) {
  let count = 0;
  for (let i = 0; i < a.length; i += 3) count += Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24;
  return count;
}

/** How many colours there are, roughly. */
export function colours(pixels) {
  const seen = new Set();
  for (let i = 0; i < pixels.length; i += 3) seen.add(`${pixels[i] >> 3},${pixels[i + 1] >> 3},${pixels[i + 2] >> 3}`);
  return seen.size;
}
