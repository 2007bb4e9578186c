// The sandbox in a real browser: starts the server, opens the page, uses it, and looks at what happens.
// Usage: node sandbox.mjs PATH_OF_TUMBLE PATH_OF_CHROMIUM

import assert from 'node:assert/strict';
import { access } from './access.mjs';
import { basics } from './basics.mjs';
import { compare } from './compare.mjs';
import { figures } from './figures.mjs';
import { Harness } from './harness.mjs';
import { looks } from './looks.mjs';
import { phone } from './phone.mjs';

const [tumble, executablePath] = process.argv.slice(2);
const t = await Harness.start(tumble, executablePath, 'dominoes');

try {
  await basics(t);
  await compare(t);
  await looks(t);
  await figures(t);
  await access(t);
  await phone(t);
  assert.deepEqual(t.complaints, [], 'complaints in the console');

  await t.step('another tab sees the same', async () => {
    const other = await t.newPage();
    await other.goto(t.running.url);
    await t.until(`scene().title === ${JSON.stringify(await t.read('scene().title'))} && bodies.placed && stage.drawn > 0`, other);
    await t.pause();
    await t.until(`status().playing === false && bodies.steps === ${await t.read('bodies.steps')}`, other);
    await other.close();
  });

  await t.step('the page comes back when the server does', async () => {
    const port = Number(new URL(t.running.url).port);
    const begun = Date.now();
    await t.running.stop();
    console.log(`    (Ctrl-C took ${Date.now() - begun} ms)`);
    await t.page.waitForSelector('body[data-connected="false"]', { state: 'attached' });
    t.running = await t.serve('dominoes', port);
    await t.until("document.body.dataset.connected === 'true' && scene().name === 'dominoes' && bodies.time > 0 && bodies.placed && bodies.bySlot.size === 31");
  });
} catch (error) {
  console.error(t.complaints.join('\n'));
  throw error;
} finally {
  await t.stop();
}
