// OpenBLAS's LAPACK for complex matrices, on the CPU.
#pragma once

#include "solvers/dense/lu/lu.h"

namespace tl {

/// getrf: the matrix in factors.lu becomes its factors; sets factors.swaps.
template <class T>
void lapack_getrf(LuFactors<Complex<T>>& factors);
/// gesv: A is overwritten by its factors, B by the solution. Returns -1, or the first column,
/// counted from 0, whose pivot is zero: B is then not solved.
template <class T>
[[nodiscard]] int lapack_gesv(MatrixView<Complex<T>> a, MatrixView<Complex<T>> b);
/// geev of one matrix, row by row, in host memory. Writes n eigenvalues, and unless `vectors` is
/// null an n x n matrix, row by row, whose columns are eigenvectors. Returns whether it converged.
template <class T>
[[nodiscard]] bool lapack_geev(int n, const Complex<T>* a, Complex<T>* values, Complex<T>* vectors);

}  // namespace tl
