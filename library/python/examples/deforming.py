#!/usr/bin/env python3
"""A surface in motion: each step moves the vertices, refits the tree, and asks where rays hit and how far points
are. Run after tools/install-python."""
import time

import numpy as np
import treelight

N, N_STEPS, N_RAYS = 200, 20, 20_000


def surface(phase):
    """Waves over the unit square."""
    x, y = np.meshgrid(np.linspace(0, 1, N), np.linspace(0, 1, N))
    z = 0.05 * np.sin(20 * x + phase) * np.cos(15 * y)
    return np.stack([x, y, z], -1).reshape(-1, 3).astype(np.float32)


def main():
    i = np.arange(N * N).reshape(N, N)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[:-1, 1:], i[1:, 1:], i[1:, :-1]))
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    tree = treelight.Tree(surface(0), faces)
    random = np.random.default_rng(1)
    origins = random.random((N_RAYS, 3), np.float32) + np.array([0, 0, 1], np.float32)
    down = np.tile(np.array([[0, 0, -1]], np.float32), (N_RAYS, 1))
    taken, highest = 0.0, -1.0
    for step in range(N_STEPS):
        vertices = surface(0.3 * step)
        start = time.perf_counter()
        tree.refit(vertices)
        hits = tree.closest(origins, down)
        near = tree.closest_point(origins[:1000])
        taken += time.perf_counter() - start
        highest = max(highest, float((origins[:, 2] - hits.t)[hits.hit].max()))
    print(f"{N_STEPS} steps of {len(faces)} triangles and {N_RAYS} rays on {tree.info['device']}: "
          f"{1000 * taken / N_STEPS:.2f} ms a step; highest point {highest:.4f}, last distances "
          f"{near.distance.min():.3f} to {near.distance.max():.3f}")


if __name__ == "__main__":
    main()
