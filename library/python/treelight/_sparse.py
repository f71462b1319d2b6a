"""Sparse linear systems."""
import warnings as _warnings

import numpy as _numpy

from ._treelight import _solve_sparse


def _indices(array):
    """Returns indices as 32-bit integers. Raises ValueError where one does not fit."""
    array = _numpy.asarray(array)
    if array.size and (array.min() < 0 or array.max() > 2**31 - 1):
        raise ValueError("a sparse matrix has at most 2^31 - 1 entries, and indices from 0")
    return array.astype(_numpy.int32)


def solve_sparse(a, b, method="auto", preconditioner="auto", tolerance=0.0, max_iterations=10000,
                 precision="double", device="auto"):
    """Solves a @ x = b for a square sparse matrix, by conjugate gradients or BiCGSTAB. Returns x of
    the shape of b, (n,) or (n, sides).

    a: a matrix or array of scipy.sparse, or (values, columns, starts) of its rows: the entries of
    row i are those from starts[i] to starts[i + 1], with n + 1 starts. method: "auto", "cg" for
    symmetric positive definite matrices, or "bicgstab". preconditioner: "auto", "none", "jacobi",
    "ilu0" or "amg". tolerance: largest norm of b - a @ x over that of b; 0: 1e-8, or 1e-5 for
    precision "float". Warns where it is not reached, with the reason. Raises ValueError for input
    that does not fit, and treelight.Error where the method or preconditioner is not possible.

        >>> x = treelight.solve_sparse(([2.0, -1.0, 2.0], [0, 0, 1], [0, 1, 3]), [2.0, 1.0])
        >>> x.round(6)
        array([1., 1.])
    """
    if precision not in ("double", "float"):
        raise ValueError(f"unknown precision {precision!r}; known: float, double")
    if hasattr(a, "tocsr"):
        if a.shape[0] != a.shape[1]:
            raise ValueError(f"the matrix is {a.shape[0]}x{a.shape[1]}, but has to be square")
        rows = a.tocsr()
        a = rows.data, rows.indices, rows.indptr
    values, columns, starts = a
    b = _numpy.asarray(b, dtype=float)
    x, _, _, fault = _solve_sparse(device, values, _indices(columns), _indices(starts),
                                   b.reshape(-1, 1) if b.ndim == 1 else b, method, preconditioner,
                                   precision == "float", tolerance, max_iterations)
    if fault:
        _warnings.warn(fault, stacklevel=2)
    return x[:, 0] if b.ndim == 1 else x
