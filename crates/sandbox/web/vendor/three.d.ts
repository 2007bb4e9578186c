export * from 'three';
export { OrbitControls } from 'three/addons/controls/OrbitControls.js';
export { LineMaterial } from 'three/addons/lines/LineMaterial.js';
export { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
export { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
