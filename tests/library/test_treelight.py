"""Tests the Python module against NumPy and against the program that $TREELIGHT_PROGRAM names."""
import gc
import os
import pathlib
import struct
import subprocess
import tempfile
import threading
import unittest
import zlib

import numpy as np
import treelight

RANDOM = np.random.default_rng(7)


def random(rows, cols, dtype=np.float64):
    return (RANDOM.random((rows, cols)) - 0.5).astype(dtype)


class Functions(unittest.TestCase):
    def test_factors_give_the_matrix_back(self):
        for shape in [(40, 40), (50, 30), (30, 50)]:
            for a in [random(*shape), np.asfortranarray(random(*shape))]:
                u, s, vt = treelight.svd(a)
                np.testing.assert_allclose(u * s @ vt, a, atol=1e-13)
                np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), atol=1e-13)
                np.testing.assert_allclose(treelight.svdvals(a), s, atol=1e-13)
                p, lower, upper = treelight.lu(a)
                np.testing.assert_allclose(lower @ upper, a[p], atol=1e-13)

    def test_eigenvalues_are_numpys(self):
        a = random(20, 20)
        values, vectors = treelight.eig(a)
        np.testing.assert_allclose(a @ vectors, vectors * values, atol=1e-12)
        np.testing.assert_allclose(np.sort_complex(treelight.eigvals(a)),
                                   np.sort_complex(np.linalg.eigvals(a)), atol=1e-12)
        values, vectors = treelight.eig(np.diag([3.0, 1.0]))
        self.assertEqual((values.dtype, vectors.dtype), (np.float64, np.float64))

    def test_systems_inverses_and_products(self):
        a, b = random(30, 30) + 3 * np.eye(30), random(30, 4)
        np.testing.assert_allclose(a @ treelight.solve(a, b), b, atol=1e-13)
        self.assertEqual(treelight.solve(a, b[:, 0]).shape, (30,))
        np.testing.assert_allclose(treelight.inv(a) @ a, np.eye(30), atol=1e-13)
        np.testing.assert_allclose(treelight.matmul(a, b), a @ b, atol=1e-13)

    def test_factors_solve_for_many_sides(self):
        a, b = random(40, 40), random(40, 3)
        factors = treelight.LU(a)
        np.testing.assert_allclose(a @ factors.solve(b), b, atol=1e-11)
        np.testing.assert_allclose(a @ factors.solve(b[:, 0]), b[:, 0], atol=1e-11)
        np.testing.assert_allclose(a.T @ factors.solve(b, transposed=True), b, atol=1e-11)
        lower = np.tril(factors.packed, -1) + np.eye(40)
        np.testing.assert_allclose(lower @ np.triu(factors.packed), a[factors.p], atol=1e-13)
        with self.assertRaisesRegex(treelight.Error, "singular"):
            treelight.LU(np.zeros((3, 3))).solve(np.ones(3))
        with self.assertRaisesRegex(ValueError, "square"):
            treelight.LU(random(3, 4)).solve(np.ones(3))

    def test_least_squares_are_numpys(self):
        for a in random(50, 20), random(20, 50), random(30, 8) @ random(8, 25):
            b = random(len(a), 2)
            x, rank = treelight.lstsq(a, b)
            expected, _, expected_rank, _ = np.linalg.lstsq(a, b, rcond=None)
            np.testing.assert_allclose(x, expected, atol=1e-10)
            self.assertEqual(rank, expected_rank)
            self.assertEqual(treelight.matrix_rank(a), expected_rank)
            np.testing.assert_allclose(treelight.pinv(a), np.linalg.pinv(a), atol=1e-10)
            nearest, error = treelight.low_rank(a, 5)
            u, s, vt = np.linalg.svd(a, full_matrices=False)
            np.testing.assert_allclose(nearest, u[:, :5] * s[:5] @ vt[:5], atol=1e-11)
            self.assertAlmostEqual(error, np.linalg.norm(s[5:]) / np.linalg.norm(s))
        x, rank = treelight.lstsq(np.diag([4.0, 2, 1]), np.ones(3), rcond=0.3)
        np.testing.assert_allclose(x, [0.25, 0.5, 0], atol=1e-15)
        self.assertEqual(rank, 2)

    def test_ranks(self):
        r, pivots = treelight.rref([[1, 2, 3], [2, 4, 6], [0, 0, 1]])
        np.testing.assert_allclose(r, [[1, 2, 0], [0, 0, 1], [0, 0, 0]], atol=1e-15)
        self.assertEqual(list(pivots), [0, 2])

    def test_floats_stay_floats(self):
        a = random(10, 10, np.float32)
        u, s, vt = treelight.svd(a)
        self.assertEqual({u.dtype, s.dtype, vt.dtype}, {np.dtype(np.float32)})
        self.assertEqual(treelight.solve(a, np.ones(10)).dtype, np.float32)


def read_exr(path):
    """Reads red, green and blue of an OpenEXR file as the program writes it: floats, 16 lines per zlib block."""
    data, at, attributes = path.read_bytes(), 8, {}
    while data[at]:
        name, kind = data[at:].split(b"\0", 2)[:2]
        at += len(name) + len(kind) + 2
        size, = struct.unpack_from("<i", data, at)
        attributes[name] = data[at + 4:at + 4 + size]
        at += 4 + size
    width, height = [n + 1 for n in struct.unpack_from("<ii", attributes[b"dataWindow"], 8)]
    n_blocks = (height + 15) // 16
    lines = []
    for block, in struct.iter_unpack("<Q", data[at + 1:at + 1 + 8 * n_blocks]):
        first, size = struct.unpack_from("<ii", data, block)
        n_lines = min(16, height - first)
        numbers = data[block + 8:block + 8 + size]
        if size < 12 * width * n_lines:
            # Bytes are coded as differences from the previous byte, even offsets before odd ones.
            coded = np.frombuffer(zlib.decompress(numbers), np.uint8).astype(np.int64)
            coded[1:] -= 128
            coded = np.cumsum(coded).astype(np.uint8)
            half = (len(coded) + 1) // 2
            plain = np.empty_like(coded)
            plain[0::2], plain[1::2] = coded[:half], coded[half:]
            numbers = plain.tobytes()
        lines.append(np.frombuffer(numbers, "<f4").reshape(n_lines, 3, width))
    return np.concatenate(lines).transpose(0, 2, 1)[:, :, ::-1]  # channels are stored as B, G, R


class Pictures(unittest.TestCase):
    box = pathlib.Path(__file__).parents[2] / "scenes/cornell-box.toml"

    def setUp(self):
        self.scene = treelight.Scene(self.box)

    def render(self, *arguments, **settings):
        settings = {"width": 24, "height": 20, "spp": 2, "device": "cpu"} | settings
        return treelight.render(self.scene, *arguments, **settings)

    def test_pictures_are_those_of_the_program(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "picture.exr"
            subprocess.run([os.environ["TREELIGHT_PROGRAM"], "render", self.box, "--renderer", "path",
                            "--size", "24x20", "--spp", "3", "--seed", "7", "--device", "cpu",
                            "--eye=0.3,0.4,-0.7", "--path-max-depth", "4", "-o", file],
                           check=True, stdout=subprocess.DEVNULL)
            expected = read_exr(file)
        picture = self.render("path", spp=3, seed=7, eye=(0.3, 0.4, -0.7), path_max_depth=4)
        self.assertEqual((picture.shape, picture.dtype), ((20, 24, 3), np.float32))
        np.testing.assert_array_equal(picture, expected)
        self.assertGreater(picture.std(), 0.01)

    def test_settings_are_those_of_one_call(self):
        first = self.render()
        for settings in [{"fov": 20}, {"target": np.zeros(3)}, {"renderer": "path", "film_biased_denoise": True}]:
            self.assertFalse(np.array_equal(self.render(**settings), first))
            np.testing.assert_array_equal(self.render(fov=None), first)
        with_alpha = self.render(alpha=True)
        np.testing.assert_array_equal(with_alpha[:, :, :3], first)
        np.testing.assert_array_equal(with_alpha[:, :, 3], 1)

    def test_a_scene_tells_of_itself(self):
        info = self.scene.info
        np.testing.assert_allclose(info["eye"], [0.278, 0.273, -0.8], rtol=1e-6)
        self.assertEqual(info["spheres"], 2)
        self.assertTrue((info["bounds"][0] < info["bounds"][1]).all())
        self.assertEqual(self.scene.warnings, [])
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "scene.toml"
            file.write_text("strange = 1\n[[sphere]]\n")
            self.assertIn("strange", treelight.Scene(file).warnings[0])

    def test_errors_are_exceptions(self):
        for error, settings in [(LookupError, {"renderer": "nobody"}), (ValueError, {"spp": 0}),
                                (LookupError, {"deepness": 3}), (ValueError, {"width": 0}),
                                (ValueError, {"width": -1}), (ValueError, {"eye": (1, 2)}),
                                (ValueError, {"up": (0, 0, 0)})]:
            with self.assertRaises(error):
                self.render(**settings)
        with self.assertRaisesRegex(OSError, "no-such-file"):
            treelight.Scene("no-such-file.toml")

    def test_progress_is_told_and_can_end_a_call(self):
        told = []
        self.render(progress=lambda what, share: told.append((what, share)))
        self.assertEqual([t for t in told if t[0] == "samples"], [("samples", 0.5), ("samples", 1)])
        with self.assertRaises(treelight.Cancelled):
            self.render(progress=lambda what, share: True)
        with self.assertRaises(ZeroDivisionError):
            self.render(progress=lambda what, share: 1 / 0)
        with self.assertRaises(treelight.Cancelled):
            treelight.Scene(self.box, progress=lambda what, share: True)
        timer = threading.Timer(0.2, self.scene.cancel)
        timer.start()
        with self.assertRaises(treelight.Cancelled):
            self.render(spp=1_000_000)
        timer.join()


class Sequences(unittest.TestCase):
    moving = "generate:explosion,triangles=500"
    small = {"width": 24, "height": 20, "spp": 2, "device": "cpu"}

    def setUp(self):
        self.scene = treelight.Scene(self.moving)

    def frames(self, *arguments, **settings):
        return treelight.render_frames(self.scene, *arguments, **(self.small | settings))

    def check_program(self, scene, flags, numbers, frames):
        """Checks that the frames equal the pictures that the program writes with these flags, bit for bit."""
        with tempfile.TemporaryDirectory() as folder:
            pattern = pathlib.Path(folder) / "%d.exr"
            subprocess.run([os.environ["TREELIGHT_PROGRAM"], "render", scene, "--size", "24x20", "--spp", "2",
                            "--device", "cpu", *flags, "-o", pattern], check=True, stdout=subprocess.DEVNULL)
            expected = [read_exr(pattern.with_name(f"{number}.exr")) for number in numbers]
        self.assertEqual(len(frames), len(expected))
        for picture, other in zip(frames, expected):
            np.testing.assert_array_equal(picture, other)
        return expected

    def test_frames_of_a_scene_that_moves_are_those_of_the_program(self):
        frames = self.frames(range(4, 9, 2), fps=12, time=0.25, renderer="path")
        expected = self.check_program(self.moving, ["--frames", "4:8", "--fps", "12", "--time", "0.25",
                                                    "--renderer", "path"], [4, 6, 8], frames)
        self.assertFalse(np.array_equal(expected[0], expected[1]))
        np.testing.assert_array_equal(frames[-1], expected[2])
        self.assertEqual([about["number"] for about in frames.info], [4, 6, 8])
        self.assertAlmostEqual(frames.info[1]["time"], 0.75)

    def test_turns_are_those_of_the_program(self):
        frames = self.frames(turntable=3, eye=(0, 0, 4), target=(0, 0, 0))
        self.check_program(self.moving, ["--turntable", "3", "--eye=0,0,4", "--target=0,0,0"], [0, 1, 2], frames)

    def test_paths_are_those_of_the_program(self):
        cameras = [(0, 1, 5, 0, 1, 0), (4, 1, 3, 0, 0, 0)]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "path.toml"
            marked = pathlib.Path(folder) / "marked.toml"
            places = [f"eye = {list(c[:3])}\ntarget = {list(c[3:])}\n" for c in cameras]
            path.write_text("".join(f"[[camera]]\ntime = {k}\n{place}" for k, place in enumerate(places)))
            marked.write_text(f"scene = '{self.moving}'\n"
                              + "".join(f"[[bookmark]]\nnumber = {k + 1}\n{place}" for k, place in enumerate(places)))
            expected = self.check_program(self.moving, ["--camera-path", path, "--frames", "0:2", "--fps", "2"],
                                          range(3), self.frames(3, fps=2, camera_path=path))
            self.scene = treelight.Scene(marked)
            frames = self.frames(3, fps=2, bookmark_seconds=1)
            self.check_program(marked, ["--bookmark-seconds", "1", "--frames", "0:2", "--fps", "2"], range(3), frames)
            np.testing.assert_array_equal(frames[1], expected[1])

    def test_wrong_plans_are_refused_at_once(self):
        for error, settings in [(ValueError, {}), (ValueError, {"frames": 0}), (ValueError, {"frames": -1}),
                                (ValueError, {"frames": range(0)}), (ValueError, {"frames": range(5, 0, -1)}),
                                (ValueError, {"frames": range(-2, 3)}), (TypeError, {"frames": 1.5}),
                                (ValueError, {"frames": 3, "fps": 0}), (ValueError, {"turntable": 0}),
                                (ValueError, {"turntable": 4, "camera_path": "x.toml"}),
                                (ValueError, {"frames": 2, "bookmark_seconds": 1}),
                                (LookupError, {"frames": 2, "speed": 2})]:
            with self.assertRaises(error, msg=settings):
                self.frames(**settings)
        with self.assertRaisesRegex(ValueError, "no-such-path.toml"):
            self.frames(2, camera_path="no-such-path.toml")
        with self.assertRaises(IndexError):
            self.frames(2)[2]

    def test_progress_is_that_of_all_frames(self):
        told = []
        for _ in self.frames(2, progress=lambda what, share: told.append((what, share))):
            pass
        self.assertEqual(told[-1], ("frames", 1))
        self.assertEqual({share for what, share in told}, {0, 0.25, 0.5, 0.75, 1})
        self.assertEqual(sorted(told), told)

    def test_sequences_can_be_cancelled(self):
        frames = self.frames(4)
        n_seen = 0
        with self.assertRaises(treelight.Cancelled):
            for _ in frames:
                n_seen += 1
                if n_seen == 2:
                    self.scene.cancel()  # between two frames
        self.assertEqual(n_seen, 2)
        self.assertEqual(sum(1 for _ in self.frames(2)), 2)
        timer = threading.Timer(0.2, self.scene.cancel)
        timer.start()
        with self.assertRaises(treelight.Cancelled):
            next(iter(self.frames(1, spp=1_000_000)))
        timer.join()
        with self.assertRaises(ZeroDivisionError):
            next(iter(self.frames(1, progress=lambda what, share: 1 / 0)))

    def test_frames_keep_their_scene(self):
        frames = self.frames(1)
        del self.scene
        gc.collect()
        self.assertEqual(frames[0].shape, (20, 24, 3))


class SparseSystems(unittest.TestCase):
    def chain(self, n, flow=0.0):
        """Rows of a chain of points: values, columns and starts."""
        full = 2 * np.eye(n) - (1 + flow) * np.eye(n, k=-1) - (1 - flow) * np.eye(n, k=1)
        rows, columns = np.nonzero(full)
        return full, (full[rows, columns], columns, np.searchsorted(rows, np.arange(n + 1)))

    def test_solutions_are_those_of_numpy(self):
        for flow in [0.0, 0.3]:
            full, rows = self.chain(300, flow)
            b = np.random.default_rng(1).standard_normal((300, 2))
            x = treelight.solve_sparse(rows, b, tolerance=1e-12, device="cpu")
            np.testing.assert_allclose(x, np.linalg.solve(full, b), rtol=1e-6, atol=1e-6)
            one = treelight.solve_sparse(rows, b[:, 0], preconditioner="ilu0", tolerance=1e-12,
                                         device="cpu")
            np.testing.assert_allclose(one, x[:, 0], rtol=1e-6, atol=1e-6)

    def test_input_that_does_not_fit_is_refused_in_words(self):
        _, (values, columns, starts) = self.chain(20)
        b = np.ones(20)
        for rows, right, words in [
                ((values[1:], columns, starts), b, "as many values as columns"),
                ((values, columns, starts), b[1:], "as many rows as the matrix: 20"),
                ((values, columns + 1, starts), b, "outside of the matrix"),
                ((values * np.nan, columns, starts), b, "is not finite")]:
            with self.assertRaisesRegex(ValueError, words):
                treelight.solve_sparse(rows, right, device="cpu")
        _, rows = self.chain(20, 0.5)
        with self.assertRaisesRegex(treelight.Error, "not symmetric"):
            treelight.solve_sparse(rows, b, method="cg", device="cpu")
        with self.assertWarnsRegex(UserWarning, "no convergence after 2 iterations"):
            treelight.solve_sparse(self.chain(300)[1], np.ones(300), preconditioner="none",
                                   max_iterations=2, device="cpu")


class Sums(unittest.TestCase):
    def setUp(self):
        self.points = RANDOM.random((3000, 3)) * [1, 2, 0.5]
        self.weights = RANDOM.random(3000) - 0.3
        self.targets = RANDOM.random((500, 3)) * 2

    def differences(self, targets):
        return targets[:, None] - self.points[None]

    def check(self, found, truth, tolerance):
        error = np.sqrt(np.mean((found - truth) ** 2) / np.mean(truth ** 2))
        self.assertLess(error, tolerance)

    def test_sums_and_gradients_are_those_of_numpy(self):
        d = self.differences(self.targets)
        square = (d ** 2).sum(2)
        sums, gradients = treelight.fmm(self.points, self.weights, self.targets, tolerance=1e-8,
                                        gradient=True)
        self.check(sums, square ** -0.5 @ self.weights, 1e-8)
        self.check(gradients, -np.einsum("tsi,ts,s->ti", d, square ** -1.5, self.weights), 1e-8)
        single = treelight.fmm(self.points, self.weights, self.targets, kernel="gaussian",
                               length=0.4, tolerance=1e-4, precision="float")
        self.check(single, np.exp(-square / 0.16) @ self.weights, 1e-4)

    def test_points_are_the_targets_by_default(self):
        square = (self.differences(self.points) ** 2).sum(2)
        inverse = np.divide(1, square, where=square > 0, out=np.zeros_like(square))
        for direct in [False, True]:
            sums = treelight.fmm(self.points, self.weights, kernel="inverse-square", direct=direct)
            self.check(sums, inverse @ self.weights, 1e-6)

    def test_input_that_does_not_fit_is_refused_in_words(self):
        for arguments, words in [
                ((self.points, self.weights[1:]), "every point has one weight"),
                ((self.points[:, :2], self.weights), "points have three numbers in a row"),
                ((self.points * np.nan, self.weights), "point 0, coordinate 0"),
                ((self.points, self.weights, [[1, 2, np.inf]]), "target 0, coordinate 2")]:
            with self.assertRaisesRegex(ValueError, words):
                treelight.fmm(*arguments)
        with self.assertRaisesRegex(ValueError, "single precision reaches"):
            treelight.fmm(self.points, self.weights, tolerance=1e-9, precision="float")
        with self.assertRaisesRegex(ValueError, "unknown precision 'single'; known: float, double"):
            treelight.fmm(self.points, self.weights, precision="single")
        with self.assertRaisesRegex(LookupError, "unknown kernel 'cubic'; known: inverse-distance"):
            treelight.fmm(self.points, self.weights, kernel="cubic")
        self.assertEqual(treelight.fmm(self.points, self.weights, np.empty((0, 3))).shape, (0,))
        self.assertEqual(treelight.fmm(np.empty((0, 3)), [], self.targets).tolist(), [0] * 500)


class Poses(unittest.TestCase):
    def setUp(self):
        # Matches of 200 points between two views, a third of them outliers. The second camera is rotated by 0.2 rad
        # about y.
        points = RANDOM.uniform([-2, -2, 4], [2, 2, 8], (200, 3))
        angle = 0.2
        self.rotation = np.array([[np.cos(angle), 0, np.sin(angle)], [0, 1, 0],
                                  [-np.sin(angle), 0, np.cos(angle)]])
        self.translation = np.array([-0.6, 0.0, 0.8])
        self.camera = (800.0, 800.0, 500.0, 400.0)
        seen = points @ self.rotation.T + self.translation
        self.first, self.second = [800 * p[:, :2] / p[:, 2:] + [500, 400] for p in [points, seen]]
        self.second[::3] += RANDOM.uniform(50, 90, (67, 2))
        self.points = points

    def check(self, pose):
        np.testing.assert_allclose(pose.rotation, self.rotation, atol=1e-4)
        np.testing.assert_allclose(pose.translation, self.translation, atol=1e-3)
        self.assertEqual(pose.doubt, "")
        self.assertEqual(pose.inliers.shape, (200,))
        self.assertGreaterEqual(pose.inliers[1::3].sum() + pose.inliers[2::3].sum(), 133)
        self.assertLess(pose.inliers[::3].sum(), 20)

    def test_two_views(self):
        matches = np.hstack([self.first, self.second])
        pose = treelight.pose(matches, camera=self.camera, threshold=0.1)
        self.check(pose)
        x, y, z = self.translation
        crossed = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        sign = np.sign(np.vdot(pose.essential, crossed @ self.rotation))
        np.testing.assert_allclose(sign * np.sqrt(2) * pose.essential, crossed @ self.rotation,
                                   atol=1e-3)
        again = treelight.pose(matches, camera=self.camera, threshold=0.1)
        np.testing.assert_array_equal(again.rotation, pose.rotation)

    def test_known_points(self):
        matches = np.hstack([self.second, self.points])
        self.check(treelight.pose(matches, "absolute", self.camera, threshold=0.1))
        pose = treelight.pose(matches, "absolute-focal", (1, 1, 500, 400), threshold=0.1)
        self.check(pose)
        self.assertAlmostEqual(pose.focal / 800, 1, places=4)

    def test_uncalibrated_views(self):
        found = treelight.pose(np.hstack([self.first, self.second]), "fundamental", threshold=0.1)
        x, y, z = self.translation
        crossed = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        inverse = np.linalg.inv([[800, 0, 500], [0, 800, 400], [0, 0, 1]])
        expected = inverse.T @ crossed @ self.rotation @ inverse
        expected /= np.linalg.norm(expected)
        np.testing.assert_allclose(found.matrix * np.sign(np.vdot(found.matrix, expected)), expected,
                                   atol=1e-4)
        turned = self.points @ self.rotation.T
        second = 800 * turned[:, :2] / turned[:, 2:] + [500, 400]
        found = treelight.pose(np.hstack([self.first, second]), "homography", threshold=0.1)
        expected = np.linalg.inv(inverse) @ self.rotation @ inverse
        np.testing.assert_allclose(found.matrix, expected / np.linalg.norm(expected), atol=1e-8)
        self.assertTrue(found.inliers.all())

    def test_wrong_arguments_are_refused(self):
        for wrong in [{"kind": "sideways"}, {"kind": "absolute"}, {"threshold": 0},
                      {"camera": (0, 1, 0, 0)}, {"matches": np.zeros((3, 4))}]:
            with self.assertRaises(ValueError):
                treelight.pose(**({"matches": np.zeros((9, 4))} | wrong))


class Queues(unittest.TestCase):
    def setUp(self):
        self.queue = treelight.Queue("cpu")

    def test_any_layout_arrives(self):
        whole = random(9, 12)
        for a in [whole, whole.T, np.asfortranarray(whole), whole[::2, 1:], whole[:, 3:4],
                  whole[2:3], whole[:0], whole.astype(np.float32), np.arange(6).reshape(2, 3),
                  whole.astype(">f8"), [[1, 2], [3, 4]]]:
            for copy in [True, False]:
                expected = np.asarray(a)
                matrix = self.queue.upload(a, copy=copy)
                self.assertEqual(matrix.shape, expected.shape)
                np.testing.assert_array_equal(matrix.numpy(), expected)

    def test_chains_are_given_before_their_operands_exist(self):
        a, b = random(50, 50), random(50, 50)
        with self.queue.batch():
            x, y = self.queue.upload(a), self.queue.upload(b)
            d = abs(-(x @ y) + 2 * x / (y * y + 1) - 3).sqrt()
            self.assertEqual(d.state, "waiting")
        d.read()
        expected = np.sqrt(abs(-(a @ b) + 2 * a / (b * b + 1) - 3))
        np.testing.assert_allclose(d.numpy(), expected, atol=1e-12)
        self.assertEqual(d.state, "ready")

    def test_blocks_and_extrema(self):
        a = random(6, 8)
        x = self.queue.upload(a)
        np.testing.assert_array_equal(x[1:4, -2].numpy(), a[1:4, -2:-1])
        np.testing.assert_array_equal(x.T[:, 2].numpy(), a.T[:, 2:3])
        for rows, cols in [(slice(None, None, 2), slice(-1, 1, -3)), (slice(5, None, -1), slice(0, 0)),
                           (slice(0, 3, -1), slice(1, 9, 4))]:
            np.testing.assert_array_equal(x[rows, cols].numpy(), a[rows, cols])
        np.testing.assert_array_equal(x.maximum(0).minimum(0.25).numpy(), np.clip(a, 0, 0.25))
        changed = a.copy()
        changed[2:4, 3:5] = a[:2, :2]
        np.testing.assert_array_equal(x.replaced(2, 3, x[:2, :2]).numpy(), changed)
        np.testing.assert_allclose(x.exp().numpy(), np.exp(a), rtol=1e-14)

    def test_results_are_not_copied(self):
        matrix = self.queue.upload(random(4, 3)).T
        array = matrix.numpy()
        self.assertFalse(array.flags.owndata)
        self.assertTrue(np.shares_memory(array, np.asarray(matrix)))
        self.assertEqual(matrix.__array_interface__["data"][0], array.ctypes.data)
        expected = array.copy()
        del matrix, self.queue
        gc.collect()
        np.testing.assert_array_equal(array, expected)

    def test_errors_travel_and_become_exceptions(self):
        x = self.queue.upload(np.zeros((3, 3)))
        behind = (x.inverse() + x) @ x
        with self.assertRaisesRegex(treelight.Error, "inverse #.*singular"):
            behind.numpy()
        self.assertEqual(behind.state, "failed")
        with self.assertRaisesRegex(ValueError, "as many columns"):
            (x @ self.queue.upload(np.zeros((2, 2)))).wait()
        with self.assertRaisesRegex(treelight.Error, "singular"):
            treelight.inv(np.zeros((2, 2)))

    def test_wrong_operands_are_refused(self):
        x = self.queue.upload(np.eye(2))
        for wrong in [lambda: self.queue.upload(np.zeros((2, 2, 2))),
                      lambda: self.queue.upload(np.eye(2) * 1j),
                      lambda: x @ treelight.Queue("cpu").upload(np.eye(2))]:
            with self.assertRaises(ValueError):
                wrong()
        for wrong in [lambda: x + "1", lambda: np.eye(2) + x, lambda: x + np.eye(2)]:
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaises(IndexError):
            x[2, 0]
        with self.assertRaises(LookupError):
            treelight.Queue("abacus")

    def test_cancelling_and_running_out_of_time(self):
        self.queue.pause()
        x = self.queue.upload(np.eye(2))
        cancelled = x.inverse()
        cancelled.cancel()
        with self.assertRaises(treelight.Cancelled):
            (cancelled @ x).wait()
        self.queue.set_timeout(1e-3)
        with self.assertRaises(TimeoutError):
            x.svdvals().wait()
        with self.assertRaises(TimeoutError):
            x.numpy(1e-3)
        self.queue.resume()
        np.testing.assert_array_equal(x.numpy(), np.eye(2))

    def test_arrays_are_given_back(self):
        import sys
        a = np.asfortranarray(random(30, 30))
        before = sys.getrefcount(a)
        for _ in range(20):
            self.queue.upload(a, copy=False).T.numpy()
        self.queue.wait()
        self.queue.upload(np.eye(2))
        self.assertEqual(sys.getrefcount(a), before)


class Module(unittest.TestCase):
    def test_everything_has_a_docstring_and_a_stub(self):
        import pathlib
        stub = pathlib.Path(treelight.__file__).with_name("__init__.pyi").read_text()
        for name in treelight.__all__:
            self.assertRegex(stub, rf"(?m)^((def|class) {name}\b|{name}: )")
            self.assertTrue(getattr(treelight, name).__doc__, name)
        for kind in [treelight.Frames, treelight.Matrix, treelight.Queue, treelight.Scene, treelight.System]:
            for name in vars(kind):
                if not name.startswith("_"):
                    self.assertRegex(stub, rf"def {name}\b")
        self.assertIn("cpu", treelight.devices())


if __name__ == "__main__":
    unittest.main()
