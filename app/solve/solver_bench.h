// Shared by the benchmarks of solvers: flags, repetition of a solve, and handling of modes that
// fail.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/jobs/bench_progress.h"
#include "core/device/device.h"

namespace tl {

/// Choices of a benchmark that do not depend on the solver.
struct SolverBench {
    std::string device = "auto", precision = "double", json;
    int repeat = 3;
    double most_seconds =
        -1;  ///< time limit of each mode and matrix; below 0: see complete_bench()
    const CLI::Option* repeat_flag = nullptr;
    std::uint64_t seed = 0;
    std::map<std::string, std::string> settings;
};

/// Adds a flag for a comma-separated list; its help shows the list as it is.
template <class T>
CLI::Option* add_list(CLI::App& command, const char* flag, std::vector<T>& list, const char* type,
                      const std::string& help) {
    return command.add_option(flag, list, help)
        ->type_name(type)
        ->delimiter(',')
        ->allow_extra_args(false)
        ->capture_default_str();
}
/// Adds --device, --precision, --seed, --repeat, --seconds and --json. `what`: the unit to which
/// the time limit of each mode applies, "matrix".
void add_bench_flags(CLI::App& command, SolverBench& bench, const std::string& what);
/// Adds --repeat and --seconds.
void add_repeat_flags(CLI::App& command, SolverBench& bench, const std::string& what);

/// Sets the time limit where none was given: short on the CPU, unless --repeat was given.
void complete_bench(SolverBench& bench, const Device& device);

/// Repeats a solve after a warm-up, less often if it takes long. `solve` returns seconds. Returns
/// the seconds of each run; the first counts only where there is no time for another. `progress`
/// receives that of the repeats.
[[nodiscard]] std::vector<double> repeated_seconds(const SolverBench& bench,
                                                   const ReadProgress& progress,
                                                   const std::function<double()>& solve);

/// Measures and prints all modes, each a row of `progress`. Returns their results, or the errors of
/// those that fail, which are counted in `n_failed`.
[[nodiscard]] nlohmann::ordered_json measure_modes(
    BenchProgress& progress, const std::vector<std::string>& modes,
    const std::function<nlohmann::ordered_json(const std::string&)>& measure,
    const std::function<void(const nlohmann::ordered_json&)>& print_row, int& n_failed);

/// Writes the report, if requested: the machine, `bench`, other choices (`head`), and `results`.
/// Then throws UserError if modes have failed. `what`: the word for them, "modes".
void finish_bench(const SolverBench& bench, const char* kind, const std::string& device,
                  const nlohmann::ordered_json& head, const nlohmann::ordered_json& results,
                  const char* what, int n_failed);

}  // namespace tl
