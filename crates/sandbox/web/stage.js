// @ts-check
// The stage: renderer, sky, light with soft shadows, ground, camera. Draws only when something has changed. It can be divided into
// two views with one camera, for two runs side by side.

import * as THREE from './vendor/three.js';

const SKIES = {
  light: { top: '#7fabd0', low: '#e9eff3', ground: '#dfe4e6', line: '#8c9aa4', sun: '#fff4e4', sunlight: 2.2, ambient: 0.85, exposure: 1.0 },
  dark: { top: '#121a25', low: '#394654', ground: '#56616c', line: '#8796a3', sun: '#fff0dc', sunlight: 1.5, ambient: 0.95, exposure: 1.0 },
};

/**
 * A part of the stage, in pixels, and what is seen in it. The camera looks at the middle of the part of it that nothing covers.
 * @typedef {{ left: number, top: number, width: number, height: number, middle: [number, number], free: [number, number], layers: number[] }} View
 */

/** How wide the panel is with its margin, in pixels. */
const PANEL = 382;
/** How high the buttons for time are on a phone. */
const BUTTONS = 78;
/** Up to this width everything is laid out for a phone. */
const PHONE = 760;
/** Views that are narrower, width by height, look at a wider angle. */
const NARROW = 1.6;
/** A frame that takes longer, in milliseconds, is slow; after so many more slow ones than fast ones drawing becomes coarser. */
const SLOW = 50;
const PATIENCE = 40;

export class Stage {
  scene = new THREE.Scene();
  camera = new THREE.PerspectiveCamera(40, 1, 0.05, 4000);
  /** Called before every drawing. @type {Array<() => void>} */
  before = [];
  drawn = 0;
  /** @type {'auto' | 'high' | 'low'} */ quality = 'auto';
  fine = true;
  #slow = 0;
  #dirty = true;
  /** Nothing is drawn before there is something to see. */
  #waits = true;
  /** Done when the first picture is drawn. @type {Promise<void>} */ opened;
  #open = () => {};
  #sky = sky();
  #sun = new THREE.DirectionalLight();
  #ambient = new THREE.HemisphereLight();
  #size = 10;
  /** @type {Set<import('./vendor/three.js').MeshStandardMaterial>} */ #grounds = new Set();
  theme = /** @type {'light' | 'dark'} */ ('light');
  /** @type {View[]} */ views = [];
  #divided = false;
  #begins = false;
  #canShade = true;
  #layers = [0, 1];

  /**
   * @param {HTMLCanvasElement} canvas
   * @param {{ still?: boolean }} [options] still: draws only when told to, as large as the canvas is
   */
  constructor(canvas, { still = false } = {}) {
    this.canvas = canvas;
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance', preserveDrawingBuffer: still });
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    // Shadows are too much for a machine that draws without a graphics card: they would be given up after some seconds anyway.
    this.#canShade = !isSoftware(this.renderer.getContext());
    this.opened = new Promise((done) => (this.#open = done));
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableDamping = !still;
    this.controls.dampingFactor = 0.12;
    this.controls.maxPolarAngle = 0.98 * Math.PI;
    this.controls.zoomToCursor = true;
    this.controls.addEventListener('change', () => this.touch());
    this.fine = this.#sun.castShadow = this.#canShade;
    this.#sun.shadow.mapSize.setScalar(still ? 512 : 2048);
    this.#sun.shadow.radius = 3;
    this.#sun.shadow.bias = -0.0004;
    this.scene.add(this.#sky, this.#sun, this.#sun.target, this.#ambient);
    this.scene.fog = new THREE.Fog('#ffffff', 50, 400);
    this.setTheme('light');
    if (still) {
      const { width, height } = canvas;
      this.renderer.setSize(width, height, false);
      // A little beyond the edges, for things are small in a small picture.
      this.views = [{ left: 0, top: 0, width, height, middle: [width / 2, height / 2], free: [1.3 * width, 1.3 * height], layers: [0, 1] }];
      return;
    }
    new ResizeObserver(() => this.#resize()).observe(canvas);
    this.#resize();
    let last = 0;
    const loop = (/** @type {number} */ now) => {
      requestAnimationFrame(loop);
      this.controls.update();
      if (this.#dirty && !this.#waits) {
        this.draw();
        this.#judge(now - last);
        this.#open();
      }
      last = now;
    };
    requestAnimationFrame(loop);
  }

  /**
   * How finely is drawn. By itself it starts high and becomes low, without shadows, on a machine that is too slow.
   * @param {'auto' | 'high' | 'low'} quality
   */
  setQuality(quality) {
    this.quality = quality;
    this.#slow = 0;
    this.#setFine(quality === 'high' || (quality === 'auto' && this.#canShade));
  }

  /** There is something to see: draws from now on, when the programs for it are made. */
  async begin() {
    if (!this.#waits || this.#begins) return;
    this.#begins = true;
    this.#light();
    this.#lookThrough(this.views[0]);
    // Where programs cannot be made side by side, the first picture makes them one after the other.
    if (this.renderer.extensions.has('KHR_parallel_shader_compile')) await this.renderer.compileAsync(this.scene, this.camera);
    this.#waits = false;
    this.touch();
  }

  /** @param {boolean} fine */
  #setFine(fine) {
    this.fine = fine;
    this.#sun.castShadow = fine;
    this.#resize();
  }

  /** Whether frames come fast enough. @param {number} milliseconds since the frame before */
  #judge(milliseconds) {
    if (this.quality !== 'auto' || !this.fine || milliseconds > 2000) return;
    this.#slow = milliseconds > SLOW ? this.#slow + 1 : Math.max(0, this.#slow - 1);
    if (this.#slow > PATIENCE) this.#setFine(false);
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
    const { renderer } = this;
    renderer.setScissorTest(this.views.length > 1);
    for (const view of this.views) {
      // Counted from below, as WebGL does.
      const bottom = this.canvas.clientHeight - view.top - view.height;
      if (this.views.length > 1) renderer.setScissor(view.left, bottom, view.width, view.height);
      if (this.views.length > 1) renderer.setViewport(view.left, bottom, view.width, view.height);
      this.#lookThrough(view);
      renderer.render(this.scene, this.camera);
    }
    this.drawn += 1;
  }

  /** @param {View} view */
  #lookThrough({ width, height, middle, free, layers }) {
    this.camera.layers.disableAll();
    for (const layer of layers) this.camera.layers.enable(layer);
    // As if the picture were as large as the free part, and went on beyond its edges.
    this.camera.aspect = free[0] / free[1];
    // In a narrow view as much is seen from side to side as in a wide one.
    this.camera.zoom = Math.min(1, this.camera.aspect / NARROW);
    this.camera.setViewOffset(free[0], free[1], free[0] / 2 - middle[0], free[1] / 2 - middle[1], width, height);
  }

  /**
   * Looks through the view at a place of the window: what the camera then sees at the two numbers (from −1 to 1) is there.
   * @param {number} x
   * @param {number} y
   * @returns {{ at: import('./vendor/three.js').Vector2, layers: number[] }}
   */
  aim(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const [left, top] = [x - box.left, y - box.top];
    const inside = (/** @type {View} */ view) => left >= view.left && left < view.left + view.width && top >= view.top && top < view.top + view.height;
    const view = this.views.find(inside) ?? this.views[0];
    this.#lookThrough(view);
    return { at: new THREE.Vector2(((left - view.left) / view.width) * 2 - 1, 1 - ((top - view.top) / view.height) * 2), layers: view.layers };
  }

  #resize() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (!width || !height) return;
    const ratio = this.fine ? Math.min(devicePixelRatio, 2) : 1;
    // Setting a size takes long, even if it is the one there is.
    if (this.canvas.width !== Math.floor(width * ratio) || this.canvas.height !== Math.floor(height * ratio) || this.renderer.getPixelRatio() !== ratio) {
      this.renderer.setPixelRatio(ratio);
      this.renderer.setSize(width, height, false);
    }
    this.arrange();
  }

  /** Shows the second run in a view of its own, or not; and if not, perhaps among the bodies of the first. @param {'none' | 'among' | 'beside'} how */
  showSecond(how) {
    this.#divided = how === 'beside';
    this.#layers = how === 'among' ? [0, 1, 2] : [0, 1];
    // A divided stage has two places at which the camera could stop when it goes to where the mouse points.
    this.controls.zoomToCursor = !this.#divided;
    this.arrange();
  }

  /** Divides the canvas into views and finds the part that panels leave free. */
  arrange() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const phone = width <= PHONE;
    const open = !document.body.classList.contains('no-panel');
    // On a phone the panel takes the lower part, above the buttons; elsewhere the right.
    const free = [width - (open && !phone ? PANEL : 0), height - (phone ? BUTTONS + (open ? Math.round(0.44 * height) : 0) : 0)];
    const view = (/** @type {number} */ left, /** @type {number} */ top, /** @type {number} */ wide, /** @type {number} */ high, /** @type {number[]} */ layers) => {
      /** @type {[number, number]} */
      const seen = [Math.min(wide, free[0] - left), Math.min(high, free[1] - top)];
      return { left, top, width: wide, height: high, middle: /** @type {[number, number]} */ ([seen[0] / 2, seen[1] / 2]), free: seen, layers };
    };
    if (!this.#divided) this.views = [view(0, 0, width, height, this.#layers)];
    else if (free[0] > free[1]) {
      const half = Math.round(free[0] / 2);
      this.views = [view(0, 0, half, height, [0, 1]), view(half, 0, width - half, height, [0, 2])];
    } else {
      const half = Math.round(free[1] / 2);
      this.views = [view(0, 0, width, half, [0, 1]), view(0, half, width, height - half, [0, 2])];
    }
    if (this.views.length === 1) this.renderer.setViewport(0, 0, width, height);
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
      this.#sun.shadow.normalBias = (2.2 * radius) / this.#sun.shadow.mapSize.x;
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
    // Not nearer than it must be: depth is finer then.
    this.camera.near = far / 250;
    this.camera.far = far * 400;
    this.#sky.scale.setScalar(far * 200);
    Object.assign(/** @type {any} */ (this.scene.fog), { near: 2 * far, far: 11 * far });
    this.controls.minDistance = far / 200;
    this.controls.maxDistance = far * 12;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.touch();
  }

  /**
   * Turns the view, moves it or goes nearer, by a key.
   * @param {string} key
   * @param {boolean} moves
   */
  turn(key, moves) {
    const { target } = this.controls;
    const way = this.camera.position.clone().sub(target);
    const [right, up] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key] ?? [0, 0];
    if (key === 'PageUp' || key === 'PageDown') way.multiplyScalar(key === 'PageUp' ? 1 / 1.15 : 1.15);
    else if (moves) {
      const side = new THREE.Vector3().setFromMatrixColumn(this.camera.matrix, 0).multiplyScalar(0.06 * right * way.length());
      target.add(side).add(new THREE.Vector3(0, 0.06 * up * way.length(), 0));
    } else {
      way.applyAxisAngle(new THREE.Vector3(0, 1, 0), 0.12 * right);
      const side = new THREE.Vector3(way.z, 0, -way.x).normalize();
      const steepness = way.y / way.length();
      if (Math.abs(steepness) < 0.97 || steepness * up < 0) way.applyAxisAngle(side, -0.09 * up);
    }
    this.camera.position.copy(target).add(way);
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
        '#include <color_fragment>\ndiffuseColor.rgb = mix(diffuseColor.rgb, line, max(0.3 * grid(1.0), 0.45 * grid(10.0)));',
      );
    };
    // In pieces: the depth of a triangle of kilometres is rough, and what lies flat on it would vanish.
    const geometry = new THREE.PlaneGeometry(4000, 4000, 80, 80).rotateX(-Math.PI / 2);
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

/** Whether there is no graphics card behind it. @param {WebGLRenderingContext | WebGL2RenderingContext} context */
function isSoftware(context) {
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const name = String(context.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : context.RENDERER));
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
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
