// @ts-check
// The controls of a scene: keys, buttons for fingers, sliders and the pointer, which set numbers that the scene makes something of.

import { byId, make } from './dom.js';

/** @typedef {{ name: string, label: string, keys: Record<string, number>, pointer: 'x' | 'y' | 'press' | null, range: [number, number] }} Control */

/** Keys in signs. */
const SIGNS = /** @type {Record<string, string>} */ ({ ArrowUp: '↑', ArrowDown: '↓', ArrowLeft: '←', ArrowRight: '→', ' ': 'Space', Space: 'Space' });

/**
 * The name of a key as scenes write it.
 * @param {string} key
 */
const named = (key) => (key === ' ' ? 'Space' : key.length === 1 ? key.toLowerCase() : key);

export class Controls {
  /** @type {Control[]} */ #list = [];
  /** The keys that are down, by any means. @type {Set<string>} */ #down = new Set();
  /** What each control was told last. @type {Map<string, number>} */ #told = new Map();
  /** @type {Map<string, HTMLInputElement>} */ #sliders = new Map();

  /** @param {import('./link.js').Link} link */
  constructor(link) {
    this.link = link;
    this.box = byId('controls');
    // Before the keys of the page: those of the scene come first.
    addEventListener('keydown', (event) => this.#key(event, true), { capture: true });
    addEventListener('keyup', (event) => this.#key(event, false), { capture: true });
    addEventListener('blur', () => this.#release());
  }

  /** Whether pressing the pointer over the picture is for the scene. */
  get wantsPress() {
    return this.#list.some((control) => control.pointer === 'press');
  }

  /** @param {Control[]} list */
  show(list) {
    this.#list = list;
    this.#down.clear();
    this.#told.clear();
    this.#sliders.clear();
    this.box.hidden = list.length === 0;
    const save = make('button', { type: 'button', className: 'text', title: 'Save what was done, for tumble run --keys', onclick: () => this.link.ask('inputs') }, 'Save inputs');
    this.box.replaceChildren(...list.map((control) => this.#row(control)), save);
  }

  /** @param {Control} control */
  #row(control) {
    const { name, label, keys, pointer, range } = control;
    const slider = make('input', { type: 'range', min: String(range[0]), max: String(range[1]), step: 'any', value: '0', 'aria-label': label });
    slider.oninput = () => this.#tell({ [name]: Number(slider.value) });
    // Like a stick: it goes back when it is let go.
    slider.onchange = () => this.#tell({ [name]: this.#held(control) });
    this.#sliders.set(name, slider);
    const buttons = Object.keys(keys).map((key) => {
      const button = make('button', { type: 'button', className: 'key', 'aria-label': `${label}: ${key}` }, SIGNS[key] ?? key);
      button.dataset.key = named(key);
      button.onpointerdown = (event) => {
        button.setPointerCapture(event.pointerId);
        this.#set(named(key), true);
      };
      button.onpointerup = button.onpointercancel = () => this.#set(named(key), false);
      return button;
    });
    const how = pointer ? [make('span', { className: 'how' }, pointer === 'press' ? 'press the picture' : `pointer ${pointer}`)] : [];
    return make('div', { className: 'control' }, make('span', {}, label), ...buttons, ...how, ...(pointer ? [] : [slider]));
  }

  /**
   * @param {KeyboardEvent} event
   * @param {boolean} down
   */
  #key(event, down) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || (target.matches?.('textarea, input:not([type=range]), select') ?? false)) return;
    const key = named(event.key);
    if (!this.#list.some((control) => Object.keys(control.keys).some((known) => named(known) === key))) return;
    // Who walks along the tabs with the keyboard goes on to the next with an arrow.
    if (down && key.startsWith('Arrow') && target.matches?.('[role=tab]:focus-visible')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) this.#set(key, down);
  }

  /**
   * @param {string} key
   * @param {boolean} down
   */
  #set(key, down) {
    if (this.#down.has(key) === down) return;
    if (down) this.#down.add(key);
    else this.#down.delete(key);
    for (const button of this.box.querySelectorAll('button.key')) {
      if (/** @type {HTMLElement} */ (button).dataset.key === key) button.classList.toggle('down', down);
    }
    const concerned = this.#list.filter((control) => Object.keys(control.keys).some((known) => named(known) === key));
    this.#tell(Object.fromEntries(concerned.map((control) => [control.name, this.#held(control)])));
  }

  /**
   * What the keys that are down add up to.
   * @param {Control} control
   */
  #held({ keys, range }) {
    const sum = Object.entries(keys).reduce((sum, [key, value]) => sum + (this.#down.has(named(key)) ? value : 0), 0);
    return Math.min(range[1], Math.max(range[0], sum));
  }

  #release() {
    for (const key of [...this.#down]) this.#set(key, false);
  }

  /**
   * The pointer is somewhere over the picture, or was pressed (true) or let go (false) there.
   * @param {{ x: number, y: number }} at from −1 to 1
   * @param {{ origin: import('./vendor/three.js').Vector3, direction: import('./vendor/three.js').Vector3 }} ray
   * @param {boolean} [pressed]
   */
  point(at, ray, pressed) {
    const wanting = this.#list.filter((control) => control.pointer);
    if (wanting.length === 0) return;
    /** @type {Record<string, number>} */ const values = {};
    for (const axis of /** @type {const} */ (['x', 'y', 'z'])) {
      values[`pointer.from.${axis}`] = ray.origin[axis];
      values[`pointer.towards.${axis}`] = ray.direction[axis];
    }
    for (const { name, pointer } of wanting) {
      if (pointer === 'x' || pointer === 'y') values[name] = at[pointer];
      else if (pressed !== undefined) values[name] = Number(pressed);
    }
    this.#tell(values);
  }

  /**
   * Tells the scene what is new.
   * @param {Record<string, number>} values
   */
  #tell(values) {
    const fresh = Object.entries(values).filter(([name, value]) => this.#told.get(name) !== value);
    if (fresh.length === 0) return;
    for (const [name, value] of fresh) {
      this.#told.set(name, value);
      const slider = this.#sliders.get(name);
      if (slider) slider.value = String(value);
    }
    this.link.ask('input', { values: Object.fromEntries(fresh) });
  }
}
