// OpenBLAS's LAPACK for complex matrices, on the CPU.
#pragma once

#include "solvers/complex/complex_eigen.h"
#include "solvers/complex/complex_svd.h"
#include "solvers/dense/lu/lu.h"

namespace tl {

/// getrf: the matrix in factors.lu becomes its factors.
template <class T>
void lapack_getrf(LuFactors<Complex<T>>& factors);
/// gesv: A and B are overwritten, B by the solution. Returns the first column, counted from 0,
/// whose pivot is zero, or -1.
template <class T>
[[nodiscard]] int lapack_gesv(MatrixView<Complex<T>> a, MatrixView<Complex<T>> b);
/// gesdd: A is overwritten.
template <class T>
[[nodiscard]] ComplexSvd<T> lapack_gesdd(Stream& stream, MatrixView<Complex<T>> a,
                                         const SvdRequest& request);
/// geev of one matrix, row by row, in host memory. Writes n eigenvalues, and n x n elements of
/// vectors in columns, row by row, unless `vectors` is null. Returns whether it converged.
template <class T>
[[nodiscard]] bool lapack_geev(int n, const Complex<T>* a, Complex<T>* values, Complex<T>* vectors);

}  // namespace tl
