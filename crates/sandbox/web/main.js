// @ts-check
// The page: puts stage, panel and connection together.

import { Bodies, LAYERS } from './bodies.js';
import { Compare } from './compare.js';
import { Controls } from './controls.js';
import { DRAWING, FRAME, SECOND, SECOND_FRAME, SKIN, STRANDS, SURFACE } from './decode.js';
import { byId, make } from './dom.js';
import { Editor } from './editor.js';
import { Fluids } from './fluids.js';
import { Inspector } from './inspector.js';
import { Link } from './link.js';
import { MethodForm } from './method.js';
import { Mouse } from './mouse.js';
import { INSTRUMENTS, Overlay } from './overlay.js';
import { PLOTS, Plots } from './plots.js';
import { Profile } from './profile.js';
import { Shadows } from './shadows.js';
import { Stage } from './stage.js';
import { Strands } from './strands.js';
import { Thumbnails } from './thumbnails.js';

const link = new Link();
const controls = new Controls(link);
// While the stage is built, which takes long; what is heard comes when all of this has run.
link.connect();
const stage = new Stage(byId('stage'));

// Methods that make things finer near the eye are told where it is, when it has moved.
const eye = stage.camera.position.clone();
setInterval(() => {
  if (eye.distanceTo(stage.camera.position) < 0.01) return;
  eye.copy(stage.camera.position);
  link.ask('look', { from: eye.toArray() });
}, 500);
const bodies = new Bodies(stage);
const shades = new Bodies(stage, bodies);
const strands = new Strands(stage);
const fluids = new Fluids(stage);
const shadows = new Shadows(stage, bodies, bodies, LAYERS.first);
new Shadows(stage, shades, bodies, LAYERS.second);
const overlay = new Overlay(stage);
const mouse = new Mouse(stage, bodies, shades, overlay, link);
mouse.onPoint = (at, ray, pressed) => controls.point(at, ray, pressed);
mouse.wantsPress = () => controls.wantsPress;
const plots = new Plots(byId('pane-plots'), byId('pane-plots'), PLOTS);
const profile = new Profile(byId('pane-plots'), byId('pane-plots'));
const thumbnails = new Thumbnails(stage.opened);
const method = new MethodForm(byId('pane-method'), 'field', (choice) => choose('method', choice));
const compare = new Compare(byId('pane-compare'), link, (second) => choose('compare', { second }), (how) => {
  shades.shade(how === 'among');
  stage.showSecond(how);
  placeLabels();
});
const editor = new Editor(byId('pane-edit'), (text) => link.ask('text', { text }));
const inspector = new Inspector(byId('pane-body'), { follow: () => follow(!followed), remove: () => remove() });

/** @type {any} */ let status = {};
/** @type {any} */ let scene = {};
/** @type {import('./bodies.js').Body | undefined} */ let selected;
let followed = false;
/** @type {Set<string>} */ const shown = new Set();

// ---- Messages

link.onBinary = (data) => {
  const kind = data.getUint8(0);
  if (kind === FRAME) bodies.frame(data);
  else if (kind === SURFACE) bodies.addSurface(data);
  else if (kind === SKIN) bodies.addSkin(data);
  else if (kind === SECOND_FRAME) shades.frame(data);
  else if (kind === STRANDS) strands.draw(data);
  else if (kind === SECOND) {
    shades.clear(bodies.unit);
    strands.clear(1);
    if (data.getUint8(1)) shades.begin();
  } else if (kind === DRAWING && shown.has(INSTRUMENTS[data.getUint8(1)]?.[0])) overlay.draw(data);
  if (kind === FRAME) {
    stage.begin();
    tellTime();
  }
};
link.onState = (connected) => {
  document.body.dataset.connected = String(connected);
  if (connected) {
    notice('');
    askInterests();
  } else {
    notice('The connection is lost. Trying again …', { stays: true });
  }
};
link.on('hello', (hello) => {
  method.describe(hello);
  compare.form.describe(hello);
  listScenes(hello.scenes);
});
link.on('scene', (opened) => {
  const again = opened.name === scene.name && opened.text !== scene.text;
  scene = opened;
  select(undefined);
  shades.clear(opened.unit);
  bodies.clear(opened.unit);
  strands.clear(0);
  strands.clear(1);
  overlay.eraseAll();
  plots.clear();
  profile.clear();
  editor.set(opened.text, opened.settings);
  controls.show(opened.controls);
  byId('title').textContent = opened.title;
  byId('description').textContent = byId('description').title = opened.description;
  document.title = `${opened.title} · tumble`;
  markScene();
  // Who edits a scene wants to keep looking at the same place.
  if (!again || !stage.drawn) stage.look(opened);
  fluids.show(opened.fluids);
  notice('');
});
link.on('bodies', (change) => {
  bodies.change(change);
  if (compare.second) shades.change(change);
  if (selected && bodies.bySlot.get(selected.look.slot) !== selected) select(undefined);
});
link.on('status', (now) => {
  status = now;
  const play = byId('play');
  play.setAttribute('aria-pressed', String(now.playing));
  play.setAttribute('aria-label', now.playing ? 'Pause' : 'Play');
  tellPace(now);
  byId('said').textContent = now.said.join('\n');
  byId('said').hidden = now.said.length === 0;
  if (now.error) notice(`Stopped: ${now.error}`);
  showWarning([now.warning, now.second?.warning && `Second run: ${now.second.warning}`].filter(Boolean).join('\n'));
  plots.add(now);
  profile.add(now);
  compare.status(now);
  if (!link.isWaiting) showChosen();
  tellTime();
});
link.on('body', (body) => {
  if (selected && body.id.slot === selected.look.slot) inspector.show(body);
});
link.on('inputs', ({ text }) => {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/toml' }));
  make('a', { href: address, download: `${scene.name.replaceAll('/', '-')}-inputs.toml` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
});
link.on('problem', ({ message }) => notice(message));
link.on('scene_problem', ({ diagnostics }) => {
  editor.problems(diagnostics);
  showPane('edit');
});

// ---- Scenes

/** @typedef {{ name: string, title: string, description: string, group: string }} SceneEntry */

/** A picture of nothing, until there is one. */
const EMPTY = 'data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=';

/** @param {SceneEntry[]} list */
function listScenes(list) {
  thumbnails.forget();
  const entry = (/** @type {SceneEntry} */ { name, title, description }) => {
    const picture = make('img', { alt: '', width: 112, height: 70, src: EMPTY });
    thumbnails.watch(picture, name);
    const about = make('div', {}, make('strong', {}, title), make('span', { title: description }, description));
    return make('li', {}, make('button', { type: 'button', value: name, onclick: () => link.ask('scene', { name }) }, picture, about));
  };
  /** @type {Map<string, SceneEntry[]>} */
  const byGroup = new Map();
  for (const scene of list) byGroup.set(scene.group, [...(byGroup.get(scene.group) ?? []), scene]);
  // The first group is what the list is called anyway.
  const heading = (/** @type {string} */ group) => (group && group !== 'Scenes' ? [make('li', {}, make('h2', {}, group))] : []);
  const groups = [...byGroup].flatMap(([group, scenes]) => [...heading(group), ...scenes.map(entry)]);
  byId('scenes').replaceChildren(...groups);
  markScene();
}

function markScene() {
  for (const button of byId('scenes').querySelectorAll('button')) button.setAttribute('aria-current', String(button.value === scene.name));
}

const filter = /** @type {HTMLInputElement} */ (byId('filter'));
filter.oninput = () => {
  const wanted = filter.value.trim().toLowerCase();
  for (const entry of byId('scenes').querySelectorAll('li')) {
    const button = entry.querySelector('button');
    entry.hidden = wanted !== '' && !(button && `${button.value} ${button.textContent}`.toLowerCase().includes(wanted));
  }
};

// ---- Time

const timeline = /** @type {HTMLInputElement} */ (byId('timeline'));
let scrubbing = false;

function tellTime() {
  const clock = byId('clock');
  const text = `${bodies.time.toFixed(2)} s`;
  if (clock.textContent !== text) clock.textContent = text;
  clock.title = `Simulated time; ${bodies.steps} steps`;
  if (scrubbing || !status.history) return;
  timeline.min = String(status.history[0]);
  timeline.max = String(Math.max(status.history[1], bodies.time));
  timeline.value = String(bodies.time);
}
timeline.oninput = () => {
  scrubbing = true;
  link.ask('seek', { time: Number(timeline.value) });
};
// Until the server is there, too, the slider stays where it was put.
timeline.onchange = () =>
  link.settled().then(() => {
    scrubbing = false;
    tellTime();
  });

/** How fast time passes, and what a step costs; on a phone only the first. @param {any} now */
function tellPace({ playing, pace, step_ms, bodies: count }) {
  const speed = playing ? `${pace.toFixed(pace < 10 ? 2 : 0)} × real time` : 'paused';
  const more = playing ? `, ${step_ms.toFixed(step_ms < 10 ? 2 : 0)} ms a step` : `, ${count} bodies`;
  byId('pace').replaceChildren(make('b', {}, speed), make('span', {}, more));
  byId('pace-brief').textContent = speed;
}

const actions = {
  play: () => link.ask(status.playing ? 'pause' : 'play'),
  step: () => link.ask('step'),
  reset: () => link.ask('reset'),
};
byId('play').onclick = actions.play;
byId('step').onclick = actions.step;
byId('reset').onclick = actions.reset;
const speed = /** @type {HTMLSelectElement} */ (byId('speed'));
speed.onchange = () => choose('speed', { factor: Number(speed.value) });

/**
 * Asks for what was chosen in a control, which shows it until the server has heard of it: what that says meanwhile is from before.
 * @param {string} what
 * @param {object} details
 */
function choose(what, details) {
  link.ask(what, details);
  link.settled().then(showChosen);
}

/** Shows what is chosen where it can be chosen. */
function showChosen() {
  if (link.isWaiting || !status.method) return;
  speed.value = String(status.speed);
  method.show(status.method, status.dt);
  if (status.second) compare.form.show(status.second.method, status.second.dt);
}

/** @param {number} by */
function faster(by) {
  const next = Math.min(speed.options.length - 1, Math.max(0, speed.selectedIndex + by));
  speed.selectedIndex = next;
  speed.dispatchEvent(new Event('change'));
}

// ---- Selection and camera

mouse.onSelect = (body) => {
  select(body);
  if (body) showPane('body');
};

/** @param {import('./bodies.js').Body | undefined} body */
function select(body) {
  selected = body;
  overlay.select(body);
  link.ask('inspect', { body: body?.look.id ?? null });
  if (!body) {
    inspector.nothing();
    follow(false);
  }
}

function remove() {
  if (selected) link.ask('delete', { body: selected.look.id });
}

/** @param {boolean} wanted */
function follow(wanted) {
  followed = wanted && selected !== undefined;
  inspector.following(followed);
  if (followed && selected) stage.controls.target.copy(selected.position);
  stage.touch();
}
stage.before.push(() => {
  if (!followed || !selected) return;
  const way = selected.position.clone().sub(stage.controls.target);
  stage.controls.target.add(way);
  stage.camera.position.add(way);
  stage.camera.updateMatrixWorld();
});

// ---- What is shown

const checks = make('div', { className: 'checks' });
for (const [name, label, color] of [...INSTRUMENTS, ['sleep', 'Who sleeps, by paling', '#7d858c']]) {
  const box = make('input', { type: 'checkbox', id: `show-${name}` });
  const swatch = make('i');
  swatch.style.background = color;
  box.onchange = () => {
    if (box.checked) shown.add(name);
    else shown.delete(name);
    if (name === 'sleep') bodies.showSleep(box.checked);
    if (!box.checked) overlay.erase(INSTRUMENTS.findIndex(([known]) => known === name));
    askInterests();
  };
  checks.append(make('label', {}, box, label, swatch));
}
const quality = make('select', { id: 'quality', onchange: () => stage.setQuality(/** @type {any} */ (quality.value)) });
for (const [value, label] of [['auto', 'automatic'], ['high', 'high'], ['low', 'low: soft patches for shadows']]) quality.append(make('option', { value }, label));
byId('pane-show').append(
  make('h2', {}, 'Over the bodies'),
  checks,
  make('h2', {}, 'Drawing'),
  make('div', { className: 'field' }, make('label', { for: 'quality' }, 'Quality'), quality),
);

function askInterests() {
  link.ask('draw', { what: [...shown].filter((name) => name !== 'sleep') });
  if (selected) link.ask('inspect', { body: selected.look.id });
}

// ---- Panel, theme, notices

const tabs = [...document.querySelectorAll('[role=tab]')].map((tab) => /** @type {HTMLElement} */ (tab));

/** @param {string} name */
function showPane(name) {
  panel(true);
  for (const tab of tabs) {
    const chosen = tab.id === `tab-${name}`;
    tab.setAttribute('aria-selected', String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
    byId(tab.getAttribute('aria-controls') ?? '').hidden = !chosen;
  }
  plots.draw();
  compare.plots.draw();
}
tabs.forEach((tab, index) => {
  tab.onclick = () => showPane(tab.id.replace('tab-', ''));
  tab.onkeydown = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.stopPropagation();
    const next = tabs[(index + by + tabs.length) % tabs.length];
    next.click();
    next.focus();
  };
});

/** @param {boolean} open */
function panel(open) {
  byId('panel').hidden = !open;
  document.body.classList.toggle('no-panel', !open);
  byId('panel-button').setAttribute('aria-expanded', String(open));
  stage.arrange();
  placeLabels();
}
byId('panel-button').onclick = () => panel(Boolean(byId('panel').hidden));

/** Says where the two runs are seen, to what names them. */
function placeLabels() {
  const second = stage.views[1];
  document.body.style.setProperty('--second-left', `${second?.left ?? 0}px`);
  document.body.style.setProperty('--second-top', `${second?.top ?? 0}px`);
}
addEventListener('resize', () => requestAnimationFrame(placeLabels));

/** @param {'light' | 'dark'} name */
function theme(name) {
  document.documentElement.dataset.theme = name;
  stage.setTheme(name);
  overlay.setTheme(name);
  plots.draw();
  compare.plots.draw();
}
byId('theme').onclick = () => {
  const next = stage.theme === 'dark' ? 'light' : 'dark';
  localStorage.setItem('theme', next);
  theme(next);
};
const preferred = localStorage.getItem('theme') ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
theme(preferred === 'dark' ? 'dark' : 'light');

let vanishing = 0;
/**
 * Says something for a while; nothing takes it back.
 * @param {string} text
 * @param {{ stays?: boolean, calm?: boolean }} [how]
 */
function notice(text, { stays = false, calm = false } = {}) {
  const box = byId('notice');
  box.textContent = text;
  box.hidden = !text;
  box.classList.toggle('calm', calm);
  clearTimeout(vanishing);
  if (!stays) vanishing = window.setTimeout(() => (box.hidden = true), 6000);
}

/**
 * Keeps what is doubtful about the run in sight; says it when it is new.
 * @param {string} text
 */
function showWarning(text) {
  const button = byId('warning');
  if (text && button.hidden) notice(`Warning: ${text}`);
  button.hidden = !text;
  button.title = text;
}
byId('warning').onclick = () => notice(`Warning: ${byId('warning').title}`);

/**
 * Hands a file to whoever looks.
 * @param {Blob} content
 * @param {string} ending
 */
function save(content, ending) {
  const address = URL.createObjectURL(content);
  const name = (scene.name ?? 'scene').replace(/^.*[/\\]/, '').replace(/\.toml$/, '');
  make('a', { href: address, download: `${name}.${ending}` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

function picture() {
  stage.draw();
  stage.canvas.toBlob((blob) => blob && save(blob, 'png'));
}
byId('picture').onclick = picture;

/** Saves the last minute in tumble's own format. */
async function record() {
  try {
    const answer = await fetch(`recording${location.search}`);
    if (!answer.ok) throw new Error(await answer.text());
    save(await answer.blob(), 'tumble');
    notice('The last minute is saved. “tumble render FILE.tumble --out film.gif” draws it.', { calm: true });
  } catch (error) {
    notice(`It could not be saved: ${error instanceof Error ? error.message : error}`);
  }
}
byId('record').onclick = record;

/** Selects the next body that moves, or the one before. @param {number} by */
function selectNext(by) {
  const list = [...bodies.bySlot.values()].filter((body) => body.movable);
  if (!list.length) return;
  const at = selected ? list.indexOf(selected) : by > 0 ? -1 : 0;
  select(list[(at + by + list.length) % list.length]);
  showPane('body');
}

// ---- Keys

const help = /** @type {HTMLDialogElement} */ (byId('help'));
function showHelp() {
  help.showModal();
  // The button that has the focus is at its end.
  help.scrollTop = 0;
}
/** @type {[string, string, string[], () => void][]} */
const KEYS = [
  ['Space', 'play or pause', [' '], actions.play],
  ['.', 'one step', ['.'], actions.step],
  ['R', 'back to the start', ['r'], actions.reset],
  ['− +', 'slower, faster', ['-', '+', '='], () => {}],
  ['F', 'shoot a ball to where the mouse points', ['f'], () => mouse.shoot()],
  ['N', 'select the next body; with Shift the one before', ['n'], () => selectNext(1)],
  ['L', 'follow the selected body', ['l'], () => follow(!followed)],
  ['Delete', 'remove the selected body', ['Delete', 'Backspace'], remove],
  ['C', "the scene's own view", ['c'], () => stage.look(scene)],
  ['P', 'panel', ['p'], () => byId('panel-button').click()],
  ['← ↑ → ↓', 'turn the view; with Shift move it', ['ArrowLeft', 'ArrowUp', 'ArrowRight', 'ArrowDown'], () => {}],
  ['Page ↑ ↓', 'nearer or farther', ['PageUp', 'PageDown'], () => {}],
  ['1 – 7', 'the parts of the panel', ['1', '2', '3', '4', '5', '6', '7'], () => {}],
  ['K', 'a second run beside the first, or no more', ['k'], () => compare.toggle()],
  ['I', 'take a picture', ['i'], picture],
  ['S', 'save the last minute as a recording', ['s'], record],
  ['T', 'light or dark', ['t'], () => byId('theme').click()],
  ['Esc', 'select nothing', ['Escape'], () => select(undefined)],
  ['?', 'this list', ['?'], showHelp],
];
byId('keys').append(
  ...[
    ['drag a body', 'pull it'],
    ['drag', 'turn the view'],
    ['right drag', 'move the view'],
    ['wheel', 'nearer or farther'],
    ['click', 'all about a body'],
    ['Shift + click', 'shoot a ball'],
    ...KEYS,
  ].map(([keys, what]) => make('div', {}, make('dt', {}, make('kbd', {}, String(keys))), make('dd', {}, String(what)))),
);
byId('help-button').onclick = showHelp;

/** Where one writes. */
const TEXT = 'input:not([type=range], [type=checkbox], [type=radio]), textarea';

document.addEventListener('keydown', (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
  if (target.matches(TEXT)) return;
  if (event.key !== ' ' && target.matches('select')) return;
  // Space plays and pauses wherever the focus is; Enter presses what has it, and ticks boxes. Arrows move sliders, choices and
  // what scrolls.
  if (event.key === 'Enter' && target.matches('input[type=checkbox]')) target.click();
  if (/^(Arrow|Page)/.test(event.key) && (target.matches('input') || byId('panel').contains(target))) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const found = KEYS.find(([, , keys]) => keys.includes(key));
  if (!found) return;
  event.preventDefault();
  if (key === '-') faster(-1);
  else if (key === '+' || key === '=') faster(1);
  else if (key >= '1' && key <= '7' && key.length === 1) tabs[Number(key) - 1].click();
  else if (key === 'n' && event.shiftKey) selectNext(-1);
  else if (key.startsWith('Arrow') || key.startsWith('Page')) stage.turn(key, event.shiftKey);
  else found[3]();
});

// A button would be pressed when the key comes up.
document.addEventListener('keyup', (event) => {
  if (event.key === ' ' && !help.open && !(/** @type {HTMLElement} */ (event.target).matches(TEXT))) event.preventDefault();
});

// A tap on a body opens the panel, and is no click on what of the panel comes to lie under the finger.
/** @type {EventTarget | null} */ let touched = null;
document.addEventListener('pointerdown', (event) => (touched = event.target), { capture: true });
document.addEventListener(
  'click',
  (event) => {
    if (event.detail === 0 || touched !== stage.canvas || event.target === stage.canvas) return;
    event.stopPropagation();
    event.preventDefault();
  },
  { capture: true },
);

if (innerWidth <= 760) panel(false);
else stage.arrange();

/** For tests and the curious. */
Object.assign(window, { sandbox: { stage, bodies, shades, strands, fluids, shadows, overlay, link, compare, plots, select, selected: () => selected, status: () => status, scene: () => scene, shown } });
