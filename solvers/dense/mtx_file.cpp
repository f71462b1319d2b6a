#include "solvers/dense/mtx_file.h"

#include <cmath>

#include "solvers/dense/file_faults.h"
#include "solvers/dense/mtx_reader.h"

namespace tl {

HostMatrix<double> read_mtx(const std::string& path) {
    MtxReader reader(path);
    auto& header = reader.header();
    std::int64_t rows = header.rows, cols = header.cols;
    check_matrix_size(path, rows, cols);
    // A file of a few bytes must not request much memory.
    constexpr std::uint64_t kAlwaysTaken = std::uint64_t{64} << 20, kMostPerByte = 40;
    auto bytes = static_cast<std::uint64_t>(rows * cols) * sizeof(double);
    if (bytes > kAlwaysTaken && bytes / kMostPerByte > reader.file_size())
        reader.fail(matrix_of(rows, cols) + " takes " + std::to_string(bytes >> 20) +
                    " MiB with its zeros, more than " + std::to_string(kMostPerByte) +
                    " times its file; save it as .npy, with its zeros, if that is meant");
    auto matrix = room_for_matrix(path, rows, cols);
    reader.read([&](int i, int j, double value) {
        matrix(i, j) += value;
        if (!std::isfinite(matrix(i, j)))
            reader.fail_not_finite(i, j, "a sum of entries that no double holds");
    });
    return matrix;
}

}  // namespace tl
