#!/usr/bin/env python3
"""Makes Alfred: the skin scenes/figures/alfred.glb and the skeletons alfred.toml and alfred-spheres.toml beside it.

He is an implicit surface: profiles swept along bones, joined by smooth unions, turned into triangles by marching cubes and thinned
out to about 2300 vertices by quadric decimation. He is 1.80 m tall, that is seven and a half heads, weighs 75 kg, faces x, and y is
up; z is to his right. His arms hang half-way out. Lengths and masses follow de Leva (1996), limits of joints the ranges of motion of
textbooks of anatomy.

Needs: pip install numpy scikit-image fast-simplification
"""

import json, os, struct, sys
import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.spatial import cKDTree
from skimage.measure import marching_cubes
import fast_simplification

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scenes", "figures")
CELL = 0.0055
V = lambda *x: np.array(x, dtype=float)
unit = lambda v: np.asarray(v, float) / np.linalg.norm(v)
C45 = np.sqrt(0.5)
SIDES = {"left": -1.0, "right": 1.0}

# ---------------------------------------------------------------- bones

BONES = {}  # name: (parent, joint, tip, mass)


def bone(name, parent, joint, tip, mass):
    BONES[name] = (parent, np.array(joint, float), np.array(tip, float), mass)


bone("pelvis", None, (0, 0.96, 0), (0, 0.90, 0), 9.0)
bone("waist", "pelvis", (-0.01, 1.05, 0), (-0.01, 1.18, 0), 11.0)
bone("chest", "waist", (-0.015, 1.20, 0), (-0.01, 1.42, 0), 11.0)
bone("neck", "chest", (-0.02, 1.475, 0), (0, 1.545, 0), 1.0)
bone("head", "neck", (0.0, 1.56, 0), (0.01, 1.73, 0), 4.7)


def arm_points(s):
    d = V(0, -C45, s * C45)  # along the arm
    palm = V(0, -C45, -s * C45)  # where the palm looks
    shoulder = V(-0.012, 1.425, s * 0.178)
    elbow = shoulder + 0.29 * d
    wrist = elbow + 0.255 * d
    knuckle = wrist + 0.09 * d
    thumb = wrist + 0.025 * d + V(0.026, 0, 0)
    along = unit(0.55 * V(1, 0, 0) + 0.85 * d + 0.25 * palm)
    return d, palm, shoulder, elbow, wrist, knuckle, thumb, along


for side, s in SIDES.items():
    d, palm, shoulder, elbow, wrist, knuckle, thumb, along = arm_points(s)
    bone(f"clavicle.{side}", "chest", (-0.005, 1.435, s * 0.035), shoulder, 1.0)
    bone(f"arm.{side}", f"clavicle.{side}", shoulder, elbow, 2.05)
    bone(f"forearm.{side}", f"arm.{side}", elbow, wrist, 1.2)
    bone(f"hand.{side}", f"forearm.{side}", wrist, knuckle, 0.32)
    bone(f"fingers.{side}", f"hand.{side}", knuckle, knuckle + 0.085 * d, 0.14)
    bone(f"thumb.{side}", f"hand.{side}", thumb, thumb + 0.055 * along, 0.06)
    bone(f"thigh.{side}", "pelvis", (0, 0.915, s * 0.09), (0.005, 0.50, s * 0.098), 10.4)
    bone(f"shin.{side}", f"thigh.{side}", (0.005, 0.50, s * 0.098), (-0.02, 0.095, s * 0.105), 3.2)
    bone(f"foot.{side}", f"shin.{side}", (-0.02, 0.095, s * 0.105), (0.115, 0.03, s * 0.115), 0.8)
    bone(f"toes.{side}", f"foot.{side}", (0.118, 0.03, s * 0.116), (0.185, 0.02, s * 0.12), 0.2)

# ---------------------------------------------------------------- the surface

LOW, HIGH = V(-0.22, -0.02, -0.80), V(0.32, 1.84, 0.80)
AXES = [np.arange(LOW[i], HIGH[i], CELL) for i in range(3)]
SHAPE = tuple(len(a) for a in AXES)


class Field:
    """Distances to a surface on the grid, known near it."""

    def __init__(self):
        self.d = np.full(SHAPE, 1.0, dtype=np.float32)

    def join(self, other, k):
        if k <= 0:
            self.d = np.minimum(self.d, other.d)
        else:
            h = np.clip(0.5 + 0.5 * (other.d - self.d) / k, 0, 1)
            self.d = other.d * (1 - h) + self.d * h - k * h * (1 - h)
        return self


def region(low, high):
    index = [slice(max(0, int((low[i] - LOW[i]) / CELL)), min(SHAPE[i], int((high[i] - LOW[i]) / CELL) + 2)) for i in range(3)]
    grid = np.meshgrid(*[AXES[i][index[i]] for i in range(3)], indexing="ij", sparse=True)
    return tuple(index), grid


def put(field, index, d, k):
    """Joins distances in a part of the grid."""
    old = field.d[index]
    if k <= 0:
        field.d[index] = np.minimum(old, d)
    else:
        h = np.clip(0.5 + 0.5 * (d - old) / k, 0, 1)
        field.d[index] = d * (1 - h) + old * h - k * h * (1 - h)


MARGIN = 0.06


def ellipsoid(field, center, radii, k=0.0, cut=False):
    center, radii = np.array(center, float), np.array(radii, float)
    index, (x, y, z) = region(center - radii - MARGIN, center + radii + MARGIN)
    a, b, c = (x - center[0]) / radii[0], (y - center[1]) / radii[1], (z - center[2]) / radii[2]
    rho = np.sqrt(a * a + b * b + c * c)
    slope = np.sqrt((a / radii[0]) ** 2 + (b / radii[1]) ** 2 + (c / radii[2]) ** 2)
    d = rho * (rho - 1) / np.maximum(slope, 1e-6)
    d = np.where(rho < 0.3, -radii.min() * (1 - rho), d)
    if cut:  # smooth difference
        old = field.d[index]
        h = np.clip(0.5 - 0.5 * (old + d) / k, 0, 1)
        field.d[index] = old * (1 - h) - d * h + k * h * (1 - h)
    else:
        put(field, index, d, k)


def swept(field, start, end, across, stations, k=0.0, power=2.0, cap=None):
    """An ellipse swept from start to end. stations: (t, radius along `across`, radius along the other, offset, other offset)."""
    start, end = np.array(start, float), np.array(end, float)
    length = np.linalg.norm(end - start)
    w = (end - start) / length
    u = unit(np.array(across, float) - w * np.dot(w, across))
    v = np.cross(w, u)
    table = np.array([list(st) + [0] * (5 - len(st)) for st in stations], float)
    profile = PchipInterpolator(table[:, 0], table[:, 1:], axis=0)
    t0, t1 = table[0, 0], table[-1, 0]
    reach = table[:, 1:3].max() + np.abs(table[:, 3:]).max() + MARGIN
    points = [start + w * length * t for t in (t0, t1)]
    index, (x, y, z) = region(np.minimum(*points) - reach, np.maximum(*points) + reach)
    px, py, pz = x - start[0], y - start[1], z - start[2]
    t = (px * w[0] + py * w[1] + pz * w[2]) / length
    tc = np.clip(t, t0, t1)
    fine = np.linspace(t0, t1, 257)
    values = profile(fine)
    pick = lambda column: np.interp(tc, fine, values[:, column])
    ru, rv, ou, ov = pick(0), pick(1), pick(2), pick(3)
    du = np.abs(px * u[0] + py * u[1] + pz * u[2] - ou) / ru
    dv = np.abs(px * v[0] + py * v[1] + pz * v[2] - ov) / rv
    small = np.minimum(ru, rv)
    dw = np.abs(t - tc) * length / (small if cap is None else cap)
    rho = ((du**power + dv**power) ** (2 / power) + dw**2) ** 0.5
    slope = np.sqrt((du / ru) ** 2 + (dv / rv) ** 2 + (dw / (small if cap is None else cap)) ** 2) / np.maximum(rho, 1e-6)
    d = np.where(rho > 0.4, (rho - 1) / np.maximum(slope, 1e-6), -small * (1 - rho))
    put(field, index, d, k)


def capsule(field, a, b, ra, rb, k=0.0):
    a, b = np.array(a, float), np.array(b, float)
    w = b - a
    index, (x, y, z) = region(np.minimum(a, b) - max(ra, rb) - MARGIN, np.maximum(a, b) + max(ra, rb) + MARGIN)
    t = np.clip(((x - a[0]) * w[0] + (y - a[1]) * w[1] + (z - a[2]) * w[2]) / np.dot(w, w), 0, 1)
    d = np.sqrt((x - a[0] - t * w[0]) ** 2 + (y - a[1] - t * w[1]) ** 2 + (z - a[2] - t * w[2]) ** 2) - (ra + (rb - ra) * t)
    put(field, index, d, k)


def torso():
    f = Field()
    # Height, half width (z), half depth (x), how far it is ahead. Swept upwards; `across` is z.
    rows = [
        (0.845, 0.070, 0.080, 0, -0.005),
        (0.88, 0.130, 0.098, 0, -0.012),
        (0.93, 0.172, 0.112, 0, -0.012),
        (0.98, 0.168, 0.110, 0, -0.006),
        (1.03, 0.156, 0.103, 0, 0.002),
        (1.09, 0.145, 0.097, 0, 0.006),
        (1.15, 0.147, 0.100, 0, 0.004),
        (1.22, 0.157, 0.108, 0, 0.000),
        (1.29, 0.168, 0.116, 0, -0.002),
        (1.35, 0.170, 0.114, 0, -0.006),
        (1.40, 0.160, 0.100, 0, -0.012),
        (1.435, 0.135, 0.080, 0, -0.018),
        (1.465, 0.090, 0.064, 0, -0.020),
    ]
    base = 0.845
    # The second direction is w × u = y × z = x.
    swept(f, (0, base, 0), (0, 1.465, 0), (0, 0, 1), [((y - base) / (1.465 - base), a, b, o, p) for y, a, b, o, p in rows], power=2.35, cap=0.03)
    for s in SIDES.values():
        ellipsoid(f, (0.058, 1.335, s * 0.072), (0.055, 0.052, 0.075), 0.03)  # chest muscles
        ellipsoid(f, (-0.075, 1.34, s * 0.085), (0.045, 0.085, 0.065), 0.03)  # shoulder blades
        ellipsoid(f, (-0.062, 0.905, s * 0.070), (0.068, 0.078, 0.075), 0.03)  # buttocks
        # Shoulder: from the neck to the arm.
        capsule(f, (-0.022, 1.475, s * 0.05), (-0.012, 1.432, s * 0.165), 0.042, 0.050, 0.035)
        ellipsoid(f, (-0.010, 1.415, s * 0.183), (0.058, 0.062, 0.055), 0.03)
    return f


def hair_line(x):
    """How low the hair reaches: from the forehead over the temples and ears to the neck."""
    return np.interp(x, [-0.10, -0.045, -0.025, 0.03, 0.05, 0.075], [1.615, 1.62, 1.70, 1.705, 1.74, 1.752])


DOWN = 0.025  # how far the head is below where its numbers say


def head():
    f = Field()
    swept(f, (-0.024, 1.46, 0), (0.004, 1.62, 0), (0, 0, 1), [(0, 0.066, 0.064), (0.35, 0.057, 0.060), (0.7, 0.055, 0.060), (1, 0.055, 0.062)])
    ellipsoid(f, (-0.008, 1.708, 0), (0.094, 0.090, 0.073), 0.02)  # skull
    ellipsoid(f, (0.032, 1.640, 0), (0.060, 0.080, 0.054), 0.03)  # face
    ellipsoid(f, (0.022, 1.618, 0), (0.056, 0.040, 0.050), 0.02)  # jaw
    ellipsoid(f, (0.072, 1.586, 0), (0.018, 0.017, 0.022), 0.02)  # chin
    capsule(f, (0.074, 1.716, -0.034), (0.074, 1.716, 0.034), 0.013, 0.013, 0.02)  # brows
    for s in SIDES.values():
        ellipsoid(f, (0.058, 1.655, s * 0.040), (0.026, 0.022, 0.018), 0.02)  # cheeks
        ellipsoid(f, (0.093, 1.692, s * 0.031), (0.017, 0.0125, 0.017), 0.012, cut=True)  # sockets
        ellipsoid(f, (0.0705, 1.692, s * 0.031), (0.0125, 0.0115, 0.0135), 0.003)  # eyes
        ellipsoid(f, (-0.008, 1.676, s * 0.074), (0.017, 0.031, 0.012), 0.006)  # ears
    capsule(f, (0.084, 1.700, 0), (0.104, 1.660, 0), 0.009, 0.0125, 0.010)  # nose
    ellipsoid(f, (0.096, 1.655, 0), (0.013, 0.009, 0.019), 0.008)
    ellipsoid(f, (0.084, 1.626, 0), (0.012, 0.0055, 0.024), 0.006)  # lips
    ellipsoid(f, (0.081, 1.615, 0), (0.012, 0.006, 0.020), 0.006)
    # Hair: a little thicker than the skull, but not over the face.
    hair = Field()
    ellipsoid(hair, (-0.014, 1.714, 0), (0.102, 0.096, 0.081))
    ellipsoid(hair, (-0.058, 1.662, 0), (0.055, 0.062, 0.066), 0.03)
    index, (x, y, z) = region(LOW, HIGH)
    hair.d = np.maximum(hair.d, (hair_line(x) - y).astype(np.float32))
    f.join(hair, 0.004)
    f.d = np.roll(f.d, -round(DOWN / CELL), axis=1)
    return f


def leg(s):
    f = Field()
    hip, knee, ankle = V(0, 0.915, s * 0.09), V(0.005, 0.50, s * 0.098), V(-0.02, 0.095, s * 0.105)
    # `across` is x; the second direction is w × x: outwards or inwards.
    swept(f, hip, knee, (1, 0, 0), [(-0.02, 0.090, 0.078, -0.008), (0.12, 0.094, 0.086, 0.0), (0.35, 0.086, 0.078, 0.008), (0.6, 0.073, 0.068, 0.008), (0.82, 0.062, 0.059, 0.002), (0.95, 0.060, 0.056, 0.004), (1.02, 0.060, 0.055, 0.003)])
    # Trousers end above the ankle with a hem.
    swept(f, knee, ankle, (1, 0, 0), [(-0.03, 0.059, 0.055, 0.003), (0.08, 0.057, 0.054, -0.002), (0.28, 0.063, 0.057, -0.012), (0.5, 0.056, 0.052, -0.008), (0.75, 0.052, 0.050, 0.0), (0.985, 0.056, 0.052, 0.008)], 0.012, cap=0.006)
    swept(f, knee, ankle, (1, 0, 0), [(0.8, 0.034, 0.032, -0.004), (1.0, 0.036, 0.033, -0.002)], 0.002)
    # The shoe.
    side = s * 0.012
    swept(f, (-0.075, 0.0, s * 0.102), (0.19, 0.0, s * 0.120), (0, 1, 0), [(0.06, 0.040, 0.030, 0.042), (0.2, 0.046, 0.036, 0.046), (0.38, 0.042, 0.038, 0.042), (0.62, 0.032, 0.045, 0.032), (0.82, 0.027, 0.046, 0.027), (0.97, 0.020, 0.034, 0.022)], 0.004, power=3.0, cap=0.03)
    capsule(f, (-0.025, 0.10, s * 0.104), (0.03, 0.065, s * 0.108), 0.037, 0.034, 0.025)
    return f


def arm(s):
    f = Field()
    d, palm, shoulder, elbow, wrist, knuckle, thumb, along = arm_points(s)
    x = V(1, 0, 0)
    swept(f, shoulder, elbow, x, [(-0.02, 0.050, 0.050), (0.15, 0.053, 0.054), (0.45, 0.049, 0.049, 0.003), (0.75, 0.042, 0.041, 0.002), (1.0, 0.040, 0.038)])
    swept(f, elbow, wrist, x, [(-0.02, 0.040, 0.038), (0.18, 0.045, 0.042, 0.003), (0.45, 0.040, 0.036, 0.002), (0.8, 0.031, 0.026), (1.0, 0.029, 0.021)], 0.02)
    # The sleeve, wider than the arm, ends half-way down.
    swept(f, shoulder, elbow, x, [(0.0, 0.058, 0.058), (0.2, 0.061, 0.061), (0.42, 0.060, 0.060), (0.60, 0.058, 0.058)], 0.0, cap=0.005)
    # Hand: a flat palm, four fingers, a thumb.
    swept(f, wrist, knuckle, x, [(-0.08, 0.027, 0.020), (0.2, 0.031, 0.0175), (0.6, 0.041, 0.0165), (1.0, 0.041, 0.0145), (1.06, 0.039, 0.0125)], 0.012, power=2.6, cap=0.012)
    for i, (offset, length, r) in enumerate([(0.030, 0.074, 0.0093), (0.0105, 0.084, 0.0097), (-0.0095, 0.078, 0.0093), (-0.0285, 0.062, 0.0083)]):
        root = knuckle + x * offset - d * 0.012
        spread = unit(d + x * offset * 1.6)
        middle = root + spread * (length * 0.55)
        tip = middle + unit(spread + 0.35 * palm) * (length * 0.5)
        capsule(f, root, middle, r * 1.08, r, 0.006)
        capsule(f, middle, tip, r, r * 0.86, 0.003)
    base = wrist + 0.012 * d + 0.012 * x + 0.004 * palm
    capsule(f, base, thumb + 0.012 * along, 0.017, 0.0145, 0.014)
    capsule(f, thumb + 0.008 * along, thumb + 0.055 * along, 0.0125, 0.0098, 0.006)
    return f


def body():
    trunk = torso()
    top = head()
    parts = []
    for s in SIDES.values():
        f = Field()
        f.d = trunk.d.copy()
        f.join(leg(s), 0.028)
        f.join(arm(s), 0.022)
        parts.append(f)
    whole = parts[0].join(parts[1], 0)
    neck = Field()
    neck.d = whole.d
    neck.join(top, 0.015)
    # Hems, which are edges: the collar and the shirt over the trousers.
    swept(neck, (-0.022, 1.44, 0), (-0.014, 1.483, 0), (0, 0, 1), [(0, 0.078, 0.072), (1, 0.064, 0.066)], 0.0, cap=0.004)
    shirt = [(0.905, 0.1775, 0.1195, -0.012), (0.93, 0.1795, 0.1195, -0.012), (0.98, 0.1755, 0.1175, -0.006), (1.03, 0.161, 0.107, 0.002), (1.06, 0.150, 0.099, 0.005)]
    swept(neck, (0, 0.905, 0), (0, 1.06, 0), (0, 0, 1), [((y - 0.905) / 0.155, a, b, 0, o) for y, a, b, o in shirt], 0.0, power=2.35, cap=0.004)
    return neck


# ---------------------------------------------------------------- colours

SKIN, LIPS, WHITE, IRIS, HAIR, BROW = (224, 172, 138), (203, 133, 112), (238, 236, 232), (58, 66, 78), (74, 52, 38), (92, 66, 48)
SOFT = (SKIN, LIPS, BROW)
SHIRT, TROUSERS, SHOE = (58, 124, 165), (66, 72, 92), (60, 44, 38)


def color_of(p):
    """The colour of a point of the surface."""
    x, y, z = p
    s = 1.0 if z > 0 else -1.0
    d, palm, shoulder, elbow, wrist, *_ = arm_points(s)
    out = np.dot(p - shoulder, d) / 0.29
    lateral = np.linalg.norm(p - shoulder - d * np.dot(p - shoulder, d))
    if out > 0 and lateral < 0.12 and abs(z) > 0.2:
        return SHIRT if out < 0.612 else SKIN
    if y > 1.462 and (y > 1.52 or (x + 0.014) ** 2 + z * z < (0.064 if y < 1.485 else 0.082) ** 2):
        az, y = abs(z), y + DOWN
        if abs(az - 0.031) < 0.0125 and abs(y - 1.692) < 0.0095 and x > 0.072:
            return IRIS if abs(az - 0.030) < 0.0065 else WHITE
        if abs(y - 1.717) < 0.006 and 0.012 < az < 0.05 and x > 0.06:
            return BROW
        if abs(y - 1.6205) < 0.0105 and az < 0.025 and x > 0.08:
            return LIPS
        ear = az > 0.070 and abs(y - 1.676) < 0.034 and abs(x + 0.006) < 0.02
        hair = y > hair_line(x) - 0.001
        return HAIR if hair and not ear else SKIN
    if y < 0.098:
        return SHOE
    return TROUSERS if y < 0.899 else SHIRT


# ---------------------------------------------------------------- triangles


def surface(field, vertices):
    points, faces, normals, _ = marching_cubes(np.pad(field.d, 1, constant_values=1.0), 0.0, spacing=(CELL,) * 3)
    points = points + LOW - CELL
    dense = points.astype(np.float64)
    reduction = 1 - vertices * 2.0 / len(faces)
    # The face and the hands get more triangles than their size deserves: they are enlarged before thinning out.
    big = dense.copy()
    points, faces = fast_simplification.simplify(warp(big).astype(np.float32), faces.astype(np.int32), reduction, agg=3)
    points = unwarp(points.astype(np.float64))
    # Which way is out.
    volume = np.einsum("ij,ij->i", points[faces[:, 0]], np.cross(points[faces[:, 1]], points[faces[:, 2]])).sum() / 6
    if volume < 0:
        faces = faces[:, ::-1]
    return dense, points, faces, abs(volume)


FACE = V(0.05, 1.64, 0)
GAIN = 2.7


def centers():
    yield FACE, 0.13, GAIN
    for s in SIDES.values():
        d, palm, shoulder, elbow, wrist, knuckle, *_ = arm_points(s)
        yield knuckle + 0.01 * d, 0.12, 1.6


def swell(r, reach, gain):
    """How far out a point at distance r goes: gain near the middle, a shift beyond."""
    return np.where(r < reach, r * gain, r + reach * (gain - 1))


def warp(p):
    p = p.copy()
    for c, reach, gain in centers():
        v = p - c
        r = np.linalg.norm(v, axis=1, keepdims=True)
        near = (r < 4 * reach)[:, 0]
        # Beyond `reach` the shift fades out.
        fade = np.clip((4 * reach - r) / (3 * reach), 0, 1)
        moved = np.where(r < reach, r * gain, r + reach * (gain - 1) * fade)
        p = np.where(near[:, None], c + v * moved / np.maximum(r, 1e-9), p)
    return p


def unwarp(p):
    p = p.copy()
    for c, reach, gain in reversed(list(centers())):
        v = p - c
        m = np.linalg.norm(v, axis=1, keepdims=True)
        rs = np.linspace(0, 4 * reach, 4001)
        fade = np.clip((4 * reach - rs) / (3 * reach), 0, 1)
        ms = np.where(rs < reach, rs * gain, rs + reach * (gain - 1) * fade)
        r = np.interp(m, ms, rs)
        near = m[:, 0] < 4 * reach
        p = np.where(near[:, None], c + v * r / np.maximum(m, 1e-9), p)
    return p


def segment_distance(p, a, b):
    w = b - a
    t = np.clip(((p - a) @ w) / max(np.dot(w, w), 1e-12), 0, 1)
    return np.linalg.norm(p - a - t[:, None] * w, axis=1)


NAMES = list(BONES)
RADII = {"pelvis": 0.12, "waist": 0.115, "chest": 0.135, "neck": 0.058, "head": 0.09, "clavicle": 0.045, "arm": 0.048, "forearm": 0.038, "hand": 0.028, "fingers": 0.022, "thumb": 0.012, "thigh": 0.078, "shin": 0.052, "foot": 0.04, "toes": 0.035}
radius_of = lambda name: RADII[name.split(".")[0]]
SPAN = {"pelvis": [(0, 0.92, -0.07), (0, 0.92, 0.07)], "waist": [(0, 1.11, -0.04), (0, 1.11, 0.04)], "chest": [(-0.005, 1.32, -0.05), (-0.005, 1.32, 0.05)], "head": [(0.0, 1.62, 0), (0.0, 1.69, 0)]}


def bind(points, faces):
    """Weights: nearness to bones, smoothed along the surface, at most four, only bones that are next to the nearest."""
    n = len(points)
    distance = np.empty((n, len(NAMES)))
    for i, name in enumerate(NAMES):
        a, b = SPAN.get(name, (BONES[name][1], BONES[name][2]))
        distance[:, i] = segment_distance(points, np.array(a, float), np.array(b, float)) - radius_of(name)
        side = SIDES.get(name.split(".")[-1])
        if side is not None:
            distance[points[:, 2] * side < -0.004, i] = 9
    # A point well out on a limb is not of the trunk, however near that is.
    weights = np.exp(-np.maximum(distance - distance.min(1, keepdims=True), 0) / 0.014)
    next_to = np.eye(len(NAMES), dtype=bool)
    for i, name in enumerate(NAMES):
        parent = BONES[name][0]
        if parent:
            j = NAMES.index(parent)
            next_to[i, j] = next_to[j, i] = True
    nearest = distance.argmin(1)
    weights *= next_to[nearest]
    edges = np.unique(np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1), axis=0)
    degree = np.zeros(n)
    np.add.at(degree, edges.ravel(), 1)
    weights /= weights.sum(1, keepdims=True)
    for _ in range(3):
        total = np.zeros_like(weights)
        np.add.at(total, edges[:, 0], weights[edges[:, 1]])
        np.add.at(total, edges[:, 1], weights[edges[:, 0]])
        weights = 0.5 * weights + 0.5 * total / degree[:, None]
    weights[weights < 0.02] = 0
    best = np.argsort(-weights, axis=1)[:, :4]
    shares = np.take_along_axis(weights, best, 1)
    shares /= shares.sum(1, keepdims=True)
    best[shares == 0] = 0
    return best, shares


def seams(points, normals, faces, joints, weights):
    """Each face has one colour: vertices at seams are doubled."""
    colors = [color_of(points[f].mean(0) * 1.0) for f in faces]
    known, out, new_faces = {}, [], []
    for face, color in zip(faces, colors):
        corner = []
        for v in face:
            # Colours of the face run into each other; others end at a seam.
            key = (int(v), SKIN if color in SOFT else color)
            if key not in known:
                known[key] = len(out)
                out.append(key)
            corner.append(known[key])
        new_faces.append(corner)
    at = np.array([v for v, _ in out])
    soft = lambda v: color_of(points[v]) if color_of(points[v]) in SOFT else SKIN
    return points[at], normals[at], np.array([soft(v) if c == SKIN else c for v, c in out]), np.array(new_faces), joints[at], weights[at]


# ---------------------------------------------------------------- files


def write_glb(path, points, normals, colors, faces, joints, weights):
    blobs, views, accessors = [], [], []

    def add(array, component, kind, target=None, **more):
        data = np.ascontiguousarray(array).tobytes()
        view = {"buffer": 0, "byteOffset": sum(len(b) for b in blobs), "byteLength": len(data)}
        if target:
            view["target"] = target
        views.append(view)
        blobs.append(data + b"\0" * (-len(data) % 4))
        accessors.append({"bufferView": len(views) - 1, "componentType": component, "count": len(array), "type": kind, **more})
        return len(accessors) - 1

    points = points.astype("<f4")
    light = np.round(255 * (colors / 255.0) ** 2.2)
    rgba = np.concatenate([light, np.full((len(colors), 1), 255)], axis=1).astype("u1")
    weights = weights.astype("<f4")
    weights /= weights.sum(1, keepdims=True)
    inverse = []
    for name in NAMES:
        m = np.eye(4)
        m[:3, 3] = -BONES[name][1]
        inverse.append(m.T.ravel())  # by columns
    attributes = {
        "POSITION": add(points, 5126, "VEC3", 34962, min=points.min(0).tolist(), max=points.max(0).tolist()),
        "NORMAL": add(normals.astype("<f4"), 5126, "VEC3", 34962),
        "COLOR_0": add(rgba, 5121, "VEC4", 34962, normalized=True),
        "JOINTS_0": add(joints.astype("u1"), 5121, "VEC4", 34962),
        "WEIGHTS_0": add(weights, 5126, "VEC4", 34962),
    }
    indices = add(faces.astype("<u2").ravel(), 5123, "SCALAR", 34963)
    matrices = add(np.array(inverse, dtype="<f4"), 5126, "MAT4")
    nodes = []
    for name in NAMES:
        parent, joint, *_ = BONES[name]
        offset = joint - (BONES[parent][1] if parent else 0)
        node = {"name": name, "translation": [round(float(x), 6) for x in offset]}
        children = [NAMES.index(c) for c in NAMES if BONES[c][0] == name]
        if children:
            node["children"] = children
        nodes.append(node)
    nodes.append({"name": "alfred", "mesh": 0, "skin": 0})
    document = {
        "asset": {"version": "2.0", "generator": "tumble scripts/alfred.py"},
        "scene": 0,
        "scenes": [{"name": "alfred", "nodes": [0, len(NAMES)]}],
        "nodes": nodes,
        "meshes": [{"name": "alfred", "primitives": [{"attributes": attributes, "indices": indices, "material": 0}]}],
        "materials": [{"name": "painted", "pbrMetallicRoughness": {"metallicFactor": 0.0, "roughnessFactor": 0.7}}],
        "skins": [{"inverseBindMatrices": matrices, "joints": list(range(len(NAMES))), "skeleton": 0}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": sum(len(b) for b in blobs)}],
    }
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    binary = b"".join(blobs)
    with open(path, "wb") as file:
        file.write(struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary)))
        file.write(struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary)


number = lambda x: ("%.4f" % x).rstrip("0").rstrip(".").replace("-0", "0") if abs(x) < 5e-5 else ("%.4f" % x).rstrip("0").rstrip(".")
vector = lambda v: "[" + ", ".join(number(x) for x in v) + "]"


def joint_of(name):
    """The joint of a bone in its own axes: y up, x ahead, z to the right."""
    part, side = name.split(".") if "." in name else (name, None)
    s = SIDES.get(side, 1.0)
    d, palm, *_ = arm_points(s)
    outwards = V(0, 0, s)
    hinge = lambda called, axis, low, high, friction: (called, f"hinge = {{ axis = {vector(axis)}, turn = {{ min_deg = {low}, max_deg = {high}, friction = {friction} }} }}")

    def ball(called, axis, center, towards, swing, twist, friction):
        return called, f"swing_twist = {{ axis = {vector(axis)}, center = {vector(unit(center))}, towards = {vector(towards)}, swing_deg = {list(swing)}, twist_deg = {list(twist)}, friction = {friction} }}"

    up, ahead = V(0, 1, 0), V(1, 0, 0)
    return {
        "waist": lambda: ball("spine.lower", up, V(0.14, 1, 0), ahead, (26, 18), (-18, 18), 2),
        "chest": lambda: ball("spine.upper", up, V(0.10, 1, 0), ahead, (22, 18), (-20, 20), 2),
        "neck": lambda: ball("neck.lower", V(0.24, 0.97, 0), V(0.30, 0.95, 0), ahead, (26, 22), (-35, 35), 0.5),
        "head": lambda: ball("neck.upper", up, V(0.02, 1, 0), ahead, (24, 18), (-35, 35), 0.5),
        "clavicle": lambda: ball("collar", outwards, V(0, 0.12, s), up, (14, 12), (-8, 8), 1),
        "arm": lambda: ball("shoulder", d, V(0.55, -0.35, s * 0.75), ahead, (78, 74), (-60, 60), 0.8),
        "forearm": lambda: hinge("elbow", np.cross(d, ahead), -3, 142, 0.5),
        "hand": lambda: ball("wrist", d, d, palm, (65, 25), (-75, 75), 0.2),
        "fingers": lambda: hinge("knuckles", np.cross(d, palm), -12, 88, 0.05),
        "thumb": lambda: ball("thumb.root", unit(BONES[name][2] - BONES[name][1]), BONES[name][2] - BONES[name][1], palm, (35, 25), (-15, 15), 0.03),
        "thigh": lambda: ball("hip", V(0, -1, 0), V(0.75, -0.62, s * 0.16), ahead, (66, 36), (-38, 38), 1.5),
        "shin": lambda: hinge("knee", V(0, 0, 1), -146, 3, 0.8),
        "foot": lambda: ball("ankle", ahead, V(1, -0.22, 0), up, (33, 16), (-22, 22), 0.3),
        "toes": lambda: hinge("ball", V(0, 0, 1), -40, 80, 0.05),
    }[part]()


def capsules(name):
    """The capsules that stand for a bone in collisions: two ends and a radius."""
    part, side = name.split(".") if "." in name else (name, None)
    s = SIDES.get(side, 1.0)
    d, palm, shoulder, elbow, wrist, knuckle, thumb, along = arm_points(s)
    x = V(1, 0, 0)
    return {
        "pelvis": lambda: [(V(-0.015, 0.945, -0.062), V(-0.015, 0.945, 0.062), 0.112)],
        "waist": lambda: [(V(0.004, 1.09, -0.048), V(0.004, 1.09, 0.048), 0.1)],
        "chest": lambda: [(V(-0.004, 1.255, -0.055), V(-0.004, 1.255, 0.055), 0.112), (V(-0.002, 1.345, -0.052), V(-0.002, 1.345, 0.052), 0.115)],
        "neck": lambda: [(V(-0.018, 1.492, 0), V(-0.004, 1.535, 0), 0.052)],
        "head": lambda: [(V(-0.02, 1.688, 0), V(0.004, 1.688, 0), 0.087), (V(0.026, 1.602, 0), V(0.032, 1.64, 0), 0.053)],
        "clavicle": lambda: [(V(-0.018, 1.447, s * 0.108), shoulder + V(0, 0.002, -s * 0.012), 0.05)],
        "arm": lambda: [(shoulder + 0.065 * d, elbow - 0.005 * d, 0.048)],
        "forearm": lambda: [(elbow + 0.01 * d, elbow + 0.13 * d, 0.042), (elbow + 0.13 * d, wrist - 0.01 * d, 0.03)],
        "hand": lambda: [(wrist + 0.04 * d + 0.017 * x, knuckle - 0.005 * d + 0.02 * x, 0.019), (wrist + 0.04 * d - 0.013 * x, knuckle - 0.005 * d - 0.02 * x, 0.019)],
        "fingers": lambda: [(knuckle + 0.012 * d + 0.02 * x, knuckle + 0.06 * d + 0.021 * x + 0.008 * palm, 0.013), (knuckle + 0.012 * d - 0.018 * x, knuckle + 0.055 * d - 0.02 * x + 0.008 * palm, 0.012)],
        "thumb": lambda: [(thumb + 0.018 * along, thumb + 0.052 * along, 0.0115)],
        "thigh": lambda: [(V(0.002, 0.835, s * 0.094), V(0.008, 0.68, s * 0.096), 0.081), (V(0.01, 0.68, s * 0.096), V(0.008, 0.53, s * 0.098), 0.063)],
        "shin": lambda: [(V(0.003, 0.475, s * 0.098), V(-0.01, 0.30, s * 0.102), 0.056), (V(-0.01, 0.30, s * 0.102), V(-0.018, 0.135, s * 0.104), 0.047)],
        "foot": lambda: [(V(-0.04, 0.04, s * 0.104), V(0.088, 0.036, s * 0.115), 0.04)],
        "toes": lambda: [(V(0.15, 0.0275, s * 0.118 - 0.014), V(0.15, 0.0275, s * 0.118 + 0.014), 0.0275)],
    }[part]()


def quaternion_from_y(w):
    """The rotation that takes y to w."""
    y = V(0, 1, 0)
    c = np.dot(y, w)
    if c < -0.999999:
        return V(1, 0, 0, 0)
    return unit(np.append(np.cross(y, w), 1 + c))


def toml(colliders, head):
    lines = [head]
    for name in NAMES:
        parent, joint, _, mass = BONES[name]
        lines.append(f'[skeletons.alfred.bones."{name}"]')
        if parent:
            lines.append(f'parent = "{parent}"')
        lines.append(f"offset = {vector(joint - (BONES[parent][1] if parent else 0))}")
        lines.append(f"body.mass = {mass}")
        lines.append("body.colliders = [")
        lines += [f"    {c}," for c in colliders(name)]
        lines.append("]")
        if parent:
            called, kind = joint_of(name)
            side = "." + name.split(".")[1] if "." in name else ""
            lines.append(f'joint.name = "{called}{side}"')
            lines.append(f"joint.{kind}")
            # Muscle tone in proportion to what hangs on the joint.
            k, damping = TONE[name.split(".")[0]]
            lines.append(f"tone = {{ stiffness = {k}, damping = {damping} }}")
            if name.split(".")[0] in COMFORTABLE:
                lines.append(f"comfort = {{ from = 0.75, stiffness = {COMFORT * k:g}, damping = {damping} }}")
        lines.append("")
    return "\n".join(lines)


TONE = {"waist": (60, 6), "chest": (60, 6), "neck": (20, 2), "head": (20, 2), "clavicle": (100, 8), "arm": (5, 0.6), "forearm": (2, 0.3), "hand": (4, 0.6), "fingers": (0.6, 0.03), "thumb": (0.6, 0.03), "thigh": (10, 1.5), "shin": (5, 0.8), "foot": (10, 1.5), "toes": (12, 1)}
COMFORT = 8
COMFORTABLE = ()  # bones whose limits are elastic; each costs time


def capsule_lines(name):
    joint = BONES[name][1]
    for a, b, r in capsules(name):
        w, length = unit(b - a), np.linalg.norm(b - a)
        q = quaternion_from_y(w)
        yield f"{{ shape.capsule = {{ radius = {number(r)}, height = {number(length + 2 * r)} }}, position = {vector(0.5 * (a + b) - joint)}, rotation.quaternion = {vector(q)} }}"


def pack_spheres(dense, joints_of_dense, count):
    """Spheres inside the surface, bone by bone, each where it covers most that none covers yet."""
    tree = cKDTree(dense)
    rng = np.random.default_rng(1)
    area = np.array([max((joints_of_dense == i).sum(), 1) for i in range(len(NAMES))], float)
    share = np.maximum(np.round(count * area**0.75 / (area**0.75).sum()), 2).astype(int)
    while share.sum() != count:
        share[np.argmax(share) if share.sum() > count else np.argmin(share / area)] += 1 if share.sum() < count else -1
    found = {}
    for i, name in enumerate(NAMES):
        own = dense[joints_of_dense == i]
        low, high = own.min(0), own.max(0)
        a, b = BONES[name][1], BONES[name][2]
        candidates = rng.uniform(low, high, (6000, 3))
        radius, _ = tree.query(candidates)
        # Inside: the nearest point of the surface is further out from the bone than the candidate.
        inside = inside_of(candidates)
        candidates, radius = candidates[inside], radius[inside]
        keep = radius > 0.006
        candidates, radius = candidates[keep], radius[keep]
        own = own[rng.permutation(len(own))[:1500]]
        covers = np.linalg.norm(candidates[:, None] - own[None], axis=2) < radius[:, None] + 0.006
        left, chosen = np.ones(len(own), bool), []
        for _ in range(share[i]):
            gain = (covers & left).sum(1) + 1e-3 * radius
            best = int(gain.argmax())
            chosen.append((candidates[best], radius[best]))
            left &= ~covers[best]
            covers[best] = False
        found[name] = chosen
    return found


def inside_of(points):
    index = np.clip(((points - LOW) / CELL).round().astype(int), 0, np.array(SHAPE) - 1)
    return FIELD.d[tuple(index.T)] < -0.004


HEAD = '''# Alfred, a figure of 25 bones: 1.80 m, 75 kg, {what}.
# Made by scripts/alfred.py, which is where to change him. He faces x, y is up, z is to his right.

[materials.flesh]
density = 1000
restitution = 0.05
friction = 0.55

[skeletons.alfred]
skin.file = "figures/alfred.glb"
body.material = "flesh"
body.color = "#d9a17c"

'''

if __name__ == "__main__":
    FIELD = body()
    dense, points, faces, volume = surface(FIELD, int(os.environ.get("VERTICES", 2060)))
    # Normals of the fine surface, taken over by the coarse one.
    gradient = np.gradient(FIELD.d, CELL)
    from scipy.ndimage import map_coordinates, gaussian_filter

    normals = np.stack([map_coordinates(gaussian_filter(g, 0.8), ((points - LOW) / CELL).T, order=1) for g in gradient], axis=1)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-9)
    joints, weights = bind(points, faces)
    skin = seams(points, normals, faces, joints, weights)
    print(f"{len(points)} places, {len(skin[0])} vertices, {len(faces)} faces, {volume * 1000:.1f} litres, {points[:, 1].max() - points[:, 1].min():.3f} m")
    os.makedirs(FOLDER, exist_ok=True)
    write_glb(os.path.join(FOLDER, "alfred.glb"), *skin)
    with open(os.path.join(FOLDER, "alfred.toml"), "w") as file:
        file.write(toml(capsule_lines, HEAD.format(what="with capsules to collide with")))
    order = cKDTree(points).query(dense)[1]
    spheres = pack_spheres(dense, joints[order, 0], 252)
    lines = lambda name: [f"{{ shape.sphere.radius = {number(r)}, position = {vector(p - BONES[name][1])} }}" for p, r in spheres[name]]
    with open(os.path.join(FOLDER, "alfred-spheres.toml"), "w") as file:
        file.write(toml(lines, HEAD.format(what="with 252 spheres to collide with")))
    # What sticks out of the capsules.
    for i, name in enumerate(NAMES):
        own = dense[joints[order, 0] == i]
        out = np.min([segment_distance(own, a, b) - r for a, b, r in capsules(name)], axis=0)
        if "right" not in name:
            print(f"  {name:16} skin outside by {out.mean() * 1000:5.1f} mm on average, {np.percentile(out, 95) * 1000:5.1f} mm for all but 5 %, inside {-out.min() * 1000:5.1f} mm")
    # Bones that overlap at rest and are not neighbours.
    for i, a in enumerate(NAMES):
        for b in NAMES[:i]:
            if BONES[a][0] == b or BONES[b][0] == a:
                continue
            for p, q, r in capsules(a):
                for p2, q2, r2 in capsules(b):
                    ts = np.linspace(0, 1, 41)[:, None]
                    gap = cKDTree(p + ts * (q - p)).query(p2 + ts * (q2 - p2))[0].min() - r - r2
                    if gap < 0.003:
                        print(f"  {a} and {b} are {gap * 1000:.1f} mm apart")
