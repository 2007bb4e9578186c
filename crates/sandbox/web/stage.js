// @ts-check
// The stage: renderer, sky, light with soft shadows, ground, camera. Draws only when something has changed.

import * as THREE from './vendor/three.js';

const SKIES = {
  light: { top: '#7fabd0', low: '#e9eff3', ground: '#cfd6d6', line: '#7f8d96', sun: '#fff0da', sunlight: 2.5, ambient: 0.6, exposure: 1.0 },
  dark: { top: '#141c27', low: '#3a4653', ground: '#2e353c', line: '#68757f', sun: '#ffe2bd', sunlight: 2.1, ambient: 0.42, exposure: 1.0 },
};

export class Stage {
  scene = new THREE.Scene();
  camera = new THREE.PerspectiveCamera(40, 1, 0.05, 4000);
  /** Called before every drawing. @type {Array<() => void>} */
  before = [];
  drawn = 0;
  #dirty = true;
  #sky = sky();
  #sun = new THREE.DirectionalLight();
  #ambient = new THREE.HemisphereLight();
  #size = 10;
  /** @type {Set<import('./vendor/three.js').MeshStandardMaterial>} */ #grounds = new Set();
  theme = /** @type {'light' | 'dark'} */ ('light');

  /** @param {HTMLCanvasElement} canvas */
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.98 * Math.PI;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.touch());
    this.#sun.castShadow = true;
    this.#sun.shadow.mapSize.set(2048, 2048);
    this.#sun.shadow.radius = 5;
    this.#sun.shadow.bias = -0.0004;
    this.scene.add(this.#sky, this.#sun, this.#sun.target, this.#ambient);
    this.scene.fog = new THREE.Fog('#ffffff', 50, 400);
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.setTheme('light');
    this.#resize();
    const loop = () => {
      requestAnimationFrame(loop);
      this.controls.update();
      if (this.#dirty) this.draw();
    };
    requestAnimationFrame(loop);
  }

  /** Something changed: draw again. */
  touch() {
    this.#dirty = true;
  }

  draw() {
    this.#dirty = false;
    for (const prepare of this.before) prepare();
    this.#light();
    this.#sky.position.copy(this.camera.position);
    this.renderer.render(this.scene, this.camera);
    this.drawn += 1;
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.#center();
    this.touch();
  }

  /** Keeps what is looked at in the middle of the part that the panel leaves free. */
  #center() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const covered = document.body.classList.contains('no-panel') || width <= 760 ? 0 : 362;
    this.camera.setViewOffset(width, height, covered / 2, 0, width, height);
    this.camera.updateProjectionMatrix();
  }

  panelChanged() {
    this.#center();
    this.touch();
  }

  /** @param {'light' | 'dark'} name */
  setTheme(name) {
    this.theme = name;
    const look = SKIES[name];
    const low = new THREE.Color(look.low);
    const uniforms = /** @type {any} */ (this.#sky.material).uniforms;
    uniforms.top.value.set(look.top);
    uniforms.low.value.copy(low);
    /** @type {any} */ (this.scene.fog).color.copy(low);
    this.renderer.toneMappingExposure = look.exposure;
    this.#sun.color.set(look.sun);
    this.#sun.intensity = look.sunlight;
    this.#ambient.color.set(look.top).lerp(new THREE.Color('#ffffff'), 0.55);
    this.#ambient.groundColor.set(look.ground).multiplyScalar(0.75);
    this.#ambient.intensity = look.ambient * 2.4;
    for (const ground of this.#grounds) this.#paint(ground);
    this.touch();
  }

  /** @param {import('./vendor/three.js').MeshStandardMaterial} ground */
  #paint(ground) {
    const look = SKIES[this.theme];
    ground.color.set(look.ground);
    ground.userData.line.value.set(look.line);
  }

  /** The sun stands behind the left shoulder of whoever looks from the front; its shadows cover what is looked at. */
  #light() {
    const target = this.controls.target;
    const reach = Math.max(1, Math.min(3 * this.#size, 1.1 * this.camera.position.distanceTo(target)));
    // In steps, so that shadows do not crawl while the camera moves.
    const radius = 2 ** (Math.ceil(2 * Math.log2(reach)) / 2);
    const cell = radius / 8;
    const snap = (/** @type {number} */ x) => Math.round(x / cell) * cell;
    this.#sun.target.position.set(snap(target.x), snap(target.y), snap(target.z));
    this.#sun.position.copy(this.#sun.target.position).add(new THREE.Vector3(-0.55, 1.15, 0.62).multiplyScalar(2.2 * radius));
    const box = this.#sun.shadow.camera;
    if (box.right !== radius) {
      Object.assign(box, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0.2 * radius, far: 6 * radius });
      box.updateProjectionMatrix();
      this.#sun.shadow.normalBias = (2.2 * radius) / 2048;
    }
  }

  /**
   * Looks at a scene: from where it says, or so that everything is seen.
   * @param {{ camera: { from: number[], to: number[], view_deg: number } | null, extent: number[][] | null }} scene
   */
  look({ camera, extent }) {
    const low = new THREE.Vector3(...(extent?.[0] ?? [-1, 0, -1]));
    const high = new THREE.Vector3(...(extent?.[1] ?? [1, 2, 1]));
    const middle = low.clone().add(high).multiplyScalar(0.5);
    this.#size = Math.max(0.2, high.distanceTo(low));
    this.camera.fov = camera?.view_deg ?? 40;
    if (camera) {
      this.camera.position.set(...triple(camera.from));
      this.controls.target.set(...triple(camera.to));
    } else {
      const distance = (0.62 * this.#size) / Math.tan((this.camera.fov * Math.PI) / 360);
      this.camera.position.copy(middle).add(new THREE.Vector3(0.45, 0.42, 0.85).normalize().multiplyScalar(distance));
      this.controls.target.copy(middle);
    }
    const far = Math.max(this.#size, this.camera.position.distanceTo(this.controls.target));
    this.camera.near = far / 800;
    this.camera.far = far * 400;
    this.#sky.scale.setScalar(far * 200);
    Object.assign(/** @type {any} */ (this.scene.fog), { near: 2.5 * far, far: 16 * far });
    this.controls.minDistance = far / 200;
    this.controls.maxDistance = far * 12;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.touch();
  }

  /** How large the scene is, in metres. */
  get size() {
    return this.#size;
  }

  /** An endless ground with a grid of metres, in its own frame with y up. */
  ground() {
    const material = new THREE.MeshStandardMaterial({ roughness: 0.95 });
    material.userData.line = { value: new THREE.Color() };
    this.#paint(material);
    this.#grounds.add(material);
    // Fog has the last word on colours, and the sky is not tone-mapped either: they meet at the horizon.
    material.onBeforeCompile = (shader) => {
      shader.uniforms.line = material.userData.line;
      shader.vertexShader = shader.vertexShader
        .replace('#include <common>', '#include <common>\nvarying vec2 vPlace;')
        .replace('#include <begin_vertex>', '#include <begin_vertex>\nvPlace = position.xz;');
      shader.fragmentShader = shader.fragmentShader.replace('#include <common>', GRID).replace(
        '#include <color_fragment>',
        '#include <color_fragment>\ndiffuseColor.rgb = mix(diffuseColor.rgb, line, max(0.34 * grid(1.0), 0.5 * grid(10.0)));',
      );
    };
    const geometry = new THREE.PlaneGeometry(4000, 4000).rotateX(-Math.PI / 2);
    const mesh = new THREE.Mesh(geometry, material);
    mesh.receiveShadow = true;
    mesh.userData.forget = () => {
      this.#grounds.delete(material);
      material.dispose();
      geometry.dispose();
    };
    return mesh;
  }
}

/**
 * @param {number[]} list
 * @returns {[number, number, number]}
 */
export function triple(list) {
  return [list[0], list[1], list[2]];
}

/** Lines about a pixel and a half wide that fade where they would crowd. */
const GRID = `#include <common>
varying vec2 vPlace;
uniform vec3 line;
float grid(float spacing) {
  vec2 place = vPlace / spacing;
  vec2 width = fwidth(place);
  vec2 near = abs(fract(place - 0.5) - 0.5) / max(width, vec2(1e-6));
  vec2 drawn = (1.0 - smoothstep(0.4, 1.3, near)) * (1.0 - smoothstep(0.06, 0.45, width));
  return max(drawn.x, drawn.y);
}`;

/** A sphere around the camera, shaded from the horizon to the zenith. */
function sky() {
  const material = new THREE.ShaderMaterial({
    side: THREE.BackSide,
    depthWrite: false,
    fog: false,
    toneMapped: false,
    uniforms: { top: { value: new THREE.Color() }, low: { value: new THREE.Color() } },
    vertexShader: `varying vec3 vWay;
      void main() { vWay = position; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `varying vec3 vWay; uniform vec3 top; uniform vec3 low;
      void main() {
        float height = normalize(vWay).y;
        gl_FragColor = vec4(mix(low, top, pow(smoothstep(0.0, 0.9, height), 0.7)), 1.0);
        #include <colorspace_fragment>
      }`,
  });
  const mesh = new THREE.Mesh(new THREE.SphereGeometry(1, 32, 24), material);
  mesh.renderOrder = -1;
  mesh.frustumCulled = false;
  return mesh;
}
