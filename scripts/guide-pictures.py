#!/usr/bin/env python3
"""Draws the pictures of docs/guides.md: moments of its scenes, side by side.

usage: scripts/guide-pictures.py TUMBLE    (needs Pillow)

The scenes are those in the guides themselves, found by the picture that stands before them; a camera is added where that helps.
"""

import os
import re
import subprocess
import sys
import tempfile

from PIL import Image

tumble = sys.argv[1]
docs = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs")
folder = os.path.join(docs, "images", "guides")
os.makedirs(folder, exist_ok=True)

# The moments in seconds, and the camera.
PICTURES = {
    "bullet": ([0.0, 0.1], "from = [-4, 2, 8], to = [-2.3, 0, 0], view_deg = 45"),
    "sleep": ([0.9, 1.1], "from = [-2, 3, 8], to = [-0.5, 0.9, 0], view_deg = 34"),
    "filter": ([0.0, 0.5, 2.0], "from = [2, 2.5, 6], to = [0, 1.2, 0], view_deg = 34"),
    "lift": ([1.0, 4.0, 7.5], "from = [3, 4, 9], to = [1, 1.7, 0], view_deg = 38"),
    "crane": ([0.0, 2.0, 5.0], "from = [1, 6, 6], to = [1, 0, -0.5], view_deg = 40"),
    "mesh": ([0.0, 0.5, 3.0], "from = [-3, 3, 5], to = [0, 0.3, 0], view_deg = 36"),
}
WIDTH, HEIGHT, GAP = 300, 200, 4

text = open(os.path.join(docs, "guides.md")).read()
with tempfile.TemporaryDirectory() as place:
    for name, (moments, camera) in PICTURES.items():
        scene = re.search(rf"images/guides/{name}\.png.*?```toml\n(.*?)```", text, re.S).group(1)
        file = os.path.join(place, "scene.toml")
        with open(file, "w") as out:
            out.write(scene.replace("\n[", f"\ncamera = {{ {camera} }}\n[", 1))
        sheet = Image.new("RGB", (len(moments) * (WIDTH + GAP) - GAP, HEIGHT), "white")
        for number, moment in enumerate(moments):
            picture = os.path.join(place, "picture.png")
            options = ["--at", str(moment), "--size", f"{WIDTH}x{HEIGHT}", "--quiet", "--out", picture]
            subprocess.run([tumble, "render", file, *options], check=True, stdout=subprocess.DEVNULL)
            sheet.paste(Image.open(picture).convert("RGB"), (number * (WIDTH + GAP), 0))
        sheet.quantize(128).save(os.path.join(folder, f"{name}.png"), optimize=True)
        print(name, flush=True)
