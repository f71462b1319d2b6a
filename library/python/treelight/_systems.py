"""Systems of polynomial equations, solved for many parameters."""
import os as _os
import threading as _threading
import typing as _typing
import warnings as _warnings

import numpy as _numpy

from ._treelight import _System


class Solutions(_typing.NamedTuple):
    """Real solutions of instances of a system, the result of System.solve()."""
    values: _numpy.ndarray  #: (instances, solutions, unknowns); the rest of each instance is NaN
    counts: _numpy.ndarray  #: number of solutions of each instance


class FittedModel(_typing.NamedTuple):
    """Model of measurements with outliers, the result of System.ransac().

        >>> system = treelight.System('''
        ...     system line
        ...     unknowns a b
        ...     parameters x1 y1 x2 y2
        ...     equations a*x1 + b - y1
        ...     equations a*x2 + b - y2
        ...     measurement x y
        ...     residual a*x + b - y''')
        >>> model = system.ransac([[0, 1], [1, 3], [2, 5], [3, 7], [4, -20]], bound=0.1)
        >>> model.unknowns.round(6), model.inliers
        (array([2., 1.]), array([ True,  True,  True,  True, False]))
    """
    unknowns: _numpy.ndarray  #: in the order of System.info["unknowns"]
    inliers: _numpy.ndarray  #: whether each measurement fits
    info: dict  #: inliers and rms of their errors; samples, solved ones, models tested; left_out


def _equations_text(equations):
    """Returns the text of a system, which a path is read for."""
    if not isinstance(equations, _os.PathLike):
        return equations
    with open(equations, encoding="utf-8") as file:
        return file.read()


class System:
    """System of polynomial equations whose coefficients depend on parameters, with a solver that is
    generated and compiled for it once.

        >>> system = treelight.System('''
        ...     system circles
        ...     unknowns x y
        ...     parameters a r
        ...     equations (x - a)^2 + y^2 - r^2
        ...     equations x^2 + y^2 - 1''')
        >>> values, counts = system.solve([[0.5, 1.0], [3.0, 1.0]])
        >>> counts
        array([2, 0], dtype=int32)

    equations: the text (docs/algorithms/pose.md describes its language), or a pathlib.Path of a file
    of it. action: the action variable, in place of the text's. The compiler is c++, or the
    environment's CXX; the compiled solver is kept in ~/.cache/treelight ($XDG_CACHE_HOME). progress:
    as for Scene; Ctrl+C ends the call. Raises ValueError for an error in the text, with its line, and
    treelight.Error if the system has infinitely many solutions, takes too long or is not compiled."""

    def __init__(self, equations, action=None, progress=None):
        self._system = _System(_equations_text(equations), action or "", progress)
        about = self._about = self._system.about()
        if about["warning"]:
            _warnings.warn(about["warning"], stacklevel=2)

    @property
    def info(self):
        """Dictionary: name; unknowns, a list of names; parameters, the numbers of an instance;
        solutions, the largest number of an instance; columns of a measurement; summary of the elimination template; warning
        about multiple solutions, or ""; path of the compiled solver; is_new, whether it was compiled
        for this object."""
        return dict(self._about)

    def solve(self, instances=None, progress=None, device="cpu", mode="auto"):
        """Solves instances. instances: an array of shape (instances, parameters), matrices row by
        row; None for a system without parameters. Returns Solutions, each instance's in rising order
        of the unknowns. Instances that are not finite, or for which the system is singular, have
        none. progress: as for Scene; Ctrl+C ends the call.

        device: "cpu", "cuda" or "auto". mode: "threads" of the CPU; "kernel", a thread or a warp of
        the GPU for each instance, which nvcc compiles once; "hybrid", multiplication matrices and
        solutions by the CPU, their eigenvectors by the device; "auto", threads on the CPU, and on a
        GPU kernel where it is compiled, or for 4096 instances and more where nvcc is found, else
        hybrid. Results agree to rounding. progress must not solve the same system."""
        if instances is None:
            instances = _numpy.empty((1, 0))
        return Solutions(*self._system.solve(instances, device, mode, progress))

    def ransac(self, measurements, bound=1.0, confidence=0.999, most_samples=100_000, seed=0,
               progress=None, device="cpu", mode="auto"):
        """Fits a model to measurements of which many may be outliers, by RANSAC with the system as
        the solver of minimal samples, and least squares over the inliers. The text needs a line
        "measurement", and "residual" or "distance" (docs/algorithms/pose.md). measurements: an array
        of shape (measurements, columns). bound: the largest error of an inlier. confidence: the
        probability that a sample had no outlier; most_samples: the limit. Returns FittedModel.
        Raises treelight.Error if no model fits more measurements than its sample. Other parameters
        are those of solve()."""
        return FittedModel(*self._system.ransac(measurements, bound, confidence, most_samples, seed,
                                                device, mode, progress))

    def __repr__(self):
        return f"<treelight.System {self._about['name']!r} of {', '.join(self._about['unknowns'])}>"


_systems = {}
_lock = _threading.Lock()


def solve_system(equations, instances=None, action=None, progress=None, device="cpu",
                 mode="auto"):
    """Solves a system of polynomial equations for many parameters. Returns Solutions: values of shape
    (instances, solutions, unknowns), and counts. The solver is generated and compiled by the first
    call with these equations and kept for later ones. Parameters are those of System and of its
    solve(), as are the errors.

        >>> values, counts = treelight.solve_system(
        ...     "system root\\nunknowns x\\nparameters a\\nequations x^2 - a", [[4.0], [-1.0]])
        >>> values[0]
        array([[-2.],
               [ 2.]])
    """
    text = _equations_text(equations)
    with _lock:
        system = _systems.get((text, action))
    if system is None:
        system = System(text, action, progress)
        with _lock:
            _systems[text, action] = system
    return system.solve(instances, progress, device, mode)
