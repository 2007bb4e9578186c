// Two runs of one scene, side by side and overlaid.

import assert from 'node:assert/strict';
import { colours } from './harness.mjs';

export async function compare(t) {
  const { page } = t;

  await t.step('a second run goes beside the first', async () => {
    await t.ask(['scene', { name: 'pendulum-2' }]);
    assert.deepEqual(await t.read("[scene().name, Boolean(status().second)]"), ['pendulum-2', false]);
    await t.open('compare');
    await page.click('#compare');
    await t.settled();
    assert.ok(await t.read('status().second && stage.views.length === 2 && shades.placed'));
    await t.until('status().second.largest > 1e-9');
    assert.ok((await t.read('status().second.dt')) < (await t.read('status().dt')) / 4);
  });

  await t.step('both halves show something', async () => {
    const width = 90;
    const pixels = await t.pixels();
    for (const view of await t.read('stage.views')) {
      const seen = pixels.filter((_, index) => {
        const [x, y] = [10 * (Math.floor(index / 3) % width), 10 * Math.floor(index / 3 / width)];
        return x >= view.left && x < view.left + view.width && y >= view.top && y < view.top + view.height;
      });
      assert.ok(seen.length > 1000 && colours(seen) > 8, `${colours(seen)} colours in ${seen.length} pixels`);
    }
  });

  await t.step('the difference is plotted', async () => {
    // A curve of points that are apart.
    await t.until('compare.plots.length > 5 && status().second.largest > 1e-6');
    const drawn = await page.evaluate(() => {
      const canvas = document.querySelector('#pane-compare .plot canvas');
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      let coloured = 0;
      for (let i = 0; i < data.length; i += 4) coloured += data[i + 3] > 100 && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 60;
      return coloured;
    });
    assert.ok(drawn > 10, `${drawn} pixels of curves`);
    assert.match(await page.textContent('#pane-compare .legend'), /largest \d.*root mean square \d/);
  });

  await t.step('the second run has its own method and steps', async () => {
    await page.selectOption('#second-integrator', 'runge_kutta_4');
    await t.settled();
    assert.ok(await t.read("JSON.stringify(status().second.method).includes('runge_kutta_4') && !JSON.stringify(status().method).includes('runge_kutta_4')"));
    await page.fill('#second-dt', '1/500');
    await page.keyboard.press('Enter');
    await t.settled();
    assert.ok(Math.abs((await t.read('status().second.dt')) - 0.002) < 1e-9);
  });

  await t.step('overlaid, started again, and ended', async () => {
    await page.click('.choice label:has([value=among])');
    assert.ok(await t.read('stage.views.length === 1 && stage.views[0].layers.includes(2)'));
    await t.until('status().second.largest > 1e-9');
    await t.pause();
    await page.click('#compare-again');
    await t.settled();
    assert.equal(await t.read('status().second.largest'), 0);
    await page.click('.choice label:has([value=beside])');
    await page.click('#compare-end');
    await t.settled();
    assert.ok(await t.read('!status().second && shades.bySlot.size === 0 && stage.views.length === 1'));
    await t.play();
  });
}
