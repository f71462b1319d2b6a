#!/usr/bin/env python3
"""Tests trees with arrays in the memory of a GPU, which it allocates itself by the CUDA runtime: by
__cuda_array_interface__, by DLPack, on streams of its own. Needs NumPy, treelight and libcudart; tells why it
skips. TREELIGHT_CUDART names the library where it is not found."""
import ctypes
import ctypes.util
import gc
import glob
import os
import sys
import unittest

import numpy as np
import treelight

LEGACY_DEFAULT = 1
TO_GPU, TO_HOST, ON_GPU = 1, 2, 3


def open_cudart():
    """The CUDA runtime, or None."""
    names = [os.environ.get("TREELIGHT_CUDART"), ctypes.util.find_library("cudart"), "libcudart.so",
             "libcudart.so.13", "libcudart.so.12"]
    for name in filter(None, names + sorted(glob.glob("/usr/local/cuda*/lib64/libcudart.so*"))):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def reason_to_skip():
    if "cuda" not in treelight.devices():
        return "no GPU that treelight can use; its devices: " + ", ".join(treelight.devices())
    if open_cudart() is None:
        return "libcudart was not found: TREELIGHT_CUDART=FILE names it"
    return None


SKIPPED = reason_to_skip()
DEVICE = "cuda"
CUDART = open_cudart()


def cuda(name, *arguments):
    status = getattr(CUDART, name)(*arguments)
    if status != 0:
        raise RuntimeError(f"{name} failed with error {status}")


class Stream:
    """A stream that does not wait for the default one."""

    def __init__(self):
        handle = ctypes.c_void_p()
        cuda("cudaStreamCreateWithFlags", ctypes.byref(handle), 1)
        self.handle = handle.value

    def wait(self):
        cuda("cudaStreamSynchronize", ctypes.c_void_p(self.handle))


def hold(stream, before):
    """Makes a stream wait for the work that another one has now."""
    event = ctypes.c_void_p()
    cuda("cudaEventCreate", ctypes.byref(event))
    cuda("cudaEventRecord", event, ctypes.c_void_p(before))
    cuda("cudaStreamWaitEvent", ctypes.c_void_p(stream), event, 0)
    cuda("cudaEventDestroy", event)


class Memory:
    """Memory of the GPU."""

    def __init__(self, size):
        pointer = ctypes.c_void_p()
        cuda("cudaMalloc", ctypes.byref(pointer), ctypes.c_size_t(max(size, 1)))
        self.address, self.size = pointer.value, size

    def __del__(self):
        cuda("cudaFree", ctypes.c_void_p(self.address))

    def copy_from(self, address, size, kind, stream=None):
        cuda("cudaMemcpyAsync", ctypes.c_void_p(self.address), ctypes.c_void_p(address),
             ctypes.c_size_t(size), kind, ctypes.c_void_p(stream))


class OnGpu:
    """An array on the GPU, with its strides."""

    def __init__(self, values):
        self.values = np.asarray(values)
        whole = self.values if self.values.base is None else self.values.base
        self.offset = (self.values.__array_interface__["data"][0] -
                       whole.__array_interface__["data"][0])
        self.memory = Memory(whole.nbytes)
        self.memory.copy_from(whole.ctypes.data, whole.nbytes, TO_GPU)
        cuda("cudaDeviceSynchronize")

    @property
    def address(self):
        return self.memory.address + self.offset


class ByInterface(OnGpu):
    """By __cuda_array_interface__ alone."""

    stream = None

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.values.shape, "typestr": self.values.dtype.str,
                "data": (self.address, False), "strides": self.values.strides, "version": 3,
                "stream": self.stream.handle if self.stream else None}


class DlTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", ctypes.c_int32), ("index", ctypes.c_int32),
                ("n_dimensions", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("offset", ctypes.c_uint64)]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class DlManaged(ctypes.Structure):
    _fields_ = [("tensor", DlTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class DlVersioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", DELETER), ("flags", ctypes.c_uint64), ("tensor", DlTensor)]


new_capsule = ctypes.pythonapi.PyCapsule_New
new_capsule.restype, new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p,
                                                               ctypes.c_void_p]
open_capsule = ctypes.pythonapi.PyCapsule_GetPointer
open_capsule.restype, open_capsule.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


class ByDlpack(OnGpu):
    """By DLPack alone, of either version. Its contents are written in `written_on`, if that is given."""

    versioned = True
    written_on = None
    PLACE = (2, 0)

    def __init__(self, values):
        super().__init__(values)
        self.streams, self.n_deleted = [], 0

    def __dlpack_device__(self):
        return self.PLACE

    def __dlpack__(self, *, stream=None, **more):
        if more and not self.versioned:
            raise TypeError("a producer from before version 1 knows no max_version")
        self.streams.append(stream)
        if self.written_on:
            hold(stream, self.written_on.handle)
        n = self.values.ndim
        shape = (ctypes.c_int64 * n)(*self.values.shape)
        strides = (ctypes.c_int64 * n)(*(s // self.values.itemsize for s in self.values.strides))
        managed = DlVersioned(major=1) if self.versioned else DlManaged()
        managed.tensor = DlTensor(self.memory.address, *self.PLACE, n,
                                  "iuf".index(self.values.dtype.kind), 8 * self.values.itemsize, 1, shape,
                                  strides, self.offset)

        def delete(_):
            self.n_deleted += 1

        managed.deleter = DELETER(delete)
        self.kept = getattr(self, "kept", []) + [(managed, shape, strides)]
        name = b"dltensor_versioned" if self.versioned else b"dltensor"
        return new_capsule(ctypes.addressof(managed), name, None)


class OldDlpack(ByDlpack):
    versioned = False


RANDOM = np.random.default_rng(3)
N = 5000
VERTICES = RANDOM.uniform(-1, 1, (600, 3)).astype(np.float32)
FACES = RANDOM.permutation(600).reshape(-1, 3).astype(np.int32)
POINTS = RANDOM.uniform(-1, 1, (N, 3)).astype(np.float32)
TO_MIDDLE = -POINTS
# The answers of the CPU, which the other tests compare with brute force.
ON_CPU = treelight.Tree(VERTICES, FACES, device="cpu")


def work_for_long(stream):
    """Copies for some milliseconds."""
    if not hasattr(work_for_long, "memory"):
        work_for_long.memory = Memory(1 << 29)
    memory = work_for_long.memory
    half = memory.size // 2
    for _ in range(60):
        cuda("cudaMemcpyAsync", ctypes.c_void_p(memory.address), ctypes.c_void_p(memory.address + half),
             ctypes.c_size_t(half), ON_GPU, ctypes.c_void_p(stream))


@unittest.skipIf(SKIPPED is not None, SKIPPED)
class GpuArrays(unittest.TestCase):
    def setUp(self):
        self.tree = treelight.Tree(ByInterface(VERTICES), ByDlpack(FACES), device=DEVICE)

    def expect(self, array, values, **tolerance):
        """An array that lies on the GPU, with these values."""
        self.assertIsInstance(array, treelight.GpuArray)
        self.assertEqual(array.device, DEVICE)
        self.assertEqual(array.shape, values.shape)
        if tolerance:
            np.testing.assert_allclose(np.asarray(array), values, **tolerance)
        else:
            np.testing.assert_array_equal(np.asarray(array), values)

    def test_all_queries(self):
        expected = ON_CPU.closest(POINTS, TO_MIDDLE, normals=True)
        clear = expected.t < 0.99  # rays end at the middle, whose surroundings are not sorted out
        for kind in (ByInterface, ByDlpack, OldDlpack):
            points, rays = kind(POINTS), kind(TO_MIDDLE)
            hits = self.tree.closest(points, rays, normals=True)
            self.assertGreater((np.asarray(hits.primitive) == expected.primitive).mean(), 0.999)
            same = (np.asarray(hits.primitive) == expected.primitive) & clear
            np.testing.assert_allclose(np.asarray(hits.t)[same], expected.t[same], rtol=1e-4)
            np.testing.assert_allclose(np.asarray(hits.normal)[same], expected.normal[same], atol=1e-4)
            self.assertGreater((hits.hit == expected.hit).mean(), 0.999)
            occluded = self.tree.occluded(points, rays, t_max=2.0)
            self.assertEqual(occluded.dtype, bool)
            self.assertGreater((np.asarray(occluded) == ON_CPU.occluded(POINTS, TO_MIDDLE, t_max=2.0)).mean(),
                               0.999)
            closest = self.tree.closest_point(points)
            self.expect(closest.distance, ON_CPU.closest_point(POINTS).distance, atol=1e-6)
            self.assertEqual(closest.position.shape, (N, 3))
            self.expect(self.tree.winding_number(points), ON_CPU.winding_number(POINTS), atol=0.02)
            inside = self.tree.inside(points)
            self.assertGreater((np.asarray(inside) == ON_CPU.inside(POINTS)).mean(), 0.99)
            offsets, lists = self.tree.in_boxes(points, kind(POINTS + 0.1))
            self.expect(offsets, ON_CPU.in_boxes(POINTS, POINTS + 0.1)[0])
            self.assertEqual(lists.shape, (np.asarray(offsets)[-1],))
            masked = self.tree.count_hits(points, rays, masks=kind(np.zeros(N, np.int32)))
            self.expect(masked, np.zeros(N, np.uint32))

    def test_grids_and_pairs_lie_where_the_vertices_do(self):
        grid = (-1, -1, -1), (0.5, 0.5, 0.5), (5, 4, 3)
        on_gpu = np.asarray(self.tree.signed_distance_grid(*grid))
        np.testing.assert_allclose(abs(on_gpu), abs(ON_CPU.signed_distance_grid(*grid)), atol=1e-6)
        pairs = self.tree.pairs()
        self.assertIsInstance(pairs, treelight.GpuArray)
        ordered = [np.unique(np.asarray(p), axis=0) for p in (pairs, ON_CPU.pairs())]
        np.testing.assert_array_equal(*ordered)
        from_host = treelight.Tree(VERTICES, FACES, device=DEVICE)
        self.assertIsInstance(from_host.pairs(), np.ndarray)
        self.assertIsInstance(from_host.inside(POINTS), np.ndarray)

    def test_neighbours(self):
        cloud = treelight.Tree.points(ByDlpack(POINTS), device=DEVICE)
        expected = treelight.Tree.points(POINTS, device="cpu")
        indices, distances = cloud.nearest(ByDlpack(POINTS), 4)
        self.expect(distances, expected.nearest(POINTS, 4)[1], atol=1e-6)
        self.assertEqual(indices.dtype, np.uint32)
        offsets, _, near = cloud.within(ByInterface(POINTS), 0.1)
        self.expect(offsets, expected.within(POINTS, 0.1)[0])
        self.assertLess(np.asarray(near).max(), 0.1)

    def test_strided_arrays_and_refusals(self):
        wide = np.zeros((N, 5), np.float32)
        wide[:, 1:4] = POINTS
        expected = ON_CPU.closest_point(POINTS).distance
        for kind in (ByInterface, ByDlpack):
            self.expect(self.tree.closest_point(kind(wide[:, 1:4])).distance, expected, atol=1e-6)
            with self.assertRaisesRegex(ValueError, "points on a GPU need elements of float32"):
                self.tree.inside(kind(POINTS.astype(np.float64)))
            with self.assertRaisesRegex(ValueError, "masks on a GPU need elements of int32"):
                self.tree.occluded(POINTS, POINTS, masks=kind(np.ones(N, np.int64)))
            with self.assertRaisesRegex(ValueError, "lie on a GPU, and the tree on the CPU"):
                ON_CPU.inside(kind(POINTS))
        # Arrays of both kinds of memory in one call.
        mixed = self.tree.closest(POINTS, ByDlpack(TO_MIDDLE))
        self.assertIsInstance(mixed.t, np.ndarray)

    def test_the_stream_of_the_interface_is_followed(self):
        expected = ON_CPU.closest_point(POINTS).distance
        array, right = ByInterface(np.zeros_like(POINTS)), OnGpu(POINTS)
        array.stream = Stream()
        work_for_long(array.stream.handle)
        array.memory.copy_from(right.memory.address, POINTS.nbytes, ON_GPU, array.stream.handle)
        closest = self.tree.closest_point(array)
        self.assertEqual(closest.distance.__cuda_array_interface__["stream"], array.stream.handle)
        self.expect(closest.distance, expected, atol=1e-6)

    def test_producers_order_their_stream_before_ours(self):
        array, right = ByDlpack(np.zeros_like(POINTS)), OnGpu(POINTS)
        array.written_on = Stream()
        work_for_long(array.written_on.handle)
        array.memory.copy_from(right.memory.address, POINTS.nbytes, ON_GPU, array.written_on.handle)
        distance = self.tree.closest_point(array).distance
        self.assertEqual(array.streams, [LEGACY_DEFAULT])
        self.expect(distance, ON_CPU.closest_point(POINTS).distance, atol=1e-6)
        # With an array on another stream, that one is the call's.
        other = ByInterface(TO_MIDDLE)
        other.stream = Stream()
        self.tree.occluded(other, array)
        self.assertEqual(array.streams[1:], [other.stream.handle])

    def test_consumers_wait_for_results(self):
        work_for_long(None)
        distance = self.tree.closest_point(ByInterface(POINTS)).distance
        stream, copy = Stream(), Memory(4 * N)
        capsule = distance.__dlpack__(stream=stream.handle)
        tensor = DlManaged.from_address(open_capsule(capsule, b"dltensor")).tensor
        self.assertEqual((tensor.device, tensor.index, tensor.bits, tensor.shape[0]), (2, 0, 32, N))
        copy.copy_from(tensor.data, 4 * N, ON_GPU, stream.handle)
        stream.wait()
        host = np.empty(N, np.float32)
        cuda("cudaMemcpy", ctypes.c_void_p(host.ctypes.data), ctypes.c_void_p(copy.address),
             ctypes.c_size_t(4 * N), TO_HOST)
        np.testing.assert_allclose(host, ON_CPU.closest_point(POINTS).distance, atol=1e-6)

    def test_arguments_are_kept_until_they_are_read(self):
        points = ByDlpack(POINTS)
        self.tree.closest_point(points)  # the first call of a size allocates, and waits
        work_for_long(None)
        distance = self.tree.closest_point(points).distance
        self.assertLess(points.n_deleted, 2)
        cuda("cudaDeviceSynchronize")
        self.tree.inside(ByInterface(POINTS))
        self.assertEqual(points.n_deleted, 2)
        self.expect(distance, ON_CPU.closest_point(POINTS).distance, atol=1e-6)

    def test_many_calls_keep_no_memory(self):
        def free_bytes():
            free, total = ctypes.c_size_t(), ctypes.c_size_t()
            cuda("cudaDeviceSynchronize")
            cuda("cudaMemGetInfo", ctypes.byref(free), ctypes.byref(total))
            return free.value

        points = ByDlpack(np.tile(POINTS, (40, 1)))
        for _ in range(20):
            self.tree.closest_point(points)
        before = free_bytes()
        for _ in range(200):
            self.tree.closest_point(points)
        gc.collect()
        self.assertGreater(free_bytes(), before - (64 << 20))


if __name__ == "__main__":
    if SKIPPED:
        print("skipped:", SKIPPED)
    unittest.main(argv=sys.argv)
