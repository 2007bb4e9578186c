// What is drawn besides the bodies, thumbnails, and the two themes.

import assert from 'node:assert/strict';
import { colours, differing } from './harness.mjs';

/** A scene in which there is something to draw for every instrument. */
const EVERYTHING = `title = "Everything"
camera = { from = [0, 2.5, 7], to = [0, 1, 0] }
[bodies.floor]
kind = "fixed"
shape.half_space = {}
[bodies.low]
shape.box.size = [1, 1, 1]
position = [-1.2, 0.5, 0]
[bodies.high]
shape.box.size = [0.8, 0.8, 0.8]
position = [-1.2, 1.4, 0]
[bodies.bob]
shape.sphere.radius = 0.2
position = [1.8, 2, 0]
[joints.arm]
between = ["world", "bob"]
swing_twist = { anchor = [0.8, 2, 0], axis = [1, 0, 0] }
`;

const SPRING = `title = "Spring"
camera = { from = [0, 1, 5], to = [0, 1, 0] }
[bodies.weight]
shape.box.size = [0.5, 0.5, 0.5]
position = [0, 0.5, 0]
[joints.spring]
between = ["world", "weight"]
spring = { points = [[0, 2, 0], [0, 0.75, 0]], stiffness = 100 }
`;

const WATER = `title = "Water"
camera = { from = [0, 2, 7], to = [0, 0, 0] }
[bodies.raft]
shape.box.size = [1, 0.4, 1]
material = "wood"
[forces.water]
buoyancy = { level = 0 }
`;

/** A ball that is thrown 5 m high, and comes down 8 m away. */
const THROW = `title = "Throw"
duration = 2
[bodies.floor]
kind = "fixed"
shape.half_space = {}
[bodies.ball]
shape.sphere.radius = 0.5
position = [0, 2, 0]
velocity = [4, 7.67, 0]
`;

export async function looks(t) {
  const { page } = t;

  await t.step('every instrument is drawn', async () => {
    await t.run(EVERYTHING);
    // A text that is edited keeps the view of the text before.
    await t.read('{ stage.look(scene()) }');
    // The same moment, however fast this machine is.
    await t.ask('pause', 'reset', ...Array.from({ length: 60 }, () => 'step'));
    assert.ok(await t.read('bodies.steps === 60 && status().steps === 60 && status().contacts > 0'));
    await t.open('show');
    const boxes = await page.$$eval('#pane-show input', (inputs) => inputs.map(({ id }) => id));
    assert.deepEqual(boxes.map((id) => id.replace('show-', '')),
      ['contacts', 'contact_forces', 'forces', 'joints', 'reactions', 'aabbs', 'broad_phase', 'velocities', 'centers_of_mass', 'islands', 'limits', 'sleep']);
    await t.read("{ sandbox.select([...bodies.bySlot.values()].find(({ look }) => look.name === 'bob')) }");
    await t.remember();
    for (const [index, id] of boxes.entries()) {
      if (id === 'show-sleep') continue;
      await page.check(`#${id}`);
      await t.settled();
      assert.ok(await t.read(`overlay.has(${index})`), `${id} is drawn`);
      const changed = await t.changed();
      assert.ok(changed >= 8, `${id} changes ${changed} pixels`);
      await page.uncheck(`#${id}`);
      await t.settled();
      assert.ok(!(await t.read(`overlay.has(${index})`)), `${id} is drawn no more`);
    }
    assert.ok((await t.changed()) < 4, 'all is gone again');
    await t.read('{ sandbox.select(undefined) }');
  });

  await t.step('springs are drawn', async () => {
    await t.run(SPRING);
    await t.ask('pause', 'reset');
    await t.read('{ stage.look(scene()) }');
    assert.equal(await t.read('strands.count'), 1);
    await t.remember();
    await t.read('{ strands.clear(0) }');
    const changed = await t.changed();
    assert.ok(changed > 40, `${changed} pixels`);
    await t.run(EVERYTHING);
    assert.equal(await t.read('strands.count'), 0);
  });

  await t.step('pivots and anchors of joints are drawn', async () => {
    await t.run(EVERYTHING);
    await t.ask('pause', 'reset');
    await t.read('{ stage.look(scene()) }');
    assert.equal(await t.read('strands.pins'), 1);
    await t.remember();
    await t.read('{ strands.clear(0) }');
    const changed = await t.changed();
    assert.ok(changed > 8, `${changed} pixels`);
  });

  await t.step('contact shadows lie under bodies where real ones cost too much', async () => {
    await t.run(EVERYTHING);
    await t.ask('pause', 'reset');
    await t.read("{ stage.look(scene()); stage.setQuality('low'); stage.draw(); }");
    // Of the low box, which lies on the floor; what stands on it and the bob are too high.
    assert.equal(await t.read('shadows.count'), 1);
    await t.remember();
    await t.read('{ shadows.wanted = false }');
    const changed = await t.changed();
    assert.ok(changed > 100, `${changed} pixels`);
    await t.read('{ shadows.wanted = true }');
  });

  await t.step('the surface of water is drawn', async () => {
    await t.run(WATER);
    await t.ask('pause', 'reset');
    await t.read('{ stage.look(scene()); fluids.show(scene().fluids) }');
    assert.equal(await t.read('fluids.count'), 1);
    await t.remember();
    await t.read('{ fluids.show([]) }');
    const changed = await t.changed();
    assert.ok(changed > 5000, `${changed} pixels`);
  });

  await t.step('the camera sees what will happen', async () => {
    await t.run(THROW);
    await t.ask('pause', 'reset');
    await t.read('{ stage.look(scene()) }');
    for (let part = 0; part < 8; part++) {
      const [x, y] = await t.onScreen('ball');
      const [width, height] = await t.read('stage.views[0].free');
      assert.ok(x > 0 && x < width && y > 0 && y < height, `at ${await t.read('bodies.time')} s it is at ${x}, ${y}`);
      await t.ask(...Array.from({ length: 60 }, () => 'step'));
    }
    assert.ok((await t.read('bodies.time')) > 1.9);
  });

  await t.step('who sleeps is shown', async () => {
    await t.open('show');
    await t.run(EVERYTHING);
    await t.read('{ stage.look(scene()) }');
    await page.check('#show-sleep');
    await t.play();
    const sleeping = "[...bodies.bySlot.values()].filter(({ look, asleep }) => look.kind === 'dynamic' && asleep).length";
    await t.until(`${sleeping} >= 2`);
    await t.pause();
    assert.ok((await t.read(sleeping)) >= 2);
    await t.remember();
    await page.uncheck('#show-sleep');
    const changed = await t.changed();
    assert.ok(changed > 60, `${changed} pixels`);
  });

  await t.step('plots are drawn', async () => {
    await t.open('plots');
    await t.until("document.querySelector('#pane-plots .legend b').textContent !== ''");
  });

  await t.step('scenes have thumbnails', async () => {
    await t.open('scenes');
    // Pictures are drawn when they are seen.
    await t.read("document.querySelector('#scenes').firstElementChild.scrollIntoView()");
    await t.until("[...document.querySelectorAll('#scenes img')].slice(0, 3).every((img) => img.complete && img.naturalWidth === 224)");
    const seen = await page.$$eval('#scenes img', (images) => images.slice(0, 3).map((image) => {
      const pen = new OffscreenCanvas(112, 70).getContext('2d');
      pen.drawImage(image, 0, 0, 112, 70);
      return [...pen.getImageData(0, 0, 112, 70).data].filter((_, index) => index % 4 < 3);
    }));
    for (const pixels of seen) assert.ok(colours(pixels) > 12, `${colours(pixels)} colours`);
    assert.ok(differing(seen[0], seen[1]) > 50, 'different scenes look different');
  });

  await t.step('light and dark', async () => {
    await t.remember();
    await page.click('#theme');
    assert.ok((await t.changed()) > 10_000);
    await page.click('#theme');
    assert.equal(await t.changed(), 0);
  });
}
