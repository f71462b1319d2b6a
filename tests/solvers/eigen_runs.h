// Runs of the modes of batched eigenvalue problems.
#pragma once

#include <string>
#include <vector>

#include "core/device/registry.h"
#include "solvers/eigen/eigen_check.h"

namespace tl {

/// Treelight's own modes on the device.
inline std::vector<std::string> own_modes(const Device& device) {
    std::vector<std::string> modes;
    for (auto& id : ids_on(device.kind(), eigen_solvers()))
        if (!find_row(eigen_solvers(), id, "eig mode").peer) modes.push_back(id);
    return modes;
}

/// Solves matrices of n x n, one after the other in `a`, and downloads the results.
template <class T>
HostEigen<T> solve_batch(Stream& stream, const std::string& mode, const std::vector<T>& a, int n,
                         EigenPairs pairs, int sweeps = 30, bool balance = true) {
    auto solver = make_eigen_solver(mode, stream.device());
    if (mode != "lapack") {
        auto settings = solver->settings();
        find_setting(settings, "sweeps", mode).set(std::to_string(sweeps));
        find_setting(settings, "balance", mode).set(balance ? "true" : "false");
    }
    DeviceArray<T> on_device(stream, std::span<const T>(a));
    SolverRun run;
    std::size_t size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    auto result = solver->solve(stream, {on_device.view(), n, a.size() / size}, {pairs}, run);
    return downloaded(stream, result);
}

}  // namespace tl
