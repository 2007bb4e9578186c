#!/usr/bin/env python3
"""Kills runs at random moments (SIGKILL) and looks at what their recordings give back.

usage: scripts/kill-runs.py TUMBLE [COUNT]

For each of COUNT runs (100 if not given): how long before the kill the last data reached the file, and whether `tumble render` draws
a picture from it. Fails if more than a second was lost or a recording cannot be drawn.
"""

import os
import random
import subprocess
import sys
import tempfile
import time

tumble, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 100
random.seed(1)
scenes = ["pile", "dominoes", "cradle-1", "rag-doll", "spiral-track"]
worst, empty, failed = 0.0, 0, 0
with tempfile.TemporaryDirectory() as folder:
    for number in range(count):
        recording = os.path.join(folder, f"{number}.tumble")
        command = [tumble, "run", scenes[number % len(scenes)], "--until", "100000", "--quiet", "--out", recording]
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.05, 1.5))
        run.kill()
        killed = time.time()
        run.wait()
        if not os.path.exists(recording) or os.path.getsize(recording) == 0:
            # Nothing was computed yet: the scene was still being read.
            empty += 1
            continue
        worst = max(worst, killed - os.path.getmtime(recording))
        picture = os.path.join(folder, "picture.png")
        drawn = subprocess.run(
            [tumble, "render", recording, "--at", "0", "--size", "64x48", "--quiet", "--out", picture],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        if drawn.returncode != 0 or not os.path.exists(picture):
            failed += 1
            print(f"{recording}: {drawn.stderr.strip()}")
        os.remove(recording)
print(f"{count} runs killed: {empty} before the first frame, {failed} recordings without a picture, at most {worst:.3f} s lost")
sys.exit(1 if failed or worst > 1.0 else 0)
