#include "solvers/dense/matrix_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <type_traits>

#include "core/base/files.h"
#include "core/base/host_memory.h"
#include "core/base/one_line.h"
#include "core/base/text.h"
#include "solvers/dense/file_faults.h"
#include "solvers/dense/mtx_file.h"
#include "solvers/dense/mtx_reader.h"
#include "solvers/dense/npy_file.h"

namespace tl {
namespace {

template <class T>
inline constexpr bool kReal = std::is_same_v<T, double>;

std::string ending_of(const std::string& path) {
    return lower_case(std::filesystem::path(path).extension().string());
}
/// Throws UserError for other formats.
void require_matrix_file(const std::string& path) {
    if (!is_matrix_file(path))
        throw UserError(path + ": matrices are read from .npy and .mtx files");
}

template <class T>
HostMatrix<T> read_npy(const std::string& path) {
    NpyFile file(path);
    if (kReal<T>) file.require_real();
    auto& shape = file.shape();
    if (shape.empty()) file.fail("the array is a single number; a matrix has two dimensions");
    if (shape.size() > 2)
        file.fail("the array has " + std::to_string(shape.size()) +
                  " dimensions; a matrix has two (or one, for a single column): save one matrix "
                  "of it, such as array[0]");
    std::int64_t rows = shape[0], cols = shape.size() == 2 ? shape[1] : 1;
    check_matrix_size(path, rows, cols);
    file.require_elements(static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols),
                          std::to_string(rows) + "x" + std::to_string(cols) + " elements");
    auto matrix = room_for_matrix<T>(path, rows, cols);
    bool turned = !file.column_major();
    std::vector<T> line(static_cast<std::size_t>(turned ? cols : rows));
    for (int o = 0; o < (turned ? rows : cols); ++o) {
        file.read(line);
        for (int i = 0; i < static_cast<int>(line.size()); ++i)
            (turned ? matrix(o, i) : matrix(i, o)) = line[static_cast<std::size_t>(i)];
    }
    return matrix;
}

/// "PATH: element (0, 2), counted from 0, is ".
std::string element_is(const std::string& path, std::size_t row, std::size_t column) {
    return path + ": element (" + std::to_string(row) + ", " + std::to_string(column) +
           "), counted from 0, is ";
}
/// The same of a matrix of a batch, for element `index` of all.
template <class T>
std::string element_is(const std::string& path, const BatchOf<T>& batch, std::size_t index) {
    auto n = static_cast<std::size_t>(batch.n);
    return element_is(path + ": matrix " + std::to_string(index / n / n), index / n % n, index % n);
}
template <class T>
std::string element_is(const std::string& path, const HostMatrix<T>& matrix, std::size_t index) {
    auto rows = static_cast<std::size_t>(matrix.rows);
    return element_is(path, index % rows, index / rows);
}
bool fits_float(double value) {
    return std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
}
bool fits_float(Complex<double> value) {
    return fits_float(value.re) && fits_float(value.im);
}
/// The same, or NaN or infinite; both parts of a complex number.
bool fits_or_is_not_finite(double value) {
    return fits_float(value) || !std::isfinite(value);
}
bool fits_or_is_not_finite(Complex<double> value) {
    return fits_or_is_not_finite(value.re) && fits_or_is_not_finite(value.im);
}
constexpr const char* kNoFloat = ", beyond the range of float: solve with --precision double";

}  // namespace

void fail_at_byte(const std::string& path, std::size_t byte, const std::string& what) {
    throw UserError(path + ": byte " + std::to_string(byte) + ": " + escaped(what));
}
void fail_at_line(const std::string& path, std::size_t line, const std::string& what) {
    throw UserError(path + ":" + std::to_string(line) + ": " + escaped(what));
}

std::string matrix_of(std::int64_t rows, std::int64_t cols) {
    return "a matrix of " + std::to_string(rows) + "x" + std::to_string(cols);
}

void check_extents(const std::string& path, std::int64_t rows, std::int64_t cols) {
    constexpr std::int64_t kMost = std::numeric_limits<int>::max();
    if (rows < 1 || cols < 1)
        throw UserError(path + ": the matrix is empty (" + std::to_string(rows) + " rows, " +
                        std::to_string(cols) + " columns)");
    if (rows > kMost || cols > kMost)
        throw UserError(path + ": " + matrix_of(rows, cols) + " is too large");
}

void check_matrix_size(const std::string& path, std::int64_t rows, std::int64_t cols) {
    check_extents(path, rows, cols);
    if (rows > (std::int64_t{1} << 40) / cols)
        throw UserError(path + ": " + matrix_of(rows, cols) + " is too large");
}

template <class T>
HostMatrix<T> room_for_matrix(const std::string& path, std::int64_t rows, std::int64_t cols) {
    constexpr std::uint64_t kCopies = 3;  // as read, in the requested precision, and on the device
    auto bytes = static_cast<std::uint64_t>(rows * cols) * sizeof(T);
    require_host_memory(kCopies * bytes, path + ": " + matrix_of(rows, cols),
                        "zeros take room too; take a smaller matrix, or close other programs");
    return {static_cast<int>(rows), static_cast<int>(cols)};
}
template HostMatrix<double> room_for_matrix(const std::string&, std::int64_t, std::int64_t);
template HostMatrix<Complex<double>> room_for_matrix(const std::string&, std::int64_t,
                                                     std::int64_t);

bool is_finite(double element) {
    return std::isfinite(element);
}
bool is_finite(Complex<double> element) {
    return is_finite(element.re) && is_finite(element.im);
}

std::string element_text(double element) {
    return number_text(element);
}
std::string element_text(Complex<double> element) {
    return concatenated({number_text(element.re), element.im < 0 ? " - " : " + ",
                         number_text(std::abs(element.im)), " i"});
}

bool is_matrix_file(const std::string& path) {
    auto ending = ending_of(path);
    return ending == ".npy" || ending == ".mtx";
}

bool is_complex_file(const std::string& path) {
    require_matrix_file(path);
    return ending_of(path) == ".npy" ? NpyFile(path).complex() : MtxReader(path).header().complex;
}

template <class T>
void require_floats(const std::string& path, const HostMatrix<T>& matrix) {
    for (std::size_t e = 0; e < matrix.data.size(); ++e)
        if (!fits_float(matrix.data[e]))
            throw UserError(element_is(path, matrix, e) + element_text(matrix.data[e]) + kNoFloat);
}
template void require_floats(const std::string&, const HostMatrix<double>&);
template void require_floats(const std::string&, const HostMatrix<Complex<double>>&);

template <class T>
void require_floats(const std::string& path, const BatchOf<T>& batch) {
    for (std::size_t e = 0; e < batch.data.size(); ++e)
        if (!fits_or_is_not_finite(batch.data[e]))
            throw UserError(element_is(path, batch, e) + element_text(batch.data[e]) + kNoFloat);
}
template void require_floats(const std::string&, const MatrixBatch&);
template void require_floats(const std::string&, const ComplexBatch&);

template <class T>
std::string first_not_finite(const std::string& path, const BatchOf<T>& batch) {
    for (std::size_t e = 0; e < batch.data.size(); ++e)
        if (!is_finite(batch.data[e]))
            return element_is(path, batch, e) + "not finite but " + element_text(batch.data[e]);
    return "";
}
template std::string first_not_finite(const std::string&, const MatrixBatch&);
template std::string first_not_finite(const std::string&, const ComplexBatch&);

namespace {

template <class T>
HostMatrix<T> read_matrix_of(const std::string& path) {
    require_matrix_file(path);
    auto matrix = ending_of(path) == ".npy" ? read_npy<T>(path) : read_mtx<T>(path);
    for (std::size_t e = 0; e < matrix.data.size(); ++e)
        if (!is_finite(matrix.data[e]))
            throw UserError(element_is(path, matrix, e) + "not finite but " +
                            element_text(matrix.data[e]) + ": replace it by a number");
    return matrix;
}

template <class T>
BatchOf<T> read_batch_of(const std::string& path) {
    if (ending_of(path) == ".mtx") {
        auto matrix = read_matrix_of<T>(path);
        if (matrix.rows != matrix.cols)
            throw UserError(path + ": " + matrix_of(matrix.rows, matrix.cols) +
                            " has no eigenvalues: it is not square");
        BatchOf<T> batch{matrix.rows, 1, false, {}};
        for (int i = 0; i < matrix.rows; ++i)
            for (int j = 0; j < matrix.cols; ++j) batch.data.push_back(matrix(i, j));
        return batch;
    }
    NpyFile file(path);
    if (kReal<T>) file.require_real();
    auto& shape = file.shape();
    std::size_t n_dimensions = shape.size();
    if (n_dimensions < 2 || n_dimensions > 3 || shape[n_dimensions - 1] != shape[n_dimensions - 2])
        file.fail(
            "the array is no batch of square matrices: its shape has to be (n, n) or "
            "(count, n, n)");
    std::int64_t rows = shape.back(), count = n_dimensions == 3 ? shape[0] : 1;
    constexpr std::int64_t kMostRows = 1 << 16;
    if (rows < 1 || rows > kMostRows || count < 1 ||
        count > (std::int64_t{1} << 40) / (rows * rows))
        throw UserError(path + ": a batch of " + std::to_string(count) + " matrices of " +
                        std::to_string(rows) + " rows is empty or too large");
    auto n_elements = static_cast<std::size_t>(count * rows * rows);
    file.require_elements(n_elements, "the batch");
    constexpr std::uint64_t kCopies = 3;  // as read, in the requested precision, and on the device
    require_host_memory(kCopies * n_elements * sizeof(T), path + ": the batch",
                        "split the file, or close other programs");
    BatchOf<T> batch{static_cast<int>(rows), static_cast<std::size_t>(count), file.single(),
                     std::vector<T>(n_elements)};
    auto n = static_cast<std::size_t>(rows);
    auto place = [&](std::size_t e) {
        if (!file.column_major()) return e;
        return (e % batch.count * n + e / batch.count % n) * n + e / batch.count / n;
    };
    std::vector<T> part(std::size_t{1} << 16);
    for (std::size_t first = 0; first < n_elements; first += part.size()) {
        part.resize(std::min(part.size(), n_elements - first));
        file.read(part);
        for (std::size_t i = 0; i < part.size(); ++i) batch.data[place(first + i)] = part[i];
    }
    return batch;
}

}  // namespace

HostMatrix<double> read_matrix(const std::string& path) {
    return read_matrix_of<double>(path);
}
HostMatrix<Complex<double>> read_complex_matrix(const std::string& path) {
    return read_matrix_of<Complex<double>>(path);
}
MatrixBatch read_batch(const std::string& path) {
    return read_batch_of<double>(path);
}
ComplexBatch read_complex_batch(const std::string& path) {
    return read_batch_of<Complex<double>>(path);
}

void write_npy_header(FileWriter& file, const char* type, std::span<const std::size_t> shape,
                      bool column_major) {
    std::string header =
        concatenated({"{'descr': '", type, "', 'fortran_order': ", column_major ? "True" : "False",
                      ", 'shape': ("});
    for (std::size_t i = 0; i < shape.size(); ++i)
        header += concatenated({i > 0 ? " " : "", std::to_string(shape[i]),
                                i == 0 || i + 1 < shape.size() ? "," : ""});
    header += "), }";
    // The data begin at a multiple of 64 bytes; the header ends with a newline.
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    auto length = static_cast<std::uint16_t>(header.size());
    file.write({"\x93NUMPY\x01\x00", 8});
    file.write({reinterpret_cast<const char*>(&length), sizeof length});
    file.write(header);
}

template <class T>
void write_npy(FileWriter& file, int rows, int cols, std::span<const T> data) {
    std::vector<std::size_t> shape{static_cast<std::size_t>(rows)};
    if (cols > 0) shape.push_back(static_cast<std::size_t>(cols));
    write_npy_header(file, kNpyType<T>, shape, true);
    auto bytes = std::as_bytes(data);
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

template <class T>
void write_npy(const std::string& path, int rows, int cols, std::span<const T> data) {
    FileWriter file(path);
    write_npy(file, rows, cols, data);
    file.finish();
}

#define TL_INSTANTIATE(T)                                               \
    template void write_npy(FileWriter&, int, int, std::span<const T>); \
    template void write_npy(const std::string&, int, int, std::span<const T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
TL_INSTANTIATE(Complex<float>)
TL_INSTANTIATE(Complex<double>)
#undef TL_INSTANTIATE

}  // namespace tl
