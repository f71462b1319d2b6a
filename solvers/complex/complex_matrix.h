// Complex matrices on a device: their parts, test matrices, and checks.
#pragma once

#include <string>
#include <vector>

#include "solvers/dense/matrix_kinds.h"

namespace tl {

/// The same memory as a real matrix: real and imaginary parts are alternating rows. The Frobenius
/// norms are equal.
template <class T>
[[nodiscard]] MatrixView<const T> parts_of(MatrixView<const Complex<T>> a) {
    return {reinterpret_cast<const T*>(a.data), 2 * a.rows, a.cols, 2 * a.stride};
}
template <class T>
[[nodiscard]] MatrixView<T> parts_of(MatrixView<Complex<T>> a) {
    return {reinterpret_cast<T*>(a.data), 2 * a.rows, a.cols, 2 * a.stride};
}

/// A matrix whose real part is make_matrix() of `spec`, and whose imaginary part has the next seed.
/// Singular values and rank are not those of the kind.
template <class T>
[[nodiscard]] Matrix<Complex<T>> make_complex_matrix(Blas& blas, const MatrixSpec& spec);

/// The real matrix [Re A, -Im A; Im A, Re A] of twice the extents.
template <class T>
[[nodiscard]] Matrix<T> real_form_of(Stream& stream, MatrixView<const Complex<T>> a);
/// The real matrix [Re B; Im B] of twice the rows.
template <class T>
[[nodiscard]] Matrix<T> stacked_parts(Stream& stream, MatrixView<const Complex<T>> b);
/// The complex matrix of stacked_parts(), whose rows are even in number.
template <class T>
[[nodiscard]] Matrix<Complex<T>> joined_parts(Stream& stream, MatrixView<const T> stacked);

/// Throws UsageError, which lists the modes, unless `mode` is one of `modes`, those that a family
/// of solvers has for complex matrices.
void require_complex_mode(const std::string& family, const std::string& mode,
                          const std::vector<std::string>& modes);

/// Throws UserError naming the first element that is not finite:
/// "WHO: element (i, j), counted from 0, is not finite: WHY".
template <class T>
void require_finite(Stream& stream, MatrixView<const Complex<T>> a, const std::string& who,
                    const std::string& why);

}  // namespace tl
