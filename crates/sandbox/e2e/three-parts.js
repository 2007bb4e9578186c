export {
  BackSide, BoxGeometry, BufferAttribute, BufferGeometry, CapsuleGeometry, Color, ConeGeometry,
  CylinderGeometry, DirectionalLight, DoubleSide, DynamicDrawUsage, EdgesGeometry, Fog, Group, HemisphereLight, InstancedMesh, LineBasicMaterial,
  LineSegments, Matrix4, Mesh, NeutralToneMapping, MeshBasicMaterial, MeshStandardMaterial, PCFShadowMap, PerspectiveCamera, Plane, PlaneGeometry,
  Points, PointsMaterial, Quaternion, Raycaster, SRGBColorSpace, Scene, ShaderMaterial, Sphere, SphereGeometry, Vector2, Vector3, WebGLRenderer,
} from 'three';
export { OrbitControls } from 'three/addons/controls/OrbitControls.js';
export { LineMaterial } from 'three/addons/lines/LineMaterial.js';
export { LineSegments2 } from 'three/addons/lines/LineSegments2.js';
export { LineSegmentsGeometry } from 'three/addons/lines/LineSegmentsGeometry.js';
