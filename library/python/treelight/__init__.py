"""Treelight's pictures of scenes, trees with rays and queries, dense linear algebra, poses of cameras,
systems of polynomial equations and sums over all pairs of points, on the CPU or an NVIDIA GPU.

Scenes are opened from files and rendered to NumPy arrays:

    >>> import treelight
    >>> scene = treelight.Scene("scenes/cornell-box.toml")
    >>> picture = treelight.render(scene, renderer="path", width=640, height=480, spp=64)
    >>> for picture in treelight.render_frames(scene, turntable=60): ...

Trees over meshes, spheres, boxes and points answer rays and queries, of NumPy arrays or of arrays on
the GPU (PyTorch, CuPy):

    >>> tree = treelight.Tree(vertices, faces)
    >>> hits = tree.closest(origins, directions)
    >>> distances = tree.signed_distance(points)

Functions of matrices take and return NumPy arrays and wait for their result:

    >>> import numpy, treelight
    >>> u, s, vt = treelight.svd(numpy.random.rand(500, 300))

svd, svdvals, solve, lu, eig and eigvals take complex arrays too; complex64 and float32 give results
in single precision.

A Queue works in the background instead. Its operations return at once; their results are matrices
that may not exist yet, but can already be operands:

    >>> queue = treelight.Queue()
    >>> a = queue.upload(numpy.random.rand(1000, 1000))
    >>> d = (a @ a + a) / 2         # returns at once
    >>> d.read()                    # starts to copy it to the host
    >>> array = d.numpy()           # waits for the copy

Errors are exceptions where a result is waited for: treelight.Error if the solver failed (a singular
matrix), ValueError if operands or values do not fit, LookupError for unknown names, OSError for a
file that is missing or faulty, MemoryError, TimeoutError and treelight.Cancelled.
"""
import atexit as _atexit
import contextlib as _contextlib
import threading as _threading
import typing as _typing
import warnings as _warnings

import numpy as _numpy

from ._treelight import _takes_numpy_2

if not _takes_numpy_2 and int(_numpy.__version__.partition(".")[0]) >= 2:
    raise ImportError("treelight was built with pybind11 before 2.12, which does not know NumPy "
                      f"{_numpy.__version__}: install numpy<2, or build it with a newer pybind11")

from . import _complex
from ._treelight import (Cancelled, Error, Matrix, Queue, __version__, _eig_batch_double,
                         _eig_batch_float, _estimate_pose, _fmm, devices)
from ._scenes import Frames, Scene, render, render_frames
from ._sparse import solve_sparse
from ._systems import FittedModel, Solutions, System, solve_system
from ._arrays import GpuArray
from ._trees import (NONE, ClosestPoints, Hits, Tree, chamfer_distance, hausdorff_distance,
                     pinhole_rays)
from ._trimesh import RayMeshIntersector

__all__ = ["Cancelled", "ClosestPoints", "Error", "FittedModel", "Frames", "GpuArray", "Hits", "LU", "Matrix",
           "NONE", "Pose", "Queue", "RayMeshIntersector", "Scene", "Solutions", "System", "Tree",
           "chamfer_distance", "devices", "eig", "eigvals", "fmm", "hausdorff_distance", "inv", "low_rank", "lstsq",
           "lu", "matmul", "matrix_rank", "pinhole_rays", "pinv", "pose", "render", "render_frames", "rref",
           "solve", "solve_sparse", "solve_system", "svd", "svdvals"]


def _to_numpy(self, seconds=-1.0):
    """Returns the matrix as an array over the host memory that it was read to, without a further
    copy. Waits for at most `seconds`; below 0: without limit."""
    array = getattr(self, "_kept", None)
    if array is None:
        array = self._kept = self._array(seconds)
    return array


def _to_array(self, dtype=None, copy=None):
    array = _to_numpy(self)
    return array if dtype is None or array.dtype == dtype else array.astype(dtype)


def _batch(self):
    """Context manager that pauses the queue, so that chains of operations are fused as a whole."""
    @_contextlib.contextmanager
    def paused():
        self.pause()
        try:
            yield self
        finally:
            self.resume()
    return paused()


Matrix.numpy = _to_numpy
Matrix.__array__ = _to_array
Matrix.__array_interface__ = property(lambda self: _to_numpy(self).__array_interface__)
# None: NumPy passes `array + matrix` to the matrix, which raises an error that names the types.
Matrix.__array_ufunc__ = None
Queue.batch = _batch

_queues = {}
_lock = _threading.Lock()
_atexit.register(_queues.clear)


def _upload(array, device):
    """Uploads the array to the device's queue, which all functions of the module share."""
    with _lock:
        queue = _queues.get(device)
        if queue is None:
            queue = _queues[device] = Queue(device)
    return queue.upload(array, copy=False)


def _vector(matrix):
    return matrix.numpy()[:, 0]


def _read(*matrices):
    for matrix in matrices:
        matrix.read()


def _as_kind(b, kind):
    """Returns the array as numbers of a real type. Complex ones stay: their upload is refused."""
    return b if _complex.is_complex(b) else b.astype(kind, copy=False)


def svd(a, device="auto"):
    """Singular value decomposition a = u @ diag(s) @ vt of a real or complex m x n matrix. Returns
    (u, s, vt) of shapes (m, k), (k,) and (k, n), k = min(m, n). s is real and descending; u and vt
    are complex if a is. Raises treelight.Error if an element is not finite.

        >>> u, s, vt = treelight.svd([[3.0, 0.0], [4.0, 5.0]])
        >>> s.round(6)
        array([6.708204, 2.236068])
        >>> u, s, vt = treelight.svd([[0, 2j], [1, 0]])
        >>> abs(u * s @ vt).round(6).tolist()
        [[0.0, 2.0], [1.0, 0.0]]
    """
    a = _numpy.asarray(a)
    if _complex.is_complex(a):
        return _complex.svd(a, device)
    u, s, v = _upload(a, device).svd()
    _read(u, s, v)
    return u.numpy(), _vector(s), v.numpy().T


def svdvals(a, device="auto"):
    """Singular values of a real or complex m x n matrix: a real array of min(m, n), descending.
    Errors are those of svd().

        >>> treelight.svdvals([[3.0, 0.0], [4.0, 5.0]]).round(6)
        array([6.708204, 2.236068])
    """
    a = _numpy.asarray(a)
    if _complex.is_complex(a):
        return _complex.svd(a, device, vectors=False)
    return _vector(_upload(a, device).svdvals())


def _is_batch(a, errors, progress):
    """Whether the array is a batch of matrices. Raises ValueError if what only a batch has is given
    for a single matrix."""
    is_batch = a.ndim == 3
    if not is_batch and (errors or progress is not None):
        raise ValueError("errors and progress are those of a batch, an array of shape (b, n, n)")
    return is_batch


def _eig_of_batch(a, vectors, errors, device, progress):
    """Solves an array of matrices. Returns [values], [values, vectors], and the errors if asked."""
    is_complex = _complex.is_complex(a)
    if is_complex:
        solve = _complex.eig_solver(a)
    else:
        solve = _eig_batch_float if a.dtype == _numpy.float32 else _eig_batch_double
    *results, failures = solve(device, a, vectors, progress)
    if not errors and failures.any():
        first = int(failures.argmax())
        raise Error(f"eig: matrix {first}, counted from 0, of {len(a)} "
                    + ("has an element that is not finite" if failures[first] == 2 else
                       "has eigenvalues that did not converge")
                    + "; errors=True returns the others")
    results = results if vectors else results[:1]
    # Matrices without results have NaN as imaginary parts.
    if not is_complex and not results[0].imag[failures == 0].any():
        results = [result.real.copy() for result in results]
    return results + [failures] if errors else results


def eig(a, device="auto", errors=False, progress=None):
    """Eigenvalues and eigenvectors of a real or complex n x n matrix, n up to 1024. Returns (values,
    vectors) of shapes (n,) and (n, n), with a @ vectors = vectors * values. Columns of vectors have
    length 1. Both arrays are real if a and all eigenvalues are. Raises treelight.Error if an element
    is not finite or the eigenvalues do not converge, ValueError for another shape.

        >>> values, vectors = treelight.eig([[2.0, 1.0], [1.0, 2.0]])
        >>> numpy.sort(values).round(6)
        array([1., 3.])
        >>> values, vectors = treelight.eig([[2, 1j], [-1j, 2]])
        >>> numpy.sort(values.real).round(6), values.dtype
        (array([1., 3.]), dtype('complex128'))

    An array of shape (b, n, n) is a batch of matrices, solved in one call; values then have the
    shape (b, n), vectors (b, n, n). errors: for a batch, also returns an array of b ints: 0, 1 for a
    matrix whose eigenvalues did not converge, 2 for one with an element that is not finite; the
    results of both are NaN. Without it they raise treelight.Error. progress: for a batch, as for
    Scene; Ctrl+C ends the call.

        >>> values, vectors = treelight.eig(numpy.random.rand(1000, 5, 5))
        >>> vectors.shape
        (1000, 5, 5)
    """
    a = _numpy.asarray(a)
    if _is_batch(a, errors, progress):
        return tuple(_eig_of_batch(a, True, errors, device, progress))
    if _complex.is_complex(a):
        return _complex.eig(a, device)
    values, vectors = _upload(a, device).eig()
    _read(values, vectors)
    values, vectors = values.numpy(), vectors.numpy()
    if not values[:, 1].any():
        return values[:, 0], vectors[:, 0::2]
    return values[:, 0] + 1j * values[:, 1], vectors[:, 0::2] + 1j * vectors[:, 1::2]


def eigvals(a, device="auto", errors=False, progress=None):
    """Eigenvalues of a real or complex n x n matrix, n up to 1024: an array of n, real if a and all
    of them are. An array of shape (b, n, n) is a batch, with values of shape (b, n). errors,
    progress, exceptions: as for eig().

        >>> treelight.eigvals([[0.0, -1.0], [1.0, 0.0]]).imag
        array([ 1., -1.])
    """
    a = _numpy.asarray(a)
    if _is_batch(a, errors, progress):
        results = _eig_of_batch(a, False, errors, device, progress)
        return tuple(results) if errors else results[0]
    if _complex.is_complex(a):
        return _complex.eig(a, device, vectors=False)
    values = _upload(a, device).eigvals().numpy()
    return values[:, 0] + 1j * values[:, 1] if values[:, 1].any() else values[:, 0]


def lu(a, device="auto"):
    """PLU factorisation of a real or complex m x n matrix. Returns (p, l, u) of shapes (m,), (m, k)
    and (k, n), k = min(m, n), with a[p] = l @ u; l has a unit diagonal, and l and u are complex if a
    is. Singular matrices have one as well. Raises treelight.Error if an element is not finite.

        >>> p, l, u = treelight.lu([[1.0, 2.0], [4.0, 2.0]])
        >>> p, u
        (array([1, 0]), array([[4. , 2. ],
               [0. , 1.5]]))
    """
    a = _numpy.asarray(a)
    if _complex.is_complex(a):
        return _complex.lu(a, device)
    lower, upper, order = _upload(a, device).lu()
    _read(lower, upper, order)
    return _vector(order).astype(_numpy.intp), lower.numpy(), upper.numpy()


class LU:
    """PLU factorisation of a real square matrix, kept on the device for many right-hand sides:

        factors = treelight.LU(a)
        x = factors.solve(b)                        # a @ x = b
        y = factors.solve(b, transposed=True)       # a.T @ y = b

    Nothing is computed again but two triangular solves. Raises treelight.Error in solve() if the
    matrix is singular, ValueError if it is not square.

        >>> factors = treelight.LU([[2.0, 0.0], [1.0, 4.0]])
        >>> factors.solve([2.0, 5.0]), factors.solve([2.0, 4.0], transposed=True)
        (array([1., 1.]), array([0.5, 1. ]))
    """

    def __init__(self, a, device="auto"):
        a = _numpy.array(a)  # a copy: its upload goes on after this call
        self._kind = _numpy.float32 if a.dtype == _numpy.float32 else _numpy.float64
        self._device = device
        self._packed, self._order = _upload(a, device).lu_factors()

    @property
    def packed(self):
        """U on and above the diagonal, L, whose diagonal is 1, below it."""
        return self._packed.numpy()

    @property
    def p(self):
        """Order of the rows: a[p] = l @ u."""
        return _vector(self._order).astype(_numpy.intp)

    def solve(self, b, transposed=False):
        """Solves a @ x = b, or a.T @ x = b, for one right-hand side of shape (n,), or for several as
        columns of b, (n, k). Returns x of the shape of b."""
        b = _numpy.asarray(b)
        right = _upload(_as_kind(b, self._kind), self._device)
        x = self._packed.lu_solve(self._order, right, transposed).numpy()
        return x[:, 0] if b.ndim == 1 else x

    def __repr__(self):
        rows, columns = self._packed.shape
        return f"<treelight.LU of {rows} x {columns} on {self._device}>"


def rref(a, device="auto"):
    """Reduced row echelon form of an m x n matrix. Returns (r, pivots): r of shape (m, n), and column
    indices, as many as the rank.

        >>> r, pivots = treelight.rref([[1, 2, 3], [2, 4, 7]])
        >>> pivots
        array([0, 2])
    """
    r, pivots = _upload(a, device).rref()
    _read(r, pivots)
    columns = _vector(pivots).astype(_numpy.intp)
    return r.numpy(), columns[columns >= 0]


def solve(a, b, device="auto"):
    """Solves a @ x = b for an n x n matrix and one right-hand side of shape (n,), or several as
    columns of b, (n, k). Returns x of the shape of b and the precision of a. a and b may be real or
    complex; x is complex if one of them is. Raises treelight.Error for a singular matrix or an
    element that is not finite, ValueError if the shapes do not fit.

        >>> treelight.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 2.0])
        array([1. , 0.5])
        >>> treelight.solve([[2j]], [4.0]).round(6).imag
        array([-2.])
    """
    a, b = _numpy.asarray(a), _numpy.asarray(b)
    if _complex.is_complex(a, b):
        return _complex.solve(a, b, device)
    kind = _numpy.float32 if a.dtype == _numpy.float32 else _numpy.float64
    right = _upload(b.astype(kind, copy=False), device)
    x = _upload(a, device).solve(right).numpy()
    return x[:, 0] if b.ndim == 1 else x


def inv(a, device="auto"):
    """Inverse of an n x n matrix, of the same shape. Raises treelight.Error for a singular matrix.

        >>> treelight.inv([[4.0]])
        array([[0.25]])
    """
    return _upload(a, device).inverse().numpy()


def _ratio(rcond):
    return -1.0 if rcond is None else float(rcond)


def lstsq(a, b, rcond=None, device="auto"):
    """Least squares for an m x n matrix: of all x for which the norm of a @ x - b is least, that of
    least norm. b has the shape (m,), or (m, k) for several right-hand sides. Returns (x, rank), x of
    shape (n,) or (n, k). Singular values up to rcond times the largest count as zero; None:
    max(a.shape) eps.

        >>> x, rank = treelight.lstsq([[1.0], [1.0]], [1.0, 3.0])
        >>> x.round(6), rank
        (array([2.]), 1)
    """
    b = _numpy.asarray(b)
    kind = _numpy.float32 if _numpy.asarray(a).dtype == _numpy.float32 else _numpy.float64
    right = _upload(_as_kind(b, kind), device)
    x, rank = _upload(a, device).lstsq(right, _ratio(rcond))
    x = x.numpy()
    return x[:, 0] if b.ndim == 1 else x, int(rank.numpy()[0, 0])


def pinv(a, rcond=None, device="auto"):
    """Pseudo-inverse (Moore-Penrose) of an m x n matrix, of shape (n, m). rcond: as for lstsq().

        >>> treelight.pinv([[1.0], [1.0]]).round(6)
        array([[0.5, 0.5]])
    """
    return _upload(a, device).pinv(_ratio(rcond))[0].numpy()


def matrix_rank(a, rcond=None, device="auto"):
    """Number of singular values above rcond times the largest; None: max(a.shape) eps.

        >>> treelight.matrix_rank([[1.0, 2.0], [2.0, 4.0]])
        1
    """
    return int(_upload(a, device).rank(_ratio(rcond)).numpy()[0, 0])


def low_rank(a, rank, device="auto"):
    """Nearest matrix of at most that rank, in Frobenius and 2-norm. Returns (nearest, error); error is
    the Frobenius norm of a - nearest over that of a.

        >>> nearest, error = treelight.low_rank([[3.0, 0.0], [0.0, 1.0]], 1)
        >>> round(error, 6)
        0.316228
    """
    nearest, error = _upload(a, device).low_rank(rank)
    return nearest.numpy(), float(error.numpy()[0, 0])


def matmul(a, b, device="auto"):
    """Product of two matrices of shapes (m, n) and (n, k). Raises ValueError if these do not fit.

        >>> treelight.matmul([[1.0, 2.0]], [[3.0], [4.0]])
        array([[11.]])
    """
    return (_upload(a, device) @ _upload(b, device)).numpy()


class Pose(_typing.NamedTuple):
    """Camera pose, the result of pose(). A point X in the frame of the first camera, or of the world,
    has the coordinates rotation @ X + translation in the view."""
    rotation: _numpy.ndarray     #: 3 x 3
    translation: _numpy.ndarray  #: 3; of length 1 between two views
    focal: float                 #: focal length, pixels; 1 if it was given
    essential: _numpy.ndarray    #: essential matrix, 3 x 3, Frobenius norm 1; 0 for a single view
    inliers: _numpy.ndarray      #: one flag per match: it is an inlier
    rms: float                   #: root mean square error of the inliers, pixels
    doubt: str                   #: reason why the pose is doubtful; "" for none
    matrix: _numpy.ndarray       #: homography or fundamental matrix, 3 x 3, Frobenius norm 1; else 0


_POSE_KINDS = ["relative", "relative-focal", "absolute", "absolute-focal", "homography", "fundamental"]


def pose(matches, kind="relative", camera=(1.0, 1.0, 0.0, 0.0), threshold=1.0, confidence=0.999,
         samples=4_000_000, seed=0, device="auto"):
    """Estimates the pose of a camera by RANSAC, from matches of which many may be outliers. Returns
    a Pose.

    kind: "relative" for two views, with rows x1, y1, x2, y2 of matches, or "absolute" for a view of
    known points, with rows x, y, X, Y, Z; "relative-focal" and "absolute-focal" also estimate the
    focal length. "homography" and "fundamental" estimate the matrix between two uncalibrated views, of
    one plane or any: x2 ~ matrix @ x1, and x2 @ matrix @ x1 = 0 for x = (x, y, 1), in pixels. camera:
    fx, fy, cx, cy in pixels; not used for uncalibrated views. threshold: largest error of an inlier, pixels.
    confidence: required probability that one minimal sample had no outlier. samples: largest number
    of minimal samples. Equal seeds give equal poses. Raises ValueError for matches of another shape,
    too few of them or numbers that are not finite.

        >>> points = numpy.random.default_rng(1).uniform([-1, -1, 4], [1, 1, 6], (50, 3))
        >>> moved = points + [0.5, 0.0, 0.0]
        >>> matches = 800 * numpy.hstack([p[:, :2] / p[:, 2:] for p in (points, moved)])
        >>> pose = treelight.pose(matches, camera=(800, 800, 0, 0))
        >>> int(pose.inliers.sum()), pose.translation.round(3).tolist()[0]
        (50, 1.0)
    """
    if kind not in _POSE_KINDS:
        raise ValueError(f"unknown kind of pose {kind!r}; known: {', '.join(_POSE_KINDS)}")
    fx, fy, cx, cy = camera
    return Pose(*_estimate_pose(device, _POSE_KINDS.index(kind), _numpy.asarray(matches), fx, fy,
                                cx, cy, threshold, confidence, samples, seed))


def fmm(points, weights, targets=None, kernel="inverse-distance", length=1.0, tolerance=1e-6,
        gradient=False, precision="double", direct=False, check=100, device="auto"):
    """Sums of a kernel over all pairs: at each target x the sum of weights * kernel(|x - points|), by
    the fast multipole method. Returns the sums; with gradient, (sums, gradients).

    points, targets: arrays of shape (n, 3); the targets are the points by default, and a point adds
    nothing to its own sum where the kernel has no value at distance 0. kernel: "inverse-distance"
    1/r, "inverse-square" 1/r^2, "log" ln r, "yukawa" exp(-r/h)/r, "gaussian" exp(-(r/h)^2),
    "multiquadric" sqrt(r^2+h^2), "inverse-multiquadric" or "thin-plate" r^2 ln r; length: h.
    tolerance: largest error, as a part of the root mean square of the sums, from 1e-12, or 1e-5 for
    precision "float"; at `check` targets it is measured against direct sums, and a warning tells
    where it is not reached. direct: sums all pairs one by one. Raises ValueError for other shapes, numbers
    that are not finite or a tolerance out of range, LookupError for an unknown kernel.

        >>> treelight.fmm([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]], [1.0, 3.0], direct=True)
        array([1.5, 0.5])
    """
    if precision not in ("float", "double"):
        raise ValueError(f"unknown precision {precision!r}; known: float, double")
    sums, gradients, *errors = _fmm(device, points, weights, targets, kernel, length, tolerance,
                                    gradient, precision == "float", direct, check)
    if not direct and max(errors) > tolerance:
        _warnings.warn(f"the tolerance is not reached: the error is {max(errors):.3g}", stacklevel=2)
    return (sums, gradients) if gradient else sums
