#include "solvers/dense/mtx_file.h"

#include <type_traits>

#include "solvers/dense/file_faults.h"
#include "solvers/dense/mtx_reader.h"

namespace tl {

template <class T>
HostMatrix<T> read_mtx(const std::string& path) {
    constexpr bool kReal = std::is_same_v<T, double>;
    MtxReader reader(path);
    auto& header = reader.header();
    if (kReal && header.complex) reader.fail_banner(kComplexNumbers);
    std::int64_t rows = header.rows, cols = header.cols;
    check_matrix_size(path, rows, cols);
    // A file of a few bytes must not request much memory.
    constexpr std::uint64_t kAlwaysTaken = std::uint64_t{64} << 20, kMostPerByte = 40;
    auto bytes = static_cast<std::uint64_t>(rows * cols) * sizeof(T);
    if (bytes > kAlwaysTaken && bytes / kMostPerByte > reader.file_size())
        reader.fail(matrix_of(rows, cols) + " takes " + std::to_string(bytes >> 20) +
                    " MiB with its zeros, more than " + std::to_string(kMostPerByte) +
                    " times its file; save it as .npy, with its zeros, if that is meant");
    auto matrix = room_for_matrix<T>(path, rows, cols);
    reader.read([&](int i, int j, Complex<double> value) {
        if constexpr (kReal)
            matrix(i, j) += value.re;
        else
            matrix(i, j) += value;
        if (!is_finite(matrix(i, j)))
            reader.fail_not_finite(i, j, "a sum of entries that no double holds");
    });
    return matrix;
}

template HostMatrix<double> read_mtx(const std::string&);
template HostMatrix<Complex<double>> read_mtx(const std::string&);

}  // namespace tl
