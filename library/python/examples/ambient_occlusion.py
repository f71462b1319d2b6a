#!/usr/bin/env python3
"""Ambient occlusion of a mesh: the fraction of the sky that each face sees. Run after tools/install-python."""
import sys
import time

import numpy as np
import treelight


def read_obj(path):
    """The triangles of a Wavefront file whose faces are triangles."""
    vertices, faces = [], []
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            words = line.split()
            if words[:1] == ["v"]:
                vertices.append([float(x) for x in words[1:4]])
            elif words[:1] == ["f"]:
                faces.append([int(word.split("/")[0]) - 1 for word in words[1:4]])
    return np.array(vertices, np.float32), np.array(faces)


def bumpy_floor(n=200):
    """A height field, where there is no file."""
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    z = 0.1 * np.sin(9 * x) * np.sin(11 * y)
    i = np.arange(n * n).reshape(n, n)
    a, b, c, d = (part.ravel() for part in (i[:-1, :-1], i[:-1, 1:], i[1:, 1:], i[1:, :-1]))
    faces = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return np.stack([x, y, z], -1).reshape(-1, 3).astype(np.float32), faces


def ambient_occlusion(vertices, faces, n_rays=64, seed=1):
    """The fraction of cosine-weighted rays from the middle of each face that escape."""
    random = np.random.default_rng(seed)
    tree = treelight.Tree(vertices, faces)
    a, b, c = (vertices[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-30)
    size = float(np.linalg.norm(vertices.max(axis=0) - vertices.min(axis=0)))
    origins = (a + b + c) / 3 + 1e-4 * size * normals
    visible = np.zeros(len(faces))
    for _ in range(n_rays):
        # A point of the unit sphere about the tip of the normal.
        on_sphere = random.normal(size=(len(faces), 3))
        on_sphere /= np.linalg.norm(on_sphere, axis=1, keepdims=True)
        visible += ~tree.occluded(origins, (normals + 0.999 * on_sphere).astype(np.float32))
    return visible / n_rays


def main():
    vertices, faces = read_obj(sys.argv[1]) if len(sys.argv) > 1 else bumpy_floor()
    start = time.perf_counter()
    sky = ambient_occlusion(vertices, faces)
    print(f"{len(faces)} faces see {sky.mean():.3f} of the sky on average, from {sky.min():.3f} to "
          f"{sky.max():.3f}; {time.perf_counter() - start:.2f} s")


if __name__ == "__main__":
    main()
