// Background work of the eigenvalues' section: solves a batch of generated matrices on a stream of
// its own. No GL, no ImGui.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/jobs/background_job.h"
#include "app/solve/eig/eig_problem.h"
#include "core/device/background.h"
#include "solvers/eigen/matrix_batch.h"

namespace tl {

/// The batch to solve, and the method.
struct EigTask {
    BatchSpec batch{"random", 10, 10'000, 0};
    EigenPairs pairs = EigenPairs::all;
    std::string mode = "auto", device = "auto";
    BackgroundConfig background;
    bool single = false;  ///< float instead of double

    /// Limits of the batches that the panel offers. A run can be cancelled only between groups of
    /// matrices, so larger matrices would delay that.
    static constexpr int kMostRows = 128;
    static constexpr int kMostMatrices = 10'000'000;
};

/// The result of a task. `error` is "" on success.
struct EigOutcome {
    BatchSpec batch;
    EigenPairs pairs = EigenPairs::all;
    std::string mode, device, precision;
    int multiprocessors = 0;  ///< of the GPU that were used; 0 on the CPU
    EigenSummary summary;
    /// Eigenvalues of the first `n_kept()` matrices, real and imaginary parts interleaved.
    std::vector<double> values;
    std::string error;
    JobFrameRates rates;

    static constexpr std::size_t kMostValues = 1 << 20;

    [[nodiscard]] std::size_t n_kept() const {
        return values.size() / (2 * static_cast<std::size_t>(batch.n));
    }
    /// Frees what only the newest outcome keeps.
    void shrink() { (void)std::exchange(values, {}); }
    /// Eigenvalues of a kept matrix, as 2 n numbers; NaN if it failed.
    [[nodiscard]] std::span<const double> values_of(std::size_t matrix) const {
        auto size = 2 * static_cast<std::size_t>(batch.n);
        return std::span(values).subspan(matrix * size, size);
    }
    /// Rate of the solve alone; 0 if its time was too short to be measured.
    [[nodiscard]] double matrices_per_second() const {
        return summary.seconds > 0 ? static_cast<double>(summary.count) / summary.seconds : 0;
    }
};

/// Outcome with the fields that are known before the run.
[[nodiscard]] EigOutcome expected_outcome(const EigTask& task);
/// Solves the batch, in a thread of low priority. Throws on errors.
void run_eig(const EigTask& task, JobRun& run, EigOutcome& outcome);

}  // namespace tl
