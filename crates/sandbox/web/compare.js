// @ts-check
// Two runs of one scene: the choice of the second, how it is shown, and how far the two are apart.

import { SHADE } from './bodies.js';
import { make, tell, words } from './dom.js';
import { MethodForm, tellStep } from './method.js';
import { DIFFERENCE, Plots } from './plots.js';

/** How many times finer the steps of the second run are at first. */
const FINER = 8;

/** @typedef {'beside' | 'among'} How */

export class Compare {
  /** @type {How} */ how = 'beside';
  #running = false;
  #invitation = make('div', {});
  #comparison = make('div', { hidden: true });
  #facts = make('table', { className: 'runs' });
  #labels = make('div', { id: 'run-labels', 'aria-hidden': 'true' });

  /**
   * @param {HTMLElement} pane
   * @param {import('./link.js').Link} link
   * @param {(second: { method?: any, dt?: number }) => void} choose told how the second run is to go on
   * @param {(how: 'none' | How) => void} show
   */
  constructor(pane, link, choose, show) {
    this.show = show;
    this.link = link;
    this.plots = new Plots(pane, this.#comparison, DIFFERENCE);
    const start = make('button', { id: 'compare', type: 'button', className: 'text primary', onclick: () => this.toggle() }, 'Start a second run');
    const hint = 'The same scene beside itself: with another method, other settings or other steps. Both start from here; the bodies are then as far apart as the methods disagree.';
    this.#invitation.append(make('p', { className: 'hint' }, hint), start);

    const choice = make('fieldset', { className: 'choice', 'aria-label': 'How the second run is shown' });
    for (const [how, label] of /** @type {[How, string][]} */ ([['beside', 'Side by side'], ['among', 'Overlaid']])) {
      const radio = make('input', { type: 'radio', name: 'how', value: how, checked: how === this.how, onchange: () => this.#setHow(how) });
      choice.append(make('label', {}, radio, label));
    }
    const form = make('div', {});
    this.form = new MethodForm(form, 'second', choose);
    const again = make('button', { id: 'compare-again', type: 'button', className: 'text', onclick: () => this.again(), title: 'The second run goes on from where the first is now' }, 'Start from here');
    const end = make('button', { id: 'compare-end', type: 'button', className: 'text', onclick: () => this.toggle() }, 'End it');
    this.#comparison.prepend(choice);
    this.#comparison.append(this.#facts, make('div', { className: 'row' }, again, end), make('h2', {}, 'The second run'), form);
    pane.append(this.#invitation, this.#comparison);
    document.getElementById('stage')?.after(this.#labels);
  }

  /** Starts a second run, or ends it. */
  toggle() {
    this.link.ask('compare', { second: this.#running ? null : { dt: this.dt / FINER } });
  }

  again() {
    this.link.ask('compare', { second: null });
    this.link.ask('compare', { second: { method: this.second?.method, dt: this.second?.dt } });
    this.plots.clear();
  }

  /** @param {How} how */
  #setHow(how) {
    this.how = how;
    this.#labels.className = how;
    if (this.#running) this.show(how);
  }

  /** How things are. @param {any} status */
  status(status) {
    this.dt = status.dt;
    this.second = status.second;
    const running = Boolean(status.second);
    if (running !== this.#running) {
      this.#running = running;
      this.#invitation.hidden = running;
      this.#comparison.hidden = !running;
      this.plots.clear();
      this.show(running ? this.how : 'none');
    }
    this.#labels.hidden = !running;
    if (!running) return;
    this.plots.add(status);
    const name = (/** @type {any} */ run) => words(typeof run.method === 'string' ? run.method : Object.keys(run.method)[0]);
    const both = [status, status.second];
    const rows = [
      ['', 'First', 'Second'],
      ['Method', ...both.map(name)],
      ['Step', ...both.map((run) => tellStep(run.dt))],
      ['Time of a step', ...both.map((run) => `${tell(run.step_ms, 3)} ms`)],
      ['Contacts', ...both.map((run) => String(run.contacts))],
    ];
    this.#facts.replaceChildren(...rows.map(([first, ...rest], index) => make('tr', {}, make('th', {}, first), ...rest.map((text) => make(index ? 'td' : 'th', {}, text)))));
    const label = (/** @type {any} */ run, /** @type {string} */ which, /** @type {string} */ color) => {
      const dot = make('i', {});
      dot.style.background = color;
      return make('span', { className: which }, dot, `${name(run)}, ${tellStep(run.dt)}`);
    };
    this.#labels.className = this.how;
    this.#labels.replaceChildren(label(status, 'first', 'var(--accent)'), label(status.second, 'second', SHADE));
  }
}
