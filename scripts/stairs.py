#!/usr/bin/env python3
"""Makes the staircases Alfred falls down, as closed meshes: scenes/figures/stairs.obj, spiral-stairs.obj and spiral-wall.obj.

A staircase is a row of columns side by side, each between two lines in the plan and as high as its step. Neighbours share their
vertices, so that the surface is closed: the lower edge of a riser is a vertex of the wall of the higher column, too."""

import math, os

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes", "figures")


def columns(lines, heights, bottoms=None):
    """lines: n + 1 pairs of points (x, z) in the plan; heights: n, falling. Faces are seen from outside, counterclockwise."""
    vertices, index, faces = [], {}, []

    def at(point, y):
        key = (round(point[0], 6), round(y, 6), round(point[1], 6))
        if key not in index:
            index[key] = len(vertices) + 1
            vertices.append(key)
        return index[key]

    def quad(a, b, c, d):
        faces.extend([(a, b, c), (a, c, d)])

    n = len(heights)
    for i in range(n):
        (a, b), (c, d) = lines[i], lines[i + 1]
        top, after = heights[i], heights[i + 1] if i + 1 < n else 0.0
        quad(at(a, top), at(b, top), at(d, top), at(c, top))
        quad(at(a, 0), at(c, 0), at(d, 0), at(b, 0))
        # The riser at the end of the column, and the wall at the beginning of the first.
        if after < top:
            quad(at(c, top), at(d, top), at(d, after), at(c, after))
        if i == 0:
            quad(at(a, 0), at(b, 0), at(b, top), at(a, top))
        # The two sides, with the corner of the lower neighbour.
        for p, q, flip in ((a, c, False), (b, d, True)):
            fan = [(at(p, top), at(q, 0), at(p, 0))]
            if 0 < after < top:
                fan += [(at(p, top), at(q, after), at(q, 0)), (at(p, top), at(q, top), at(q, after))]
            else:
                fan += [(at(p, top), at(q, top), at(q, 0))]
            faces.extend([f[::-1] if flip else f for f in fan])
    return vertices, faces


def write(name, mesh, what):
    vertices, faces = mesh
    directed = {}
    for f in faces:
        for k in range(3):
            edge = (f[k], f[(k + 1) % 3])
            assert edge not in directed, (name, edge)
            directed[edge] = True
    assert all((b, a) in directed for a, b in directed), name
    volume = 0.0
    for f in faces:
        a, b, c = (vertices[i - 1] for i in f)
        volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6
    if volume < 0:
        faces = [f[::-1] for f in faces]
    with open(os.path.join(FOLDER, name), "w") as file:
        file.write(f"# {what}. Made by scripts/stairs.py.\n")
        file.writelines("v %g %g %g\n" % v for v in vertices)
        file.writelines("f %d %d %d\n" % f for f in faces)
    print(name, len(vertices), "vertices", len(faces), "faces", round(abs(volume), 3), "m³")


RISE, TREAD, STEPS = 0.18, 0.29, 12
xs = [-1.2, 0.0] + [TREAD * (i + 1) for i in range(STEPS - 1)]
heights = [RISE * STEPS] + [RISE * (STEPS - 1 - i) for i in range(STEPS - 1)]
write("stairs.obj", columns([((x, -0.9), (x, 0.9)) for x in xs], heights, None), f"A landing and {STEPS - 1} steps of {TREAD} m by {RISE} m down along x")

# Down along growing angles: a landing of 60°, then steps of 20°, each of four slices.
SLICE, PER_STEP, SPIRAL_STEPS = math.radians(5), 4, 13
plan = lambda r, angle: (r * math.cos(angle), r * math.sin(angle))
spiral = [RISE * (SPIRAL_STEPS + 1)] * 12
for step in range(SPIRAL_STEPS):
    spiral += [RISE * (SPIRAL_STEPS - step)] * PER_STEP
angles = [SLICE * (i - 12) for i in range(len(spiral) + 1)]
write("spiral-stairs.obj", columns([(plan(0.12, a), plan(1.25, a)) for a in angles], spiral), f"A spiral staircase of {SPIRAL_STEPS} steps")
write("spiral-wall.obj", columns([(plan(1.25, a), plan(1.33, a)) for a in angles], [h + 1.1 for h in spiral]), "The wall around the spiral staircase")
