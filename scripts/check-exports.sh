#!/usr/bin/env bash
# Checks that other programs read what tumble writes: glTF with the Khronos validator and Blender, tables with NumPy and
# Octave. Installs the validator (npm), NumPy and Blender's module `bpy` (pip, about 1 GB; leave it out with
# SKIP_BLENDER=1) into target/check-exports. Octave is used if it is installed (`apt install octave`).
set -euo pipefail
cd "$(dirname "$0")/.."
work=target/check-exports
mkdir -p "$work"

step() { printf '\n== %s\n' "$*"; }

step "run a scene"
tumble=${TUMBLE:-}
if [ -z "$tumble" ]; then
    cargo build --release --quiet -p tumble-cli
    tumble=target/release/tumble
fi
"$tumble" run stairs --quiet --until 2 --out "$work/run.glb" --out "$work/run.csv" --out "$work/run.npz" --out "$work/run.jsonl"

# A figure: a skin that bones bend.
"$tumble" run scenes/alfred-stairs.toml --quiet --until 3 --set recording.bodies='["alfred"]' --out "$work/figure.glb" --out "$work/figure.npz"

step "glTF: Khronos validator"
[ -d "$work/node_modules/gltf-validator" ] || npm install --silent --prefix "$work" gltf-validator
for file in run figure; do NODE_PATH="$work/node_modules" node - "$work/$file.glb" <<'JS'
const fs = require('fs');
const validator = require('gltf-validator');
validator.validateBytes(new Uint8Array(fs.readFileSync(process.argv[2]))).then((report) => {
    const { numErrors, numWarnings } = report.issues;
    for (const issue of report.issues.messages.slice(0, 10)) console.log(issue.code, issue.pointer, issue.message);
    console.log(`${numErrors} errors, ${numWarnings} warnings, ${report.info.animationCount} animation, ` +
        `${report.info.totalTriangleCount} triangles`);
    process.exit(numErrors === 0 && report.info.animationCount === 1 ? 0 : 1);
});
JS
done

step "tables: NumPy"
[ -x "$work/venv/bin/python" ] || python3 -m venv "$work/venv"
"$work/venv/bin/python" -c 'import numpy' 2>/dev/null || "$work/venv/bin/pip" install --quiet numpy
"$work/venv/bin/python" - "$work" <<'PY'
import json, sys
import numpy as np
work = sys.argv[1]
table = np.genfromtxt(f'{work}/run.csv', delimiter=',', names=True, deletechars='', replace_space='')
arrays = np.load(f'{work}/run.npz')
assert table['time'].shape == (121,), table['time'].shape
assert arrays['position'].shape == (121, 6, 3) and arrays['rotation'].shape == (121, 6, 4)
for name in ('time', 'kinetic', 'potential', 'energy', 'contacts', 'awake'):
    assert np.array_equal(arrays[name], table[name]), name
for body, name in enumerate(arrays['names']):
    for axis, letter in enumerate('xyz'):
        assert np.array_equal(arrays['position'][:, body, axis], table[f'{name}.{letter}']), (name, letter)
assert np.allclose(np.linalg.norm(arrays['rotation'], axis=2), 1)
events = [json.loads(line) for line in open(f'{work}/run.jsonl')]
assert any(event['event'] == 'contact' for event in events)
print(f'{table.shape[0]} rows of {len(table.dtype.names)} columns, the same in both files; {len(events)} events')
PY

step "tables: Octave"
if command -v octave-cli >/dev/null; then
    octave-cli --quiet --eval "t = csvread('$work/run.csv', 1, 0); assert(size(t), [121, 6 + 6 * 13]); \
        assert(abs(t(end, 1) - 2) < 1e-9); assert(abs(norm(t(end, 10:13)) - 1) < 1e-12); printf('%d rows of %d columns\n', size(t));"
else
    echo "left out: octave-cli is not installed"
fi

step "glTF: Blender"
if [ "${SKIP_BLENDER:-0}" = 1 ]; then
    echo "left out: SKIP_BLENDER is set"
else
    "$work/venv/bin/python" -c 'import bpy' 2>/dev/null || "$work/venv/bin/pip" install --quiet bpy
    "$work/venv/bin/python" - "$work" <<'PY'
import sys
import bpy, numpy as np
work = sys.argv[1]
bpy.ops.wm.read_factory_settings(use_empty=True)
fps = bpy.context.scene.render.fps = 60
bpy.ops.import_scene.gltf(filepath=f'{work}/run.glb')
arrays = np.load(f'{work}/run.npz')
for body, name in enumerate(arrays['names']):
    thing = bpy.data.objects[str(name)]
    for row in (0, 60, 120):
        bpy.context.scene.frame_set(0)
        bpy.context.scene.frame_set(int(round(arrays['time'][row] * fps)))
        x, y, z = arrays['position'][row, body]
        # Blender's z points up, ours y.
        found = np.array(thing.matrix_world.translation)
        assert np.allclose(found, (x, -z, y), atol=1e-4), (name, row, found, (x, -z, y))
print(f'{len(bpy.data.objects)} objects; key frames are where the run was')

# A figure is an armature; its bones are where the bodies were, at five times, and the mesh is bent by them.
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.context.scene.render.fps = 60
bpy.ops.import_scene.gltf(filepath=f'{work}/figure.glb')
arrays = np.load(f'{work}/figure.npz')
armature, = [thing for thing in bpy.data.objects if thing.type == 'ARMATURE']
mesh, = [thing for thing in bpy.data.objects if thing.type == 'MESH' and thing.find_armature() == armature]
centers = {}
for row in (0, *np.random.default_rng(7).integers(1, len(arrays['time']), 5)):
    bpy.context.scene.frame_set(int(round(arrays['time'][row] * 60)))
    for body, name in enumerate(arrays['names']):
        bone = armature.pose.bones[str(name)]
        place = np.array(armature.matrix_world @ bone.matrix.translation)
        turn = np.array((armature.matrix_world @ bone.matrix).to_3x3()).T
        # The centre of mass is as far from the joint as at the start, whatever way Blender turns its bones.
        x, y, z = arrays['position'][row, body]
        arm = turn @ (np.array((x, -z, y)) - place)
        first = centers.setdefault(str(name), arm)
        assert np.allclose(arm, first, atol=2e-4), (name, row, arm, first)
    evaluated = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    places = np.array([evaluated.matrix_world @ v.co for v in evaluated.data.vertices])
    bodies = np.array([(x, -z, y) for x, y, z in arrays['position'][row]])
    away = np.linalg.norm(places[:, None] - bodies[None], axis=2).min(axis=1)
    assert away.max() < 0.3, (row, away.max())
print(f'{len(armature.pose.bones)} bones and {len(mesh.data.vertices)} vertices are where the run was, at five times')
PY
fi

step "all passed"
