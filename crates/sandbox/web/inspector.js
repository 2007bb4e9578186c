// @ts-check
// All about the selected body.

import { make, tell } from './dom.js';

/** Less than this, in SI units or as a part of the rest, is rounding: shown as nothing, so that numbers at rest stand still. */
const NOTHING = 1e-6;
/** @param {number[]} v */
const length = (v) => Math.hypot(v[0], v[1], v[2]);
/** @param {number} value @param {number} [digits] */
const number = (value, digits) => tell(Math.abs(value) < NOTHING ? 0 : value, digits);
/** @param {number[]} v */
const vector = (v) => {
  const least = NOTHING * Math.max(1, length(v));
  return v.map((x) => tell(Math.abs(x) < least ? 0 : x, 3)).join(', ');
};

export class Inspector {
  #facts = make('div');
  #buttons = make('div', { className: 'row' });
  #follow = make('button', { className: 'text', type: 'button', 'aria-pressed': 'false' }, 'Follow');

  /**
   * @param {HTMLElement} pane
   * @param {{ follow: () => void, remove: () => void }} actions
   */
  constructor(pane, { follow, remove }) {
    this.pane = pane;
    this.#follow.onclick = follow;
    this.#buttons.append(this.#follow, make('button', { className: 'text', type: 'button', onclick: remove }, 'Delete'));
    this.nothing();
  }

  nothing() {
    this.pane.replaceChildren(make('p', { className: 'hint' }, 'Click a body to see all about it.'));
  }

  /** @param {boolean} follows */
  following(follows) {
    this.#follow.setAttribute('aria-pressed', String(follows));
    this.#follow.textContent = follows ? 'Stop following' : 'Follow';
  }

  /** @param {any} body */
  show(body) {
    if (this.#facts.parentElement !== this.pane) this.pane.replaceChildren(this.#facts, this.#buttons);
    const facts = (/** @type {string} */ title, /** @type {[string, string][]} */ rows) => [
      make('h2', {}, title),
      make('dl', { className: 'facts' }, ...rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)])),
    ];
    const movable = body.mass > 0;
    const material = body.material;
    this.#facts.replaceChildren(
      ...facts(body.name || 'Body', [
        ['Kind', body.kind],
        ['Shape', body.shapes.join(', ') || 'none'],
        ...(movable ? /** @type {[string, string][]} */ ([['Mass', `${tell(body.mass)} kg`], ['Inertia', `${body.inertia.map((/** @type {number} */ x) => tell(x, 3)).join(', ')} kg m²`]]) : []),
        ...(material
          ? /** @type {[string, string][]} */ ([
              ['Density', `${tell(material.density)} kg/m³`],
              ['Bounce', tell(material.restitution)],
              ['Friction', material.static_friction === material.dynamic_friction ? tell(material.static_friction) : `${tell(material.static_friction)} at rest, ${tell(material.dynamic_friction)} sliding`],
            ])
          : []),
        ...(body.joints.length ? /** @type {[string, string][]} */ ([['Joints', body.joints.slice(0, 6).join(', ')]]) : []),
      ]),
      ...facts('Now', [
        ['Position', `${vector(body.position)} m`],
        ['Speed', `${number(length(body.velocity), 3)} m/s`],
        ['Velocity', `${vector(body.velocity)} m/s`],
        ['Spin', `${vector(body.angular_velocity)} rad/s`],
        ...(movable
          ? /** @type {[string, string][]} */ ([
              ['Kinetic energy', `${number(body.kinetic_energy)} J`],
              ['Momentum', `${vector(body.momentum)} kg m/s`],
            ])
          : []),
        ['Touches', `${body.contacts} ${body.contacts === 1 ? 'shape' : 'shapes'}`],
        ['Contact force', `${number(length(body.contact_force), 3)} N`],
        ...(movable ? /** @type {[string, string][]} */ ([['Sleeps', body.asleep ? 'yes' : 'no']]) : []),
      ]),
    );
    this.#buttons.hidden = false;
  }
}
