// Singular value decompositions A = U diag(values) V^H of complex matrices of floats or doubles, on
// both devices.
#pragma once

#include <string>
#include <vector>

#include "solvers/dense/complex.h"
#include "solvers/svd/svd.h"

namespace tl {

/// A decomposition with complex vectors, in the columns of u and v; otherwise as SvdResult.
template <class T>
struct ComplexSvd {
    Matrix<Complex<T>> u, v;
    std::vector<double> values;
    std::vector<StageTime> stages;
    std::string mode;
};

/// The mode, of the CPU alone, in which gesdd decomposes the complex matrix itself. As a mode of
/// real solvers it has the same name.
inline constexpr const char* kComplexGesdd = "lapack-gesdd";

/// Decomposes `a`, which is not modified, by `solver`: the real matrix [Re A, -Im A; Im A, Re A]
/// has each singular value twice, with vectors [Re v; Im v]. Half of the vectors of values that are
/// equal up to rounding are kept, which are independent over the complex numbers
/// (vector_pairs.h). Newton-Schulz steps X (3 I - X^H X) / 2 then lead to the nearest matrices with
/// orthonormal columns. Throws what SvdSolver::solve() does.
template <class T>
[[nodiscard]] ComplexSvd<T> decompose_complex(Stream& stream, MatrixView<const Complex<T>> a,
                                              SvdSolver& solver, const SvdRequest& request,
                                              SolverRun& run);
/// The same by LAPACK's gesdd; the stream is of the CPU.
template <class T>
[[nodiscard]] ComplexSvd<T> decompose_complex_by_lapack(Stream& stream,
                                                        MatrixView<const Complex<T>> a,
                                                        const SvdRequest& request, SolverRun& run);

/// Measures a result with vectors; needs memory for two copies of A.
template <class T>
[[nodiscard]] SvdAccuracy measure_svd(Blas& blas, MatrixView<const Complex<T>> a,
                                      const ComplexSvd<T>& result);

}  // namespace tl
