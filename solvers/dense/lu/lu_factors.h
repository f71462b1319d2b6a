// Uses of a PLU factorisation: systems of equations, the inverse, the determinant and an estimate
// of the condition number. Also measures the accuracy of the factors. diagonal_of(),
// first_zero_pivot(), substitute() and solve_with() take complex factors too.
#pragma once

#include "solvers/dense/lu/lu.h"

namespace tl {

/// The order that exchanges make of `count` rows, or columns: row i of L U is row p[i] of A, and
/// column j is column q[j].
[[nodiscard]] std::vector<int> order_of(const std::vector<int>& swaps, int count);

/// Throws UserError, which begins with `what`, unless `order` has each number from 0 once.
void require_order(const std::vector<int>& order, const std::string& what);

/// The diagonal of U: the pivots.
template <class T>
[[nodiscard]] std::vector<T> diagonal_of(Stream& stream, MatrixView<const T> lu);
/// The first pivot that is zero, or -1: a square matrix then has no inverse.
template <class T>
[[nodiscard]] int first_zero(const std::vector<T>& pivots);
/// The first column whose pivot is zero, or -1.
template <class T>
[[nodiscard]] int first_zero_pivot(Stream& stream, MatrixView<const T> lu);
template <class T>
[[nodiscard]] int first_zero_pivot(Stream& stream, const LuFactors<T>& factors) {
    return first_zero_pivot<T>(stream, factors.lu.view());
}

/// B = op(A)^-1 B for square factors without a zero pivot. B has any number of columns. `lu` has L
/// and U as in LuFactors; p and q are orders of A[p][:, q] = L U, q empty where columns stay.
template <class T>
void substitute(Blas& blas, MatrixView<const T> lu, const std::vector<int>& p,
                const std::vector<int>& q, Transpose op, MatrixView<T> b);
/// The same with the factors of a solver.
template <class T>
void solve_with(Blas& blas, const LuFactors<T>& factors, Transpose op, MatrixView<T> b);

/// A^-1 of such factors.
template <class T>
[[nodiscard]] Matrix<T> inverse_of(Blas& blas, const LuFactors<T>& factors);

/// mantissa * 2^exponent, |mantissa| in [0.5, 1), or 0: a determinant of any size.
struct Determinant {
    double mantissa = 1;
    long exponent = 0;
    /// Its natural logarithm without the sign; -infinity for 0.
    [[nodiscard]] double log_magnitude() const;
};
/// The product of pivots, with the sign of the exchanges of rows and columns.
template <class T>
[[nodiscard]] Determinant determinant_of(const std::vector<T>& pivots,
                                         const std::vector<int>& swaps,
                                         const std::vector<int>& column_swaps);
/// Determinant of a matrix from its square factors.
template <class T>
[[nodiscard]] Determinant determinant_of(Stream& stream, const LuFactors<T>& factors);

/// An estimate, seldom less than a third, of the condition number ||A|| ||A^-1|| in the 1-norm
/// (Hager 1984; Higham 1988), given ||A||; infinity for a zero pivot. Square factors.
template <class T>
[[nodiscard]] double condition_of(Blas& blas, const LuFactors<T>& factors, double norm);

struct LuAccuracy {
    double residual =
        0;  ///< ||A[p][:, q] - L U|| / (n eps ||A||), Frobenius norms, n the larger extent
    double growth = 0;  ///< the largest element of U over that of A
};
/// Needs memory for four copies of A.
template <class T>
[[nodiscard]] LuAccuracy measure_lu(Blas& blas, MatrixView<const T> a, const LuFactors<T>& factors);

}  // namespace tl
