// @ts-check
// The mouse on the stage: drag a body to pull it by a spring, click to select it, shift-click to shoot. Dragging anywhere else
// is the camera's.

import * as THREE from './vendor/three.js';
import { LAYERS } from './bodies.js';

/** Less than this many pixels is a click. */
const CLICK = 4;

/** @typedef {{ body: import('./bodies.js').Body, anchor: import('./vendor/three.js').Vector3, plane: import('./vendor/three.js').Plane, moved: boolean }} Held */

export class Mouse {
  /** @type {Held | undefined} */
  #held;
  #ray = new THREE.Raycaster();
  #start = [0, 0];
  /** Where the mouse was last, in the window. */
  #place = [innerWidth / 2, innerHeight / 2];
  /** Told what was clicked. @type {(body: import('./bodies.js').Body | undefined) => void} */
  onSelect = () => {};
  /** Told where the mouse is over the picture, and when it is pressed or let go there. @type {(at: { x: number, y: number }, ray: import('./vendor/three.js').Ray, pressed?: boolean) => void} */
  onPoint = () => {};
  /** Whether pressing is for the scene, and not for the view and the bodies. */
  wantsPress = () => false;
  #pressed = false;

  /**
   * @param {import('./stage.js').Stage} stage
   * @param {import('./bodies.js').Bodies} bodies
   * @param {import('./bodies.js').Bodies} shades the bodies of the second run
   * @param {import('./overlay.js').Overlay} overlay
   * @param {import('./link.js').Link} link
   */
  constructor(stage, bodies, shades, overlay, link) {
    this.stage = stage;
    this.bodies = bodies;
    this.shades = shades;
    this.overlay = overlay;
    this.link = link;
    const canvas = stage.canvas;
    // Before the camera's own listener, which must not turn the view while a body is dragged.
    canvas.addEventListener('pointerdown', (event) => this.#down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.#move(event));
    canvas.addEventListener('pointerup', (event) => this.#up(event));
    canvas.addEventListener('pointercancel', () => {
      if (this.#pressed) this.#press(false);
      this.#release();
    });
    stage.before.push(() => {
      if (this.#held) overlay.spring(this.#held.anchor.clone().applyMatrix4(this.#held.body.matrix), this.#target());
    });
  }

  /** @param {PointerEvent} [event] */
  #aim(event) {
    if (event) this.#place = [event.clientX, event.clientY];
    const { at, layers } = this.stage.aim(this.#place[0], this.#place[1]);
    this.#ray.setFromCamera(at, this.stage.camera);
    return layers;
  }

  /**
   * The body under the mouse: of the second run where only that is seen.
   * @param {number[]} layers
   */
  #under(layers) {
    const bodies = layers.includes(LAYERS.first) ? this.bodies : this.shades;
    this.#ray.layers.disableAll();
    for (const layer of layers) this.#ray.layers.enable(layer);
    const scenery = bodies === this.shades ? this.bodies.meet(this.#ray) : undefined;
    const hit = bodies.meet(this.#ray);
    const nearer = scenery && (!hit || scenery.point.distanceTo(this.#ray.ray.origin) < hit.point.distanceTo(this.#ray.ray.origin));
    return nearer ? scenery : hit;
  }

  #target() {
    const held = /** @type {Held} */ (this.#held);
    return this.#ray.ray.intersectPlane(held.plane, new THREE.Vector3()) ?? held.anchor.clone().applyMatrix4(held.body.matrix);
  }

  /** @param {PointerEvent} event */
  #down(event) {
    const layers = this.#aim(event);
    this.#start = [event.clientX, event.clientY];
    if (event.button !== 0 || !event.isPrimary) return;
    if (event.shiftKey) {
      event.stopImmediatePropagation();
      this.shoot();
      return;
    }
    if (this.wantsPress()) {
      event.stopImmediatePropagation();
      this.stage.canvas.setPointerCapture(event.pointerId);
      this.stage.canvas.focus({ preventScroll: true });
      this.#press(true);
      return;
    }
    const hit = this.#under(layers);
    if (!hit?.body.movable) return;
    event.stopImmediatePropagation();
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.classList.add('dragging');
    this.stage.canvas.focus({ preventScroll: true });
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    const anchor = hit.point.clone().applyMatrix4(hit.body.matrix.clone().invert());
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point);
    this.#held = { body: hit.body, anchor, plane, moved: false };
  }

  /** @param {boolean} [pressed] */
  #press(pressed) {
    if (pressed !== undefined) this.#pressed = pressed;
    const { at } = this.stage.aim(this.#place[0], this.#place[1]);
    this.onPoint({ x: at.x, y: at.y }, this.#ray.ray, pressed);
  }

  /** @param {PointerEvent} event */
  #move(event) {
    const layers = this.#aim(event);
    this.#press();
    if (this.#pressed) return;
    if (this.#held) {
      if (!this.#held.moved && this.#far(event)) {
        this.#held.moved = true;
        // In the first run the body may be elsewhere; it is held at the same place of the body.
        const { anchor, body } = this.#held;
        const point = anchor.clone().applyMatrix4((this.bodies.bySlot.get(body.look.slot) ?? body).matrix);
        this.link.ask('grab', { body: body.look.id, point: point.toArray() });
      }
      if (this.#held.moved) {
        this.link.ask('drag', { to: this.#target().toArray() });
        this.stage.touch();
      }
    } else if (event.buttons === 0) {
      this.stage.canvas.classList.toggle('over-body', this.#under(layers)?.body.movable ?? false);
    }
  }

  /** @param {PointerEvent} event */
  #far(event) {
    return Math.hypot(event.clientX - this.#start[0], event.clientY - this.#start[1]) > CLICK;
  }

  /** @param {PointerEvent} event */
  #up(event) {
    if (this.#pressed) {
      this.#aim(event);
      this.#press(false);
      return;
    }
    const held = this.#held;
    this.#release();
    if (event.button === 0 && !event.shiftKey && !this.#far(event)) {
      const hit = held ? held.body : this.#under(this.#aim(event))?.body;
      this.onSelect(hit && this.bodies.bySlot.get(hit.look.slot));
    }
  }

  #release() {
    if (!this.#held) return;
    this.#held = undefined;
    this.stage.canvas.classList.remove('dragging');
    this.overlay.spring();
    this.link.ask('release');
  }

  /** Shoots a ball to where the mouse points. */
  shoot() {
    this.#aim();
    const { origin, direction } = this.#ray.ray;
    const from = origin.clone().addScaledVector(direction, 0.12 * this.stage.camera.position.distanceTo(this.stage.controls.target));
    this.link.ask('shoot', { from: from.toArray(), towards: direction.toArray() });
  }
}
