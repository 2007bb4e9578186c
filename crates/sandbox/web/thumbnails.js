// @ts-check
// Pictures of the scenes in the gallery, drawn here when they come into sight: always what the scenes are now.

import { Bodies } from './bodies.js';
import { FRAME, SKIN, STRANDS, SURFACE } from './decode.js';
import { Fluids } from './fluids.js';
import { Stage } from './stage.js';
import { Strands } from './strands.js';

/** The size of a picture in pixels: twice what it is on the page. */
const [WIDTH, HEIGHT] = [224, 140];

export class Thumbnails {
  /** @type {Stage | undefined} */ #stage;
  /** @type {Bodies | undefined} */ #bodies;
  /** @type {Strands | undefined} */ #strands;
  /** @type {Fluids | undefined} */ #fluids;
  /** @type {Map<string, Promise<string>>} */ #made = new Map();
  /** One after the other. @type {Promise<unknown>} */ #last = Promise.resolve();
  #sight = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) this.#show(/** @type {HTMLImageElement} */ (target));
  });

  /** @param {Promise<void>} ready when there is time for them */
  constructor(ready) {
    this.#last = ready;
  }

  /** Fills the picture with the scene as soon as it is seen. @param {HTMLImageElement} picture @param {string} scene */
  watch(picture, scene) {
    picture.dataset.scene = scene;
    this.#sight.observe(picture);
  }

  forget() {
    this.#sight.disconnect();
  }

  /** @param {HTMLImageElement} picture */
  #show(picture) {
    this.#sight.unobserve(picture);
    const scene = picture.dataset.scene ?? '';
    let made = this.#made.get(scene);
    if (!made) {
      made = this.#last.then(() => this.#draw(scene));
      this.#made.set(scene, made);
      this.#last = made.catch(() => {});
    }
    // A scene that cannot be read has no picture.
    made.then((address) => (picture.src = address), () => {});
  }

  /** @param {string} scene */
  async #draw(scene) {
    const words = new URLSearchParams(location.search);
    words.set('scene', scene);
    const answer = await fetch(`preview?${words}`);
    if (!answer.ok) throw new Error(await answer.text());
    const messages = await answer.arrayBuffer();
    // The page itself comes first.
    await new Promise((done) => ('requestIdleCallback' in window ? requestIdleCallback(done, { timeout: 500 }) : setTimeout(done, 50)));
    const stage = (this.#stage ??= this.#open());
    const bodies = /** @type {Bodies} */ (this.#bodies);
    const text = new TextDecoder();
    for (let at = 0; at < messages.byteLength; ) {
      const length = new DataView(messages).getUint32(at, true);
      const data = new DataView(messages, at + 4, length);
      at += 4 + length;
      if (data.getUint8(0) === FRAME) bodies.frame(data);
      else if (data.getUint8(0) === SURFACE) bodies.addSurface(data);
      else if (data.getUint8(0) === SKIN) bodies.addSkin(data);
      else if (data.getUint8(0) === STRANDS) this.#strands?.draw(data);
      else {
        const message = JSON.parse(text.decode(data));
        if (message.type === 'scene') {
          bodies.clear(message.unit);
          this.#strands?.clear(0);
          stage.look(message);
          this.#fluids?.show(message.fluids);
        } else bodies.change(message);
      }
    }
    stage.draw();
    const blob = await new Promise((done) => stage.canvas.toBlob(done, 'image/webp', 0.9));
    if (!blob) throw new Error('no picture');
    return URL.createObjectURL(blob);
  }

  #open() {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [WIDTH, HEIGHT];
    const stage = new Stage(canvas, { still: true });
    this.#bodies = new Bodies(stage);
    this.#strands = new Strands(stage);
    this.#fluids = new Fluids(stage);
    return stage;
  }
}
