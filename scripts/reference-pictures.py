#!/usr/bin/env python3
"""Draws the pictures of the scene reference: one for each shape, joint and force.

usage: scripts/reference-pictures.py TUMBLE

Joints are those of the gallery (`constraints/NAME`); shapes and forces are the small scenes below.
"""

import os
import subprocess
import sys
import tempfile

tumble = sys.argv[1]
folder = os.path.join(os.path.dirname(__file__), "..", "docs", "images", "reference")
os.makedirs(folder, exist_ok=True)

LOOK = 'camera = { from = [1.6, 1.5, 2.6], to = [0, 0.45, 0], view_deg = 36 }\n[bodies.floor]\nkind = "fixed"\nshape.half_space = {}\n'
SHAPE = 'duration = 0.01\n' + LOOK + '[bodies.it]\nkind = "fixed"\nposition = [0, 0.5, 0]\ncolor = "#d08040"\n'
SHAPES = {
    "sphere": "shape.sphere.radius = 0.5",
    "box": "shape.box.size = [1, 0.8, 0.6]",
    "capsule": "shape.capsule = { radius = 0.25, height = 1 }",
    "cylinder": "shape.cylinder = { radius = 0.4, height = 0.9 }",
    "cone": "shape.cone = { radius = 0.45, height = 1 }",
    "ellipsoid": "shape.ellipsoid.radii = [0.6, 0.3, 0.4]",
    "torus": "shape.torus = { radius = 0.4, tube = 0.15 }\nrotation.x_deg = 60",
    "hull": "shape.hull.points = [[-0.5, -0.5, -0.4], [0.5, -0.5, -0.4], [0.5, -0.5, 0.4], [-0.5, -0.5, 0.4], [0.2, 0.5, 0], [-0.3, 0.4, 0.2]]",
    "mesh": "shape.mesh.spiral = { turns = 2, radius = [0.2, 0.8], height = [0.7, -0.4], gutter = 0.12 }",
    "height_field": "shape.height_field = { spacing = [0.35, 0.35], heights = [[0, 0.1, 0, -0.2, 0], [0.1, 0.3, 0.2, 0, 0], [0, 0.4, 0.5, 0.1, 0], [0, 0.1, 0.2, 0, -0.1], [0, 0, 0, 0, 0]] }",
    "compound": 'shape.compound.parts = [{ shape.box.size = [1, 0.2, 0.2] }, { shape.sphere.radius = 0.25, position = [0.55, 0, 0] }, { shape.sphere.radius = 0.25, position = [-0.55, 0, 0] }]',
    "half_space": "shape.half_space = {}",
}
BALL = '[bodies.ball]\nshape.sphere.radius = 0.15\nposition = [-1.2, 0.4, 0]\nvelocity = [3, 4, 0]\nrepeat.line = { count = 3, step = [0, 0, -0.6] }\n'
FORCES = {
    "gravity": ("forces.g.gravity.acceleration = [0, -3, 0]", BALL, 0.5),
    "drag": ("gravity = [0, 0, 0]\nforces.air.drag = { linear = 30, wind = [1, 0.2, 0] }", BALL, 0.5),
    "aerodynamic": ("forces.air.aerodynamic.wind = [6, 0, 0]", '[bodies.flag]\nshape.box.size = [0.02, 0.8, 0.8]\nposition = [-0.6, 0.6, 0]\nmass = 0.4\n', 0.3),
    "central_gravity": ("gravity = [0, 0, 0]\nforces.sun.central_gravity = { parameter = 2, center = [0, 0.7, 0] }", '[bodies.sun]\nkind = "fixed"\nshape.sphere.radius = 0.25\nposition = [0, 0.7, 0]\ncolor = "#f0c040"\n[bodies.planet]\nshape.sphere.radius = 0.1\nposition = [0, 0.7, 0]\nvelocity = [0, 0, 0]\nrepeat.ring = { count = 7, radius = 0.9 }\n', 0.1),
    "coulomb": ("gravity = [0, 0, 0]\nforces.charge.coulomb = { constant = 1.5, charges.ball = 1 }", '[bodies.ball]\nshape.sphere.radius = 0.12\nmass = 1\nposition = [0, 0.7, 0]\nrepeat.ring = { count = 6, radius = 0.35 }\n', 0.35),
    "gravitation": ("gravity = [0, 0, 0]\nforces.all.gravitation.constant = 0.25", '[bodies.ball]\nshape.sphere.radius = 0.12\nmass = 1\nposition = [0, 0.7, 0]\nrepeat.ring = { count = 6, radius = 1 }\n', 0.4),
    "timed": ('forces.push.timed = { force = [0, 200, 0], point = [0.2, 0, 0], amplitude = 1, frequency = 1, on.named = "box" }', '[bodies.box]\nshape.box.size = [0.5, 0.5, 0.5]\nposition = [0, 0.26, 0]\nmass = 30\n', 0.6),
    "point": ('forces.push.point = { force = [60, 0, 0], point = [0, 0.4, 0], on = { named = "box" } }', '[bodies.box]\nshape.box.size = [0.4, 0.8, 0.4]\nposition = [-0.3, 0.41, 0]\nmass = 10\n', 0.45),
}


def draw(kind, name, scene, at, look=()):
    out = os.path.join(folder, f"{kind}-{name}.png")
    command = [tumble, "render", scene, "--at", str(at), "--size", "320x200", "--quiet", "--energy", "off", "--out", out, *look]
    done = subprocess.run(command, capture_output=True, text=True)
    print(f"{kind} {name}: {'drawn' if done.returncode == 0 else done.stderr.strip()}", flush=True)


with tempfile.TemporaryDirectory() as place:
    for name, text in SHAPES.items():
        scene = os.path.join(place, f"{name}.toml")
        with open(scene, "w") as file:
            file.write(f'title = "{name}"\n' + SHAPE + text + "\n")
        draw("shape", name, scene, 0)
    for name, (force, bodies, at) in FORCES.items():
        scene = os.path.join(place, f"{name}.toml")
        with open(scene, "w") as file:
            file.write(f'title = "{name}"\nduration = 2\n{force}\n' + LOOK + bodies)
        draw("force", name, scene, at)
draw("force", "buoyancy", "buoyancy", 3)
draw("force", "vortex", "vortex", 3)
draw("force", "spring", "constraints/spring", 1)
# The scenes that are named like a joint; the others show what a joint can do.
MORE = ["breakable", "rope", "strut", "softness"]
for file in sorted(os.listdir(os.path.join(os.path.dirname(__file__), "..", "scenes", "constraints"))):
    name = file.removesuffix(".toml")
    if file.endswith(".toml") and not any(part in name for part in ["_limits", "_motor", "_drive", "_friction", "_forms", "_sided", "three_"] if name != "discrepancy_motor") and name not in MORE + ["hinge_limit"]:
        draw("joint", name, "constraints/" + name, 1)
