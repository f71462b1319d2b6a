#!/usr/bin/env python3
"""A solid from a cloud of points: neighbours estimate the spacing, and the signed distances of a mesh on a grid its
volume. Run after tools/install-python."""
import numpy as np
import treelight


def torus(n=96, m=48, radius=1.0, tube=0.4):
    u, v = np.meshgrid(np.arange(n) * 2 * np.pi / n, np.arange(m) * 2 * np.pi / m, indexing="ij")
    ring = radius + tube * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), tube * np.sin(v)], -1).reshape(-1, 3)
    i = np.arange(n * m).reshape(n, m)
    b, c, d = np.roll(i, -1, 0), np.roll(np.roll(i, -1, 0), -1, 1), np.roll(i, -1, 1)
    faces = np.concatenate([np.stack([i, b, c], -1).reshape(-1, 3), np.stack([i, c, d], -1).reshape(-1, 3)])
    return vertices.astype(np.float32), faces


def main():
    vertices, faces = torus()
    cloud = treelight.Tree.points(vertices)
    _, distances = cloud.nearest(vertices, k=2)  # the first is the point itself
    offsets, _, _ = cloud.within(vertices, 3 * float(distances[:, 1].mean()))
    print(f"{len(vertices)} points, {distances[:, 1].mean():.4f} apart, "
          f"{np.diff(offsets).mean():.1f} within three times that")
    tree = treelight.Tree(vertices, faces)
    size, spacing = (57, 57, 17), 0.05
    grid = tree.signed_distance_grid((-1.4, -1.4, -0.4), (spacing,) * 3, size)
    volume, exact = (grid < 0).sum() * spacing**3, 2 * np.pi**2 * 0.4**2
    print(f"volume {volume:.3f} by the signs of a grid, {exact:.3f} of the torus; deepest point "
          f"{-grid.min():.3f}")
    assert abs(volume / exact - 1) < 0.05


if __name__ == "__main__":
    main()
