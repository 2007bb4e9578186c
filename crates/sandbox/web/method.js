// @ts-check
// The form for the method, its settings and the length of its steps, made from the same schema that scene files are checked against.

import { make, words } from './dom.js';

/**
 * The length of a step as people say it: 1/60 s.
 * @param {number} dt
 */
export function tellStep(dt) {
  return `${stepText(dt)} s`;
}

/** @param {number} dt */
function stepText(dt) {
  const rate = 1 / dt;
  return dt < 1 && Math.abs(rate - Math.round(rate)) < 1e-6 * rate ? `1/${Math.round(rate)}` : String(Number(dt.toPrecision(6)));
}

/** A number, or one divided by another; NaN if it is neither. @param {string} text */
function readStep(text) {
  const [above, below = '1', ...more] = text.split('/').map((part) => part.trim());
  return more.length || !above ? NaN : Number(above) / Number(below);
}

/**
 * The first sentences of a description, below a control that it helps to understand.
 * @param {HTMLElement} control
 * @param {string} description
 * @param {number} [sentences]
 */
function help(control, description, sentences = 1) {
  // Sentences end where the next one begins, or the text does; not at "1.5" or "e.g. this". What it is by default is in the field.
  const all = description.split('\n\n')[0].split(/(?<=[.:])\s+(?=[A-Z])/).filter((sentence) => !sentence.startsWith('Default'));
  const text = make('p', { className: 'help', id: `${control.id}-help` }, all.slice(0, sentences).join(' '));
  control.setAttribute('aria-describedby', text.id);
  return text;
}

export class MethodForm {
  /** @type {any} */ #schema;
  /** @type {any} */ #definitions = {};
  /** @type {any} */ #defaults = {};
  #shown = '';
  #step = make('input', { type: 'text', inputMode: 'decimal', autocomplete: 'off', spellcheck: false });
  #form = make('div', {});

  /**
   * @param {HTMLElement} pane
   * @param {string} prefix for the ids of the fields
   * @param {(choice: { method?: any, dt?: number }) => void} choose told what was chosen
   */
  constructor(pane, prefix, choose) {
    this.prefix = prefix;
    this.choose = choose;
    this.#step.id = `${prefix}-dt`;
    this.#step.onchange = () => {
      const dt = readStep(this.#step.value);
      const fine = dt >= 1e-6 && dt <= 1;
      this.#step.setCustomValidity(fine ? '' : 'A number of seconds between 0.000001 and 1, such as 1/60 or 0.004.');
      if (fine) choose({ dt });
      else this.#step.reportValidity();
    };
    const title = 'How far one step goes, in seconds: a number or a fraction. Smaller is truer and slower.\nFrom 0.000001 to 1.';
    const control = make('div', { className: 'control' }, this.#step, make('span', { className: 'unit' }, 's'));
    const step = make('div', { className: 'field', title }, make('label', { for: this.#step.id }, 'Time step'), control, help(this.#step, title));
    pane.append(step, this.#form, make('p', { className: 'hint' }, 'Changes act at once, while it runs.'));
  }

  /** @param {{ method: any, definitions: any, defaults: any }} hello */
  describe({ method, definitions, defaults }) {
    this.#schema = method;
    this.#definitions = definitions ?? {};
    this.#defaults = defaults ?? {};
    this.#shown = '';
  }

  /**
   * Shows the method that is at work, unless it is shown already.
   * @param {any} method
   * @param {number} dt
   */
  show(method, dt) {
    if (document.activeElement !== this.#step) this.#step.value = stepText(dt);
    const text = JSON.stringify(method);
    if (text === this.#shown || !this.#schema) return;
    this.#shown = text;
    const form = make('form', { onsubmit: (/** @type {Event} */ event) => event.preventDefault() });
    const send = () => {
      if (!form.checkValidity()) return;
      const chosen = read();
      this.#shown = JSON.stringify(chosen);
      this.choose({ method: chosen });
    };
    const redraw = () => {
      const chosen = read();
      this.#shown = '';
      this.choose({ method: chosen });
      this.show(chosen, readStep(this.#step.value));
    };
    const read = this.#part(form, 'Method', this.#schema, method, undefined, this.#defaults, send, redraw);
    // Who goes through the form with the keyboard stays where they are.
    const focused = this.#form.contains(document.activeElement) ? document.activeElement?.id : undefined;
    this.#form.replaceChildren(form);
    if (focused) document.getElementById(focused)?.focus();
  }

  /**
   * A part by name, with the properties of the chosen one below. Gives a function that reads it.
   * @param {HTMLElement} parent
   * @param {string} label
   * @param {any} schema
   * @param {any} value
   * @param {string | undefined} usual
   * @param {any} defaults of the properties, by name of the part
   * @param {() => void} send
   * @param {() => void} redraw
   * @returns {() => any}
   */
  #part(parent, label, schema, value, usual, defaults, send, redraw) {
    const names = /** @type {string[]} */ (schema.anyOf[0].enum);
    const chosen = typeof value === 'string' ? value : value ? Object.keys(value)[0] : (usual ?? names[0]);
    const given = value && typeof value === 'object' ? value[chosen] ?? {} : {};
    const id = `${this.prefix}-${label}`;
    const select = make('select', { id, onchange: redraw }, ...names.map((name) => make('option', { value: name, selected: name === chosen }, words(name))));
    const details = schema.anyOf[1]?.properties?.[chosen];
    // What the chosen one is for; if nobody says, what is chosen here.
    const about = help(select, details?.description ?? schema.description ?? '', 2);
    parent.append(make('div', { className: 'field wide', title: schema.description ?? '' }, make('label', { for: id }, words(label)), select, about));
    const fields = make('fieldset', { 'aria-label': `${words(label)}: ${words(chosen)}` });
    if (Object.keys(details?.properties ?? {}).length) parent.append(fields);
    const read = this.#object(fields, label, details, given, defaults?.[chosen] ?? {}, send, redraw);
    return () => {
      // Another name: its properties start afresh.
      const properties = select.value === chosen ? read() : {};
      return Object.keys(properties).length ? { [select.value]: properties } : select.value;
    };
  }

  /**
   * The properties of something. Gives a function that reads those that differ from their defaults.
   * @param {HTMLElement} parent
   * @param {string} path
   * @param {any} schema
   * @param {any} given
   * @param {any} defaults
   * @param {() => void} send
   * @param {() => void} redraw
   * @returns {() => Record<string, any>}
   */
  #object(parent, path, schema, given, defaults, send, redraw) {
    /** @type {[string, () => any][]} */
    const readers = [];
    // Parts first, plain numbers after.
    const entries = Object.entries(schema?.properties ?? {}).map(([name, found]) => [name, this.#resolve(found)]);
    entries.sort(([, a], [, b]) => Number(!a.anyOf?.[0]?.enum) - Number(!b.anyOf?.[0]?.enum));
    for (const [name, property] of entries) {
      const label = path.startsWith(this.prefix) ? `${path}-${name}` : `${this.prefix}-${path}-${name}`;
      if (property.anyOf?.[0]?.enum) {
        const usual = defaults[name]?.name ?? defaults[name];
        const read = this.#part(parent, name, property, given[name], usual, {}, send, redraw);
        readers.push([name, () => (read() === usual ? undefined : read())]);
      } else if (property.properties) {
        parent.append(make('h2', {}, words(name)));
        const read = this.#object(parent, label, property, given[name] ?? {}, {}, send, redraw);
        readers.push([name, () => (Object.keys(read()).length ? read() : undefined)]);
      } else if (property.anyOf?.[0]?.type === 'number') {
        readers.push([name, this.#numberOrWord(parent, label, name, property, given[name], send)]);
      } else if (['number', 'integer', 'boolean'].includes(property.type)) {
        readers.push([name, this.#plain(parent, label, name, property, given[name], send)]);
      } else if (given[name] !== undefined) {
        readers.push([name, () => given[name]]);
      }
    }
    return () => Object.fromEntries(readers.map(([name, read]) => [name, read()]).filter(([, value]) => value !== undefined));
  }

  /**
   * A number or a switch.
   * @param {HTMLElement} parent
   * @param {string} id
   * @param {string} name
   * @param {any} property
   * @param {any} given
   * @param {() => void} send
   * @returns {() => any}
   */
  #plain(parent, id, name, property, given, send) {
    const range = [property.minimum ?? property.exclusiveMinimum, property.maximum ?? property.exclusiveMaximum];
    const limits = range.some((limit) => limit !== undefined) ? `\nFrom ${range[0] ?? '−∞'} to ${range[1] ?? '∞'}.` : '';
    const title = `${property.description ?? ''}${limits}`;
    const isSwitch = property.type === 'boolean';
    const input = make('input', { id, type: isSwitch ? 'checkbox' : 'number', onchange: send });
    if (isSwitch) {
      input.checked = given ?? property.default ?? false;
    } else {
      input.value = given ?? '';
      input.placeholder = property.default ?? '';
      input.step = property.type === 'integer' ? '1' : 'any';
      input.min = range[0] ?? '';
      input.max = range[1] ?? '';
    }
    const unit = make('span', { className: 'unit' }, property.unit ?? '');
    const control = make('div', { className: 'control' }, input, unit);
    parent.append(make('div', { className: 'field', title }, make('label', { for: id }, words(name)), control, help(input, title)));
    return () => {
      const value = isSwitch ? input.checked : input.value === '' ? undefined : Number(input.value);
      return value === property.default ? undefined : value;
    };
  }

  /**
   * A number, or one of a few words such as "never".
   * @param {HTMLElement} parent
   * @param {string} id
   * @param {string} name
   * @param {any} property
   * @param {any} given
   * @param {() => void} send
   * @returns {() => any}
   */
  #numberOrWord(parent, id, name, property, given, send) {
    const [number, ...others] = property.anyOf.map((/** @type {any} */ kind) => this.#resolve(kind));
    const allowed = others.flatMap((/** @type {any} */ kind) => [...(kind.enum ?? []), ...(kind.oneOf ?? []).map((/** @type {any} */ one) => one.const)]);
    const input = make('input', { id, type: 'text', inputMode: 'text', autocomplete: 'off', spellcheck: false });
    const isFine = (/** @type {string} */ text) => !text || allowed.includes(text) || Number(text) >= (number.minimum ?? -Infinity);
    input.value = given ?? '';
    input.placeholder = property.default ?? '';
    input.onchange = () => {
      const help = `A number from ${number.minimum ?? '−∞'}, or ${allowed.map((/** @type {string} */ word) => `“${word}”`).join(', ')}.`;
      input.setCustomValidity(isFine(input.value.trim()) ? '' : help);
      if (input.reportValidity()) send();
    };
    const unit = make('span', { className: 'unit' }, property.unit ?? '');
    const field = { className: 'field', title: property.description ?? '' };
    const control = make('div', { className: 'control' }, input, unit);
    parent.append(make('div', field, make('label', { for: id }, words(name)), control, help(input, field.title)));
    return () => {
      const text = input.value.trim();
      const value = !text ? undefined : allowed.includes(text) ? text : Number(text);
      return value === property.default ? undefined : value;
    };
  }

  /** Follows a reference, and takes the part of a choice that is not null. @param {any} found @returns {any} */
  #resolve(found) {
    let property = found;
    if (property.$ref) property = { ...this.#definitions[property.$ref.replace('#/$defs/', '')], ...property };
    if (Array.isArray(property.type)) property = { ...property, type: property.type.find((/** @type {string} */ type) => type !== 'null') };
    return property;
  }
}
