#include <algorithm>

#include "core/device/registry.h"
#include "solvers/eigen/eigen_modes.h"
#include "solvers/eigen/eigen_peers.h"

namespace tl {
namespace {

std::vector<EigenRow> make_table() {
    std::vector<EigenRow> table{
        {"auto", "Chosen by size", "the fastest of the device's modes for the size", false,
         &make_eigen_auto, TL_CUDA_ONLY(&make_eigen_auto_cuda)},
        {"simd", "A matrix in each lane",
         "four matrices of doubles or eight of floats go through AVX2 registers in step", false,
         &make_eigen_simd, nullptr},
        {"scalar", "A matrix at a time", "each matrix is solved by itself", false,
         &make_eigen_scalar, nullptr},
        {"thread", "A thread for each matrix", "threads of a warp split off and sweep together",
         false, nullptr, TL_CUDA_ONLY(&make_eigen_thread)},
        {"queue", "Threads that go on",
         "threads whose eigenvalues are found take the next matrix from a queue", false, nullptr,
         TL_CUDA_ONLY(&make_eigen_queue)},
        {"lanes", "Part of a warp for each matrix",
         "8, 16 or 32 threads share a matrix in shared memory", false, nullptr,
         TL_CUDA_ONLY(&make_eigen_lanes)},
        {"columns", "A thread for each column",
         "blocks wait for their slowest matrix (Cvrcek 2016, 6.6)", false, nullptr,
         TL_CUDA_ONLY(&make_eigen_columns)},
        {"block", "A block for each matrix", "256 threads share a matrix in global memory", false,
         nullptr, TL_CUDA_ONLY(&make_eigen_block)},
        {"lapack", "LAPACK geev", "OpenBLAS's LAPACK, a matrix at a time on one thread", true,
         &make_lapack_geev, nullptr},
        {"cusolver", "cuSOLVER geev", "a matrix at a time on the GPU", true, nullptr,
         TL_CUDA_ONLY(&make_cusolver_geev)},
    };
    if (make_eigen_library)
        table.push_back({"eigen", "Eigen's EigenSolver", "a matrix at a time on one thread", true,
                         make_eigen_library, nullptr});
    return table;
}

}  // namespace

const std::vector<EigenRow>& eigen_solvers() {
    static const std::vector<EigenRow> table = make_table();
    return table;
}

std::unique_ptr<EigenSolver> make_eigen_solver(const std::string& id, const Device& device) {
    return make_from_row(eigen_solvers(), id, device, "eig mode");
}

std::size_t batch_part(const Device& device, int n, EigenPairs pairs, std::size_t element_size,
                       std::size_t count) {
    auto rows = static_cast<std::uint64_t>(n);
    std::uint64_t each =
        rows * rows * (element_size + sizeof(double)) + eigen_result_bytes(n, pairs, element_size);
    std::uint64_t free =
        std::min(device.memory_stats().bytes_free, find_device("cpu").memory_stats().bytes_free);
    return static_cast<std::size_t>(std::clamp<std::uint64_t>(free / 4 / each, 1, count));
}

}  // namespace tl
