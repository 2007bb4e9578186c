#!/usr/bin/env python3
"""Draws docs/images/gallery.png: moments of twelve scenes of the gallery, side by side.

Needs Pillow and a release build: cargo build --release && scripts/gallery-picture.py
"""

import pathlib
import subprocess
import tempfile

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOMENTS = [
    ("dominoes", 1.6), ("cradle-2", 0.85), ("spiral-track", 2),
    ("rag-doll", 1.2), ("wall", 0.6), ("vortex", 4),
    ("stairs", 1.2), ("pile", 2), ("top", 2),
    ("boxes-table", 0.6), ("buoyancy", 3), ("constraints/wheel", 2),
]  # fmt: skip
COLUMNS, WIDTH, HEIGHT = 3, 400, 225

with tempfile.TemporaryDirectory() as folder:
    sheet = Image.new("RGB", (COLUMNS * WIDTH, len(MOMENTS) // COLUMNS * HEIGHT))
    for number, (scene, time) in enumerate(MOMENTS):
        file = f"{folder}/{number}.png"
        size = f"{WIDTH}x{HEIGHT}"
        command = [ROOT / "target/release/tumble", "render", scene, "--at", str(time), "--size", size, "--out", file]
        subprocess.run([*command, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        row, column = divmod(number, COLUMNS)
        sheet.paste(Image.open(file).convert("RGB"), (column * WIDTH, row * HEIGHT))
    sheet.save(ROOT / "docs/images/gallery.png", optimize=True)
