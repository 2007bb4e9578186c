// @ts-check
// Skins: meshes bent by bones, v' = Σ w P R⁻¹ v with P the pose of a bone and R that at rest, as `skin.rs` of the scenes has it.

import * as THREE from './vendor/three.js';

/** @typedef {ReturnType<typeof import('./decode.js').readSkin>} Skin */

const CARRIER = new THREE.Matrix4();
const INVERSE = new THREE.Matrix4();

/** A skin on bodies. */
export class Figure {
  /**
   * @param {Skin} skin
   * @param {number[]} bones the slots of its bodies
   * @param {import('./vendor/three.js').Color} color if it has none of its own
   * @param {boolean} shades
   */
  constructor(skin, bones, color, shades) {
    this.skin = skin;
    this.bones = bones;
    this.matrices = new Float32Array(16 * bones.length);
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(skin.positions.slice(), 3));
    geometry.setAttribute('normal', new THREE.BufferAttribute(skin.normals.slice(), 3));
    if (skin.colors) geometry.setAttribute('color', new THREE.BufferAttribute(skin.colors, 3));
    geometry.setIndex(new THREE.BufferAttribute(skin.index, 1));
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.7, metalness: 0 });
    this.color = color;
    this.mesh = new THREE.Mesh(geometry, this.material);
    this.mesh.frustumCulled = false;
    this.mesh.receiveShadow = true;
    this.shade(shades, color);
  }

  /** Draws a shade, or a solid figure. @param {boolean} shades @param {import('./vendor/three.js').Color} color */
  shade(shades, color) {
    const painted = Boolean(this.skin.colors) && !shades;
    if (painted) this.material.color.setRGB(1, 1, 1);
    else this.material.color.copy(shades ? color : this.color);
    Object.assign(this.material, { vertexColors: painted, transparent: shades, opacity: shades ? 0.55 : 1 });
    this.material.needsUpdate = true;
    this.mesh.castShadow = !shades;
  }

  /** Bends it. @param {(slot: number) => import('./vendor/three.js').Matrix4 | undefined} pose */
  bend(pose) {
    const { skin, matrices } = this;
    this.bones.forEach((slot, bone) => {
      const now = pose(slot);
      INVERSE.fromArray(skin.inverses, 16 * bone);
      (now ? CARRIER.multiplyMatrices(now, INVERSE) : CARRIER.identity()).toArray(matrices, 16 * bone);
    });
    const positions = /** @type {Float32Array} */ (this.mesh.geometry.attributes.position.array);
    const normals = /** @type {Float32Array} */ (this.mesh.geometry.attributes.normal.array);
    const m = new Float32Array(12);
    for (let vertex = 0; vertex < skin.positions.length / 3; vertex++) {
      m.fill(0);
      for (let k = 4 * vertex; k < 4 * vertex + 4; k++) {
        const weight = skin.weights[k];
        if (weight === 0) continue;
        const at = 16 * skin.joints[k];
        for (let column = 0; column < 4; column++) {
          for (let row = 0; row < 3; row++) m[3 * column + row] += weight * matrices[at + 4 * column + row];
        }
      }
      const i = 3 * vertex;
      const [x, y, z] = [skin.positions[i], skin.positions[i + 1], skin.positions[i + 2]];
      const [a, b, c] = [skin.normals[i], skin.normals[i + 1], skin.normals[i + 2]];
      for (let row = 0; row < 3; row++) {
        positions[i + row] = m[row] * x + m[3 + row] * y + m[6 + row] * z + m[9 + row];
        normals[i + row] = m[row] * a + m[3 + row] * b + m[6 + row] * c;
      }
    }
    this.mesh.geometry.attributes.position.needsUpdate = true;
    this.mesh.geometry.attributes.normal.needsUpdate = true;
    this.mesh.geometry.boundingSphere = null;
  }

  /** The slot of the bone that a corner of the mesh goes with most. @param {number} vertex */
  boneAt(vertex) {
    let best = 4 * vertex;
    for (let k = best; k < 4 * vertex + 4; k++) if (this.skin.weights[k] > this.skin.weights[best]) best = k;
    return this.bones[this.skin.joints[best]];
  }

  dispose() {
    this.mesh.geometry.dispose();
    this.material.dispose();
  }
}
