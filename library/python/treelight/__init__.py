"""Treelight's pictures of scenes, dense linear algebra, poses of cameras and sums over all pairs of
points, on the CPU or an NVIDIA GPU.

Scenes are opened from files and rendered to NumPy arrays:

    >>> import treelight
    >>> scene = treelight.Scene("scenes/cornell-box.toml")
    >>> picture = treelight.render(scene, renderer="path", width=640, height=480, spp=64)
    >>> for picture in treelight.render_frames(scene, turntable=60): ...

Functions of matrices take and return NumPy arrays and wait for their result:

    >>> import numpy, treelight
    >>> u, s, vt = treelight.svd(numpy.random.rand(500, 300))

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
import operator as _operator
import os as _os
import threading as _threading
import typing as _typing
import warnings as _warnings

import numpy as _numpy

from ._treelight import (Cancelled, Error, Matrix, Queue, __version__, _estimate_pose, _fmm, _Scene,
                         _Sequence, devices)

__all__ = ["Cancelled", "Error", "Frames", "LU", "Matrix", "Pose", "Queue", "Scene", "devices",
           "eig", "eigvals", "fmm", "inv", "low_rank", "lstsq", "lu", "matmul", "matrix_rank", "pinv", "pose",
           "render", "render_frames", "rref", "solve", "svd", "svdvals"]


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


def svd(a, device="auto"):
    """Singular value decomposition a = u @ diag(s) @ vt. Returns (u, s, vt); s has min(a.shape)
    values, descending."""
    u, s, v = _upload(a, device).svd()
    _read(u, s, v)
    return u.numpy(), _vector(s), v.numpy().T


def svdvals(a, device="auto"):
    """Singular values, descending."""
    return _vector(_upload(a, device).svdvals())


def eig(a, device="auto"):
    """Eigenvalues and eigenvectors of a square matrix of up to 1024 rows. Returns (values, vectors)
    with a @ vectors = vectors * values. Columns of vectors have length 1. Both arrays are real if
    all eigenvalues are."""
    values, vectors = _upload(a, device).eig()
    _read(values, vectors)
    values, vectors = values.numpy(), vectors.numpy()
    if not values[:, 1].any():
        return values[:, 0], vectors[:, 0::2]
    return values[:, 0] + 1j * values[:, 1], vectors[:, 0::2] + 1j * vectors[:, 1::2]


def eigvals(a, device="auto"):
    """Eigenvalues of a square matrix of up to 1024 rows; a real array if all are real."""
    values = _upload(a, device).eigvals().numpy()
    return values[:, 0] + 1j * values[:, 1] if values[:, 1].any() else values[:, 0]


def lu(a, device="auto"):
    """PLU factorisation. Returns (p, l, u) with a[p] = l @ u; l has a unit diagonal."""
    lower, upper, order = _upload(a, device).lu()
    _read(lower, upper, order)
    return _vector(order).astype(_numpy.intp), lower.numpy(), upper.numpy()


class LU:
    """PLU factorisation of a square matrix, kept on the device for many right-hand sides:

        factors = treelight.LU(a)
        x = factors.solve(b)                        # a @ x = b
        y = factors.solve(b, transposed=True)       # a.T @ y = b

    Nothing is computed again but two triangular solves."""

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
        """Solves a @ x = b, or a.T @ x = b, for one right-hand side, or for several as columns of b."""
        b = _numpy.asarray(b)
        right = _upload(b.astype(self._kind, copy=False), self._device)
        x = self._packed.lu_solve(self._order, right, transposed).numpy()
        return x[:, 0] if b.ndim == 1 else x

    def __repr__(self):
        rows, columns = self._packed.shape
        return f"<treelight.LU of {rows} x {columns} on {self._device}>"


def rref(a, device="auto"):
    """Reduced row echelon form. Returns (r, pivots): pivots are column indices, as many as the rank."""
    r, pivots = _upload(a, device).rref()
    _read(r, pivots)
    columns = _vector(pivots).astype(_numpy.intp)
    return r.numpy(), columns[columns >= 0]


def solve(a, b, device="auto"):
    """Solves a @ x = b for one right-hand side, or for several as columns of b. Returns x."""
    b = _numpy.asarray(b)
    kind = _numpy.float32 if _numpy.asarray(a).dtype == _numpy.float32 else _numpy.float64
    right = _upload(b.astype(kind, copy=False), device)
    x = _upload(a, device).solve(right).numpy()
    return x[:, 0] if b.ndim == 1 else x


def inv(a, device="auto"):
    """Inverse of a square matrix."""
    return _upload(a, device).inverse().numpy()


def _ratio(rcond):
    return -1.0 if rcond is None else float(rcond)


def lstsq(a, b, rcond=None, device="auto"):
    """Least squares: of all x for which the norm of a @ x - b is least, that of least norm. Returns
    (x, rank). Singular values up to rcond times the largest count as zero; None: max(a.shape) eps."""
    b = _numpy.asarray(b)
    kind = _numpy.float32 if _numpy.asarray(a).dtype == _numpy.float32 else _numpy.float64
    right = _upload(b.astype(kind, copy=False), device)
    x, rank = _upload(a, device).lstsq(right, _ratio(rcond))
    x = x.numpy()
    return x[:, 0] if b.ndim == 1 else x, int(rank.numpy()[0, 0])


def pinv(a, rcond=None, device="auto"):
    """Pseudo-inverse (Moore-Penrose). rcond: as for lstsq()."""
    return _upload(a, device).pinv(_ratio(rcond))[0].numpy()


def matrix_rank(a, rcond=None, device="auto"):
    """Number of singular values above rcond times the largest; None: max(a.shape) eps."""
    return int(_upload(a, device).rank(_ratio(rcond)).numpy()[0, 0])


def low_rank(a, rank, device="auto"):
    """Nearest matrix of at most that rank, in Frobenius and 2-norm. Returns (nearest, error); error is
    the Frobenius norm of a - nearest over that of a."""
    nearest, error = _upload(a, device).low_rank(rank)
    return nearest.numpy(), float(error.numpy()[0, 0])


def matmul(a, b, device="auto"):
    """Product of two matrices."""
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


_POSE_KINDS = ["relative", "relative-focal", "absolute", "absolute-focal"]


def pose(matches, kind="relative", camera=(1.0, 1.0, 0.0, 0.0), threshold=1.0, confidence=0.999,
         samples=4_000_000, seed=0, device="auto"):
    """Estimates the pose of a camera by RANSAC, from matches of which many may be outliers. Returns
    a Pose.

    kind: "relative" for two views, with rows x1, y1, x2, y2 of matches, or "absolute" for a view of
    known points, with rows x, y, X, Y, Z; "relative-focal" and "absolute-focal" also estimate the
    focal length. camera: fx, fy, cx, cy in pixels. threshold: largest error of an inlier, pixels.
    confidence: required probability that one minimal sample had no outlier. samples: largest number
    of minimal samples. Equal seeds give equal poses."""
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
    precision "single"; at `check` targets it is measured against direct sums, and a warning tells
    where it is not reached. direct: sums all pairs one by one."""
    if precision not in ("single", "double"):
        raise ValueError(f"unknown precision {precision!r}; known: single, double")
    sums, gradients, *errors = _fmm(device, points, weights, targets, kernel, length, tolerance,
                                    gradient, precision == "single", direct, check)
    if not direct and max(errors) > tolerance:
        _warnings.warn(f"the tolerance is not reached: the error is {max(errors):.3g}", stacklevel=2)
    return (sums, gradients) if gradient else sums


def _text(value):
    """Formats the value of a setting as on the command line."""
    if isinstance(value, (bool, _numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, _numpy.ndarray)):
        return ",".join(str(float(number)) for number in value)
    return str(value)


def _texts(settings):
    """Returns pairs of flag name and text; omits settings that are None."""
    return [(name.replace("_", "-"), _text(value)) for name, value in settings.items()
            if value is not None]


class Scene:
    """Scene opened from a scene file, a model of any format that the program reads,
    "generate:NAME[,key=value...]" or "model:NAME".

    environment: .hdr or .exr file that replaces the scene's environment map. allow_outside: lets the
    scene read files outside of its folder. progress: function called with the name of the current
    phase and its fraction done, 0 to 1; a true result cancels the call with treelight.Cancelled."""

    def __init__(self, path, environment=None, allow_outside=False, progress=None):
        environment = None if environment is None else _os.fspath(environment)
        settings = {"environment": environment, "allow-outside": allow_outside}
        self._scene = _Scene(_os.fspath(path), _texts(settings), progress)
        self.path = _os.fspath(path)

    @property
    def info(self):
        """Dictionary of the scene's properties: numbers of triangles, patches, spheres, splats and
        Gaussians that rays can hit; bounds (lower, upper) of all geometry at the start of the motion;
        offset of the file's coordinates; eye, target, up and fov (degrees) of the camera; duration
        (seconds) after which all motion repeats, 0 for none."""
        return self._scene.about()

    @property
    def warnings(self):
        """Warnings about unused parts of the scene's files and about geometry that slows its trees."""
        return self._scene.warnings()

    def cancel(self):
        """Cancels render() of this scene in another thread, and all Frames that render_frames() has
        made so far. The calls there raise treelight.Cancelled."""
        self._scene.cancel()

    def __repr__(self):
        return f"treelight.Scene({self.path!r})"


def render(scene, renderer=None, width=1280, height=720, spp=64, device="auto", seed=0, eye=None,
           target=None, up=None, fov=None, alpha=False, progress=None, **settings):
    """Renders a Scene as `treelight render` does. Returns linear radiance as a float32 array of
    shape (height, width, 3), row 0 at the top.

    spp: samples per pixel. Equal seeds give equal pictures. eye, target, up: three numbers each; fov:
    degrees. alpha: adds a fourth channel, which is 1. progress: as for Scene. settings: any other
    flag of the command line by its name with underscores, such as builder="lbvh", time=0.5 or
    whitted_max_depth=4. Settings omitted or None have the value of the scene's file, else the
    default. Ctrl+C ends the call between samples."""
    settings = {"renderer": renderer, "spp": spp, "device": device, "seed": seed, "eye": eye,
                "target": target, "up": up, "fov": fov} | settings
    return scene._scene.render(width, height, 4 if alpha else 3, _texts(settings), progress)


class Frames:
    """Frames of a sequence planned by render_frames(). Iteration renders one frame after the other;
    `frames[k]` renders frame k of the list. Each is an array as render() returns it. Frames are
    rendered on access and not stored. info: list of dictionaries with the number of each frame, the
    time (seconds) of the scene's motion, and eye, target, up and fov (degrees) of the camera."""

    def __init__(self, scene, settings, stride, shape, progress):
        self._scene = scene
        self._sequence = _Sequence(scene._scene, settings)
        self._indices = range(0, self._sequence.count(), stride)
        self._shape = shape
        self._progress = progress

    @property
    def info(self):
        return [self._sequence.about(index) for index in self._indices]

    def __len__(self):
        return len(self._indices)

    def __getitem__(self, k):
        return self._render(_operator.index(k), self._progress)

    def __iter__(self):
        for k in range(len(self)):
            yield self._render(k, self._share_of_all(k))

    def __repr__(self):
        return f"<{len(self)} frames of {self._scene!r}>"

    def _render(self, k, progress):
        height, width, channels = self._shape
        return self._sequence.render(self._indices[k], width, height, channels, progress)

    def _share_of_all(self, n_done):
        """Returns a progress function for one frame that reports the fraction of all frames."""
        def told(what, share):
            return self._progress("frames", (n_done + (share if what == "samples" else 0)) / len(self))
        return self._progress and told


def render_frames(scene, frames=None, fps=30.0, camera_path=None, bookmark_seconds=None,
                  turntable=None, renderer=None, width=1280, height=720, spp=64, device="auto",
                  seed=0, eye=None, target=None, up=None, fov=None, alpha=False, progress=None,
                  **settings):
    """Plans a sequence of pictures of a Scene as `treelight render --frames` does. Returns Frames,
    which are rendered during iteration:

        for picture in treelight.render_frames(scene, frames=range(0, 90), fps=30, spp=16):
            video.write(picture)

    frames: number of frames, or an ascending range of frame numbers. fps: frame K shows the scene at
    `time` + K / fps. The camera stands still unless one of these moves it: camera_path, a file of
    cameras with times; bookmark_seconds, the time from each bookmark of the scene's file to the next;
    turntable, the number of frames of one turn about the target, which is also the number of frames
    if `frames` is None. Other parameters are those of render(). Each frame equals the picture that
    the program writes, in any order of access. progress: as for Scene; during iteration it receives
    the fraction of all frames. Ctrl+C and Scene.cancel() end the sequence."""
    stride = 1
    if frames is not None:
        numbers = frames if isinstance(frames, range) else range(_operator.index(frames))
        if len(numbers) == 0 or numbers.step < 0:
            raise ValueError(f"frames wants a number from 1, or a range that rises, not {frames!r}")
        frames, stride = f"{numbers[0]}:{numbers[-1]}", numbers.step
    settings = {"frames": frames, "fps": fps, "bookmark_seconds": bookmark_seconds,
                "camera_path": None if camera_path is None else _os.fspath(camera_path),
                "turntable": turntable, "renderer": renderer, "spp": spp, "device": device,
                "seed": seed, "eye": eye, "target": target, "up": up, "fov": fov} | settings
    return Frames(scene, _texts(settings), stride, (height, width, 4 if alpha else 3), progress)
