// Matrices in files: NumPy's .npy (float or double, one or two dimensions) and MatrixMarket's .mtx
// (array or coordinate; real, integer or pattern; general, symmetric or skew-symmetric).
#pragma once

#include <string>

#include "solvers/dense/matrix.h"

namespace tl {

/// Reads by the name's ending. A one-dimensional array becomes one column. Throws UserError with
/// the file and the byte or line where it is not what it should be.
[[nodiscard]] HostMatrix<double> read_matrix(const std::string& path);

/// Writes beside `path` and renames, so that the file is whole or not there. Column-major, version
/// 1.0; a vector (cols 0) has one dimension of `rows`. Throws UserError.
template <class T>
void write_npy(const std::string& path, int rows, int cols, std::span<const T> data);

}  // namespace tl
