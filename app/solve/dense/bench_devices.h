// `treelight bench lu --device cuda:0,cuda:1`: PLU factorisations over a list of devices, beside
// those of one of them and of NVIDIA's libraries.
#pragma once

#include "app/solve/dense/dense_problem.h"

namespace tl {

/// The rows of such a benchmark: `blocked` over all devices of the list and on the first one alone.
/// With `peers`, also the library's factorisation on the first one, and cuSOLVERMg over all where
/// it is installed. They read "blocked x2", "blocked x1".
[[nodiscard]] std::vector<std::string> device_bench_rows(const std::string& devices, bool peers);

/// Figures of one factorisation.
struct DeviceBenchRun {
    double seconds = 0;  ///< of the factorisation alone
    /// Backward error of the system whose solution is 1 (backward_error_over_devices()); NaN where
    /// a pivot is zero.
    double backward_error = 0;
    std::string used;  ///< the mode with its blocks
};

/// Makes the task's matrix again and factorises it by one of the rows. Throws UserError where
/// memory is insufficient.
template <class T>
[[nodiscard]] DeviceBenchRun run_device_bench(const std::string& devices, const DenseTask& task,
                                              const std::string& row);
template <>
DeviceBenchRun run_device_bench<float>(const std::string& devices, const DenseTask& task,
                                       const std::string& row);
template <>
DeviceBenchRun run_device_bench<double>(const std::string& devices, const DenseTask& task,
                                        const std::string& row);

}  // namespace tl
