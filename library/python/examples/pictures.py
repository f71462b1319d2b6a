#!/usr/bin/env python3
"""Noise of path-traced pictures against the number of samples, estimated from pictures of two seeds. It halves for four
times the samples. Run after tools/install-python:
    pictures.py [SCENE [OUTPUT.ppm]]
The second argument names a file for the picture with the most samples."""
import sys

import numpy as np
import treelight

WIDTH, HEIGHT = 64, 48


def noise(scene, spp):
    """Returns the standard deviation of a pixel's radiance, and the mean of two pictures."""
    first, second = [treelight.render(scene, renderer="path", width=WIDTH, height=HEIGHT, spp=spp, seed=seed)
                     for seed in [1, 2]]
    # Median absolute deviation: squares of rare bright pixels would dominate a variance.
    return np.median(np.abs(first - second)) / np.sqrt(2) / 0.6745, (first + second) / 2


def write_ppm(path, radiance):
    """Writes the picture, scaled to its 99th percentile, with a gamma of 2.2."""
    scaled = np.clip(radiance / np.percentile(radiance, 99), 0, 1) ** (1 / 2.2)
    with open(path, "wb") as file:
        file.write(b"P6 %d %d 255\n" % (radiance.shape[1], radiance.shape[0]))
        file.write((255 * scaled + 0.5).astype(np.uint8).tobytes())


def main():
    scene = treelight.Scene(sys.argv[1] if len(sys.argv) > 1 else "generate:cornell-box")
    for line in scene.warnings:
        print("warning:", line)
    print(f"{scene.path}: {scene.info['triangles']} triangles, seen from {scene.info['eye']}")
    for spp in [4, 16, 64]:
        deviation, picture = noise(scene, spp)
        print(f"{spp:3d} samples a pixel: mean radiance {picture.mean():.3f}, noise {deviation:.4f}")
    if len(sys.argv) > 2:
        write_ppm(sys.argv[2], picture)


if __name__ == "__main__":
    main()
