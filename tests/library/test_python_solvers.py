"""Tests batches of eigenproblems, complex matrices and systems of polynomial equations in Python, and the examples of
docstrings."""
import doctest
import io
import os
import pathlib
import tempfile
import unittest
import unittest.mock

import numpy as np
import treelight

RANDOM = np.random.default_rng(11)
CACHE = None  # folder of compiled solvers for the time of these tests


def setUpModule():
    global CACHE
    folder = tempfile.TemporaryDirectory()
    CACHE = pathlib.Path(folder.name)
    variables = unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=folder.name)
    variables.start()
    unittest.addModuleCleanup(folder.cleanup)
    unittest.addModuleCleanup(variables.stop)


class Batches(unittest.TestCase):
    def test_eigenvalues_of_batches_are_numpys(self):
        # 500,000 matrices of 3 x 3 are solved in two parts.
        for count, n, dtype, accuracy in [(50, 7, np.float64, 1e-11), (9, 5, np.float32, 1e-4),
                                          (500_000, 3, np.float64, 1e-12), (0, 4, np.float64, 0),
                                          (6, 1, np.float64, 0), (3, 0, np.float64, 0)]:
            a = (RANDOM.random((count, n, n)) - 0.5).astype(dtype)
            values, vectors = treelight.eig(a)
            self.assertEqual((values.shape, vectors.shape), ((count, n), (count, n, n)))
            self.assertIn(values.dtype, [dtype, np.result_type(dtype, np.complex64)])
            np.testing.assert_allclose(a @ vectors, vectors * values[:, None], atol=accuracy)
            np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=accuracy + 1e-15)
            few = slice(0, 20)
            np.testing.assert_allclose(np.sort_complex(treelight.eigvals(a)[few]),
                                       np.sort_complex(np.linalg.eigvals(a[few])), atol=accuracy)
        # Strides and other types of numbers.
        a = RANDOM.integers(-5, 5, (4, 6, 6))
        turned = a.transpose(2, 1, 0)[:4:2, :4, :]
        for batch in [a, turned]:
            np.testing.assert_allclose(np.sort_complex(treelight.eigvals(batch)),
                                       np.sort_complex(np.linalg.eigvals(batch)), atol=1e-10)

    def test_real_batches_are_real(self):
        a = RANDOM.random((30, 6, 6))
        values, vectors = treelight.eig(a + a.transpose(0, 2, 1))
        self.assertEqual((values.dtype, vectors.dtype), (np.float64, np.float64))
        self.assertEqual(treelight.eigvals(np.float32([[[0, 1], [-1, 0]]])).dtype, np.complex64)

    def test_each_matrix_of_a_batch_has_an_error(self):
        a = RANDOM.random((5, 4, 4))
        a[3, 1, 2] = np.nan
        with self.assertRaisesRegex(treelight.Error, "matrix 3, counted from 0, of 5 has an element"):
            treelight.eig(a)
        with self.assertRaisesRegex(treelight.Error, "errors=True returns the others"):
            treelight.eigvals(a)
        values, vectors, errors = treelight.eig(a, errors=True)
        self.assertEqual(errors.tolist(), [0, 0, 0, 2, 0])
        self.assertTrue(np.isnan(values[3]).all() and np.isnan(vectors[3]).all())
        right = [0, 1, 2, 4]
        np.testing.assert_allclose(a[right] @ vectors[right], vectors[right] * values[right][:, None],
                                   atol=1e-13)
        values, errors = treelight.eigvals(a, errors=True)
        self.assertEqual(errors.tolist(), [0, 0, 0, 2, 0])
        self.assertFalse(np.isnan(values[right]).any())

    def test_batches_that_do_not_fit_are_refused(self):
        for wrong, words in [(np.zeros((2, 3, 4)), r"shape \(b, n, n\)"),
                             (np.zeros((2, 3, 4)) * 1j, r"shape \(b, n, n\)"),
                             (np.zeros((1, 1025, 1025)), "at most 1024 rows")]:
            with self.assertRaisesRegex(ValueError, words):
                treelight.eig(wrong)
        with self.assertRaisesRegex(ValueError, "those of a batch"):
            treelight.eig(np.eye(3), errors=True)
        told, large = [], np.ones((500_000, 3, 3))
        treelight.eigvals(large, progress=lambda *share: told.append(share))
        self.assertEqual([what for what, _ in told], ["matrices", "matrices"])
        self.assertEqual(told[-1][1], 1)
        with self.assertRaises(treelight.Cancelled):
            treelight.eigvals(large, progress=lambda what, share: True)


def random_complex(*shape, dtype=np.complex128):
    return (RANDOM.random(shape) - 0.5 + 1j * (RANDOM.random(shape) - 0.5)).astype(dtype)


class ComplexMatrices(unittest.TestCase):
    precisions = [(np.complex128, np.float64, 1e-12), (np.complex64, np.float32, 1e-4)]

    def test_singular_values_are_numpys(self):
        for dtype, real, accuracy in self.precisions:
            for shape in [(30, 30), (40, 15), (15, 40), (1, 1), (4, 0)]:
                a = random_complex(*shape, dtype=dtype)
                k = min(shape)
                for given in [a, np.asfortranarray(a)]:
                    u, s, vt = treelight.svd(given)
                    self.assertEqual((u.shape, s.shape, vt.shape), ((shape[0], k), (k,), (k, shape[1])))
                    self.assertEqual((u.dtype, s.dtype, vt.dtype), (dtype, real, dtype))
                    np.testing.assert_allclose(u * s @ vt, a, atol=accuracy)
                    np.testing.assert_allclose(u.conj().T @ u, np.eye(k), atol=accuracy)
                    np.testing.assert_allclose(vt @ vt.conj().T, np.eye(k), atol=accuracy)
                alone = treelight.svdvals(a)
                self.assertEqual(alone.dtype, real)
                np.testing.assert_allclose(alone, s, atol=accuracy)
                if k > 0:
                    np.testing.assert_allclose(s, np.linalg.svd(a, compute_uv=False), atol=accuracy)
        self.assertEqual(treelight.svd([3, 4j])[0].shape, (2, 1))

    def test_factors_give_the_matrix_back(self):
        for dtype, _, accuracy in self.precisions:
            for shape in [(40, 40), (50, 30), (30, 50), (3, 0), (0, 3)]:
                a = random_complex(*shape, dtype=dtype)
                for given in [a, np.asfortranarray(a), np.repeat(a, 2, axis=0)[::2]]:
                    p, lower, upper = treelight.lu(given)
                    self.assertEqual((p.dtype, lower.dtype, upper.dtype), (np.intp, dtype, dtype))
                    np.testing.assert_allclose(lower @ upper, a[p], atol=accuracy)
                k = min(shape)
                np.testing.assert_array_equal(lower, np.tril(lower, -1) + np.eye(shape[0], k))
                np.testing.assert_array_equal(upper, np.triu(upper))
        _, _, upper = treelight.lu([[1j, 2j], [1j, 2j]])  # singular matrices have factors too
        np.testing.assert_array_equal(upper, [[1j, 2j], [0, 0]])

    def test_systems_are_complex_if_a_side_is(self):
        a, b = random_complex(30, 30) + 3 * np.eye(30), random_complex(30, 4)
        for left, right in [(a, b), (a.real, b), (a, b.real), (a.T, b[:, 1]), (a.real, 1j * np.arange(30)),
                            (a[::-1], b[:, ::2])]:
            x = treelight.solve(left, right)
            self.assertEqual((x.shape, x.dtype), (right.shape, np.complex128))
            np.testing.assert_allclose(left @ x, right, atol=1e-12)
            np.testing.assert_allclose(x, np.linalg.solve(left, right), atol=1e-12)
        self.assertEqual(treelight.solve(a.real, b.real).dtype, np.float64)
        # The precision is that of the matrix, as for real ones.
        for left, right in [(a.astype(np.complex64), b), (a.real.astype(np.float32), b)]:
            x = treelight.solve(left, right)
            self.assertEqual(x.dtype, np.complex64)
            np.testing.assert_allclose(left @ x, right, atol=1e-4)

    def test_eigenvalues_are_numpys(self):
        for dtype, _, accuracy in self.precisions:
            for shape in [(20, 20), (50, 7, 7), (1, 1), (6, 1, 1), (0, 4, 4), (3, 0, 0), (0, 0)]:
                a = random_complex(*shape, dtype=dtype)
                values, vectors = treelight.eig(a)
                self.assertEqual((values.shape, vectors.shape), (shape[:-1], shape))
                self.assertEqual((values.dtype, vectors.dtype), (dtype, dtype))
                np.testing.assert_allclose(a @ vectors, vectors * values[..., None, :], atol=accuracy)
                np.testing.assert_allclose(np.linalg.norm(vectors, axis=-2), 1, atol=accuracy)
                alone = treelight.eigvals(a)
                self.assertEqual(alone.dtype, dtype)
                expected = np.linalg.eigvals(a)
                for found in [values, alone]:
                    distances = abs(found[..., :, None] - expected[..., None, :])
                    for axis in [-1, -2]:
                        np.testing.assert_allclose(distances.min(axis, initial=np.inf), 0, atol=accuracy)
        # Complex numbers stay so where all eigenvalues are real.
        values = treelight.eigvals([[[2, 1j], [-1j, 2]]])
        self.assertEqual(values.dtype, np.complex128)
        np.testing.assert_allclose(np.sort(values.real), [[1, 3]], atol=1e-14)

    def test_each_matrix_of_a_batch_has_an_error(self):
        a = random_complex(5, 4, 4)
        a[3, 1, 2] = 1j * np.nan
        with self.assertRaisesRegex(treelight.Error, "matrix 3, counted from 0, of 5 has an element"):
            treelight.eig(a)
        values, vectors, errors = treelight.eig(a, errors=True)
        self.assertEqual(errors.tolist(), [0, 0, 0, 2, 0])
        self.assertTrue(np.isnan(values[3]).all() and np.isnan(vectors[3]).all())
        right = [0, 1, 2, 4]
        np.testing.assert_allclose(a[right] @ vectors[right], vectors[right] * values[right][:, None],
                                   atol=1e-13)
        told = []
        values, errors = treelight.eigvals(a, errors=True, progress=lambda *share: told.append(share))
        self.assertEqual((errors.tolist(), told), ([0, 0, 0, 2, 0], [("matrices", 1)]))
        with self.assertRaises(treelight.Cancelled):
            treelight.eigvals(a, errors=True, progress=lambda what, share: True)

    def test_what_has_no_result_is_an_error(self):
        bad = np.eye(3) * 1j
        bad[2, 0] = np.inf
        for function in [treelight.svd, treelight.svdvals, treelight.lu, treelight.eig, treelight.eigvals,
                         lambda a: treelight.solve(a, np.ones(3)), lambda a: treelight.solve(np.eye(3), a)]:
            with self.assertRaisesRegex(treelight.Error, "not finite"):
                function(bad)
        with self.assertRaisesRegex(treelight.Error, "singular"):
            treelight.solve(np.zeros((3, 3)), np.ones(3) * 1j)
        for function, words in [(lambda: treelight.solve(np.ones((2, 3)) * 1j, np.ones(2)), "square"),
                                (lambda: treelight.solve(np.eye(2) * 1j, np.ones(3)), "3 rows"),
                                (lambda: treelight.eig(np.ones((2, 3)) * 1j), "square"),
                                (lambda: treelight.eigvals(np.eye(3) * 1j, errors=True), "those of a batch"),
                                (lambda: treelight.eig(np.zeros((1025, 1025), complex)), "at most 1024 rows"),
                                (lambda: treelight.svd(np.ones((2, 2, 2)) * 1j), "two dimensions"),
                                (lambda: treelight.lu(1j), "two dimensions")]:
            with self.assertRaisesRegex(ValueError, words):
                function()
        with self.assertRaises(LookupError):
            treelight.svd(np.eye(2) * 1j, device="abacus")

    def test_other_functions_name_those_for_complex_matrices(self):
        a, b = np.eye(3) * 1j, np.eye(3)
        queue = treelight.Queue("cpu")
        x = queue.upload(b)
        for function in [lambda: treelight.inv(a), lambda: treelight.pinv(a), lambda: treelight.rref(a),
                         lambda: treelight.matmul(a, b), lambda: treelight.matmul(b, a),
                         lambda: treelight.lstsq(a, b), lambda: treelight.lstsq(b, a),
                         lambda: treelight.low_rank(a, 1), lambda: treelight.matrix_rank(a),
                         lambda: treelight.LU(a), lambda: treelight.LU(b).solve(a), lambda: queue.upload(a),
                         lambda: x * 1j, lambda: np.complex64(2) + x]:
            with self.assertRaisesRegex(ValueError, "complex matrices are not supported here; treelight.svd, svdvals"):
                function()


CIRCLES = """system circles
unknowns x y
parameters a r
equations (x - a)^2 + y^2 - r^2
equations x^2 + y^2 - 1
"""


class Systems(unittest.TestCase):
    def test_solutions_are_the_points_where_circles_meet(self):
        system = treelight.System(CIRCLES + "# compiled by this test alone\n")
        self.assertTrue(system.info["is_new"])
        self.assertEqual((system.info["unknowns"], system.info["parameters"]), (["x", "y"], 2))
        a, r = RANDOM.uniform(0.2, 2.5, (2, 10_000))
        values, counts = system.solve(np.column_stack([a, r]))
        x = (1 + a ** 2 - r ** 2) / (2 * a)
        with np.errstate(invalid="ignore"):
            y = np.sqrt(1 - x ** 2)
        meet = np.abs(x) < 1 - 1e-9
        np.testing.assert_array_equal(counts, np.where(meet, 2, 0))
        self.assertGreater(meet.sum(), 1000)
        for k, sign in enumerate([-1, 1]):
            # The two solutions of an instance have the same x up to rounding, in either order.
            found = np.sort(values[meet][:, :, 1], axis=1)[:, k]
            np.testing.assert_allclose(found, sign * y[meet], atol=1e-7)
        np.testing.assert_allclose(values[meet][:, :, 0], np.column_stack([x, x])[meet], atol=1e-9)
        self.assertTrue(np.isnan(values[~meet]).all())
        again, numbers = system.solve(np.column_stack([a, r]), device="cpu", mode="hybrid")
        np.testing.assert_array_equal(numbers, counts)
        for unknown in range(2):
            np.testing.assert_allclose(np.sort(again[:, :, unknown]), np.sort(values[:, :, unknown]),
                                       atol=1e-7)
        with self.assertRaisesRegex(treelight.Error, "kernel of systems does not run on cpu"):
            system.solve([[1.0, 1.0]], device="cpu", mode="kernel")

    def test_a_solver_is_compiled_once(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "cubes.txt"
            path.write_text("system cubes\nunknowns x\nparameters a\nequations x^3 - a\n")
            values, counts = treelight.solve_system(path, [[8.0], [-27.0]])
            np.testing.assert_allclose(values[:, 0, 0], [2, -3], rtol=1e-14)
            self.assertEqual(counts.tolist(), [1, 1])
            self.assertFalse(treelight.System(path).info["is_new"])
            with unittest.mock.patch.dict(os.environ, CXX="no-such-compiler"):
                values, _ = treelight.solve_system(path.read_text(), [[1.0]])
                with self.assertRaisesRegex(treelight.Error, "'no-such-compiler' cannot be run"):
                    treelight.solve_system("system s\nunknowns x\nequations x^2 - 3\n")
            self.assertEqual(values[0, 0, 0], 1)

    def test_systems_may_have_no_parameters(self):
        text = "system s\nunknowns x y\nequations x^2 - 2\nequations y - x*x*x\n"
        values, counts = treelight.solve_system(text)
        np.testing.assert_allclose(values, [[[-2 ** 0.5, -2 ** 1.5], [2 ** 0.5, 2 ** 1.5]]], rtol=1e-14)
        self.assertEqual(counts.tolist(), [2])

    def test_wrong_input_is_refused_in_words(self):
        system = treelight.System(CIRCLES)
        for instances in [[1.0, 2.0], [[1.0]], None, np.zeros((2, 3))]:
            with self.assertRaisesRegex(ValueError, "2 numbers in a row"):
                system.solve(instances)
        with self.assertRaisesRegex(ValueError, "equations:2: "):
            treelight.System("system s\nunknown x\n")
        with self.assertRaisesRegex(treelight.Error, "infinitely many"):
            treelight.System("system s\nunknowns x y\nequations x*y - 1\nequations 2*x*y - 2\n")
        with self.assertRaises(OSError):
            treelight.System(pathlib.Path("no-such-file.txt"))
        _, counts = system.solve([[np.nan, 1.0], [0.5, 1.0]])
        self.assertEqual(counts.tolist(), [0, 2])
        self.assertEqual(system.solve(np.empty((0, 2))).values.shape[0], 0)

    def test_calls_can_be_cancelled(self):
        cancel = lambda what, share: True
        with self.assertRaises(treelight.Cancelled):
            treelight.System(CIRCLES + "# another text\n", progress=cancel)
        self.assertEqual([file.suffix for file in CACHE.rglob("*") if file.is_file()
                          and file.suffix != ".so"], [])
        with self.assertRaises(treelight.Cancelled):
            treelight.System(CIRCLES).solve(np.ones((100, 2)), progress=cancel)

    def test_a_circle_is_fitted_among_outliers(self):
        rows = "".join(f"equations (x{i} - a)^2 + (y{i} - b)^2 - r^2\n" for i in (1, 2, 3))
        system = treelight.System("system circle\nunknowns a b r\nparameters x1 y1 x2 y2 x3 y3\n" + rows +
                                  "measurement x y\ndistance (x - a)^2 + (y - b)^2 - r^2\npositive r\n")
        angle = RANDOM.uniform(0, 2 * np.pi, 400)
        points = np.column_stack([3 + 2 * np.cos(angle), 2 * np.sin(angle) - 1])
        points[::2] = RANDOM.uniform(20, 40, (200, 2))
        points[0, 1] = np.nan
        model = system.ransac(points, bound=1e-6, seed=1)
        np.testing.assert_allclose(model.unknowns, [3, -1, 2], rtol=1e-12)
        np.testing.assert_array_equal(model.inliers, np.arange(400) % 2 == 1)
        self.assertEqual((model.info["inliers"], model.info["left_out"]), (200, 1))
        self.assertEqual(system.info["columns"], 2)
        with self.assertRaisesRegex(ValueError, "2 numbers in a row"):
            system.ransac(np.ones((5, 3)))
        with self.assertRaisesRegex(treelight.Error, "none of 10 samples has a real solution"):
            system.ransac(np.ones((5, 2)), most_samples=10)
        with self.assertRaisesRegex(treelight.Error, "has no measurements"):
            treelight.System(CIRCLES).ransac(np.empty((0, 0)))
        with self.assertRaises(treelight.Cancelled):
            system.ransac(points, progress=lambda what, share: True)


class Docstrings(unittest.TestCase):
    def test_examples_of_docstrings_give_what_they_say(self):
        runner = doctest.DocTestRunner(verbose=False)
        names = {"numpy": np, "treelight": treelight}
        for name in treelight.__all__:
            thing = getattr(treelight, name)
            found = doctest.DocTestFinder(recurse=False).find(thing, name, globs=names)
            examples = sum(len(test.examples) for test in found)
            if name not in ["Cancelled", "ClosestPoints", "Error", "Frames", "GpuArray", "Hits", "Matrix",
                            "NONE", "Pose", "Solutions"]:
                self.assertGreater(examples, 0, name)
            for test in found:
                report = io.StringIO()
                failed, _ = runner.run(test, out=report.write)
                self.assertEqual(failed, 0, report.getvalue())


if __name__ == "__main__":
    unittest.main()
