"""Treelight's pictures of scenes, dense linear algebra and poses of cameras, on the CPU or an NVIDIA
GPU.

Scenes are opened from files and rendered to NumPy arrays:

    >>> import treelight
    >>> scene = treelight.Scene("scenes/cornell-box.toml")
    >>> picture = treelight.render(scene, renderer="path", width=640, height=480, spp=64)
    >>> for picture in treelight.render_frames(scene, turntable=60): ...

Functions of matrices take and return NumPy arrays and wait for their result:

    >>> import numpy, treelight
    >>> u, s, vt = treelight.svd(numpy.random.rand(500, 300))

A Queue works beside Python instead. Its operations return at once; their results are matrices that
may not exist yet, and can be operands all the same:

    >>> queue = treelight.Queue()
    >>> a = queue.upload(numpy.random.rand(1000, 1000))
    >>> d = (a @ a + a) / 2         # returns at once
    >>> d.read()                    # starts to copy it back
    >>> array = d.numpy()           # waits for it

Errors are exceptions where a result is waited for: treelight.Error where the solver could not do it
(a singular matrix), ValueError where operands or values do not fit, LookupError for what there is
not, OSError for a file that is missing or faulty, MemoryError, TimeoutError and treelight.Cancelled.
"""
import atexit as _atexit
import contextlib as _contextlib
import operator as _operator
import os as _os
import threading as _threading
import typing as _typing

import numpy as _numpy

from ._treelight import (Cancelled, Error, Matrix, Queue, __version__, _estimate_pose, _Scene,
                         _Sequence, devices)

__all__ = ["Cancelled", "Error", "Frames", "Matrix", "Pose", "Queue", "Scene", "devices", "eig",
           "eigvals", "inv", "lu", "matmul", "pose", "render", "render_frames", "rref", "solve",
           "svd", "svdvals"]


def _to_numpy(self, seconds=-1.0):
    """The matrix as an array over the memory that it was read to, without a copy. Waits for it up
    to that many seconds; below 0: for ever."""
    array = getattr(self, "_kept", None)
    if array is None:
        array = self._kept = self._array(seconds)
    return array


def _to_array(self, dtype=None, copy=None):
    array = _to_numpy(self)
    return array if dtype is None or array.dtype == dtype else array.astype(dtype)


def _batch(self):
    """Holds the queue back within a `with` block, so that chains are fused as a whole."""
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
# NumPy leaves `array + matrix` to the matrix, which refuses it by name.
Matrix.__array_ufunc__ = None
Queue.batch = _batch

_queues = {}
_lock = _threading.Lock()
_atexit.register(_queues.clear)


def _upload(array, device):
    """The array on the queue of a device that the functions share."""
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
    """Singular value decomposition a = u @ diag(s) @ vt, with as many values as the smaller extent
    of a, descending. Returns (u, s, vt)."""
    u, s, v = _upload(a, device).svd()
    _read(u, s, v)
    return u.numpy(), _vector(s), v.numpy().T


def svdvals(a, device="auto"):
    """Singular values, descending."""
    return _vector(_upload(a, device).svdvals())


def eig(a, device="auto"):
    """Eigenvalues and eigenvectors of a square matrix of up to 1024 rows: (values, vectors), with
    a @ vectors = vectors * values, vectors of length 1 in columns; real where all values are."""
    values, vectors = _upload(a, device).eig()
    _read(values, vectors)
    values, vectors = values.numpy(), vectors.numpy()
    if not values[:, 1].any():
        return values[:, 0], vectors[:, 0::2]
    return values[:, 0] + 1j * values[:, 1], vectors[:, 0::2] + 1j * vectors[:, 1::2]


def eigvals(a, device="auto"):
    """Eigenvalues of a square matrix of up to 1024 rows; real where all are."""
    values = _upload(a, device).eigvals().numpy()
    return values[:, 0] + 1j * values[:, 1] if values[:, 1].any() else values[:, 0]


def lu(a, device="auto"):
    """PLU factorisation: (p, l, u) with a[p] = l @ u, l with ones on its diagonal."""
    lower, upper, order = _upload(a, device).lu()
    _read(lower, upper, order)
    return _vector(order).astype(_numpy.intp), lower.numpy(), upper.numpy()


def rref(a, device="auto"):
    """Reduced row echelon form: (r, pivots), the columns of its pivots; their number is the rank."""
    r, pivots = _upload(a, device).rref()
    _read(r, pivots)
    columns = _vector(pivots).astype(_numpy.intp)
    return r.numpy(), columns[columns >= 0]


def solve(a, b, device="auto"):
    """x with a @ x = b, for one right side or several in columns."""
    b = _numpy.asarray(b)
    kind = _numpy.float32 if _numpy.asarray(a).dtype == _numpy.float32 else _numpy.float64
    right = _upload(b.astype(kind, copy=False), device)
    x = _upload(a, device).solve(right).numpy()
    return x[:, 0] if b.ndim == 1 else x


def inv(a, device="auto"):
    """The inverse of a square matrix."""
    return _upload(a, device).inverse().numpy()


def matmul(a, b, device="auto"):
    """The product of two matrices."""
    return (_upload(a, device) @ _upload(b, device)).numpy()


class Pose(_typing.NamedTuple):
    """What pose() found: a point X of the first camera, or of the world, is at rotation @ X +
    translation in the view."""
    rotation: _numpy.ndarray     #: 3 x 3
    translation: _numpy.ndarray  #: 3; of length 1 between two views
    focal: float                 #: pixels; 1 where it was given
    essential: _numpy.ndarray    #: 3 x 3, of Frobenius norm 1; 0 where there is one view
    inliers: _numpy.ndarray      #: for each match whether it fits
    rms: float                   #: of the inliers' errors, pixels
    doubt: str                   #: what makes the pose doubtful, in words; "" for nothing


_POSE_KINDS = ["relative", "relative-focal", "absolute", "absolute-focal"]


def pose(matches, kind="relative", camera=(1.0, 1.0, 0.0, 0.0), threshold=1.0, confidence=0.999,
         samples=4_000_000, seed=0, device="auto"):
    """Estimates the pose of a camera from matches of which many may be wrong, by RANSAC, and
    returns a Pose.

    kind: "relative" for two views, with matches x1, y1, x2, y2 in rows, or "absolute" for a view of
    known points, with x, y, X, Y, Z; "relative-focal" and "absolute-focal" where the focal length
    is to be found as well. camera: fx, fy, cx, cy in pixels. threshold: the largest error of an
    inlier, pixels. confidence: that one of the samples had no outlier. samples: drawn at most.
    Equal seeds give equal poses."""
    if kind not in _POSE_KINDS:
        raise ValueError(f"unknown kind of pose {kind!r}; known: {', '.join(_POSE_KINDS)}")
    fx, fy, cx, cy = camera
    return Pose(*_estimate_pose(device, _POSE_KINDS.index(kind), _numpy.asarray(matches), fx, fy,
                                cx, cy, threshold, confidence, samples, seed))


def _text(value):
    """A setting's value as the command line has it."""
    if isinstance(value, (bool, _numpy.bool_)):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, _numpy.ndarray)):
        return ",".join(str(float(number)) for number in value)
    return str(value)


def _texts(settings):
    """Settings by name and text, without those that are None."""
    return [(name.replace("_", "-"), _text(value)) for name, value in settings.items()
            if value is not None]


class Scene:
    """A scene that was opened from a file: a scene file, a model of any format that the program
    reads, "generate:NAME[,key=value...]" or "model:NAME".

    environment: the .hdr or .exr file of a map in place of the scene's own. allow_outside: lets the
    scene read files outside of its folder. progress: a function of what is being done and the share
    of it that is done, 0 to 1; what it returns, if true, ends the call with treelight.Cancelled."""

    def __init__(self, path, environment=None, allow_outside=False, progress=None):
        environment = None if environment is None else _os.fspath(environment)
        settings = {"environment": environment, "allow-outside": allow_outside}
        self._scene = _Scene(_os.fspath(path), _texts(settings), progress)
        self.path = _os.fspath(path)

    @property
    def info(self):
        """The numbers of triangles, patches, spheres, splats and Gaussians that rays can meet;
        bounds (lower, upper) of all geometry where it starts, and the offset that the file's
        coordinates have; eye, target, up and fov (degrees) of the camera; and the duration (seconds)
        after which all motion repeats, 0 for none."""
        return self._scene.about()

    @property
    def warnings(self):
        """Lines about what could not be used of the scene's files, or makes its trees slow."""
        return self._scene.warnings()

    def cancel(self):
        """Ends the render() of this scene that is in progress in another thread, and all Frames that
        render_frames() has made so far, with treelight.Cancelled there."""
        self._scene.cancel()

    def __repr__(self):
        return f"treelight.Scene({self.path!r})"


def render(scene, renderer=None, width=1280, height=720, spp=64, device="auto", seed=0, eye=None,
           target=None, up=None, fov=None, alpha=False, progress=None, **settings):
    """Renders a Scene as `treelight render` does, and returns linear radiance as a float32 array of
    shape (height, width, 3), row 0 at the top.

    spp: samples a pixel. Equal seeds give equal pictures. eye, target, up: three numbers each; fov:
    degrees. alpha: a fourth channel, which is 1. progress: as for Scene. settings: whatever else the
    command line has a flag for, by its name with underscores: builder="lbvh", time=0.5,
    whitted_max_depth=4. What is left open, or None, is as the scene's file says, else the default.
    Ctrl+C ends the call between frames."""
    settings = {"renderer": renderer, "spp": spp, "device": device, "seed": seed, "eye": eye,
                "target": target, "up": up, "fov": fov} | settings
    return scene._scene.render(width, height, 4 if alpha else 3, _texts(settings), progress)


class Frames:
    """The frames of a sequence, as render_frames() makes it. Iterating renders one after the other,
    `frames[k]` the one at that place, each as an array like that of render(); nothing is rendered
    before, nor kept. info: for each frame its number, the time (seconds) of the scene's motion, and
    eye, target, up and fov (degrees) of the camera."""

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
        """Who is told while a frame is rendered, of all frames."""
        def told(what, share):
            return self._progress("frames", (n_done + (share if what == "samples" else 0)) / len(self))
        return self._progress and told


def render_frames(scene, frames=None, fps=30.0, camera_path=None, bookmark_seconds=None,
                  turntable=None, renderer=None, width=1280, height=720, spp=64, device="auto",
                  seed=0, eye=None, target=None, up=None, fov=None, alpha=False, progress=None,
                  **settings):
    """Plans a sequence of pictures of a Scene as `treelight render --frames` does, and returns
    Frames, which are rendered as they are iterated over:

        for picture in treelight.render_frames(scene, frames=range(0, 90), fps=30, spp=16):
            video.write(picture)

    frames: how many, or the numbers of those to render, as a range of rising ones. fps: frame K shows
    the scene at `time` + K / fps. The camera stays, unless one of these moves it: camera_path, a file
    of cameras with times; bookmark_seconds, from each bookmark of the scene's file to the next;
    turntable, the number of frames (all, if frames is left open) in which it turns once about its
    target. Everything else is as for render(). Each frame is the picture that the program writes for
    it, in whatever order they are rendered. progress: as for Scene; while Frames are iterated over it
    is told the share of all frames. Ctrl+C and Scene.cancel() end the sequence."""
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
