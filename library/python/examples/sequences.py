#!/usr/bin/env python3
"""Turntable of a scene, frame by frame: mean radiance of each picture and its mean difference from the previous one.
Run after tools/install-python:
    sequences.py [SCENE [PATTERN]]
The second argument, such as turn_%03d.ppm, names files for the pictures."""
import sys

import numpy as np
import treelight
from pictures import write_ppm


def main():
    scene = treelight.Scene(sys.argv[1] if len(sys.argv) > 1 else "generate:blob")
    frames = treelight.render_frames(scene, turntable=12, width=64, height=48, spp=4)
    before = None
    for picture, about in zip(frames, frames.info):
        change = "" if before is None else f", {np.abs(picture - before).mean():.3f} from the one before"
        print(f"frame {about['number']:2d} from {np.round(about['eye'], 2)}: mean radiance {picture.mean():.3f}{change}")
        if len(sys.argv) > 2:
            write_ppm(sys.argv[2] % about["number"], picture)
        before = picture


if __name__ == "__main__":
    main()
