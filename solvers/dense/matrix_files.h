// Matrices in files: NumPy's .npy (real or complex numbers, one or two dimensions) and
// MatrixMarket's .mtx (array or coordinate; real, integer, complex or pattern; general, symmetric,
// skew-symmetric or hermitian).
#pragma once

#include <string>

#include "core/base/files.h"
#include "solvers/dense/complex.h"
#include "solvers/dense/matrix.h"

namespace tl {

/// Whether read_matrix() reads files of this name.
[[nodiscard]] bool is_matrix_file(const std::string& path);
/// Whether the header of a file of a matrix or a batch says that its numbers are complex. Throws
/// UserError as read_matrix() does for a file that is missing or of another format, or for a
/// damaged header.
[[nodiscard]] bool is_complex_file(const std::string& path);
/// Selects the format by file extension, in upper or lower case. A one-dimensional array becomes
/// one column. Throws UserError with the file and the byte or line of the error, or with the row
/// and column of an element that is not finite. The error for complex numbers lists the commands
/// that take them.
[[nodiscard]] HostMatrix<double> read_matrix(const std::string& path);
/// Reads complex numbers, or real ones with imaginary parts of zero. Throws UserError as
/// read_matrix() does; both parts of an element have to be finite.
[[nodiscard]] HostMatrix<Complex<double>> read_complex_matrix(const std::string& path);
/// Throws UserError with the first element that is beyond the range of float. T is double or
/// Complex<double>, here and below.
template <class T>
void require_floats(const std::string& path, const HostMatrix<T>& matrix);

/// Square matrices of a file, one after the other, each row by row.
template <class T>
struct BatchOf {
    int n = 0;
    std::size_t count = 0;
    bool single = false;  ///< the file holds floats, or complex numbers of floats
    std::vector<T> data;
};
using MatrixBatch = BatchOf<double>;
using ComplexBatch = BatchOf<Complex<double>>;
/// Reads a .npy array of shape (n, n) or (count, n, n), or the matrix of a .mtx file. Throws
/// UserError as read_matrix() does, but elements of an array may be NaN or infinite.
[[nodiscard]] MatrixBatch read_batch(const std::string& path);
/// Reads complex numbers, or real ones with imaginary parts of zero. Throws UserError as
/// read_batch() does; parts of the elements of an array may be NaN or infinite.
[[nodiscard]] ComplexBatch read_complex_batch(const std::string& path);
/// Throws UserError with the first element that has a finite part beyond the range of float.
template <class T>
void require_floats(const std::string& path, const BatchOf<T>& batch);
/// Index and value of the first element that is not finite, with the file; "" where all are.
template <class T>
[[nodiscard]] std::string first_not_finite(const std::string& path, const BatchOf<T>& batch);

/// NumPy's name of a type, little-endian: float, double, Complex<float> or Complex<double>.
template <class T>
inline constexpr const char* kNpyType = nullptr;
template <>
inline constexpr const char* kNpyType<float> = "<f4";
template <>
inline constexpr const char* kNpyType<double> = "<f8";
template <>
inline constexpr const char* kNpyType<Complex<float>> = "<c8";
template <>
inline constexpr const char* kNpyType<Complex<double>> = "<c16";

/// Writes the start of a .npy file of format version 1.0, for elements of NumPy's type `type`
/// (kNpyType), in row-major order unless `column_major`. The elements come next.
void write_npy_header(FileWriter& file, const char* type, std::span<const std::size_t> shape,
                      bool column_major = false);

/// Writes the content of a .npy file: column-major, format version 1.0; cols = 0 means a vector of
/// `rows` elements. T is float, double, Complex<float> or Complex<double>. Throws UserError.
template <class T>
void write_npy(FileWriter& file, int rows, int cols, std::span<const T> data);
/// Writes such a file, which is complete or absent.
template <class T>
void write_npy(const std::string& path, int rows, int cols, std::span<const T> data);

}  // namespace tl
