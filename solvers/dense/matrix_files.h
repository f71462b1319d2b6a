// Matrices in files: NumPy's .npy (real numbers, one or two dimensions) and MatrixMarket's .mtx
// (array or coordinate; real, integer or pattern; general, symmetric or skew-symmetric).
#pragma once

#include <string>

#include "core/base/files.h"
#include "solvers/dense/matrix.h"

namespace tl {

/// Whether read_matrix() reads files of this name.
[[nodiscard]] bool is_matrix_file(const std::string& path);
/// Selects the format by file extension, in upper or lower case. A one-dimensional array becomes
/// one column. Throws UserError with the file and the byte or line of the error, or with the row
/// and column of an element that is not finite.
[[nodiscard]] HostMatrix<double> read_matrix(const std::string& path);
/// Throws UserError with the first element that is beyond the range of float.
void require_floats(const std::string& path, const HostMatrix<double>& matrix);

/// Square matrices of a file, one after the other, each row by row.
struct MatrixBatch {
    int n = 0;
    std::size_t count = 0;
    bool single = false;  ///< the file holds floats
    std::vector<double> data;
};
/// Reads a .npy array of shape (n, n) or (count, n, n), or the matrix of a .mtx file. Throws
/// UserError as read_matrix() does, but elements of an array may be NaN or infinite.
[[nodiscard]] MatrixBatch read_batch(const std::string& path);
/// Throws UserError with the first finite element that is beyond the range of float.
void require_floats(const std::string& path, const MatrixBatch& batch);
/// Index and value of the first element that is not finite, with the file; "" where all are.
[[nodiscard]] std::string first_not_finite(const std::string& path, const MatrixBatch& batch);

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
