// The GPU's modes of batched eigenvalue problems.
#include "solvers/eigen/eigen_modes.h"

namespace tl {

namespace {
// Rows that fit into shared memory, and into the registers and caches of many threads.
constexpr int kMostSmall = 32;
}  // namespace

std::unique_ptr<EigenSolver> make_eigen_thread() {
    return make_batched_eigen(
        {"thread", kMostSmall, cuda::eigen_thread<float>, cuda::eigen_thread<double>});
}
std::unique_ptr<EigenSolver> make_eigen_queue() {
    return make_batched_eigen(
        {"queue", kMostSmall, cuda::eigen_queue<float>, cuda::eigen_queue<double>});
}
std::unique_ptr<EigenSolver> make_eigen_lanes() {
    return make_batched_eigen(
        {"lanes", kMostSmall, cuda::eigen_lanes<float>, cuda::eigen_lanes<double>});
}
std::unique_ptr<EigenSolver> make_eigen_columns() {
    return make_batched_eigen(
        {"columns", kMostSmall, cuda::eigen_columns<float>, cuda::eigen_columns<double>});
}
std::unique_ptr<EigenSolver> make_eigen_block() {
    return make_batched_eigen(
        {"block", EigenSolver::kMostRows, cuda::eigen_block<float>, cuda::eigen_block<double>});
}
std::unique_ptr<EigenSolver> make_eigen_auto_cuda() {
    return make_chosen_eigen([](int n) {
        // To 20 rows a thread is faster by up to a fifth for a million random matrices, but lanes
        // are several times as fast for fewer than some ten thousand.
        constexpr int kMostInThread = 11;
        return n <= kMostInThread ? make_eigen_thread()
               : n <= kMostSmall  ? make_eigen_lanes()
                                  : make_eigen_block();
    });
}

}  // namespace tl
