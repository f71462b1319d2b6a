"""Tests the module's trees against brute force in NumPy, in double precision."""
import doctest
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import types
import unittest

import numpy as np
import treelight

RANDOM = np.random.default_rng(11)
DEVICES = [d for d in ("cpu", "cuda") if d in treelight.devices()]


def soup(n, middle=0.0, extent=1.0):
    """n triangles without shared vertices."""
    a = middle + extent * RANDOM.uniform(-1, 1, (n, 1, 3))
    corners = (a + extent * np.concatenate([np.zeros((n, 1, 3)), RANDOM.uniform(-0.3, 0.3, (n, 2, 3))],
                                           axis=1)).astype(np.float32)
    return corners.reshape(-1, 3), np.arange(3 * n).reshape(-1, 3)


def hits_of(vertices, faces, origins, directions):
    """(rays, faces) distances, infinite where there is no hit, and the least barycentric coordinate."""
    a, b, c = (vertices[faces[:, k]].astype(np.float64)[None] for k in range(3))
    o, d = origins.astype(np.float64)[:, None], directions.astype(np.float64)[:, None]
    q = np.cross(d, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = 1 / np.sum((b - a) * q, axis=-1)
        u = np.sum((o - a) * q, axis=-1) * inverse
        r = np.cross(o - a, b - a)
        v = np.sum(d * r, axis=-1) * inverse
        t = np.sum((c - a) * r, axis=-1) * inverse
    inside = np.minimum(np.minimum(u, v), 1 - u - v)
    return np.where((inside >= 0) & (t > 0), t, np.inf), inside


def winding_of(corners, points):
    """Winding numbers of (n, 3, 3) corners of triangles about points."""
    a, b, c = (corners[None, :, k] - points[:, None] for k in range(3))
    la, lb, lc = (np.linalg.norm(x, axis=-1) for x in (a, b, c))
    dot = lambda x, y: np.sum(x * y, axis=-1)
    half = np.arctan2(dot(a, np.cross(b, c)),
                      la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb)
    return half.sum(axis=1) / (2 * np.pi)


class Trees(unittest.TestCase):
    def test_sums_are_those_of_fmm(self):
        positions = RANDOM.uniform(-1, 1, (2000, 3)).astype(np.float32)
        queries = RANDOM.uniform(-1, 1, (300, 3)).astype(np.float32)
        weights = RANDOM.uniform(0, 1, 2000).astype(np.float32)
        for device in DEVICES:
            cloud = treelight.Tree.points(positions, device=device)
            expected, slopes = treelight.fmm(positions, weights, queries, kernel="gaussian", length=0.3,
                                             gradient=True, direct=True)
            sums, gradients = cloud.sum(queries, weights, kernel="gaussian", length=0.3, gradient=True)
            np.testing.assert_allclose(sums, expected, rtol=1e-4)
            np.testing.assert_allclose(gradients, slopes, atol=1e-4 * np.abs(slopes).max())
            own = cloud.sum(tolerance=1e-5)
            np.testing.assert_allclose(own, treelight.fmm(positions, np.ones(2000), direct=True), rtol=1e-3)
            with self.assertRaisesRegex(ValueError, "one element for each point"):
                cloud.sum(weights=weights[:5])

    def test_patches_are_hit_where_they_are(self):
        # A net at equal spacing is x = u, y = v; the middle points lift z = 9 u (1 - u) v (1 - v) h.
        u, v = np.meshgrid(np.linspace(0, 1, 4), np.linspace(0, 1, 4), indexing="ij")
        lift = np.outer([0, 1, 1, 0], [0, 1, 1, 0])
        points = np.stack([np.stack([u, v, h * lift], axis=-1) for h in (1.0, 2.0)])
        origins = np.concatenate([RANDOM.uniform(0.01, 0.99, (200, 2)), np.full((200, 1), 9.0)], axis=1)
        down = np.tile([0.0, 0.0, -1.0], (200, 1))
        x, y = origins[:, 0], origins[:, 1]
        for device in DEVICES:
            for weights in (None, np.full((2, 4, 4), 2.0)):
                tree = treelight.Tree.from_patches(points, weights, device=device)
                self.assertEqual((tree.info["kind"], tree.info["primitives"]), ("patches", 2))
                hits = tree.all_hits(origins, down, 3, normals=True)
                np.testing.assert_array_equal(hits.count, 2)
                for k, h in enumerate((2.0, 1.0)):
                    np.testing.assert_allclose(hits.t[:, k], 9 - 9 * x * (1 - x) * y * (1 - y) * h, rtol=1e-6)
                np.testing.assert_array_equal(hits.primitive[:, :2], np.tile([1, 0], (200, 1)))
                np.testing.assert_allclose(hits.uv[:, 0], origins[:, :2], atol=1e-6)
                self.assertTrue((hits.normal[:, 0, 2] > 0).all())
                tree.refit(points + [0, 0, 1])
                np.testing.assert_allclose(tree.closest(origins, down).t, hits.t[:, 0] - 1, rtol=1e-6)
                with self.assertRaisesRegex(ValueError, "triangles, boxes or spheres"):
                    tree.closest_point(origins)
        with self.assertRaisesRegex(ValueError, "16 control points"):
            treelight.Tree.from_patches(points[:, :3])

    def test_hits_are_those_of_brute_force(self):
        for device in DEVICES:
            vertices, faces = soup(300)
            tree = treelight.Tree(vertices, faces, device=device)
            origins = RANDOM.uniform(-1.5, 1.5, (500, 3)).astype(np.float32)
            directions = (RANDOM.uniform(-1, 1, (500, 3)) - origins).astype(np.float32)
            t, inside = hits_of(vertices, faces, origins, directions)
            clear = (np.abs(inside) > 1e-4).all(axis=1)
            hits = tree.closest(origins, directions, normals=True)
            everything = tree.all_hits(origins, directions, 4)
            ordered = np.sort(t, axis=1)[:, :4]
            np.testing.assert_allclose(hits.t[clear], t.min(axis=1)[clear], rtol=1e-4)
            np.testing.assert_allclose(everything.t[clear], ordered[clear], rtol=1e-4)
            np.testing.assert_array_equal(hits.hit[clear], np.isfinite(t).any(axis=1)[clear])
            np.testing.assert_array_equal(tree.occluded(origins, directions)[clear],
                                          hits.hit[clear])
            np.testing.assert_array_equal(tree.count_hits(origins, directions)[clear],
                                          np.isfinite(t).sum(axis=1)[clear])
            offsets, listed = tree.list_hits(origins, directions, normals=True)
            np.testing.assert_array_equal(np.diff(offsets)[clear], np.isfinite(t).sum(axis=1)[clear])
            of_ray = np.repeat(np.arange(len(origins)), np.diff(offsets))
            np.testing.assert_allclose(listed.t[clear[of_ray]], np.sort(t[clear])[np.isfinite(np.sort(t[clear]))],
                                       rtol=1e-4)
            self.assertEqual((listed.uv.shape, listed.normal.shape), ((offsets[-1], 2), (offsets[-1], 3)))
            np.testing.assert_array_equal(tree.closest(origins, directions, coherent=True).t, hits.t)
            np.testing.assert_array_equal(tree.occluded(origins, directions, coherent=True), hits.hit)
            found = clear & hits.hit
            self.assertGreater(found.sum(), 100)
            np.testing.assert_array_equal(hits.primitive[found], t.argmin(axis=1)[found])
            self.assertTrue((hits.primitive[~hits.hit] == treelight.NONE).all())
            a, b, c = (vertices[faces[hits.primitive[found], k]] for k in range(3))
            at = a + hits.uv[found, :1] * (b - a) + hits.uv[found, 1:] * (c - a)
            np.testing.assert_allclose(at, origins[found] + hits.t[found, None] * directions[found],
                                       atol=1e-5)
            normals = np.cross(b - a, c - a)
            normals /= np.linalg.norm(normals, axis=1, keepdims=True)
            np.testing.assert_allclose(hits.normal[found], normals, atol=1e-3)
            # Limits, and rays of other types and strides.
            shorter = tree.closest(origins, directions, t_max=0.999 * hits.t)
            self.assertFalse(shorter.hit.any())
            wide = np.zeros((500, 5))
            wide[:, 1:4] = origins
            again = tree.closest(wide[:, 1:4], directions[::-1][::-1].astype(np.float64))
            np.testing.assert_array_equal(again.primitive, hits.primitive)
            for number in (0.999 * hits.t.min(), np.int64(0), 0):
                limited = tree.closest(origins, directions, t_max=number)
                self.assertFalse(limited.hit.any())
            one = tree.closest(origins[0], directions[0])
            self.assertEqual(one.t[0], hits.t[0])

    def test_closest_points_and_signs(self):
        for device in DEVICES:
            # A cube about the origin.
            grid = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
            faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
                     [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]]
            tree = treelight.Tree(grid, faces, device=device, builder="binned", robust=True)
            points = RANDOM.uniform(-2, 2, (400, 3))
            outside = np.maximum(np.abs(points) - 1, 0)
            within = (np.abs(points) < 1).all(axis=1)
            distance = np.where(within, (1 - np.abs(points)).min(axis=1),
                                np.linalg.norm(outside, axis=1))
            closest = tree.closest_point(points)
            np.testing.assert_allclose(closest.distance, distance, atol=1e-6)
            np.testing.assert_allclose(np.linalg.norm(points - closest.position, axis=1), distance,
                                       atol=1e-6)
            np.testing.assert_allclose(tree.signed_distance(points),
                                       np.where(within, -distance, distance), atol=1e-6)
            np.testing.assert_array_equal(tree.inside(points), within)
            np.testing.assert_allclose(tree.winding_number(points), within, atol=0.01)
            limited = tree.closest_point(points, most_distance=0.5)
            np.testing.assert_array_equal(np.isinf(limited.distance), closest.distance > 0.5)
            on_grid = tree.signed_distance_grid((-2, -2, -2), (0.5, 0.5, 0.5), (9, 8, 7))
            self.assertEqual(on_grid.shape, (7, 8, 9))
            self.assertAlmostEqual(on_grid[4, 4, 4], -1, places=6)
            np.testing.assert_array_equal(tree.signed_distance_grid((-2, -2, -2), 0.5, (9, 8, 7)), on_grid)
            # A drop-in for the rays of trimesh.
            mesh = types.SimpleNamespace(vertices=grid, faces=np.array(faces))
            rays = treelight.RayMeshIntersector(mesh, device=device)
            locations, of_rays, triangles = rays.intersects_location(
                [[0.3, 0.2, 5], [4, 0, 5]], [[0, 0, -1], [0, 0, -1]])
            np.testing.assert_allclose(locations, [[0.3, 0.2, 1], [0.3, 0.2, -1]])
            np.testing.assert_array_equal(of_rays, [0, 0])
            first = rays.intersects_first([[0.3, 0.2, 5], [4, 0, 5]], [[0, 0, -1], [0, 0, -1]])
            np.testing.assert_array_equal(first, [triangles[0], -1])
            np.testing.assert_array_equal(rays.contains_points(points), within)

    def test_arrays_of_any_shape_have_results_of_that_shape(self):
        vertices, faces = soup(50)
        tree = treelight.Tree(vertices.reshape(-1, 3, 3), device="cpu")  # a soup of triangles
        origins = RANDOM.uniform(-1, 1, (6, 5, 3)).astype(np.float32)
        flat = tree.closest(origins.reshape(-1, 3), -origins.reshape(-1, 3), normals=True)
        limits = np.full((6, 5), 9.0, np.float32)
        for given in (origins, np.asfortranarray(origins), origins.astype(float)[::-1][::-1]):
            hits = tree.closest(given, -given, t_max=limits, masks=np.ones((6, 5), int), normals=True)
            for name, tail in (("t", ()), ("primitive", ()), ("hit", ()), ("uv", (2,)), ("normal", (3,))):
                np.testing.assert_array_equal(getattr(hits, name),
                                              getattr(flat, name).reshape((6, 5) + tail))
            self.assertEqual(tree.all_hits(given, given, 4).uv.shape, (6, 5, 4, 2))
            self.assertEqual(tree.signed_distance(given).shape, (6, 5))
            self.assertEqual(tree.closest_point(given).position.shape, (6, 5, 3))
        every_other = tree.occluded(origins[::2, 1:4], -origins[::2, 1:4])
        np.testing.assert_array_equal(every_other, hits.hit[::2, 1:4])
        cloud = treelight.Tree.points(origins, device="cpu")
        self.assertEqual(cloud.nearest(origins, 2)[0].shape, (6, 5, 2))
        self.assertEqual(len(cloud.within(origins, 0.1)[0]), 31)
        with self.assertRaisesRegex(ValueError, "t_max need one element for each ray"):
            tree.occluded(origins, origins, t_max=np.ones(30))
        with self.assertRaisesRegex(ValueError, r"points need the shape \(n, 3\)"):
            tree.inside(np.ones((3, 3, 2)))

    def test_rays_of_a_camera_are_those_of_the_renderer(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = pathlib.Path(folder.name, "triangle.obj")
        path.write_text("v 0 0 0\nv 3 0 0.5\nv 0 2 1\nf 1 2 3\n")
        camera = {"eye": (1, 0.5, 6), "target": (0.9, 0.8, 0), "up": (0.1, 1, 0), "fov": 40}
        picture = treelight.render(treelight.Scene(path), width=60, height=40, spp=1, device="cpu",
                                   renderer="aov", aov_channel="depth", **camera)
        tree = treelight.Tree([[0, 0, 0], [3, 0, 0.5], [0, 2, 1]], device="cpu")
        origins, directions = treelight.pinhole_rays(60, 40, **camera)
        self.assertEqual((origins.shape, directions.shape), ((40, 60, 3), (40, 60, 3)))
        np.testing.assert_allclose(np.linalg.norm(directions, axis=-1), 1, rtol=1e-6)
        hits = tree.closest(origins, directions).hit
        self.assertGreater(hits.sum(), 300)
        self.assertFalse(hits[0, 0])
        # Samples of the renderer lie anywhere in their pixels: only those on the outline may differ.
        self.assertLess((hits != (picture != picture[0, 0]).any(axis=-1)).sum(), 60)
        along_up = treelight.pinhole_rays(1, 1, (0, 5, 0), (0, 0, 0))[1]
        np.testing.assert_allclose(along_up[0, 0], [0, -1, 0], atol=1e-7)
        for wrong in ({"width": 0}, {"fov": 180}, {"target": (0, 0, 1)}):
            with self.assertRaises(ValueError):
                treelight.pinhole_rays(**{"width": 2, "height": 2, "eye": (0, 0, 1), "target": (0, 0, 0)} | wrong)

    def test_degenerate_geometry_of_any_size(self):
        for device in DEVICES:
            for extent in (1e-6, 1e-3, 1, 1e3, 1e6, 1e8):
                vertices, faces = soup(120, 0, extent)
                corners = vertices.reshape(-1, 3, 3)
                corners[::7, 2] = corners[::7, 1]
                corners[3::11] = corners[3::11, :1]
                points = RANDOM.uniform(-2 * extent, 2 * extent, (80, 3)).astype(np.float32)
                directions = RANDOM.uniform(-extent, extent, (80, 3)).astype(np.float32) - points
                tree = treelight.Tree(vertices, faces, device=device)
                expected = winding_of(corners.astype(float), points.astype(float))
                np.testing.assert_allclose(tree.winding_number(points), expected, atol=4e-3)
                kept = np.delete(np.arange(120), [10, 20])
                vertices[[30, 61]] = [[np.nan], [np.inf]]
                tree.rebuild(vertices, faces)
                self.assertEqual(tree.info["dropped"], 2)
                points[3], points[4, 0] = np.nan, np.inf
                closest, hits = tree.closest_point(points), tree.closest(points, directions)
                none = [3, 4]
                self.assertTrue(np.isinf(closest.distance[none]).all())
                self.assertTrue((closest.primitive[none] == treelight.NONE).all())
                self.assertFalse(hits.hit[none].any() or tree.inside(points)[none].any())
                self.assertFalse(tree.occluded(points, directions)[none].any())
                self.assertFalse(np.isin([10, 20], closest.primitive).any())
                points, directions = np.delete(points, none, 0), np.delete(directions, none, 0)
                with np.errstate(invalid="ignore"):
                    t, inside = hits_of(vertices, faces[kept], points, directions)
                t[np.isnan(t)] = np.inf
                clear = ~(np.abs(inside) < 1e-3).any(axis=1)
                self.assertGreater(clear.sum(), 30)
                np.testing.assert_array_equal(np.delete(hits.hit, none)[clear],
                                              np.isfinite(t).any(axis=1)[clear])

    def test_rays_of_trimesh(self):
        class Mesh:
            """Has what a mesh of trimesh has: a hash of the arrays."""

            def __init__(self, vertices, faces):
                self.vertices, self.faces = vertices.astype(np.float64), faces

            def __hash__(self):
                return hash((self.vertices.tobytes(), self.faces.tobytes()))

        for middle in (0.0, 1e6):
            mesh = Mesh(*soup(200, middle, 1 if middle == 0 else 1000))
            rays = treelight.RayMeshIntersector(mesh, device=DEVICES[-1])
            for shift in (0, 0.25):
                mesh.vertices = mesh.vertices + shift
                size = np.ptp(mesh.vertices)
                origins = mesh.vertices.mean(axis=0) + size * RANDOM.uniform(-1, 1, (300, 3))
                directions = mesh.vertices.mean(axis=0) - origins + size * RANDOM.uniform(
                    -0.2, 0.2, (300, 3))
                t, inside = hits_of(mesh.vertices, mesh.faces, origins, directions)
                clear = (np.abs(inside) > (1e-4 if middle == 0 else 2e-2)).all(axis=1)
                self.assertGreater(np.isfinite(t[clear]).sum(), 20)
                expected = {(i, j) for i, j in zip(*np.nonzero(np.isfinite(t))) if clear[i]}
                locations, of_rays, triangles = rays.intersects_location(origins, directions)
                found = {(i, j) for i, j in zip(of_rays, triangles) if clear[i]}
                self.assertEqual(found, expected)
                own = clear[of_rays]
                exact = origins + directions * t[np.arange(300), t.argmin(axis=1), None]
                steep = np.abs(locations - (origins[of_rays] + directions[of_rays] *
                                            t[of_rays, triangles][:, None]))[own]
                self.assertLess(np.quantile(steep, 0.95), 1e-9 * (1 + middle))
                first = rays.intersects_first(origins, directions)
                any_hit = np.isfinite(t).any(axis=1)
                np.testing.assert_array_equal(first[clear],
                                              np.where(any_hit, t.argmin(axis=1), -1)[clear])
                np.testing.assert_array_equal(rays.intersects_any(origins, directions)[clear],
                                              any_hit[clear])
                triangles, of_rays, locations = rays.intersects_id(
                    origins, directions, multiple_hits=False, return_locations=True)
                self.assertEqual(len(np.unique(of_rays)), len(of_rays))
                chosen = clear[of_rays]
                np.testing.assert_allclose(locations[chosen], exact[of_rays][chosen], rtol=1e-5,
                                           atol=1e-5)
                most_two = rays.intersects_id(origins, directions, max_hits=2)[1]
                self.assertLessEqual(np.bincount(most_two).max(), 2)
        rays._RAYS_AT_ONCE = 7
        again = rays.intersects_location(origins, directions)
        rays._RAYS_AT_ONCE = 1000
        for part, whole in zip(again, rays.intersects_location(origins, directions)):
            np.testing.assert_array_equal(part, whole)
        nothing = rays.intersects_location(np.zeros((0, 3)), np.zeros((0, 3)))
        self.assertEqual([len(part) for part in nothing], [0, 0, 0])

    def test_lists_and_pairs(self):
        for device in DEVICES:
            centers = RANDOM.uniform(-1, 1, (200, 3))
            boxes = treelight.Tree.boxes(centers - 0.1, centers + 0.1, device=device)
            lower = RANDOM.uniform(-1, 1, (50, 3))
            upper = lower + RANDOM.uniform(0, 0.5, (50, 3))
            offsets, primitives = boxes.in_boxes(lower, upper)
            expected = (((centers - 0.1).astype(np.float32)[None] <= upper.astype(np.float32)[:, None]) &
                        ((centers + 0.1).astype(np.float32)[None] >= lower.astype(np.float32)[:, None]))
            for i, row in enumerate(expected.all(axis=-1)):
                own = np.sort(primitives[offsets[i]:offsets[i + 1]])
                np.testing.assert_array_equal(own, np.nonzero(row)[0])
            crossing = np.array([[0, 0, 0], [2, 0, 0], [0, 2, 0], [0.5, 0.5, -1], [0.5, 0.5, 1],
                                 [3, 3, 0], [5, 5, 5], [6, 5, 5], [5, 6, 5]], float)
            tree = treelight.Tree(crossing, device=device)
            np.testing.assert_array_equal(tree.pairs(), [[0, 1]])
            self.assertEqual(len(tree.pairs(tree)), 1)

    def test_neighbours(self):
        for device in DEVICES:
            positions = RANDOM.uniform(-1, 1, (500, 3)).astype(np.float32)
            positions[3] = np.nan
            tree = treelight.Tree.points(positions, device=device)
            self.assertEqual(tree.info["dropped"], 1)
            queries = RANDOM.uniform(-1, 1, (60, 3)).astype(np.float32)
            all_distances = np.linalg.norm(queries[:, None].astype(float) - positions[None], axis=-1)
            all_distances[:, 3] = np.inf
            indices, distances = tree.nearest(queries, k=6)
            np.testing.assert_allclose(distances, np.sort(all_distances, axis=1)[:, :6], rtol=1e-5)
            np.testing.assert_array_equal(indices, np.argsort(all_distances, axis=1)[:, :6])
            offsets, near, how_far = tree.within(queries, 0.5)
            for i in range(60):
                own = near[offsets[i]:offsets[i + 1]]
                np.testing.assert_array_equal(np.sort(own), np.nonzero(all_distances[i] < 0.5)[0])
                np.testing.assert_allclose(how_far[offsets[i]:offsets[i + 1]], all_distances[i, own],
                                           rtol=1e-5)
            self.assertTrue((tree.density(queries) > 0).all())

    def test_distances_of_clouds(self):
        a, b = RANDOM.uniform(-1, 1, (80, 3)), RANDOM.uniform(0, 2, (50, 3))
        all_distances = np.linalg.norm(a[:, None] - b[None], axis=-1)
        there, back = all_distances.min(axis=1), all_distances.min(axis=0)
        for device in DEVICES:
            measured = [treelight.chamfer_distance(a, b, device=device),
                        treelight.chamfer_distance(a, b, squared=True, device=device),
                        treelight.hausdorff_distance(a, b, device=device),
                        treelight.hausdorff_distance(a, b, directed=True, device=device)]
            expected = [there.mean() + back.mean(), (there**2).mean() + (back**2).mean(),
                        max(there.max(), back.max()), there.max()]
            np.testing.assert_allclose(measured, expected, rtol=1e-5)
            for empty in (np.zeros((0, 3)), np.full((2, 3), np.nan)):
                with self.assertRaisesRegex(ValueError, "b has no points"):
                    treelight.chamfer_distance(a, empty, device=device)

    def test_refits_instances_masks_and_files(self):
        for device in DEVICES:
            vertices, faces = soup(100)
            tree = treelight.Tree(vertices, faces, device=device)
            origins, directions = np.zeros((50, 3)), RANDOM.uniform(-1, 1, (50, 3))
            tree.refit(vertices + 10)
            moved = tree.closest(origins + 10, directions)
            tree.rebuild(vertices, faces)
            fresh = tree.closest(origins, directions)
            np.testing.assert_array_equal(moved.primitive, fresh.primitive)
            matrices = np.array([np.hstack([np.eye(3), [[x], [0], [0]]]) for x in (0, 50)])
            instances = treelight.Tree.instances([tree, tree], matrices, device=device)
            second = instances.closest(origins + [50, 0, 0], directions)
            np.testing.assert_array_equal(second.hit, fresh.hit)
            self.assertTrue((second.instance[second.hit] == 1).all())
            offsets, listed = instances.list_hits(origins + [50, 0, 0], directions)
            of_mesh, expected = tree.list_hits(origins, directions)
            mine = listed.instance == 1
            of_ray = np.repeat(np.arange(50), np.diff(offsets))[mine]
            np.testing.assert_array_equal(of_ray, np.repeat(np.arange(50), np.diff(of_mesh)))
            np.testing.assert_array_equal(np.sort(listed.primitive[mine]), np.sort(expected.primitive))
            first = instances.all_hits(origins + [50, 0, 0], directions, 2)
            np.testing.assert_array_equal(first.instance[:, 0], second.instance)
            np.testing.assert_array_equal(first.count, np.minimum(np.diff(offsets), 2))
            tree.set_masks(np.arange(100) % 2 + 1)
            even = tree.closest(origins, directions, masks=np.ones(50, int))
            self.assertTrue((even.primitive[even.hit] % 2 == 0).all())
            tree.set_masks(None)
            with tempfile.TemporaryDirectory() as folder:
                tree.save(folder + "/mesh.tree")
                opened = treelight.Tree.open(folder + "/mesh.tree", device=device)
                again = opened.closest(origins, directions)
                np.testing.assert_array_equal(again.t, fresh.t)
                self.assertEqual(opened.info["primitives"], 100)
                with self.assertRaisesRegex(OSError, "nothing.tree"):
                    treelight.Tree.open(folder + "/nothing.tree")

    def test_lists_and_broadcast_arrays(self):
        vertices, faces = soup(50)
        tree = treelight.Tree(vertices, faces, device="cpu")
        points = RANDOM.uniform(-1, 1, (20, 3)).astype(np.float32)
        np.testing.assert_array_equal(tree.closest_point(points.tolist()).distance,
                                      tree.closest_point(points).distance)
        np.testing.assert_array_equal(
            tree.closest(np.broadcast_to(points[0], (5, 3)), points[:5]).t,
            tree.closest(np.repeat(points[:1], 5, axis=0), points[:5]).t)

    def test_errors(self):
        vertices, faces = soup(5)
        with self.assertRaisesRegex(ValueError, "face 2"):
            treelight.Tree(vertices, [[0, 1, 2], [3, 4, 5], [6, 7, 99]], device="cpu")
        for index in (2 + 2**32, -2**40):
            with self.assertRaisesRegex(ValueError, "faces need integers of at most 32 bits"):
                treelight.Tree(vertices, [[0, 1, index]], device="cpu")
        with self.assertRaisesRegex(ValueError, "t_min need one element for each ray"):
            tree = treelight.Tree(vertices, faces, device="cpu")
            tree.closest(np.zeros((4, 3)), np.ones((4, 3)), t_min=[0, 0])
        with self.assertRaisesRegex(LookupError, "known"):
            treelight.Tree(vertices, faces, device="cpu", builder="bhv")
        with self.assertRaises(LookupError):
            treelight.Tree(vertices, faces, device="cpu", colour="red")
        tree = treelight.Tree(vertices, faces, device="cpu")
        with self.assertRaisesRegex(ValueError, r"\(n, 3\)"):
            tree.closest_point(np.zeros((4, 2)))
        with self.assertRaisesRegex(ValueError, "origins"):
            tree.closest(np.zeros((4, 3)), np.zeros((5, 3)))
        for masks in (1, np.ones((4, 1), int), np.ones(3, int)):
            with self.assertRaisesRegex(ValueError, "masks"):
                tree.closest(np.zeros((4, 3)), np.ones((4, 3)), masks=masks)
        with self.assertRaisesRegex(ValueError, "integers"):
            treelight.Tree(vertices, faces * 0.5)
        with self.assertRaisesRegex(ValueError, "points"):
            tree.nearest(np.zeros((1, 3)), 1)
        empty = treelight.Tree(np.zeros((0, 3)), np.zeros((0, 3), int), device="cpu")
        self.assertFalse(empty.closest(np.zeros((3, 3)), np.ones((3, 3))).hit.any())
        self.assertEqual(tree.closest(np.zeros((0, 3)), np.zeros((0, 3))).t.shape, (0,))

    def test_examples_of_methods_give_what_they_say(self):
        names = {"numpy": np, "treelight": treelight, "colour_of_face": np.zeros((1, 3)),
                 "tree": treelight.Tree([[0, 0, 0], [1, 0, 0], [0, 1, 0]], device="cpu"),
                 "cloud": treelight.Tree.points([[0, 0, 0], [1, 0, 0], [5, 0, 0]], device="cpu"),
                 "origins": np.array([[0.2, 0.2, 1], [5, 5, 1]]),
                 "directions": np.array([[0, 0, -1.0], [0, 0, -1]])}
        found = doctest.DocTestFinder().find(treelight.Tree, "Tree", globs=names)
        self.assertGreater(sum(len(test.examples) for test in found), 8)
        for test in found:
            report = io.StringIO()
            failed, _ = doctest.DocTestRunner(verbose=False).run(test, out=report.write)
            self.assertEqual(failed, 0, report.getvalue())

    def test_the_script_of_the_documentation_runs(self):
        page = pathlib.Path(__file__).parents[2] / "docs/library.md"
        script, = re.findall(r"```python\n(import numpy as np\n.*?)```", page.read_text(), re.DOTALL)
        names = {}
        exec(compile(script, str(page), "exec"), names)
        self.assertAlmostEqual(names["volume"], 2 * np.pi**2 * 0.16, delta=0.1)
        self.assertAlmostEqual(names["near"].distance[1], 0.4, delta=2e-3)
        # The outer half of a torus sees all of the sky, the inner one sees the torus.
        self.assertEqual(names["sky"].max(), 1)
        self.assertLess(names["sky"].min(), 0.8)
        self.assertTrue(0 < names["lit"].mean() < 1 and names["shown"].mean() > 0.1)
        np.testing.assert_allclose(names["smooth"], names["vertices"], atol=0.01)

    def test_every_method_has_a_docstring(self):
        for kind in (treelight.Tree, treelight.RayMeshIntersector, treelight.GpuArray):
            for name in dir(kind):
                if not name.startswith("_"):
                    self.assertTrue(getattr(kind, name).__doc__, f"{kind.__name__}.{name}")

    def test_the_bench_prints_times(self):
        run = subprocess.run([sys.executable, "-m", "treelight.bench", "--points", "300", "--runs", "1",
                              "--threads", "1"], capture_output=True, text=True, check=False)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"8 nearest +[0-9.e+-]+ ms")
        self.assertRegex(run.stdout, r"within a radius, [0-9.]+ on average +[0-9.e+-]+ ms")
        self.assertNotIn("differ", run.stdout)
        wrong = subprocess.run([sys.executable, "-m", "treelight.bench", "--threads", "100000"],
                               capture_output=True, text=True, check=False)
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("the process has", wrong.stderr)

    def test_threads(self):
        vertices, faces = soup(200)
        tree = treelight.Tree(vertices, faces, device=DEVICES[-1])
        origins = RANDOM.uniform(-1, 1, (2000, 3))
        expected = tree.closest(origins, -origins).primitive
        wrong = []

        def query():
            for _ in range(10):
                if (tree.closest(origins, -origins).primitive != expected).any():
                    wrong.append(1)

        threads = [threading.Thread(target=query) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertFalse(wrong)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
