// PLU factorisations A[p] = L U of complex matrices, and systems of complex equations.
#pragma once

#include <string>
#include <vector>

#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/lu/lu_factors.h"

namespace tl {

/// The modes of complex factorisations on a device: "blocked", and on the CPU LAPACK's
/// "lapack-getrf".
[[nodiscard]] std::vector<std::string> complex_lu_modes(DeviceKind device);

/// Factorises `a`, which is not modified, with the row exchanges of LAPACK's getrf: the pivot is
/// the element with the largest |re| + |im|. Singular matrices have factors too. Throws UsageError
/// for an unknown mode, UserError if an element is not finite or memory is insufficient, and
/// Cancelled.
template <class T>
[[nodiscard]] LuFactors<Complex<T>> factorise_complex(Stream& stream,
                                                      MatrixView<const Complex<T>> a,
                                                      const std::string& mode, SolverRun& run);

/// mantissa * 2^exponent; the larger part of the mantissa is in [0.5, 1), or the mantissa is 0.
struct ComplexDeterminant {
    Complex<double> mantissa{0.5, 0};
    long exponent = 1;
    /// The natural logarithm of its absolute value; -infinity for 0.
    [[nodiscard]] double log_magnitude() const;
};
/// Determinant of a matrix from its square factors.
template <class T>
[[nodiscard]] ComplexDeterminant determinant_of(Stream& stream,
                                                const LuFactors<Complex<T>>& factors);

/// Residual and growth, as measure_lu() of real matrices has them. Needs memory for five copies of
/// A.
template <class T>
[[nodiscard]] LuAccuracy measure_lu(Blas& blas, MatrixView<const Complex<T>> a,
                                    const LuFactors<Complex<T>>& factors);

/// The modes of complex systems on a device: "lu", those of real systems, and on the CPU LAPACK's
/// "lapack-gesv".
[[nodiscard]] std::vector<std::string> complex_system_modes(DeviceKind device);

/// Solves A X = B; neither is modified. Mode "lu" factorises A; where that over- or underflows, and
/// in the modes of real systems, the real system [Re A, -Im A; Im A, Re A] [Re X; Im X] =
/// [Re B; Im B] is solved. Throws UsageError for an unknown mode, UserError as
/// LinearSolver::solve() does, and Cancelled.
template <class T>
[[nodiscard]] LinearSolution<Complex<T>> solve_complex(Stream& stream,
                                                       MatrixView<const Complex<T>> a,
                                                       MatrixView<const Complex<T>> b,
                                                       const std::string& mode, SolverRun& run);

/// Backward error of a solution: that of the real system above, whose norms are of |re| + |im|.
template <class T>
[[nodiscard]] double backward_error(Blas& blas, MatrixView<const Complex<T>> a,
                                    MatrixView<const Complex<T>> x, MatrixView<const Complex<T>> b);

}  // namespace tl
