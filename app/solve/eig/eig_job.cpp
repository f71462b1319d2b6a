#include "app/solve/eig/eig_job.h"

#include <algorithm>

#include "app/solve/solver_runs.h"
#include "core/device/registry.h"

namespace tl {
namespace {

/// Matrices generated at a time: few enough for a run to end soon and to leave memory.
std::size_t matrices_at_a_time(const Device& device, const EigTask& task, std::size_t element) {
    auto size = static_cast<std::size_t>(task.batch.n) * task.batch.n;
    constexpr std::size_t kMostElements = 1 << 22;
    auto fitting = batch_part(device, task.batch.n, task.pairs, element, task.batch.count);
    return std::min(fitting, std::max<std::size_t>(kMostElements / size, 1));
}

/// Number of matrices of a part whose accuracy is measured, at n^3 operations each.
std::size_t measured_at_most(int n) {
    constexpr std::size_t kMost = 1000, kOperations = 1 << 27;
    auto rows = static_cast<std::size_t>(n);
    return std::clamp<std::size_t>(kOperations / (rows * rows * rows), 1, kMost);
}

template <class T>
void solve_batch(const EigTask& task, JobRun& run, EigOutcome& outcome) {
    auto& batch = task.batch;
    Device& device = find_device(task.device);
    outcome.device = device.id();
    auto solver = make_configured_eigen(task.mode, device, {});
    auto stream = create_background_stream(device, task.background);
    outcome.multiprocessors = stream->multiprocessors();
    run.enter("solving");
    auto size = static_cast<std::size_t>(batch.n) * batch.n;
    std::size_t part = matrices_at_a_time(device, task, sizeof(T));
    auto place = [&](std::size_t matrix) {
        return static_cast<double>(matrix) / static_cast<double>(batch.count);
    };
    for (std::size_t first = 0; first < batch.count; first += part) {
        std::size_t count = std::min(part, batch.count - first);
        auto made = make_batch(batch, first, count);
        std::vector<T> a(made.begin(), made.end());
        DeviceArray<T> on_device(*stream, std::span<const T>(a));
        SolverRun of_part(run, place(first), place(first + count));
        auto result =
            solver->solve(*stream, {on_device.view(), batch.n, count}, {task.pairs}, of_part);
        auto solved = downloaded(*stream, result);
        outcome.mode = result.mode;
        outcome.summary.seconds += result.seconds;
        auto measured = std::min(count, measured_at_most(batch.n));
        outcome.summary.add(solved, std::span<const T>(a).first(measured * size));
        // Keeps whole matrices only.
        auto row = 2 * static_cast<std::size_t>(batch.n);
        auto room = (EigOutcome::kMostValues - outcome.values.size()) / row;
        auto kept = static_cast<std::ptrdiff_t>(std::min(room, count) * row);
        outcome.values.insert(outcome.values.end(), solved.values.begin(),
                              solved.values.begin() + kept);
    }
}

}  // namespace

EigOutcome expected_outcome(const EigTask& task) {
    EigOutcome outcome;
    outcome.batch = task.batch;
    outcome.pairs = task.pairs;
    outcome.mode = task.mode;
    outcome.device = task.device;
    outcome.precision = task.single ? "float" : "double";
    return outcome;
}

void run_eig(const EigTask& task, JobRun& run, EigOutcome& outcome) {
    give_way([&] {
        if (task.single)
            solve_batch<float>(task, run, outcome);
        else
            solve_batch<double>(task, run, outcome);
    });
}

}  // namespace tl
