// @ts-check
// The bodies: one instanced mesh for each kind of shape, so that thousands cost a few calls. Those of the second run are drawn
// like the others in a view of their own, or as tinted shades among them.

import * as THREE from './vendor/three.js';
import { readFrame, readSkin, readSurface } from './decode.js';
import { Figure } from './skin.js';
import { triple } from './stage.js';

/**
 * @typedef {{ slot: number, generation: number }} BodyId
 * @typedef {{ shape: string, size?: number[], normal?: number[], surface?: number, position: number[], rotation: number[], sensor?: boolean, rod?: boolean, painted?: boolean, bones?: number[] }} PartLook
 * @typedef {{ id: BodyId, slot: number, name: string, kind: string, color: number[], parts: PartLook[] }} BodyLook
 * @typedef {{ batch: Batch, index: number, local: import('./vendor/three.js').Matrix4, body: Body, rod: boolean, shape: string }} Part
 */

/** A body on the stage. */
export class Body {
  /** @type {Part[]} */ parts = [];
  /** @type {import('./vendor/three.js').Mesh[]} */ grounds = [];
  units = [0, 0, 0];
  position = new THREE.Vector3();
  rotation = new THREE.Quaternion();
  matrix = new THREE.Matrix4();
  asleep = false;
  placed = false;
  /** @param {BodyLook} look */
  constructor(look) {
    this.look = look;
    this.color = new THREE.Color().setRGB(look.color[0] / 255, look.color[1] / 255, look.color[2] / 255, THREE.SRGBColorSpace);
    /** The colour it has at the moment. */
    this.shown = this.color;
  }

  get movable() {
    return this.look.kind === 'dynamic' || this.look.kind === 'particle';
  }
}

/** Shapes that are one unit shape, stretched. */
const UNIT_SHAPES = {
  sphere: () => new THREE.SphereGeometry(1, 32, 20),
  box: () => new THREE.BoxGeometry(2, 2, 2),
  cylinder: () => new THREE.CylinderGeometry(1, 1, 2, 36),
  cone: () => new THREE.ConeGeometry(1, 2, 36),
};

/** All parts with the same geometry. */
class Batch {
  /** @type {Part[]} */ parts = [];

  /**
   * @param {import('./vendor/three.js').Group} group
   * @param {import('./vendor/three.js').BufferGeometry} geometry
   * @param {boolean} clear
   * @param {number} layer
   * @param {boolean} shades
   */
  constructor(group, geometry, clear, layer, shades) {
    this.group = group;
    this.geometry = geometry;
    this.clear = clear;
    this.layer = layer;
    this.painted = 'color' in geometry.attributes;
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0, vertexColors: this.painted });
    this.mesh = this.#mesh(16);
    this.shade(shades);
  }

  /** Draws shades, or solid bodies. @param {boolean} shades */
  shade(shades) {
    const clear = this.clear || shades;
    Object.assign(this.material, { transparent: clear, opacity: this.clear ? 0.25 : shades ? 0.55 : 1, depthWrite: !this.clear, polygonOffset: shades, polygonOffsetFactor: -1, polygonOffsetUnits: -2 });
    this.material.needsUpdate = true;
    this.mesh.castShadow = !clear;
  }

  /** @param {number} capacity */
  #mesh(capacity) {
    const mesh = new THREE.InstancedMesh(this.geometry, this.material, capacity);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.castShadow = !this.material.transparent;
    mesh.receiveShadow = true;
    mesh.layers.set(this.layer);
    mesh.frustumCulled = false;
    mesh.count = 0;
    mesh.userData.batch = this;
    this.group.add(mesh);
    return mesh;
  }

  /** @param {Part} part */
  add(part) {
    if (this.parts.length === this.mesh.instanceMatrix.count) {
      const old = this.mesh;
      this.mesh = this.#mesh(2 * old.instanceMatrix.count);
      this.mesh.instanceMatrix.array.set(old.instanceMatrix.array);
      if (old.instanceColor) this.parts.forEach((known) => this.paint(known));
      this.group.remove(old);
      old.dispose();
    }
    part.index = this.parts.push(part) - 1;
    this.mesh.count = this.parts.length;
    this.paint(part);
    // Until the first frame says where it is, it is nowhere.
    this.mesh.setMatrixAt(part.index, NOWHERE);
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  /** @param {Part} part */
  remove(part) {
    const last = /** @type {Part} */ (this.parts.pop());
    if (last !== part) {
      this.parts[part.index] = last;
      last.index = part.index;
      this.place(last);
      this.paint(last);
    }
    this.mesh.count = this.parts.length;
  }

  /** @param {Part} part */
  place(part) {
    this.mesh.setMatrixAt(part.index, PLACE.multiplyMatrices(part.body.matrix, part.local));
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  /** @param {Part} part */
  paint(part) {
    this.mesh.setColorAt(part.index, part.rod ? ROD : this.painted && part.body.shown === part.body.color ? WHITE : part.body.shown);
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  dispose() {
    this.group.remove(this.mesh);
    this.mesh.dispose();
    this.material.dispose();
    this.geometry.dispose();
  }
}

const NOWHERE = new THREE.Matrix4().makeScale(0, 0, 0);
const PLACE = new THREE.Matrix4();
const ONE = new THREE.Vector3(1, 1, 1);
const UP = new THREE.Vector3(0, 1, 0);
const ROD = new THREE.Color('#5a636c');
const WHITE = new THREE.Color(1, 1, 1);
const TIRED = new THREE.Color('#7d858c');
/** What is the same in both runs, the first, the second: each is drawn where its layer is. */
export const LAYERS = { both: 0, first: 1, second: 2 };
/** The colour of the second run among the bodies of the first. */
export const SHADE = '#ff5a1f';
const SHADE_COLOR = new THREE.Color(SHADE);

export class Bodies {
  group = new THREE.Group();
  /** @type {Map<number, Body>} */ bySlot = new Map();
  /** @type {Map<string, Batch>} */ #batches = new Map();
  /** @type {Map<number, import('./vendor/three.js').BufferGeometry>} */ #surfaces = new Map();
  /** @type {Map<number, import('./skin.js').Skin>} */ #skins = new Map();
  /** By the slot of the body that stands for each. @type {Map<number, Figure>} */ #figures = new Map();
  unit = 1;
  time = 0;
  steps = 0;
  /** Grows whenever bodies come or go. */ changes = 0;
  #showSleep = false;
  #shades = false;

  /**
   * @param {import('./stage.js').Stage} stage
   * @param {Bodies} [first] those of the first run, if these are those of the second
   */
  constructor(stage, first) {
    this.stage = stage;
    this.first = first;
    stage.scene.add(this.group);
  }

  /** For the second run: takes over all that is known of the bodies of the first. */
  begin() {
    if (!this.first) return;
    this.clear(this.first.unit);
    this.#surfaces = this.first.#surfaces;
    this.#skins = this.first.#skins;
    this.change({ add: [...this.first.bySlot.values()].map(({ look }) => look), remove: [] });
  }

  /** Draws tinted shades instead of solid bodies, or no more. @param {boolean} shades */
  shade(shades) {
    this.#shades = shades;
    for (const batch of this.#batches.values()) batch.shade(shades);
    for (const figure of this.#figures.values()) figure.shade(shades, SHADE_COLOR);
    for (const body of this.bySlot.values()) this.#paint(body);
    this.stage.touch();
  }

  /** Forgets everything, for another scene. @param {number} unit */
  clear(unit) {
    for (const body of this.bySlot.values()) this.#takeAway(body);
    for (const batch of this.#batches.values()) batch.dispose();
    this.bySlot.clear();
    this.#batches.clear();
    this.#surfaces = new Map();
    this.changes += 1;
    this.#skins = new Map();
    this.unit = unit;
    this.time = this.steps = 0;
  }

  /** Whether it is known of every body where it is. */
  get placed() {
    return this.bySlot.size > 0 && [...this.bySlot.values()].every((body) => body.placed);
  }

  /** @param {DataView} data */
  addSurface(data) {
    const { number, positions, normals, colors } = readSurface(data);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(normals, 3));
    if (colors) geometry.setAttribute('color', new THREE.BufferAttribute(colors, 3));
    this.#surfaces.set(number, geometry);
  }

  /** @param {DataView} data */
  addSkin(data) {
    const skin = readSkin(data);
    this.#skins.set(skin.number, skin);
  }

  /** @param {{ add: BodyLook[], remove: number[] }} change */
  change({ add, remove }) {
    this.changes += 1;
    for (const slot of remove) {
      const body = this.bySlot.get(slot);
      if (body) this.#takeAway(body);
      this.bySlot.delete(slot);
    }
    for (const look of add) {
      // What does not move is the same in both runs.
      if (this.first && look.kind === 'fixed') continue;
      const body = new Body(look);
      this.bySlot.set(look.slot, body);
      for (const part of look.parts) this.#addPart(body, part);
      this.#paint(body);
    }
    this.stage.touch();
  }

  /** @param {Body} body */
  #takeAway(body) {
    for (const part of body.parts) part.batch.remove(part);
    const figure = this.#figures.get(body.look.slot);
    if (figure) {
      this.group.remove(figure.mesh);
      figure.dispose();
      this.#figures.delete(body.look.slot);
    }
    for (const ground of body.grounds) {
      this.group.remove(ground);
      ground.userData.forget();
    }
  }

  /**
   * @param {Body} body
   * @param {PartLook} look
   */
  #addPart(body, look) {
    const position = new THREE.Vector3(...triple(look.position));
    const rotation = new THREE.Quaternion(look.rotation[0], look.rotation[1], look.rotation[2], look.rotation[3]);
    const skin = look.shape === 'skin' && this.#skins.get(look.surface ?? -1);
    if (skin) {
      const figure = new Figure(skin, look.bones ?? [], body.color, this.#shades);
      figure.mesh.layers.set(this.first ? LAYERS.second : LAYERS.first);
      figure.mesh.userData.figure = figure;
      this.#figures.set(body.look.slot, figure);
      this.group.add(figure.mesh);
      return;
    }
    if (look.shape === 'half_space') {
      const ground = this.stage.ground();
      rotation.multiply(new THREE.Quaternion().setFromUnitVectors(UP, new THREE.Vector3(...triple(look.normal ?? [0, 1, 0]))));
      ground.userData.local = new THREE.Matrix4().compose(position, rotation, ONE);
      ground.userData.body = body;
      ground.matrixAutoUpdate = false;
      body.grounds.push(ground);
      this.group.add(ground);
      return;
    }
    const [x, y, z] = triple(look.size ?? [1, 1, 1]);
    const stretched = look.shape in UNIT_SHAPES;
    const local = new THREE.Matrix4().compose(position, rotation, stretched ? new THREE.Vector3(x, y, z) : ONE);
    const layer = this.first ? LAYERS.second : body.look.kind === 'fixed' ? LAYERS.both : LAYERS.first;
    const key = [look.shape, look.sensor ? 'sensor' : '', layer, stretched ? '' : `${x},${y},${look.surface}`].join(':');
    let batch = this.#batches.get(key);
    if (!batch) {
      const geometry = stretched
        ? UNIT_SHAPES[/** @type {keyof typeof UNIT_SHAPES} */ (look.shape)]()
        : look.shape === 'capsule'
          ? new THREE.CapsuleGeometry(x, 2 * y, 14, 36)
          : (this.#surfaces.get(look.surface ?? -1) ?? new THREE.BufferGeometry()).clone();
      batch = new Batch(this.group, geometry, look.sensor ?? false, layer, this.#shades);
      this.#batches.set(key, batch);
    }
    const part = { batch, index: 0, local, body, rod: look.rod ?? false, shape: look.shape };
    body.parts.push(part);
    batch.add(part);
  }

  /** @param {DataView} data */
  frame(data) {
    const { time, steps, count } = readFrame(data, (slot, change, rotation, asleep) => {
      const body = this.bySlot.get(slot);
      if (!body) return;
      for (let axis = 0; axis < 3; axis++) body.units[axis] += change[axis];
      body.position.set(body.units[0] * this.unit, body.units[1] * this.unit, body.units[2] * this.unit);
      body.rotation.set(rotation[0], rotation[1], rotation[2], rotation[3]);
      body.matrix.compose(body.position, body.rotation, ONE);
      body.placed = true;
      for (const part of body.parts) part.batch.place(part);
      for (const ground of body.grounds) {
        ground.matrix.multiplyMatrices(body.matrix, ground.userData.local);
        ground.matrixWorldNeedsUpdate = true;
      }
      if (body.asleep !== asleep) {
        body.asleep = asleep;
        if (this.#showSleep) this.#paint(body);
      }
    });
    if (count > 0) for (const figure of this.#figures.values()) figure.bend((slot) => this.bySlot.get(slot)?.matrix);
    this.time = time;
    this.steps = steps;
    if (count > 0) this.stage.touch();
  }

  /** Shows who sleeps by paling, or not. @param {boolean} show */
  showSleep(show) {
    this.#showSleep = show;
    for (const body of this.bySlot.values()) this.#paint(body);
    this.stage.touch();
  }

  /** @param {Body} body */
  #paint(body) {
    body.shown = this.#shades ? SHADE_COLOR : body.color;
    if (this.#showSleep && body.asleep) body.shown = body.shown.clone().lerp(TIRED, 0.8);
    for (const part of body.parts) part.batch.paint(part);
  }

  /**
   * What a ray meets first.
   * @param {import('./vendor/three.js').Raycaster} ray
   * @returns {{ body: Body, point: import('./vendor/three.js').Vector3 } | undefined}
   */
  meet(ray) {
    for (const batch of this.#batches.values()) batch.mesh.boundingSphere = null;
    const hit = ray.intersectObjects(this.group.children, false)[0];
    if (!hit) return undefined;
    const batch = /** @type {Batch | undefined} */ (hit.object.userData.batch);
    const figure = /** @type {Figure | undefined} */ (hit.object.userData.figure);
    const bone = figure && this.bySlot.get(figure.boneAt(hit.face?.a ?? 0));
    const body = bone ?? (batch ? batch.parts[hit.instanceId ?? 0]?.body : hit.object.userData.body);
    return body && { body, point: hit.point };
  }
}
