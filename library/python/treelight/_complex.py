"""Complex matrices, for the functions of the package that take them beside real ones. All return
arrays of complex64 if the first matrix is in single precision, otherwise of complex128."""
import numpy as _numpy

from ._treelight import (Error, _complex_eig_batch_double, _complex_eig_batch_float,
                         _complex_lu_double, _complex_lu_float, _complex_solve_double,
                         _complex_solve_float, _complex_svd_double, _complex_svd_float)


def is_complex(*arrays):
    """Whether one of the arrays is complex."""
    return any(array.dtype.kind == "c" for array in arrays)


def _is_single(a):
    return a.dtype == _numpy.float32 or a.dtype == _numpy.complex64


def _columns(a, single):
    """Returns the array as a complex matrix, column by column; one of shape (n,) as a column."""
    a = _numpy.asarray(a, _numpy.complex64 if single else _numpy.complex128, order="F")
    return a[:, None] if a.ndim == 1 else a


def svd(a, device, vectors=True):
    """Returns (u, s, vt), or s alone."""
    single = _is_single(a)
    solve = _complex_svd_float if single else _complex_svd_double
    u, s, v = solve(device, _columns(a, single), vectors)
    return (u, s, v.conj().T) if vectors else s


def solve(a, b, device):
    """Returns x of a @ x = b, of the shape of b."""
    single = _is_single(a)
    solve = _complex_solve_float if single else _complex_solve_double
    x = solve(device, _columns(a, single), _columns(b, single))
    return x[:, 0] if b.ndim == 1 else x


def lu(a, device):
    """Returns (p, l, u) with a[p] = l @ u."""
    single = _is_single(a)
    factorise = _complex_lu_float if single else _complex_lu_double
    packed, order = factorise(device, _columns(a, single))
    k = min(packed.shape)
    lower = _numpy.tril(packed[:, :k], -1)
    _numpy.fill_diagonal(lower, 1)
    return order.astype(_numpy.intp), lower, _numpy.triu(packed[:k])


def eig_solver(a):
    """Returns the function that solves batches of the numbers of a complex array."""
    return _complex_eig_batch_float if _is_single(a) else _complex_eig_batch_double


def eig(a, device, vectors=True):
    """Returns (values, vectors) of one matrix, or values alone."""
    if a.ndim != 2 or a.shape[0] != a.shape[1]:
        shape = "x".join(str(extent) for extent in a.shape)
        raise ValueError(f"eig: the matrix is {shape}, but only square ones have eigenvalues")
    *results, failures = eig_solver(a)(device, a[None], vectors, None)
    if failures[0]:
        raise Error("eig: an element of the matrix is not finite" if failures[0] == 2 else
                    "eig: the eigenvalues did not converge")
    return (results[0][0], results[1][0]) if vectors else results[0][0]
