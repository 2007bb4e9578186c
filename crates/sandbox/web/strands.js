// @ts-check
// Rods and ropes between bodies, and springs: wires and coils, each stretched from one end to the other. The pins of joints: round
// between bodies that move, square where they are fixed.

import * as THREE from './vendor/three.js';
import { LAYERS } from './bodies.js';
import { readStrands } from './decode.js';

/** How often a coil winds around its axis, and the part of it at each end that is a straight wire. */
const [TURNS, LEAD] = [12, 0.08];
/** The radius of a coil, as a multiple of how thick its wire is. */
const WIDE = 7;
/** How large pins are, moving and fixed, as a multiple of how thick a wire is. */
const [PIN, MOUNT] = [3.2, 3.6];
const COLOR = new THREE.Color('#8d979f');
const DARK = new THREE.Color('#39434d');

export class Strands {
  #group = new THREE.Group();
  #material = new THREE.MeshStandardMaterial({ roughness: 0.62, metalness: 0 });
  /** Wires and coils of the two runs. @type {Map<string, import('./vendor/three.js').InstancedMesh>} */ #meshes = new Map();

  /** @param {import('./stage.js').Stage} stage */
  constructor(stage) {
    this.stage = stage;
    stage.scene.add(this.#group);
  }

  /** Forgets those of a run. @param {number} run */
  clear(run) {
    for (const [name, mesh] of this.#meshes) if (name.endsWith(String(run))) mesh.count = 0;
    this.stage.touch();
  }

  /** How many are shown, for tests. */
  get count() {
    return this.#sum(/^(wires|coils)/);
  }

  /** How many pins of joints are shown, for tests. */
  get pins() {
    return this.#sum(/^(pins|mounts)/);
  }

  /** @param {RegExp} which */
  #sum(which) {
    return [...this.#meshes].reduce((sum, [name, mesh]) => sum + (which.test(name) ? mesh.count : 0), 0);
  }

  /** Shows those of a run in place of what was there. @param {DataView} data */
  draw(data) {
    const { run, thickness, wires, coils, pins, mounts } = readStrands(data);
    this.#place(`wires ${run}`, wires, thickness, run);
    this.#place(`coils ${run}`, coils, WIDE * thickness, run);
    this.#place(`pins ${run}`, pins, PIN * thickness, run);
    this.#place(`mounts ${run}`, mounts, MOUNT * thickness, run);
    this.stage.touch();
  }

  /**
   * @param {string} name
   * @param {Float32Array} ends six numbers for each
   * @param {number} radius
   * @param {number} run
   */
  #place(name, ends, radius, run) {
    const count = ends.length / 6;
    const mesh = this.#mesh(name, count, run);
    if (!mesh) return;
    mesh.count = count;
    for (let index = 0; index < count; index++) {
      FROM.fromArray(ends, 6 * index);
      ALONG.fromArray(ends, 6 * index + 3).sub(FROM);
      const length = ALONG.length() || radius;
      TURN.setFromUnitVectors(UP, ALONG.lengthSq() ? ALONG.normalize() : UP);
      mesh.setMatrixAt(index, PLACE.compose(FROM, TURN, SIZE.set(radius, length, radius)));
    }
    mesh.instanceMatrix.needsUpdate = true;
  }

  /**
   * A mesh with room for so many; none as long as there is nothing to show.
   * @param {string} name
   * @param {number} count
   * @param {number} run
   */
  #mesh(name, count, run) {
    const known = this.#meshes.get(name);
    if (known ? known.instanceMatrix.count >= count : count === 0) return known;
    if (known) {
      this.#group.remove(known);
      known.dispose();
    }
    const geometry = known?.geometry ?? PIECES[name.split(' ')[0]]();
    const mesh = new THREE.InstancedMesh(geometry, this.#material, 2 * count);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    // Coloured one by one, as bodies are: the same program draws both, and programs take long to make.
    for (let index = 0; index < 2 * count; index++) mesh.setColorAt(index, /^[wc]/.test(name) ? COLOR : DARK);
    mesh.frustumCulled = false;
    // Turns would lie in the shadow of the turns above.
    mesh.castShadow = true;
    mesh.layers.set(run ? LAYERS.second : LAYERS.first);
    this.#group.add(mesh);
    this.#meshes.set(name, mesh);
    return mesh;
  }
}

/** @type {Record<string, () => import('./vendor/three.js').BufferGeometry>} */
const PIECES = {
  wires: () => new THREE.CylinderGeometry(1, 1, 1, 8, 1, true).translate(0, 0.5, 0),
  coils: coil,
  pins: () => new THREE.SphereGeometry(1, 12, 8),
  mounts: () => new THREE.BoxGeometry(2, 2, 2),
};
const [FROM, ALONG, SIZE] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
const UP = new THREE.Vector3(0, 1, 0);
const TURN = new THREE.Quaternion();
const PLACE = new THREE.Matrix4();

/** A coil of radius and length one along y, of a wire that is round when the coil is about thirteen times as long as wide. */
function coil() {
  const [corners, sides] = [16 * TURNS, 6];
  const [across, high] = [1.2 / WIDE, 1.2 / WIDE / 13];
  /** @type {number[]} */ const positions = [];
  /** @type {number[]} */ const normals = [];
  /** @type {number[]} */ const faces = [];
  // Each ring goes around the wire: along the way out of the axis, and along the axis. At the ends the wire runs along the axis.
  const ring = (/** @type {number} */ angle, /** @type {number} */ radius, /** @type {number} */ height, /** @type {boolean} */ lead) => {
    const [out, side] = [new THREE.Vector3(Math.cos(angle), 0, Math.sin(angle)), new THREE.Vector3(-Math.sin(angle), 0, Math.cos(angle))];
    for (let k = 0; k < sides; k++) {
      const [c, s] = [Math.cos((2 * Math.PI * k) / sides), Math.sin((2 * Math.PI * k) / sides)];
      const normal = out.clone().multiplyScalar(c).add(lead ? side.clone().multiplyScalar(-s) : UP.clone().multiplyScalar(s));
      positions.push(out.x * radius + normal.x * across, height + (lead ? 0 : s * high), out.z * radius + normal.z * across);
      normals.push(normal.x, normal.y, normal.z);
    }
  };
  ring(0, 0, 0, true);
  ring(0, 0, LEAD, true);
  for (let corner = 0; corner <= corners; corner++) ring((2 * Math.PI * corner) / 16, 1, LEAD + ((1 - 2 * LEAD) * corner) / corners, false);
  ring(0, 0, 1 - LEAD, true);
  ring(0, 0, 1, true);
  const rings = positions.length / 3 / sides;
  for (let r = 0; r + 1 < rings; r++) {
    for (let k = 0; k < sides; k++) {
      const [a, b] = [r * sides + k, r * sides + ((k + 1) % sides)];
      faces.push(a, b, a + sides, b, b + sides, a + sides);
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(positions), 3));
  geometry.setAttribute('normal', new THREE.BufferAttribute(new Float32Array(normals), 3));
  geometry.setIndex(faces);
  return geometry;
}
