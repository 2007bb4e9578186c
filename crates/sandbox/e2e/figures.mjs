// Figures and machines: a skin that bends with its bones, and a car that is driven with the keys.

import assert from 'node:assert/strict';

/** The skins of the scene, and numbers of the first one's vertices as they are now. */
const SKINS = 'bodies.group.children.filter((child) => child.userData.figure)';
const VERTICES = `Array.from(${SKINS}[0].geometry.attributes.position.array.slice(0, 3000))`;
const PLACE = (name, axis) => `[...bodies.bySlot.values()].find(({ look }) => look.name === '${name}').position.${axis}`;

export async function figures(t) {
  const { page } = t;

  await t.step('a skin bends with its bones', async () => {
    await t.ask(['scene', { name: 'alfred-stairs' }], 'pause', 'reset');
    await t.until("scene().name === 'alfred-stairs' && bodies.placed && bodies.steps === 0 && stage.drawn > 0");
    assert.equal(await t.read(`${SKINS}.length`), 1, 'Alfred has a skin');
    await t.read('{ stage.look(scene()) }');
    await t.remember();
    const rest = await t.read(VERTICES);
    await t.ask(...Array.from({ length: 50 }, () => 'step'));
    await t.until('bodies.steps === 50');
    const changed = await t.changed();
    assert.ok(changed > 300, `he has moved: ${changed} pixels`);
    const bent = await t.read(VERTICES);
    assert.ok(bent.every(Number.isFinite), 'no vertex is lost');
    assert.ok(bent.some((number, index) => Math.abs(number - rest[index]) > 0.05), 'vertices go with the bones');
    if (process.env.TUMBLE_E2E_PICTURES) await page.screenshot({ path: `${process.env.TUMBLE_E2E_PICTURES}/alfred.png` });
  });

  await t.step('a car is driven with the arrow keys', async () => {
    await t.ask(['scene', { name: 'car' }], 'pause', 'reset');
    await t.until("scene().name === 'car' && bodies.placed && bodies.steps === 0");
    const start = await t.read(PLACE('chassis', 'x'));
    // By itself it would drive ahead, to larger x; the key takes it backwards.
    await page.focus('body');
    await page.keyboard.down('ArrowDown');
    await t.play();
    await t.until(`${PLACE('chassis', 'x')} < ${start - 1}`);
    if (process.env.TUMBLE_E2E_PICTURES) await page.screenshot({ path: `${process.env.TUMBLE_E2E_PICTURES}/car.png` });
    await page.keyboard.up('ArrowDown');
    await t.pause();
    // And ahead, with the wheel to one side: it leaves the straight line.
    await t.ask('reset');
    await t.until('bodies.steps === 0');
    const [x, z] = [await t.read(PLACE('chassis', 'x')), await t.read(PLACE('chassis', 'z'))];
    await page.keyboard.down('ArrowUp');
    await page.keyboard.down('ArrowLeft');
    await t.play();
    await t.until(`${PLACE('chassis', 'x')} > ${x + 2} && Math.abs(${PLACE('chassis', 'z')} - ${z}) > 0.5`);
    await page.keyboard.up('ArrowLeft');
    await page.keyboard.up('ArrowUp');
    await t.pause();
  });

  // What comes after wants the arrows for itself.
  await t.ask(['scene', { name: 'dominoes' }], 'pause', 'reset');
  await t.until("scene().name === 'dominoes' && bodies.placed && bodies.steps === 0");
}
