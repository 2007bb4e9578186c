// @ts-check
// The binary messages of the server: frames of poses, surfaces, drawings, springs. `frame.rs`, `looks.rs`, `drawings.rs` and
// `strands.rs` of the server say what is in them.

export const FRAME = 1;
export const SURFACE = 2;
export const DRAWING = 3;
export const SECOND_FRAME = 4;
export const SECOND = 5;
export const STRANDS = 6;
export const SKIN = 7;

/** Steps from 0 to 1/√2 of a component of a quaternion. */
const STEPS = 16383;

/**
 * Reads a frame. For each body that changed, `changed` is told its slot, the change of its position in units, its
 * orientation (x, y, z, w) and whether it sleeps. The arrays are used again for the next body.
 * @param {DataView} data
 * @param {(slot: number, change: number[], rotation: number[], asleep: boolean) => void} changed
 * @returns {{ time: number, steps: number, count: number }}
 */
export function readFrame(data, changed) {
  const time = data.getFloat64(1, true);
  const steps = data.getFloat64(9, true);
  const count = data.getUint32(17, true);
  let at = 21;
  const varint = () => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = data.getUint8(at++);
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
  };
  const change = [0, 0, 0];
  const rotation = [0, 0, 0, 1];
  let slot = 0;
  for (let body = 0; body < count; body++) {
    slot += varint();
    for (let axis = 0; axis < 3; axis++) {
      const coded = varint();
      change[axis] = coded % 2 ? -(coded + 1) / 2 : coded / 2;
    }
    const low = data.getUint32(at, true);
    const high = data.getUint16(at + 4, true);
    at += 6;
    // 15 bits each: 0–14 and 15–29 in the low word, 30–44 across both, then two for the largest, then sleep.
    const packed = [low & 0x7fff, (low >>> 15) & 0x7fff, (low >>> 30) | ((high & 0x1fff) << 2)];
    const largest = (high >>> 13) & 3;
    let rest = 1;
    for (let place = 0, index = 0; index < 4; index++) {
      if (index === largest) continue;
      const value = (packed[place++] - STEPS) / STEPS / Math.SQRT2;
      rotation[index] = value;
      rest -= value * value;
    }
    rotation[largest] = Math.sqrt(Math.max(0, rest));
    changed(slot, change, rotation, high >>> 15 === 1);
    slot += 1;
  }
  return { time, steps, count };
}

/**
 * Reads a surface: positions and normals of the corners of its triangles.
 * @param {DataView} data
 */
export function readSurface(data) {
  const number = data.getUint32(1, true);
  const corners = data.getUint32(5, true);
  const floats = new Float32Array(6 * corners);
  for (let i = 0; i < floats.length; i++) floats[i] = data.getFloat32(9 + 4 * i, true);
  const at = 9 + 4 * floats.length;
  const colors = at < data.byteLength ? readColors(data, at, corners) : undefined;
  return { number, positions: floats.subarray(0, 3 * corners), normals: floats.subarray(3 * corners), colors };
}

/**
 * Red, green and blue as amounts of light.
 * @param {DataView} data
 * @param {number} at
 * @param {number} count
 */
function readColors(data, at, count) {
  const colors = new Float32Array(3 * count);
  for (let i = 0; i < colors.length; i++) {
    const shown = data.getUint8(at + i) / 255;
    colors[i] = shown <= 0.04045 ? shown / 12.92 : ((shown + 0.055) / 1.055) ** 2.4;
  }
  return colors;
}

/**
 * Reads a skin: a mesh with the bones its vertices go with.
 * @param {DataView} data
 */
export function readSkin(data) {
  const [number, vertices, triangles, bones] = [1, 5, 9, 13].map((at) => data.getUint32(at, true));
  let at = 17;
  /** @param {number} count */
  const floats = (count) => {
    const list = new Float32Array(count);
    for (let i = 0; i < count; i++, at += 4) list[i] = data.getFloat32(at, true);
    return list;
  };
  const positions = floats(3 * vertices);
  const normals = floats(3 * vertices);
  const weights = floats(4 * vertices);
  const inverses = floats(16 * bones);
  const index = new Uint32Array(3 * triangles);
  for (let i = 0; i < index.length; i++, at += 4) index[i] = data.getUint32(at, true);
  const joints = new Uint16Array(4 * vertices);
  for (let i = 0; i < joints.length; i++, at += 2) joints[i] = data.getUint16(at, true);
  const colors = at < data.byteLength ? readColors(data, at, vertices) : undefined;
  return { number, positions, normals, weights, inverses, index, joints, colors };
}

/**
 * Reads a drawing: lines and points with colours.
 * @param {DataView} data
 */
export function readDrawing(data) {
  const what = data.getUint8(1);
  const lines = data.getUint32(2, true);
  const points = data.getUint32(6, true);
  const ends = new Float32Array(6 * lines);
  const lineColors = new Uint8Array(6 * lines);
  let at = 10;
  for (let line = 0; line < lines; line++, at += 28) {
    for (let i = 0; i < 6; i++) ends[6 * line + i] = data.getFloat32(at + 4 * i, true);
    for (let i = 0; i < 3; i++) lineColors[6 * line + i] = lineColors[6 * line + 3 + i] = data.getUint8(at + 24 + i);
  }
  const centers = new Float32Array(3 * points);
  const pointColors = new Uint8Array(3 * points);
  for (let point = 0; point < points; point++, at += 20) {
    for (let i = 0; i < 3; i++) centers[3 * point + i] = data.getFloat32(at + 4 * i, true);
    for (let i = 0; i < 3; i++) pointColors[3 * point + i] = data.getUint8(at + 16 + i);
  }
  return { what, ends, lineColors, centers, pointColors };
}

/**
 * Reads what is stretched between bodies: the ends of straight wires and of coils, six numbers each, of pins twice the place.
 * @param {DataView} data
 */
export function readStrands(data) {
  const count = data.getUint32(6, true);
  /** @type {number[][]} */
  const kinds = [[], [], [], []];
  for (let strand = 0, at = 10; strand < count; strand++, at += 25) {
    for (let i = 0; i < 6; i++) kinds[data.getUint8(at)].push(data.getFloat32(at + 1 + 4 * i, true));
  }
  const [wires, coils, pins, mounts] = kinds.map((list) => Float32Array.from(list));
  return { run: data.getUint8(1), thickness: data.getFloat32(2, true), wires, coils, pins, mounts };
}
