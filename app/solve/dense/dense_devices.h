// `treelight solve lu|solve --device cuda:0,cuda:1`: a matrix that is spread over the devices of
// this process.
#pragma once

#include <functional>

#include "app/solve/dense/dense_problem.h"
#include "solvers/dense/lu/lu_blocked.h"

namespace tl {

/// Whether --device names a list, such as "cuda:0,cuda:1" or "cuda:all".
[[nodiscard]] bool is_device_list(const std::string& devices);

/// Widths of blocks for elements of that size, by a task's settings of mode `blocked`. Throws
/// UsageError for other settings and other modes.
[[nodiscard]] LuBlocks widths_over_devices(const DenseTask& task, int rows, int cols,
                                           std::size_t element_size);

/// A problem over devices: lu or solve.
struct DenseDevicesTask {
    DenseTask dense;
    std::string devices, out;
    std::function<void()> check_output;  ///< called before the work, if `out` is given
};

/// Solves the problem with all devices. `report` has the machine and the matrix, and receives what
/// run_dense() returns, with the error of a system and figures of the devices. It is written with
/// the results, if `out` is given. Throws UsageError for wrong flags.
template <class T>
void run_on_devices(const DenseDevicesTask& task, nlohmann::ordered_json& report);
template <>
void run_on_devices<float>(const DenseDevicesTask& task, nlohmann::ordered_json& report);
template <>
void run_on_devices<double>(const DenseDevicesTask& task, nlohmann::ordered_json& report);

}  // namespace tl
