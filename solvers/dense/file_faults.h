// Errors of matrix files, with the file and the byte or line.
#pragma once

#include <cstdint>
#include <string>

#include "solvers/dense/complex.h"
#include "solvers/dense/matrix.h"

namespace tl {

/// Throws UserError "PATH: byte BYTE: WHAT".
[[noreturn]] void fail_at_byte(const std::string& path, std::size_t byte, const std::string& what);
/// Throws UserError "PATH:LINE: WHAT".
[[noreturn]] void fail_at_line(const std::string& path, std::size_t line, const std::string& what);

/// Throws UserError for a matrix that has no rows or columns, or more than an int counts.
void check_extents(const std::string& path, std::int64_t rows, std::int64_t cols);
/// Throws UserError for a dense matrix that is empty or too large for any machine.
void check_matrix_size(const std::string& path, std::int64_t rows, std::int64_t cols);
/// Allocates a matrix for the elements of a file, of type double or Complex<double>. Throws
/// UserError if memory is insufficient.
template <class T>
[[nodiscard]] HostMatrix<T> room_for_matrix(const std::string& path, std::int64_t rows,
                                            std::int64_t cols);
/// "a matrix of ROWSxCOLS".
[[nodiscard]] std::string matrix_of(std::int64_t rows, std::int64_t cols);

/// Error of readers of real numbers, for files of complex ones.
inline constexpr const char* kComplexNumbers =
    "the numbers are complex: solve lu, solve, svd and eig take complex matrices";

/// Whether an element is finite; both parts of a complex one.
[[nodiscard]] bool is_finite(double element);
[[nodiscard]] bool is_finite(Complex<double> element);
/// "0.5" or "0.5 - 2 i".
[[nodiscard]] std::string element_text(double element);
[[nodiscard]] std::string element_text(Complex<double> element);

}  // namespace tl
