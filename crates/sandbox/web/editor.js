// @ts-check
// The scene as text, with line numbers and what the loader has against it.

import { make } from './dom.js';

export class Editor {
  #numbers = make('pre', { 'aria-hidden': 'true' });
  #text = make('textarea', { spellcheck: false, wrap: 'off', 'aria-label': 'The text of the scene', autocapitalize: 'off', autocomplete: 'off' });
  #settings = make('p', { className: 'hint', hidden: true });
  #problems = make('ul', { className: 'problems', 'aria-label': 'Errors' });
  /** @type {Set<number>} */ #bad = new Set();

  /**
   * @param {HTMLElement} pane
   * @param {(text: string) => void} apply
   */
  constructor(pane, apply) {
    const run = () => apply(this.#text.value);
    this.#text.oninput = () => this.#number();
    this.#text.onscroll = () => (this.#numbers.scrollTop = this.#text.scrollTop);
    this.#text.onkeydown = (event) => {
      event.stopPropagation();
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        run();
      }
    };
    const button = make('button', { id: 'apply', className: 'text primary', type: 'button', title: 'Ctrl+Enter', onclick: run }, 'Run this text');
    pane.append(this.#settings, make('div', { className: 'editor' }, this.#numbers, this.#text), this.#problems, make('div', {}, button));
  }

  /**
   * @param {string} text
   * @param {string[]} settings what wins over the text
   */
  set(text, settings) {
    this.#settings.hidden = !settings.length;
    this.#settings.textContent = `Started with ${settings.join(', ')}, which wins over the text.`;
    if (this.#text.value !== text) this.#text.value = text;
    this.problems([]);
  }

  #number() {
    const lines = this.#text.value.split('\n').length;
    this.#numbers.replaceChildren();
    for (let line = 1; line <= lines; line++) {
      this.#numbers.append(this.#bad.has(line) ? make('span', { className: 'bad' }, String(line)) : String(line), '\n');
    }
    this.#numbers.scrollTop = this.#text.scrollTop;
  }

  /** Shows what is wrong. @param {{ line: number | null, column: number | null, message: string, help: string }[]} list */
  problems(list) {
    this.#bad = new Set(list.flatMap((problem) => problem.line ?? []));
    this.#number();
    const entry = (/** @type {typeof list[0]} */ problem) => {
      const where = problem.line ? `Line ${problem.line}: ` : '';
      const help = problem.help ? [make('small', {}, problem.help)] : [];
      return make('li', {}, make('button', { type: 'button', onclick: () => this.#go(problem.line ?? 1, problem.column ?? 1) }, where + problem.message, ...help));
    };
    this.#problems.replaceChildren(...list.map(entry));
    this.#problems.hidden = !list.length;
    if (list[0]?.line) this.#go(list[0].line, list[0].column ?? 1);
  }

  /**
   * @param {number} line
   * @param {number} column
   */
  #go(line, column) {
    const lines = this.#text.value.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    this.#text.focus();
    this.#text.setSelectionRange(start + column - 1, start + (lines[line - 1]?.length ?? 0));
    const height = this.#text.scrollHeight / Math.max(1, lines.length);
    this.#text.scrollTop = Math.max(0, (line - 4) * height);
  }
}
