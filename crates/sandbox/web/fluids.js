// @ts-check
// The surfaces of water and other fluids: each a wide clear sheet that fades out far away.

import * as THREE from './vendor/three.js';
import { triple } from './stage.js';

/** A sheet reaches so many times the size of the scene. */
const WIDE = 2.5;

export class Fluids {
  #group = new THREE.Group();

  /** @param {import('./stage.js').Stage} stage */
  constructor(stage) {
    this.stage = stage;
    stage.scene.add(this.#group);
  }

  /** How many there are, for tests. */
  get count() {
    return this.#group.children.length;
  }

  /** Shows these in place of those before. @param {{ point: number[], normal: number[] }[]} surfaces */
  show(surfaces) {
    for (const sheet of /** @type {any[]} */ (this.#group.children)) {
      sheet.geometry.dispose();
      sheet.material.dispose();
    }
    this.#group.clear();
    for (const { point, normal } of surfaces) {
      const up = new THREE.Vector3(...triple(normal));
      const sheet = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), water());
      sheet.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
      // Below what is looked at, wherever the point of the surface is that is known.
      const middle = this.stage.controls.target;
      const away = middle.clone().sub(new THREE.Vector3(...triple(point))).dot(up);
      sheet.position.copy(middle).addScaledVector(up, -away);
      sheet.scale.setScalar(WIDE * this.stage.size);
      sheet.renderOrder = 1;
      this.#group.add(sheet);
    }
    this.stage.touch();
  }
}

/** Clear from above, and the less so the flatter one looks at it. */
function water() {
  return new THREE.ShaderMaterial({
    transparent: true,
    depthWrite: false,
    side: THREE.DoubleSide,
    toneMapped: false,
    vertexShader: `varying vec2 vAt; varying vec3 vEye; varying vec3 vUp;
      void main() {
        vAt = position.xy;
        vec4 seen = modelViewMatrix * vec4(position, 1.0);
        vEye = -seen.xyz;
        vUp = normalMatrix * vec3(0.0, 0.0, 1.0);
        gl_Position = projectionMatrix * seen;
      }`,
    fragmentShader: `varying vec2 vAt; varying vec3 vEye; varying vec3 vUp;
      void main() {
        float flat_ = 1.0 - abs(dot(normalize(vEye), normalize(vUp)));
        vec3 color = mix(vec3(0.16, 0.42, 0.60), vec3(0.55, 0.74, 0.86), flat_ * flat_);
        gl_FragColor = vec4(color, mix(0.42, 0.62, flat_) * (1.0 - smoothstep(0.6, 1.0, length(vAt))));
      }`,
  });
}
