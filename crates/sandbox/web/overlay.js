// @ts-check
// What is drawn over the bodies: instruments, the outline of the selected body, the spring of the mouse.

import * as THREE from './vendor/three.js';
import { LAYERS } from './bodies.js';
import { readDrawing } from './decode.js';

/** The instruments in the order of their numbers, with words and the colour they are drawn in. */
export const INSTRUMENTS = [
  ['contacts', 'Contacts and normals', '#ff3333'],
  ['contact_forces', 'Contact forces', '#ff991a'],
  ['forces', 'Forces on bodies', '#ff991a'],
  ['joints', 'Joints', '#4d80ff'],
  ['reactions', 'Forces in joints', '#ff991a'],
  ['aabbs', 'Boxes around shapes', 'var(--ink)'],
  ['broad_phase', 'Broad phase', 'var(--soft)'],
  ['velocities', 'Velocities', '#33e64d'],
  ['centers_of_mass', 'Centres of mass', '#ffe633'],
  ['islands', 'Islands by colour', 'linear-gradient(90deg,#f55,#5c5,#55f)'],
  ['limits', 'How far joints let the selected body turn', '#1abfcc'],
];

/** Instruments of many lines, drawn faintly in a colour that goes with the theme. */
const FAINT = {
  aabbs: { light: '#1d2733', dark: '#ffffff' },
  broad_phase: { light: '#47607a', dark: '#9fb4c8' },
};

export class Overlay {
  /** @type {Map<number, import('./vendor/three.js').Group>} */ #drawings = new Map();
  #outline = new THREE.Group();
  #spring = new THREE.LineSegments(
    new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(new Float32Array(6), 3)),
    new THREE.LineBasicMaterial({ color: '#d0653f', depthTest: false, transparent: true }),
  );
  #accent = new THREE.LineBasicMaterial({ color: '#ffb454', depthTest: true });
  /** @type {import('./bodies.js').Body | undefined} */ #selected;

  /** @param {import('./stage.js').Stage} stage */
  constructor(stage) {
    this.stage = stage;
    this.#spring.visible = false;
    this.#spring.frustumCulled = false;
    this.#outline.matrixAutoUpdate = false;
    stage.scene.add(this.#outline, this.#spring);
    stage.before.push(() => {
      if (!this.#selected) return;
      this.#outline.matrix.copy(this.#selected.matrix);
      this.#outline.matrixWorldNeedsUpdate = true;
    });
  }

  /** Shows a drawing in place of the last one of its kind. @param {DataView} data */
  draw(data) {
    const { what, ends, lineColors, centers, pointColors } = readDrawing(data);
    this.erase(what);
    const group = new THREE.Group();
    const add = (/** @type {any} */ object) => {
      object.frustumCulled = false;
      object.renderOrder = 2;
      object.layers.set(LAYERS.first);
      group.add(object);
    };
    const faint = this.#faint(what);
    if (ends.length && faint) {
      const places = new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(ends, 3));
      add(new THREE.LineSegments(places, new THREE.LineBasicMaterial({ color: faint, depthTest: false, transparent: true, opacity: 0.55, toneMapped: false })));
    } else if (ends.length) {
      const wide = new THREE.LineSegmentsGeometry().setPositions(ends).setColors(linear(lineColors));
      add(new THREE.LineSegments2(wide, new THREE.LineMaterial({ vertexColors: true, linewidth: 2.2, depthTest: false, transparent: true, toneMapped: false })));
    }
    if (centers.length) {
      const places = new THREE.BufferGeometry();
      places.setAttribute('position', new THREE.BufferAttribute(centers, 3));
      places.setAttribute('color', new THREE.BufferAttribute(linear(pointColors), 3));
      const material = new THREE.PointsMaterial({ vertexColors: true, size: INSTRUMENTS[what][0] === 'limits' ? 5 : 8, sizeAttenuation: false, depthTest: false, transparent: true, toneMapped: false });
      // Round ones.
      material.onBeforeCompile = (shader) => {
        shader.fragmentShader = shader.fragmentShader.replace('#include <color_fragment>', '#include <color_fragment>\nif (length(gl_PointCoord - 0.5) > 0.5) discard;');
      };
      add(new THREE.Points(places, material));
    }
    this.#drawings.set(what, group);
    this.stage.scene.add(group);
    this.stage.touch();
  }

  /** @param {number} what */
  erase(what) {
    const group = this.#drawings.get(what);
    if (!group) return;
    for (const object of /** @type {any[]} */ (group.children)) {
      object.geometry.dispose();
      object.material.dispose();
    }
    this.stage.scene.remove(group);
    this.#drawings.delete(what);
    this.stage.touch();
  }

  /** @param {number} what */
  #faint(what) {
    return FAINT[/** @type {keyof typeof FAINT} */ (INSTRUMENTS[what][0])]?.[this.stage.theme];
  }

  /** @param {'light' | 'dark'} theme */
  setTheme(theme) {
    for (const [what, group] of this.#drawings) {
      const faint = FAINT[/** @type {keyof typeof FAINT} */ (INSTRUMENTS[what][0])]?.[theme];
      if (faint) for (const object of /** @type {any[]} */ (group.children)) object.material.color.set(faint);
    }
    this.stage.touch();
  }

  /** Whether an instrument is drawn. @param {number} what */
  has(what) {
    return this.#drawings.has(what);
  }

  eraseAll() {
    for (const what of [...this.#drawings.keys()]) this.erase(what);
  }

  /** Outlines a body, or none. @param {import('./bodies.js').Body | undefined} body */
  select(body) {
    this.#selected = body;
    for (const line of /** @type {any[]} */ (this.#outline.children)) line.geometry.dispose();
    this.#outline.clear();
    for (const part of body?.parts.filter(({ rod }) => !rod) ?? []) {
      const line = new THREE.LineSegments(new THREE.EdgesGeometry(part.batch.geometry, 25), this.#accent);
      line.applyMatrix4(part.local);
      line.scale.multiplyScalar(1.004);
      line.layers.set(LAYERS.first);
      this.#outline.add(line);
    }
    this.stage.touch();
  }

  /**
   * Shows the spring between two points, or none.
   * @param {import('./vendor/three.js').Vector3} [from]
   * @param {import('./vendor/three.js').Vector3} [to]
   */
  spring(from, to) {
    this.#spring.visible = from !== undefined && to !== undefined;
    if (from && to) {
      const places = this.#spring.geometry.getAttribute('position');
      places.setXYZ(0, from.x, from.y, from.z);
      places.setXYZ(1, to.x, to.y, to.z);
      places.needsUpdate = true;
    }
    this.stage.touch();
  }
}

/**
 * Colours as the graphics card reckons with them.
 * @param {Uint8Array} colors
 */
function linear(colors) {
  return Float32Array.from(colors, (channel) => LINEAR[channel]);
}

const LINEAR = Array.from({ length: 256 }, (_, channel) => new THREE.Color().setRGB(channel / 255, 0, 0, THREE.SRGBColorSpace).r);
