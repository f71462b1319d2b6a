"""Scenes, and pictures and sequences of them."""
import operator as _operator
import os as _os

import numpy as _numpy

from ._treelight import _Scene, _Sequence


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
    phase and its fraction done, 0 to 1; a true result cancels the call with treelight.Cancelled.
    Raises OSError for a file that is missing or faulty.

        >>> scene = treelight.Scene("generate:blob,triangles=500")
        >>> scene.info["spheres"], scene.warnings
        (0, [])
    """

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

    spp: samples per pixel. device: as of the command line; a list such as "cuda:0,cuda:1" or
    "cuda:all" shares the picture. Equal seeds give equal pictures. eye, target, up: three numbers each; fov:
    degrees. alpha: adds a fourth channel, which is 1. progress: as for Scene. settings: any other
    flag of the command line by its name with underscores, such as builder="lbvh", time=0.5 or
    whitted_max_depth=4. Settings omitted or None have the value of the scene's file, else the
    default. Ctrl+C ends the call between samples. Raises LookupError for an unknown renderer or
    setting, ValueError for a value out of range.

        >>> scene = treelight.Scene("generate:blob,triangles=500")
        >>> treelight.render(scene, width=8, height=6, spp=1).shape
        (6, 8, 3)
    """
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
    the fraction of all frames. Ctrl+C and Scene.cancel() end the sequence.

        >>> scene = treelight.Scene("generate:blob,triangles=500")
        >>> frames = treelight.render_frames(scene, turntable=3, width=8, height=6, spp=1)
        >>> len(frames), frames[1].shape
        (3, (6, 8, 3))
    """
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
