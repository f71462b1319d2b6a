// Errors of matrix files, with the file and the byte or line.
#pragma once

#include <cstdint>
#include <string>

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
/// Allocates a matrix for the elements of a file. Throws UserError if memory is insufficient.
[[nodiscard]] HostMatrix<double> room_for_matrix(const std::string& path, std::int64_t rows,
                                                 std::int64_t cols);
/// "a matrix of ROWSxCOLS".
[[nodiscard]] std::string matrix_of(std::int64_t rows, std::int64_t cols);

}  // namespace tl
