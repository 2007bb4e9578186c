// Everybody can use it: names for everything, enough contrast, the keyboard alone, a phone.

import assert from 'node:assert/strict';

const PANES = ['scenes', 'body', 'method', 'compare', 'show', 'plots', 'edit'];
/** What must have a name. */
const ROLES = ['button', 'checkbox', 'combobox', 'link', 'radio', 'searchbox', 'slider', 'spinbutton', 'tab', 'tabpanel', 'textbox', 'dialog'];
/** The least contrast between text and what is behind it. */
const CONTRAST = 4.5;

export async function access(t) {
  const { page } = t;
  const pane = async (name) => {
    await t.open(name);
    if (name === 'body' && !(await t.read('Boolean(selected())'))) {
      await page.focus('#stage');
      await page.keyboard.press('n');
      await t.settled();
      assert.ok(await page.isVisible('#pane-body .facts'));
    }
  };

  await t.step('every control has a name', async () => {
    const session = await page.context().newCDPSession(page);
    for (const name of PANES) {
      await pane(name);
      const { nodes } = await session.send('Accessibility.getFullAXTree');
      const nameless = nodes.filter(({ ignored, role, name }) => !ignored && ROLES.includes(role?.value) && !name?.value?.trim());
      assert.deepEqual(nameless.map(({ role, properties }) => [role.value, properties]), [], name);
      assert.ok(nodes.filter(({ ignored, role }) => !ignored && ROLES.includes(role?.value)).length > 15);
    }
    await session.detach();
  });

  await t.step('text can be read in both themes', async () => {
    for (let theme = 0; theme < 2; theme++) {
      for (const name of PANES) {
        await pane(name);
        const pale = await page.evaluate(tooPale, CONTRAST);
        assert.deepEqual(pale, [], `${name}, ${await page.evaluate(() => document.documentElement.dataset.theme)}`);
      }
      await page.click('#theme');
    }
  });

  await t.step('the keyboard reaches everything, and one sees where it is', async () => {
    await pane('show');
    const wanted = await page.evaluate(() => {
      const all = [...document.querySelectorAll('a[href], button, input, select, textarea, canvas[tabindex]')];
      return all.filter((element) => element.checkVisibility() && element.tabIndex >= 0).map((element) => element.id || element.className);
    });
    await page.focus('#stage');
    const reached = new Set();
    for (let presses = 0; presses < wanted.length + 5; presses++) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const element = document.activeElement;
        const style = getComputedStyle(element);
        return { name: element.id || element.className, seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, body: element === document.body };
      });
      if (at.body) continue;
      reached.add(at.name);
      assert.ok(at.seen, `the focus on ${at.name} is not seen`);
    }
    assert.deepEqual(wanted.filter((name) => !reached.has(name)), []);
    await page.focus('#tab-show');
    await page.keyboard.press('ArrowRight');
    assert.ok(await page.isVisible('#pane-plots'));
    await page.focus('#stage');
    const before = await t.read('stage.camera.position.toArray()');
    for (const key of ['ArrowLeft', 'ArrowUp', 'PageUp', 'Shift+ArrowRight']) await page.keyboard.press(key);
    assert.notDeepEqual(await t.read('stage.camera.position.toArray()'), before);
    await page.keyboard.press('c');
  });

  await t.step('Space plays and pauses wherever the focus is, except in text', async () => {
    await pane('show');
    const playing = () => t.read('status().playing');
    const before = await playing();
    let presses = 0;
    for (const where of ['#stage', '#reset', '#timeline', '#speed', '#show-contacts', '#tab-plots']) {
      await page.focus(where);
      await page.keyboard.press(' ');
      await t.settled();
      presses += 1;
      assert.equal(await playing(), before === (presses % 2 === 0), where);
    }
    assert.ok(!(await page.isChecked('#show-contacts')), 'it ticks no box');
    await page.focus('#show-contacts');
    await page.keyboard.press('Enter');
    assert.ok(await page.isChecked('#show-contacts'), 'Enter does');
    await page.keyboard.press('Enter');
    await pane('scenes');
    await page.focus('#filter');
    await page.keyboard.type('a b');
    assert.equal(await page.inputValue('#filter'), 'a b');
    await t.settled();
    assert.equal(await playing(), before);
    await page.fill('#filter', '');
  });

  await t.step('the method and each of its settings say what they are', async () => {
    for (const name of ['realtime', 'retroactive', 'accurate', 'verlet']) {
      await pane('method');
      await page.selectOption('#field-Method', name);
      await t.settled();
      await t.until(`document.querySelector('#field-Method')?.value === '${name}'`);
      const silent = await page.$$eval('#pane-method :is(select, input)', (fields) =>
        fields.filter((field) => !(document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent ?? '').match(/\w+ \w+/)).map(({ id }) => id));
      assert.deepEqual(silent, [], name);
    }
    await page.selectOption('#field-Method', 'realtime');
    await t.settled();
  });

  await t.step('the speed says what it is', async () => {
    await t.play();
    await page.setViewportSize({ width: 1300, height: 700 });
    await page.waitForFunction(() => / × real time, .* ms a step/.test(document.querySelector('#pace')?.textContent ?? ''));
    await page.setViewportSize({ width: 900, height: 520 });
    // And all of the bar lies in the bar, however late it is.
    await page.waitForFunction(() => / × real time/.test(document.querySelector('#pace')?.textContent ?? ''));
    const outside = await page.evaluate(() => {
      document.querySelector('#clock').textContent = '12345.67 s';
      const bar = document.querySelector('.transport');
      const edge = bar.getBoundingClientRect().right;
      return [...bar.querySelectorAll('button, select, input, output')].filter((element) => element.checkVisibility() && element.getBoundingClientRect().right > edge).map(({ id }) => id);
    });
    assert.deepEqual(outside, []);
  });

  await t.step('it fits on a phone', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    for (const name of PANES) {
      if (!(await page.isVisible('#panel'))) await page.click('#panel-button');
      await pane(name);
      const beyond = await page.evaluate(() => {
        const all = [...document.querySelectorAll('button, input, select, textarea, .plot canvas, h1, output')].filter((element) => element.checkVisibility());
        const outside = ({ left, right }) => left < -1 || right > innerWidth + 1;
        return [document.documentElement.scrollWidth, ...all.filter((element) => outside(element.getBoundingClientRect())).map((element) => element.id || element.className || element.tagName)];
      });
      assert.deepEqual(beyond, [390], name);
      assert.ok((await page.locator(`#pane-${name}`).boundingBox()).height > 200, `${name} has room`);
    }
    assert.ok((await page.locator('#timeline').boundingBox()).width > 300, 'the time can be chosen with a finger');
    await page.click('#panel-button');
    assert.ok(!(await page.isVisible('#panel')));
    await page.setViewportSize({ width: 900, height: 520 });
    await page.click('#panel-button');
  });
}

/** Runs in the page: the texts whose contrast to what is behind them is too small. */
function tooPale(least) {
  const pen = new OffscreenCanvas(1, 1).getContext('2d', { willReadFrequently: true });
  /** Red, green, blue and opacity of a colour in any notation. */
  const rgba = (text) => {
    pen.clearRect(0, 0, 1, 1);
    pen.fillStyle = text;
    pen.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below) => [r, g, b].map((channel, i) => a * channel + (1 - a) * below[i]);
  const light = (color) => {
    const [r, g, b] = color.map((channel) => (channel / 255 <= 0.04045 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  /** Behind surfaces that let something through is the stage, which can be anything between its darkest and lightest. */
  const stage = document.documentElement.dataset.theme === 'dark' ? [[20, 28, 39], [160, 160, 160]] : [[60, 70, 80], [255, 255, 255]];
  const behind = (element, below) => {
    const parents = [];
    for (let at = element; at; at = at.parentElement) if (at !== document.body && at !== document.documentElement) parents.unshift(at);
    return parents.reduce((color, at) => over(rgba(getComputedStyle(at).backgroundColor), color), below);
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !element.checkVisibility({ visibilityProperty: true }) || element.closest('.sr, script, noscript, option, [disabled]')) continue;
    for (const below of stage) {
      const back = behind(element, below);
      const text = over(rgba(getComputedStyle(element).color), back);
      const [high, low] = [light(text), light(back)].sort((a, b) => b - a);
      const contrast = (high + 0.05) / (low + 0.05);
      if (contrast < least) found.push(`${contrast.toFixed(2)}: ${walker.currentNode.textContent.trim().slice(0, 30)} (${element.tagName} ${element.className})`);
    }
  }
  return found;
}
