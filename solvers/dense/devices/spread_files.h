// Matrices of files and of generators, spread over devices.
#pragma once

#include <string>

#include "solvers/dense/devices/spread_matrix.h"
#include "solvers/dense/matrix_kinds.h"

namespace tl {

/// Sets A to the same elements as make_matrix(). Each device makes its own columns; a matrix whose
/// kind is a product of matrices is made by the first device, which has to hold it. Throws what
/// make_matrix() does.
template <class T>
void generate_spread(DeviceGroup& group, const MatrixSpec& spec, SpreadMatrix<T>& a);

/// Rows and columns of a matrix.
struct FileExtents {
    int rows = 0, cols = 0;
};
/// The extents of a real matrix in a .npy file of two dimensions, or in an .mtx file. Throws
/// UserError as read_matrix() does.
[[nodiscard]] FileExtents extents_of_file(const std::string& path);
/// Reads a matrix of A's extents. Of a .npy file, the host holds the columns of one device at a
/// time. Throws UserError as read_matrix() does, and for a double beyond the range of T.
template <class T>
void read_spread(DeviceGroup& group, const std::string& path, SpreadMatrix<T>& a);

}  // namespace tl
