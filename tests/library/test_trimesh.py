"""Tests treelight.RayMeshIntersector, and beside trimesh's own intersector where trimesh is installed."""
import copy
import pickle
import sys
import unittest

import numpy as np
import treelight

try:
    import trimesh
    from trimesh.ray import ray_triangle
except ImportError:
    trimesh = None

RANDOM = np.random.default_rng(2)
DOWN = [0.0, 0.0, -1.0]


class Mesh:
    """What trees use of a mesh of trimesh: its hash changes with its arrays."""

    def __init__(self, vertices, faces):
        self.vertices, self.faces = np.asarray(vertices, float), np.asarray(faces)

    def __hash__(self):
        return hash((self.vertices.tobytes(), self.faces.tobytes()))


def squares(heights):
    """Squares of two triangles, at heights in z."""
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], float)
    vertices = np.concatenate([np.column_stack([corners, np.full(4, z)]) for z in heights])
    faces = np.concatenate([[[4 * i, 4 * i + 1, 4 * i + 2], [4 * i, 4 * i + 2, 4 * i + 3]]
                            for i in range(len(heights))])
    return Mesh(vertices, faces)


class Rays(unittest.TestCase):
    def setUp(self):
        self.rays = treelight.RayMeshIntersector(squares([2.0, 1.0, 0.0]), device="cpu")

    def test_first_hits_come_before_second_hits(self):
        origins = [[0.5, 0.2, 5], [9, 9, 5], [0.2, 0.5, 1.5]]
        triangles, rays, locations = self.rays.intersects_id(origins, [DOWN] * 3, return_locations=True)
        self.assertEqual(rays.tolist(), [0, 2, 0, 2, 0])
        self.assertEqual(triangles.tolist(), [0, 3, 2, 5, 4])
        self.assertEqual(locations[:, 2].tolist(), [2, 1, 1, 0, 0])
        self.assertEqual((triangles.dtype, rays.dtype, locations.dtype), (np.int64, np.int64, np.float64))
        self.assertEqual(self.rays.intersects_id(origins, [DOWN] * 3, max_hits=2)[1].tolist(), [0, 2, 0, 2])
        self.assertEqual(self.rays.intersects_id(origins, [DOWN] * 3, False)[1].tolist(), [0, 2])

    def test_a_hit_on_a_common_edge_counts_once(self):
        locations, rays, _ = self.rays.intersects_location([[0.25, 0.25, 5]], [np.multiply(DOWN, 3)])
        self.assertEqual(locations.tolist(), [[0.25, 0.25, z] for z in (2, 1, 0)])
        self.assertEqual(rays.tolist(), [0, 0, 0])

    def test_a_mesh_far_away_keeps_its_shape(self):
        far = squares([0.0, 0.01])
        far.vertices += [1e6, 2e6, 3e6]
        rays = treelight.RayMeshIntersector(far, device="cpu")
        locations = rays.intersects_location([[1e6 + 0.3, 2e6 - 0.2, 3e6 + 5]], [DOWN])[0]
        np.testing.assert_allclose(locations, [[1e6 + 0.3, 2e6 - 0.2, 3e6 + z] for z in (0.01, 0)], atol=1e-9)
        as_it_is = treelight.RayMeshIntersector(far, scale_to_box=False, device="cpu")
        self.assertEqual(as_it_is.intersects_first([[1e6 + 0.5, 2e6, 3e6 + 5]], [DOWN])[0] >= 0, True)

    def test_copies_and_pickles_are_of_the_same_mesh(self):
        self.rays.intersects_any([[0, 0, 5]], [DOWN])
        for other in (copy.copy(self.rays), copy.deepcopy(self.rays), pickle.loads(pickle.dumps(self.rays))):
            self.assertEqual(other.intersects_first([[0.5, 0.2, 5]], [DOWN]).tolist(), [0])

    def test_shapes_that_do_not_fit_are_named(self):
        with self.assertRaisesRegex(ValueError, r"ray_origins need the shape \(n, 3\), not \(3, 2\)"):
            self.rays.intersects_any(np.zeros((3, 2)), np.zeros((3, 2)))
        with self.assertRaisesRegex(ValueError, "2 origins and 1 directions"):
            self.rays.intersects_any(np.zeros((2, 3)), [DOWN])


@unittest.skipIf(trimesh is None, "trimesh is not installed")
class BesideTrimesh(unittest.TestCase):
    def meshes(self):
        inverted = trimesh.creation.icosphere(2)
        inverted.invert()
        return [trimesh.creation.icosphere(3), trimesh.creation.torus(1, 0.3), trimesh.creation.box(),
                trimesh.creation.capsule(), trimesh.creation.icosphere(2).apply_translation([1e6, 2e6, 0]),
                inverted]

    def test_results_are_those_of_trimesh(self):
        for mesh in self.meshes():
            theirs = ray_triangle.RayMeshIntersector(mesh)
            ours = treelight.RayMeshIntersector(mesh, device="cpu")
            middle, scale = mesh.bounds.mean(axis=0), mesh.scale
            origins = middle + scale * RANDOM.normal(size=(200, 3))
            directions = middle + 0.2 * scale * RANDOM.normal(size=(200, 3)) - origins
            expected, found = (r.intersects_location(origins, directions) for r in (theirs, ours))
            self.assertEqual([x.dtype for x in expected], [x.dtype for x in found])
            orders = [np.lexsort(x[:0:-1]) for x in (expected, found)]
            for a, b in zip(expected, found):
                np.testing.assert_allclose(b[orders[1]], a[orders[0]], rtol=1e-12, atol=1e-12 * scale)
            np.testing.assert_array_equal(ours.intersects_first(origins, directions),
                                          theirs.intersects_first(origins, directions))
            np.testing.assert_array_equal(ours.intersects_any(origins, directions),
                                          theirs.intersects_any(origins, directions))
            points = middle + 0.4 * scale * RANDOM.normal(size=(300, 3))
            np.testing.assert_array_equal(ours.contains_points(points), theirs.contains_points(points))

    def test_a_mesh_uses_it(self):
        mesh = trimesh.creation.box()
        mesh.ray = treelight.RayMeshIntersector(mesh, device="cpu")
        self.assertEqual(mesh.contains([[0, 0, 0], [2, 0, 0]]).tolist(), [True, False])
        mesh.apply_translation([2, 0, 0])
        self.assertEqual(mesh.contains([[0, 0, 0], [2, 0, 0]]).tolist(), [False, True])


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
