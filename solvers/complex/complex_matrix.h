// Complex matrices on a device: their real forms, test matrices, and checks.
#pragma once

#include <string>
#include <vector>

#include "solvers/dense/complex_parts.h"
#include "solvers/dense/matrix_kinds.h"

namespace tl {

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

}  // namespace tl
