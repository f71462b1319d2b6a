// Matrices in files: NumPy's .npy (float or double, one or two dimensions) and MatrixMarket's .mtx
// (array or coordinate; real, integer or pattern; general, symmetric or skew-symmetric).
#pragma once

#include <string>

#include "accel/parallel/files.h"
#include "solvers/dense/matrix.h"

namespace tl {

/// Selects the format by file extension. A one-dimensional array becomes one column. Throws
/// UserError with the file and the byte or line of the error.
[[nodiscard]] HostMatrix<double> read_matrix(const std::string& path);

/// Square matrices of a .npy file, one after the other, each row by row.
struct MatrixBatch {
    int n = 0;
    std::size_t count = 0;
    bool single = false;  ///< the file holds floats
    std::vector<double> data;
};
/// Reads an array of shape (n, n) or (count, n, n). Throws UserError as read_matrix() does.
[[nodiscard]] MatrixBatch read_batch(const std::string& path);

/// Writes the start of a .npy file of format version 1.0, for elements of NumPy's type `type`
/// ("<f8"), in row-major order unless `column_major`. The elements come next.
void write_npy_header(FileWriter& file, const char* type, std::span<const std::size_t> shape,
                      bool column_major = false);

/// Writes the content of a .npy file: column-major, format version 1.0; cols = 0 means a vector of
/// `rows` elements. Throws UserError.
template <class T>
void write_npy(FileWriter& file, int rows, int cols, std::span<const T> data);
/// Writes such a file, which is complete or absent.
template <class T>
void write_npy(const std::string& path, int rows, int cols, std::span<const T> data);

}  // namespace tl
