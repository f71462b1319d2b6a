// Background work of the section for sparse systems: solves a system with a generated matrix, or
// one from a file, on a stream of its own. No GL, no ImGui.
#pragma once

#include <string>

#include "app/jobs/background_job.h"
#include "app/solve/sparse/sparse_problem.h"
#include "core/device/background.h"

namespace tl {

/// The system, and the device that solves it.
struct SparsePanelTask {
    SparseTask system{.spec = {"poisson2d", 10'000, 0}};
    std::string device = "auto";
    BackgroundConfig background;
    bool single = false;  ///< float instead of double

    static constexpr int kMostRows = 10'000'000;  ///< of matrices that the panel makes
};

/// The result of a task. `error` is "" on success.
struct SparseOutcome {
    std::string what, device, precision;  ///< what: kind of matrix, or file
    int multiprocessors = 0;              ///< of the GPU that were used; 0 on the CPU
    nlohmann::ordered_json report;        ///< SparseAnswer::report
    std::string error;
    JobFrameRates rates;
};

/// Outcome with the fields that are known before the run.
[[nodiscard]] SparseOutcome expected_outcome(const SparsePanelTask& task);
/// Solves the system, in a thread of low priority. Throws on errors, also if the iteration fails.
void run_sparse_task(const SparsePanelTask& task, JobRun& run, SparseOutcome& outcome);

}  // namespace tl
