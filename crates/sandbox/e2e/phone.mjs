// A phone: fingers instead of a mouse, a small screen.

import assert from 'node:assert/strict';

const PANES = ['scenes', 'body', 'method', 'compare', 'show', 'plots', 'edit'];
/** What a finger needs, in pixels. */
const FINGER = 44;

const BOX = 'title = "A box to tap"\ncamera = { from = [0, 3, 9], to = [0, 1.8, 0] }\n[bodies.floor]\nkind = "fixed"\nshape.half_space = {}\n[bodies.box]\nshape.box.size = [1.5, 1, 1]\nposition = [0, 0.5, 0]\n';

export async function phone(t) {
  await t.run(BOX);
  const page = await t.newPage({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  await page.goto(t.running.url);
  await t.until('bodies.placed && stage.drawn > 0', page);

  await t.step('a tap on a body opens the panel and presses nothing in it', async () => {
    assert.ok(!(await page.isVisible('#panel')));
    await page.evaluate(() => {
      window.pressed = 0;
      document.querySelector('#panel').addEventListener('click', () => (window.pressed += 1));
    });
    const [x, y] = await t.onScreen('box', page);
    await page.touchscreen.tap(x, y);
    await page.waitForSelector('#pane-body .facts');
    assert.ok(await page.evaluate(([x, y]) => Boolean(document.elementFromPoint(x, y)?.closest('#panel')), [x, y]), 'the panel lies under the finger');
    await page.waitForTimeout(500);
    assert.equal(await page.evaluate(() => window.pressed), 0);
    await page.tap('#tab-show');
    assert.equal(await page.evaluate(() => window.pressed), 1);
  });

  await t.step('fingers have room', async () => {
    for (const name of PANES) {
      await page.tap(`#tab-${name}`);
      const small = await page.evaluate((least) => {
        const all = [...document.querySelectorAll('button, select, textarea, input, [role=tab], a[href]')].filter((element) => element.checkVisibility({ visibilityProperty: true }));
        // A box to tick is as large as its label.
        const area = (element) => (element.matches('[type=checkbox], [type=radio]') && element.closest('label') ? element.closest('label') : element).getBoundingClientRect();
        const found = all.filter((element) => area(element).height < least - 0.5 || area(element).width < least - 0.5);
        return found.map((element) => `${element.tagName} ${element.id || element.className || element.textContent}: ${Math.round(area(element).width)} × ${Math.round(area(element).height)}`);
      }, FINGER);
      assert.deepEqual(small, [], name);
    }
  });

  await t.step('a finger chooses the time, and sees how fast it passes', async () => {
    assert.ok((await page.locator('#timeline').boundingBox()).width > 300);
    await t.ask('play');
    await page.waitForFunction(() => / × real time/.test(document.querySelector('#pace-brief')?.textContent ?? ''));
    assert.ok(await page.isVisible('#pace-brief'));
    assert.ok(await page.evaluate(() => { const { scrollWidth, clientWidth } = document.querySelector('#pace-brief'); return scrollWidth <= clientWidth; }), 'it is cut off');
    await t.pause();
  });
  await page.close();
}
