"""Times trees beside SciPy's cKDTree and, where they are installed, the rays of trimesh:

    python3 -m treelight.bench [--points N] [--threads N] [--device cuda]

All run in this process on the same number of threads; a time is the median of several runs, and the
answers are compared. cKDTree computes in double precision, trees in single precision.
"""
import argparse
import os
import statistics
import sys
import time

import numpy as np


def milliseconds(call, runs):
    """The median time of a call, and its result."""
    result, times = call(), []
    for _ in range(runs):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return 1000 * statistics.median(times), result


def surface(n, random):
    """n points on a torus, with noise of a hundredth."""
    u, v = random.uniform(0, 2 * np.pi, (2, n))
    ring = 1 + 0.4 * np.cos(v)
    points = np.stack([ring * np.cos(u), ring * np.sin(u), 0.4 * np.sin(v)], axis=1)
    return (points + random.normal(0, 0.01, (n, 3))).astype(np.float32)


def torus(n):
    """Vertices and 2 n^2 faces."""
    u, v = np.meshgrid(*[np.arange(n) * 2 * np.pi / n] * 2, indexing="ij")
    ring = 1 + 0.4 * np.cos(v)
    vertices = np.stack([ring * np.cos(u), ring * np.sin(u), 0.4 * np.sin(v)], -1).reshape(-1, 3)
    i = np.arange(n * n).reshape(n, n)
    b, c, d = np.roll(i, -1, 0), np.roll(np.roll(i, -1, 0), -1, 1), np.roll(i, -1, 1)
    faces = np.concatenate([np.stack([i, b, c], -1).reshape(-1, 3), np.stack([i, c, d], -1).reshape(-1, 3)])
    return vertices, faces


class Table:
    """Rows of times beside those of a peer."""

    def __init__(self, peer):
        print(f"{'':34}{'treelight':>12}{peer:>12}{'ratio':>8}")

    def row(self, what, ours, theirs, agree):
        if theirs is None:
            print(f"{what:34}{ours:9.3g} ms")
            return
        note = "" if agree else "   answers differ"
        print(f"{what:34}{ours:9.3g} ms{theirs:9.3g} ms{theirs / ours:7.2g}x{note}")


def bench_points(treelight, arguments, random):
    try:
        from scipy.spatial import cKDTree
    except ImportError:
        cKDTree = None
        print("SciPy is not installed: no times beside it")
    points, queries = surface(arguments.points, random), surface(arguments.points, random)
    table = Table("cKDTree" if cKDTree else "")
    threads = arguments.threads

    def peer(call):
        return milliseconds(call, arguments.runs) if cKDTree else (None, None)

    ours, tree = milliseconds(lambda: treelight.Tree.points(points, device=arguments.device), arguments.runs)
    theirs, other = peer(lambda: cKDTree(points))
    table.row("build", ours, theirs, True)
    spacing = float(tree.nearest(points, k=2)[1][:, 1].mean())
    for k in (1, 8, 32):
        ours, (_, distances) = milliseconds(lambda: tree.nearest(queries, k), arguments.runs)
        theirs, found = peer(lambda: other.query(queries, k, workers=threads))
        agree = found is None or np.allclose(distances, found[0].reshape(len(queries), -1), rtol=1e-4, atol=1e-6)
        table.row(f"{k} nearest", ours, theirs, agree)
    for factor in (1, 3):
        radius = factor * spacing
        ours, (offsets, _, _) = milliseconds(lambda: tree.within(queries, radius), arguments.runs)
        theirs, lists = peer(lambda: other.query_ball_point(queries, radius, workers=threads, return_sorted=False))
        counts = np.diff(offsets)
        # A point at the radius may be on either side of it in another precision.
        agree = lists is None or np.mean(counts != [len(found) for found in lists]) < 1e-3
        table.row(f"within a radius, {counts.mean():.1f} on average", ours, theirs, agree)


def trimesh_rays(mesh):
    """A name, and trimesh's best intersector that is installed; or None."""
    try:
        from trimesh.ray.ray_pyembree import RayMeshIntersector
        return "Embree", RayMeshIntersector(mesh)
    except ImportError:
        pass
    try:
        from trimesh.ray.ray_triangle import RayMeshIntersector
        rays = RayMeshIntersector(mesh)
        rays.intersects_first([[0, 0, 9]], [[0, 0, -1]])
        return "rtree", rays
    except ImportError:
        return None


def bench_rays(treelight, arguments, random):
    try:
        import trimesh
    except ImportError:
        print("trimesh is not installed: no rays beside its own")
        return
    mesh = trimesh.Trimesh(*torus(200), process=False)
    peer = trimesh_rays(mesh)
    if peer is None:
        print("trimesh has neither embreex nor rtree: no rays beside its own")
        return
    name, theirs = peer
    # Without Embree trimesh takes 15 milliseconds a ray.
    n = arguments.points if name == "Embree" else min(arguments.points, 50)
    ours = treelight.RayMeshIntersector(mesh, device=arguments.device)
    origins = 3 * random.normal(size=(n, 3))
    directions = random.normal(0, 0.5, (n, 3)) - origins
    print(f"\nmesh of {len(mesh.faces)} triangles, {n} rays from outside; trimesh uses {name}, on one thread")
    table = Table("trimesh")
    for method in ("intersects_first", "intersects_any", "intersects_location"):
        times = [milliseconds(lambda: getattr(rays, method)(origins, directions), arguments.runs)
                 for rays in (ours, theirs)]
        a, b = (result if method != "intersects_location" else np.bincount(result[1], minlength=n)
                for _, result in times)
        table.row(method, times[0][0], times[1][0], np.mean(a != b) < 1e-3)


def main():
    parser = argparse.ArgumentParser(prog="python3 -m treelight.bench", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--points", type=int, default=100_000, help="points and queries (default 100000)")
    parser.add_argument("--threads", type=int, default=2, help="threads of both (default 2)")
    parser.add_argument("--device", default="cpu", help="of trees: cpu (default), cuda, auto")
    parser.add_argument("--runs", type=int, default=5, help="timed runs of each, after one more (default 5)")
    arguments = parser.parse_args()
    if min(arguments.points, arguments.threads, arguments.runs) < 1:
        parser.error("--points, --threads and --runs need at least 1")
    # Threads of trees are as many as the cores that the process may use.
    cores = sorted(os.sched_getaffinity(0))
    if arguments.threads > len(cores):
        parser.error(f"--threads {arguments.threads}: the process has {len(cores)} cores")
    os.sched_setaffinity(0, cores[:arguments.threads])
    import treelight
    try:
        where = treelight.Tree(device=arguments.device).info["device"]
    except (LookupError, ValueError, RuntimeError) as error:
        sys.exit(f"treelight.bench: {error}")
    print(f"treelight {treelight.__version__} on {where}, peers on {treelight.devices()['cpu']}\n"
          f"{arguments.points} points of a surface, and as many queries; arrays in host memory")
    random = np.random.default_rng(1)
    bench_points(treelight, arguments, random)
    bench_rays(treelight, arguments, random)


if __name__ == "__main__":
    main()
