#include "solvers/dense/matrix_files.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/base/files.h"
#include "core/base/host_memory.h"
#include "core/base/one_line.h"
#include "core/base/text.h"
#include "solvers/dense/file_faults.h"
#include "solvers/dense/mtx_file.h"
#include "solvers/dense/npy_file.h"

namespace tl {
namespace {

HostMatrix<double> read_npy(const std::string& path) {
    NpyFile file(path);
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
    auto matrix = room_for_matrix(path, rows, cols);
    bool turned = !file.column_major();
    std::vector<double> line(static_cast<std::size_t>(turned ? cols : rows));
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
std::string element_is(const std::string& path, const MatrixBatch& batch, std::size_t index) {
    auto n = static_cast<std::size_t>(batch.n);
    return element_is(path + ": matrix " + std::to_string(index / n / n), index / n % n, index % n);
}
bool fits_float(double value) {
    return std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
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

HostMatrix<double> room_for_matrix(const std::string& path, std::int64_t rows, std::int64_t cols) {
    constexpr std::uint64_t kCopies = 3;  // as read, in the requested precision, and on the device
    auto bytes = static_cast<std::uint64_t>(rows * cols) * sizeof(double);
    require_host_memory(kCopies * bytes, path + ": " + matrix_of(rows, cols),
                        "zeros take room too; take a smaller matrix, or close other programs");
    return {static_cast<int>(rows), static_cast<int>(cols)};
}

bool is_matrix_file(const std::string& path) {
    auto ending = lower_case(std::filesystem::path(path).extension().string());
    return ending == ".npy" || ending == ".mtx";
}

HostMatrix<double> read_matrix(const std::string& path) {
    auto ending = lower_case(std::filesystem::path(path).extension().string());
    if (ending != ".npy" && ending != ".mtx")
        throw UserError(path + ": matrices are read from .npy and .mtx files");
    auto matrix = ending == ".npy" ? read_npy(path) : read_mtx(path);
    for (std::size_t e = 0; e < matrix.data.size(); ++e) {
        if (std::isfinite(matrix.data[e])) continue;
        auto rows = static_cast<std::size_t>(matrix.rows);
        throw UserError(element_is(path, e % rows, e / rows) + "not finite but " +
                        number_text(matrix.data[e]) + ": replace it by a number");
    }
    return matrix;
}

void require_floats(const std::string& path, const HostMatrix<double>& matrix) {
    auto rows = static_cast<std::size_t>(matrix.rows);
    for (std::size_t e = 0; e < matrix.data.size(); ++e)
        if (!fits_float(matrix.data[e]))
            throw UserError(element_is(path, e % rows, e / rows) + number_text(matrix.data[e]) +
                            kNoFloat);
}

void require_floats(const std::string& path, const MatrixBatch& batch) {
    for (std::size_t e = 0; e < batch.data.size(); ++e)
        if (std::isfinite(batch.data[e]) && !fits_float(batch.data[e]))
            throw UserError(element_is(path, batch, e) + number_text(batch.data[e]) + kNoFloat);
}

std::string first_not_finite(const std::string& path, const MatrixBatch& batch) {
    for (std::size_t e = 0; e < batch.data.size(); ++e)
        if (!std::isfinite(batch.data[e]))
            return element_is(path, batch, e) + "not finite but " + number_text(batch.data[e]);
    return "";
}

MatrixBatch read_batch(const std::string& path) {
    if (lower_case(std::filesystem::path(path).extension().string()) == ".mtx") {
        auto matrix = read_matrix(path);
        if (matrix.rows != matrix.cols)
            throw UserError(path + ": " + matrix_of(matrix.rows, matrix.cols) +
                            " has no eigenvalues: it is not square");
        MatrixBatch batch{matrix.rows, 1, false, {}};
        for (int i = 0; i < matrix.rows; ++i)
            for (int j = 0; j < matrix.cols; ++j) batch.data.push_back(matrix(i, j));
        return batch;
    }
    NpyFile file(path);
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
    require_host_memory(kCopies * n_elements * sizeof(double), path + ": the batch",
                        "split the file, or close other programs");
    MatrixBatch batch{static_cast<int>(rows), static_cast<std::size_t>(count), file.single(),
                      std::vector<double>(n_elements)};
    auto n = static_cast<std::size_t>(rows);
    auto place = [&](std::size_t e) {
        if (!file.column_major()) return e;
        return (e % batch.count * n + e / batch.count % n) * n + e / batch.count / n;
    };
    std::vector<double> part(std::size_t{1} << 16);
    for (std::size_t first = 0; first < n_elements; first += part.size()) {
        part.resize(std::min(part.size(), n_elements - first));
        file.read(part);
        for (std::size_t i = 0; i < part.size(); ++i) batch.data[place(first + i)] = part[i];
    }
    return batch;
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
    write_npy_header(file, sizeof(T) == 8 ? "<f8" : "<f4", shape, true);
    auto bytes = std::as_bytes(data);
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

template <class T>
void write_npy(const std::string& path, int rows, int cols, std::span<const T> data) {
    FileWriter file(path);
    write_npy(file, rows, cols, data);
    file.finish();
}

template void write_npy(FileWriter&, int, int, std::span<const float>);
template void write_npy(FileWriter&, int, int, std::span<const double>);
template void write_npy(const std::string&, int, int, std::span<const float>);
template void write_npy(const std::string&, int, int, std::span<const double>);

}  // namespace tl
