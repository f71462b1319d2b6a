// PLU factorisations A[p] = L U of complex matrices of floats or doubles, column by column, and
// systems of complex equations.
#pragma once

#include <string>
#include <vector>

#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/lu/lu_factors.h"

namespace tl {

/// The modes of complex factorisations: "blocked"; on the CPU also "lapack-getrf".
[[nodiscard]] std::vector<std::string> complex_lu_modes(DeviceKind device);

/// Factorises `a`, which is not modified, with the pivots that LAPACK's getrf chooses: the element
/// with the largest |re| + |im|. Singular matrices have factors too. Throws UsageError for an
/// unknown mode, UserError if an element is not finite or memory is insufficient, and Cancelled.
template <class T>
[[nodiscard]] LuFactors<Complex<T>> factorise_complex(Stream& stream,
                                                      MatrixView<const Complex<T>> a,
                                                      const std::string& mode, SolverRun& run);

/// mantissa * 2^exponent. The larger of |re| and |im| of the mantissa is in [0.5, 1), or both are
/// 0.
struct ComplexDeterminant {
    Complex<double> mantissa{0.5, 0};
    long exponent = 1;
    /// The natural logarithm of the determinant's absolute value; -infinity for 0.
    [[nodiscard]] double log_magnitude() const;
};
/// The determinant of a square matrix from its factors.
template <class T>
[[nodiscard]] ComplexDeterminant determinant_of(Stream& stream,
                                                const LuFactors<Complex<T>>& factors);

/// Residual and growth, as measure_lu() of real matrices has them. Needs device memory for five
/// more matrices of the size of A.
template <class T>
[[nodiscard]] LuAccuracy measure_lu(Blas& blas, MatrixView<const Complex<T>> a,
                                    const LuFactors<Complex<T>>& factors);

/// The modes of complex systems: "lu" and Treelight's other modes of real systems; on the CPU also
/// "lapack-gesv".
[[nodiscard]] std::vector<std::string> complex_system_modes(DeviceKind device);

/// Solves A X = B; neither is modified. Mode "lu" factorises A. If the factors or the solution
/// over- or underflow, it solves the real system [Re A, -Im A; Im A, Re A] [Re X; Im X] = [Re B; Im
/// B] by the real mode "lu", which scales rows and columns. The other modes of real systems solve
/// that one, too. Throws UsageError for an unknown mode, UserError if A is singular or as
/// LinearSolver::solve() does, and Cancelled.
template <class T>
[[nodiscard]] LinearSolution<Complex<T>> solve_complex(Stream& stream,
                                                       MatrixView<const Complex<T>> a,
                                                       MatrixView<const Complex<T>> b,
                                                       const std::string& mode, SolverRun& run);

/// Backward error of a solution: backward_error() of the real system above.
template <class T>
[[nodiscard]] double backward_error(Blas& blas, MatrixView<const Complex<T>> a,
                                    MatrixView<const Complex<T>> x, MatrixView<const Complex<T>> b);

}  // namespace tl
