// Background work of the section for dense algebra: solves a problem with a generated matrix, or
// one from a file, on a stream of its own. No GL, no ImGui.
#pragma once

#include <string>

#include "app/jobs/background_job.h"
#include "app/solve/dense/dense_problem.h"
#include "core/device/background.h"

namespace tl {

/// The problem, and the device that solves it.
struct DensePanelTask {
    DenseTask dense;
    std::string device = "auto";
    BackgroundConfig background;
    bool single = false;  ///< float instead of double
};

/// The result of a task. `error` is "" on success.
struct DenseOutcome {
    std::string problem, what, mode, device, precision;
    int rows = 0, cols = 0;
    int multiprocessors = 0;        ///< of the GPU that were used; 0 on the CPU
    nlohmann::ordered_json report;  ///< of run_dense()
    std::string error;
    JobFrameRates rates;

    /// Seconds of the solve alone; -1 if it failed.
    [[nodiscard]] double seconds() const {
        return error.empty() && report.contains("seconds") ? report["seconds"].get<double>() : -1;
    }
};

/// Outcome with the fields that are known before the run.
[[nodiscard]] DenseOutcome expected_outcome(const DensePanelTask& task);
/// Solves the problem, in a thread of low priority. Throws on errors.
void run_dense_task(const DensePanelTask& task, JobRun& run, DenseOutcome& outcome);

}  // namespace tl
