#!/usr/bin/env python3
"""How the noise of a path-traced picture falls with the number of samples: pictures of two seeds differ by
their noise, which halves for four times the samples. Run after tools/install-python:
    pictures.py [SCENE [OUTPUT.ppm]]
With a second argument the best picture is written to that file."""
import sys

import numpy as np
import treelight

WIDTH, HEIGHT = 64, 48


def noise(scene, spp):
    """The standard deviation of a pixel's radiance, and the mean of two pictures."""
    first, second = [treelight.render(scene, renderer="path", width=WIDTH, height=HEIGHT, spp=spp, seed=seed)
                     for seed in [1, 2]]
    # Squares of rare bright pixels would hide all others.
    return np.median(np.abs(first - second)) / np.sqrt(2) / 0.6745, (first + second) / 2


def write_ppm(path, radiance):
    """Scales to the display's range and writes it with the usual gamma."""
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
