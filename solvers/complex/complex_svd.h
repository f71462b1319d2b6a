// Singular value decompositions A = U diag(values) V^H of complex matrices, on both devices.
#pragma once

#include <string>
#include <vector>

#include "solvers/dense/complex.h"
#include "solvers/svd/svd.h"

namespace tl {

/// A decomposition with complex vectors; otherwise as SvdResult.
template <class T>
struct ComplexSvd {
    Matrix<Complex<T>> u, v;
    std::vector<double> values;
    std::vector<StageTime> stages;
    std::string mode;
};

/// The mode of LAPACK's gesdd, on the CPU, which decomposes complex matrices itself.
inline constexpr const char* kComplexGesdd = "lapack-gesdd";

/// Decomposes `a`, which is not modified, by `solver`: the real matrix [Re A, -Im A; Im A, Re A]
/// has each singular value twice, and vectors [Re v; Im v]. Of those of equal values as many are
/// chosen as are independent over the complex numbers, and are made orthonormal by Newton's
/// iteration for the nearest unitary matrix (Higham 1986). Throws what SvdSolver::solve() does.
template <class T>
[[nodiscard]] ComplexSvd<T> decompose_complex(Stream& stream, MatrixView<const Complex<T>> a,
                                              SvdSolver& solver, const SvdRequest& request,
                                              SolverRun& run);
/// The same by LAPACK's gesdd; the stream is of the CPU.
template <class T>
[[nodiscard]] ComplexSvd<T> decompose_by_lapack(Stream& stream, MatrixView<const Complex<T>> a,
                                                const SvdRequest& request, SolverRun& run);

/// Measures a result with vectors; needs memory for two copies of A.
template <class T>
[[nodiscard]] SvdAccuracy measure_svd(Blas& blas, MatrixView<const Complex<T>> a,
                                      const ComplexSvd<T>& result);

}  // namespace tl
