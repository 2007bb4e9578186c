// @ts-check
// Where the time of a step goes: a bar for each of its stages, and how much there was to do.

import { make, tell } from './dom.js';

/** The mean over so many reports, so that bars do not flicker. */
const SMOOTH = 10;

/** What is counted, by the name in a report. */
const COUNTS = {
  pairs: 'pairs near',
  points: 'contact points',
  exact_islands: 'islands exact',
  heaps: 'heaps',
  recycled: 'pairs recycled',
  looks: 'looks at contacts',
  exact_substeps: 'substeps exact',
  heap_substeps: 'substeps of heaps',
  colours: 'colours',
};

export class Profile {
  /** @type {Map<string, { row: HTMLElement, bar: HTMLElement, value: HTMLElement, mean: number }>} */ #stages = new Map();

  /**
   * @param {HTMLElement} pane what hides it when it is not to be seen
   * @param {HTMLElement} parent
   */
  constructor(pane, parent) {
    this.pane = pane;
    this.bars = make('div', { className: 'bars', role: 'img', 'aria-label': 'Time of a step by stages' });
    this.counts = make('div', { className: 'legend' });
    parent.append(make('div', { className: 'plot' }, make('h2', {}, 'Stages of a step in ms'), this.bars, this.counts));
  }

  clear() {
    this.#stages.clear();
    this.bars.replaceChildren();
  }

  /** @param {any} status */
  add(status) {
    const stages = /** @type {[string, number][]} */ (status.stages ?? []);
    for (const [name, ms] of stages) {
      const known = this.#stages.get(name) ?? this.#new(name);
      known.mean += (ms - known.mean) / SMOOTH;
    }
    if (this.pane.hidden) return;
    const most = Math.max(1e-9, ...[...this.#stages.values()].map((stage) => stage.mean));
    for (const stage of this.#stages.values()) {
      stage.bar.style.width = `${(100 * stage.mean) / most}%`;
      stage.value.textContent = tell(stage.mean, 3);
    }
    const work = status.work ?? {};
    const told = Object.entries(COUNTS).filter(([key]) => work[key]);
    this.counts.replaceChildren(...told.map(([key, name]) => make('span', {}, `${name} `, make('b', {}, `${work[key]}`))));
  }

  /** @param {string} name */
  #new(name) {
    const [bar, value] = [make('i', {}), make('b', {})];
    const row = make('div', {}, make('span', {}, name), make('div', {}, bar), value);
    this.bars.append(row);
    const stage = { row, bar, value, mean: 0 };
    this.#stages.set(name, stage);
    return stage;
  }
}
