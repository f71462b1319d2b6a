"""Tests trees with arrays of other libraries in host memory: DLPack, PyTorch, and stand-ins for JAX and GPUs."""
import subprocess
import sys
import types
import unittest
from unittest import mock

import numpy as np
import treelight

try:
    import torch
except ImportError:
    torch = None

RANDOM = np.random.default_rng(5)
VERTICES = RANDOM.uniform(-1, 1, (60, 3)).astype(np.float32)
FACES = RANDOM.permutation(60).reshape(-1, 3)
POINTS = RANDOM.uniform(-1, 1, (20, 3)).astype(np.float32)
TREE = treelight.Tree(VERTICES, FACES, device="cpu")


class Shared:
    """An array of an unknown library, by DLPack."""

    def __init__(self, values, device=(1, 0)):
        self.values, self.device = values, device

    def __dlpack__(self, stream=None):
        return self.values.__dlpack__()

    def __dlpack_device__(self):
        return self.device


class HostArrays(unittest.TestCase):
    def test_unknown_libraries_share_host_memory(self):
        tree = treelight.Tree(Shared(VERTICES), Shared(FACES), device="cpu")
        closest = tree.closest_point(Shared(POINTS))
        self.assertIsInstance(closest.distance, np.ndarray)
        np.testing.assert_array_equal(closest.distance, TREE.closest_point(POINTS).distance)

    def test_arrays_on_a_gpu_are_refused_by_trees_on_the_cpu(self):
        class ByInterface:
            __cuda_array_interface__ = {"shape": (1, 3), "typestr": "<f4", "data": (0, True),
                                        "version": 3}

        for array in (Shared(POINTS, (2, 0)), ByInterface()):
            with self.assertRaisesRegex(ValueError, "points lie on a GPU, and the tree on the CPU"):
                TREE.closest_point(array)
            with self.assertRaisesRegex(ValueError, "vertices lie on a GPU"):
                treelight.Tree(array, device="cpu")
        with self.assertRaisesRegex(ValueError, "points lie on a device of DLPack's kind 8"):
            TREE.closest_point(Shared(POINTS, (8, 0)))
        # Managed and pinned memory is the host's too.
        for kind in (3, 13):
            np.testing.assert_array_equal(TREE.inside(Shared(POINTS, (kind, 0))),
                                          TREE.inside(POINTS))

    def test_a_newer_numpy_than_the_module_knows_is_named(self):
        if treelight._takes_numpy_2:
            self.skipTest("the module knows NumPy 2")
        code = "import numpy; numpy.__version__ = '2.1.0'; import treelight"
        run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        self.assertIn("install numpy<2", run.stderr)

    def test_offsets_are_signed(self):
        offsets, indices, _ = treelight.Tree.points(POINTS, device="cpu").within(POINTS, 0.5)
        self.assertEqual(offsets.dtype, np.int64)
        self.assertEqual(np.repeat(np.arange(20), np.diff(offsets)).shape, indices.shape)

    def test_results_on_a_gpu_are_handed_over(self):
        # The same class over memory of the host.
        values = np.arange(6, dtype=np.float32).reshape(2, 3)
        array = treelight.GpuArray("cpu", (2, 3), "float32", 0)
        array._fill(values)
        self.assertEqual((array.shape, array.dtype, array.ndim, len(array), array.device),
                         ((2, 3), np.float32, 2, 2, "cpu"))
        np.testing.assert_array_equal(array, values)
        np.testing.assert_array_equal(np.asarray(array, dtype=int), values)
        np.testing.assert_array_equal(array.numpy(), values)
        bits = np.asarray(array._as("uint32"))
        np.testing.assert_array_equal(bits, values.view(np.uint32))
        shared = np.from_dlpack(array)
        self.assertEqual(shared.__array_interface__["data"][0], array._address)
        unused = array.__dlpack__(stream=-1, max_version=(1, 0), dl_device=(1, 0), copy=False)
        del array, unused
        np.testing.assert_array_equal(shared, values)
        with self.assertRaisesRegex(BufferError, "without a copy"):
            treelight.GpuArray("cpu", (1,), "bool", 0).__dlpack__(copy=True)
        with self.assertRaisesRegex(ValueError, "different sizes"):
            treelight.GpuArray("cpu", (1,), "float32", 0)._fill(values)
        self.assertEqual(np.asarray(treelight.GpuArray("cpu", (0, 3), "int64", 0)).shape, (0, 3))

    def test_jax_is_given_its_own_arrays(self):
        """A stand-in for JAX, with what trees use of it."""
        cpu = object()

        class Array(Shared):
            __module__ = "jaxlib.xla_extension"

            def devices(self):
                return {cpu}

            def __array__(self, dtype=None):
                return np.asarray(self.values, dtype)

        jax = types.ModuleType("jax")
        jax.device_put = lambda values, device: (self.assertIs(device, cpu), Array(values))[1]
        with mock.patch.dict(sys.modules, {"jax": jax}):
            tree = treelight.Tree(Array(VERTICES), Array(FACES), device="cpu")
            inside = tree.inside(Array(POINTS))
            self.assertIsInstance(inside, Array)
            np.testing.assert_array_equal(inside, TREE.inside(POINTS))
            self.assertIsInstance(tree.pairs(), Array)


@unittest.skipIf(torch is None, "PyTorch is not installed")
class TorchArrays(unittest.TestCase):
    def setUp(self):
        self.tree = treelight.Tree(torch.from_numpy(VERTICES), torch.from_numpy(FACES), device="cpu")
        self.points = torch.from_numpy(POINTS)

    def expect(self, tensor, values, kind):
        self.assertIsInstance(tensor, torch.Tensor)
        self.assertEqual(tensor.dtype, kind)
        np.testing.assert_array_equal(tensor.numpy(), values)

    def test_results_of_rays_are_tensors(self):
        hits = self.tree.closest(self.points, -self.points, t_max=5.0, normals=True)
        expected = TREE.closest(POINTS, -POINTS, t_max=5.0, normals=True)
        for name in ("t", "uv", "normal"):
            self.expect(getattr(hits, name), getattr(expected, name), torch.float32)
        self.expect(hits.primitive, expected.primitive.view(np.int32), torch.int32)
        self.expect(hits.hit, expected.hit, torch.bool)
        self.expect(self.tree.occluded(self.points, -self.points), expected.hit, torch.bool)
        every = self.tree.all_hits(self.points, -self.points, 3)
        self.assertEqual(tuple(every.t.shape), (20, 3))
        self.expect(every.count, TREE.all_hits(POINTS, -POINTS, 3).count, torch.int32)

    def test_results_of_queries_are_tensors(self):
        self.expect(self.tree.signed_distance(self.points), TREE.signed_distance(POINTS),
                    torch.float32)
        self.expect(self.tree.inside(self.points), TREE.inside(POINTS), torch.bool)
        offsets, lists = self.tree.in_boxes(self.points, self.points + 0.5)
        self.expect(offsets, TREE.in_boxes(POINTS, POINTS + 0.5)[0], torch.int64)
        self.assertEqual(lists.dtype, torch.int32)
        cloud = treelight.Tree.points(self.points, device="cpu")
        indices, distances = cloud.nearest(self.points, 2)
        self.assertTrue((indices[:, 0] == torch.arange(20)).all() and (distances[:, 0] == 0).all())
        self.assertIsInstance(cloud.within(self.points, 0.5)[2], torch.Tensor)

    def test_grids_and_pairs_belong_to_the_library_of_the_vertices(self):
        grid = self.tree.signed_distance_grid((-1, -1, -1), (1, 1, 1), (3, 3, 2))
        self.expect(grid, TREE.signed_distance_grid((-1, -1, -1), (1, 1, 1), (3, 3, 2)),
                    torch.float32)
        self.assertEqual(self.tree.pairs().dtype, torch.int32)
        self.tree.rebuild(VERTICES, FACES)
        self.assertIsInstance(self.tree.pairs(), np.ndarray)

    def test_types_strides_and_gradients(self):
        expected = TREE.closest_point(POINTS).distance
        wide = torch.zeros(20, 5)
        wide[:, 1:4] = self.points
        self.expect(self.tree.closest_point(wide[:, 1:4]).distance, expected, torch.float32)
        self.expect(self.tree.closest_point(self.points.double()).distance, expected, torch.float32)
        all_one = torch.tensor([0.0, 0, 1]).expand(20, 3)
        self.expect(self.tree.occluded(self.points, all_one),
                    TREE.occluded(POINTS, np.tile([0.0, 0, 1], (20, 1))), torch.bool)
        needs = self.points.clone().requires_grad_()
        with self.assertRaisesRegex(ValueError, "detach"):
            self.tree.inside(needs)
        self.assertEqual(len(self.tree.inside(needs.detach())), 20)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
