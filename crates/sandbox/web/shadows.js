// @ts-check
// Contact shadows: a soft dark patch under each part of a body, on the ground or on the fixed box below it. They say how high things
// are where real shadows cost too much: on machines without a graphics card.

import * as THREE from './vendor/three.js';

/** More parts than this get none. */
const MOST = 3000;
/** How far a patch reaches beyond its part, and how dark it is where the part touches. */
const [REACH, DARK] = [1.45, 0.55];
/** A part that is as high as this many times its own size casts no patch any more. */
const HEIGHT = 2.5;

/**
 * Something flat to lie on: a point of it, its normal, and how far it reaches along two directions, if it ends.
 * @typedef {{ point: import('./vendor/three.js').Vector3, normal: import('./vendor/three.js').Vector3, sides?: [import('./vendor/three.js').Vector3, number, import('./vendor/three.js').Vector3, number] }} Floor
 */

export class Shadows {
  #mesh = patches(64);
  #floors = /** @type {Floor[]} */ ([]);
  #known = -1;
  /** Whether there are to be any, for tests. */ wanted = true;

  /**
   * @param {import('./stage.js').Stage} stage
   * @param {import('./bodies.js').Bodies} bodies those that cast
   * @param {import('./bodies.js').Bodies} scenery those to lie on
   * @param {number} layer
   */
  constructor(stage, bodies, scenery, layer) {
    this.stage = stage;
    this.bodies = bodies;
    this.scenery = scenery;
    this.layer = layer;
    this.#mesh.layers.set(layer);
    stage.scene.add(this.#mesh);
    stage.before.push(() => this.#cast());
  }

  /** How many are drawn, for tests. */
  get count() {
    return this.#mesh.visible ? this.#mesh.count : 0;
  }

  #cast() {
    const wanted = this.wanted && !this.stage.fine;
    this.#mesh.visible = wanted;
    if (!wanted) return;
    this.#findFloors();
    const parts = [...this.bodies.bySlot.values()].filter((body) => body.placed && body.look.kind !== 'fixed').flatMap((body) => body.parts);
    this.#mesh.count = 0;
    if (parts.length > MOST || !this.#floors.length) return;
    this.#makeRoom(parts.length);
    for (const part of parts) if (!part.rod && !part.batch.clear) this.#place(part);
    this.#mesh.instanceMatrix.needsUpdate = true;
    if (this.#mesh.instanceColor) this.#mesh.instanceColor.needsUpdate = true;
  }

  /** What does not move is looked at again when bodies come or go. */
  #findFloors() {
    if (this.#known === this.scenery.changes) return;
    this.#known = this.scenery.changes;
    this.#floors = [];
    for (const body of this.scenery.bySlot.values()) {
      if (body.look.kind !== 'fixed') continue;
      if (!body.placed) this.#known = -1;
      for (const ground of body.grounds) {
        const normal = new THREE.Vector3().setFromMatrixColumn(ground.matrix, 1);
        if (normal.y > 0.3) this.#floors.push({ point: new THREE.Vector3().setFromMatrixPosition(ground.matrix), normal });
      }
      for (const part of body.parts) if (part.shape === 'box') this.#floors.push(top(part));
    }
  }

  /** @param {number} count */
  #makeRoom(count) {
    if (this.#mesh.instanceMatrix.count >= count) return;
    this.stage.scene.remove(this.#mesh);
    this.#mesh.geometry.dispose();
    this.#mesh.material.dispose();
    this.#mesh.dispose();
    this.#mesh = patches(2 * count);
    this.#mesh.layers.set(this.layer);
    this.stage.scene.add(this.#mesh);
  }

  /** @param {import('./bodies.js').Part} part */
  #place(part) {
    WORLD.multiplyMatrices(part.body.matrix, part.local);
    const box = bounds(part.batch.geometry);
    CENTER.copy(box.middle).applyMatrix4(WORLD);
    /** @type {Floor | undefined} */ let floor;
    let drop = Infinity;
    for (const candidate of this.#floors) {
      // Straight down from the middle.
      const fall = DIFFERENCE.subVectors(CENTER, candidate.point).dot(candidate.normal) / candidate.normal.y;
      if (fall < 0 || fall >= drop) continue;
      if (candidate.sides) {
        const [u, halfU, v, halfV] = candidate.sides;
        FOOT.copy(CENTER).setY(CENTER.y - fall).sub(candidate.point);
        if (Math.abs(FOOT.dot(u)) > halfU || Math.abs(FOOT.dot(v)) > halfV) continue;
      }
      [floor, drop] = [candidate, fall];
    }
    if (!floor) return;
    const { normal } = floor;
    // The edges of the box around the part: the longest says how the patch lies.
    EDGES.forEach((edge, axis) => edge.setFromMatrixColumn(WORLD, axis).multiplyScalar(box.half.getComponent(axis)));
    const longest = [...EDGES].sort((a, b) => b.lengthSq() - a.lengthSq())[0];
    ALONG.copy(longest).projectOnPlane(normal);
    if (ALONG.length() < 0.3 * longest.length()) ALONG.set(1, 0, 0).projectOnPlane(normal);
    ALONG.normalize();
    ACROSS.crossVectors(normal, ALONG);
    const extent = (/** @type {import('./vendor/three.js').Vector3} */ way) => EDGES.reduce((sum, edge) => sum + Math.abs(edge.dot(way)), 0);
    const [long, wide, tall] = [extent(ALONG), extent(ACROSS), extent(normal)];
    const gap = drop * normal.y - tall;
    const strength = DARK * Math.max(0, 1 - Math.max(0, gap) / (HEIGHT * Math.min(long, wide)));
    if (strength <= 0) return;
    const index = this.#mesh.count++;
    FOOT.copy(CENTER).setY(CENTER.y - drop).addScaledVector(normal, 0.002 * this.stage.size);
    const spread = REACH + 0.5 * (1 - strength / DARK);
    MATRIX.makeBasis(ALONG.multiplyScalar(spread * long), ACROSS.multiplyScalar(spread * wide), normal).setPosition(FOOT);
    this.#mesh.setMatrixAt(index, MATRIX);
    this.#mesh.setColorAt(index, SHADE.setRGB(strength, part.shape === 'box' ? 1 : 0, 0));
  }
}

/** The upper face of a box. @param {import('./bodies.js').Part} part @returns {Floor} */
function top(part) {
  WORLD.multiplyMatrices(part.body.matrix, part.local);
  const edges = [0, 1, 2].map((axis) => new THREE.Vector3().setFromMatrixColumn(WORLD, axis));
  const [up, u, v] = edges.sort((a, b) => Math.abs(b.y) / b.length() - Math.abs(a.y) / a.length());
  if (up.y < 0) up.negate();
  const point = new THREE.Vector3().setFromMatrixPosition(WORLD).add(up);
  const [halfU, halfV] = [u.length(), v.length()];
  return { point, normal: up.normalize(), sides: [u.normalize(), halfU, v.normalize(), halfV] };
}

/** @param {import('./vendor/three.js').BufferGeometry} geometry */
function bounds(geometry) {
  if (!geometry.boundingBox) geometry.computeBoundingBox();
  const { min, max } = /** @type {import('./vendor/three.js').Box3} */ (geometry.boundingBox);
  const half = max.clone().sub(min).multiplyScalar(0.5);
  return { middle: min.clone().add(half), half };
}

/** So many patches that fade outwards; the colour of each says how dark it is, and whether it has corners. @param {number} room */
function patches(room) {
  const material = new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    toneMapped: false,
    vertexShader: `varying vec2 vAt; varying vec2 vLook;
      void main() {
        vAt = position.xy;
        vLook = instanceColor.xy;
        vec4 seen = modelViewMatrix * instanceMatrix * vec4(position, 1.0);
        // A little nearer to the eye than the floor, whose depth is rough: it is endless.
        gl_Position = projectionMatrix * vec4(0.992 * seen.xyz, 1.0);
      }`,
    fragmentShader: `varying vec2 vAt; varying vec2 vLook;
      void main() {
        vec2 square = vAt * vAt;
        float away = mix(length(vAt), sqrt(sqrt(dot(square, square))), vLook.y);
        gl_FragColor = vec4(0.03, 0.05, 0.08, vLook.x * (1.0 - smoothstep(0.5, 1.0, away)));
      }`,
  });
  const mesh = new THREE.InstancedMesh(new THREE.PlaneGeometry(2, 2), material, room);
  mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
  mesh.setColorAt(0, SHADE);
  mesh.frustumCulled = false;
  mesh.renderOrder = 1;
  mesh.count = 0;
  return mesh;
}

const [CENTER, DIFFERENCE, FOOT, ALONG, ACROSS] = [0, 1, 2, 3, 4].map(() => new THREE.Vector3());
const EDGES = [0, 1, 2].map(() => new THREE.Vector3());
const WORLD = new THREE.Matrix4();
const MATRIX = new THREE.Matrix4();
const SHADE = new THREE.Color();
