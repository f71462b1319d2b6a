// Background work of the SVD panel: decomposes a matrix on a separate stream, approximates the
// frame by its largest singular triplets, and measures errors of values. No GL, no ImGui.
#pragma once

#include <memory>
#include <string>

#include "app/jobs/background_job.h"
#include "app/solve/form_factors/form_factor_matrix.h"
#include "app/solve/svd/svd_errors.h"
#include "app/solve/svd/svd_problem.h"
#include "core/device/background.h"

namespace tl {

enum class SvdSource : int { kind, file, frame, form_factors };

/// The matrix to decompose, and the method.
struct SvdTask {
    SvdSource source = SvdSource::kind;
    MatrixInput input{"", {"uniform", 512, 512, 1e3, 0}};  ///< of sources kind and file
    HostMatrix<float> frame;                               ///< of source frame
    std::shared_ptr<const Scene> scene;                    ///< of source form_factors
    float time = 0;                                        ///< of the scene's motion, seconds
    FormFactorSpec form_factors;

    std::string mode = "auto", device = "auto";
    BackgroundConfig background;
    bool single = false;  ///< float instead of double
    SvdVectors vectors = SvdVectors::thin;
    int rank = 0;  ///< 0: all triplets
};

/// The triplets of a decomposed frame, on the CPU.
struct FrameTriplets {
    std::unique_ptr<Stream> stream;
    SvdResult<float> svd;
};

/// The result of a task. `error` is "" on success.
struct SvdOutcome {
    SvdSource source = SvdSource::kind;
    std::string what;  ///< readable name of the matrix: "geometric, condition 1e+14"
    int rows = 0, cols = 0;
    std::string mode, device, precision, vectors;
    int multiprocessors = 0;  ///< of the GPU that were used; 0 on the CPU
    double seconds = 0;       ///< of the solve alone
    std::vector<double> values;
    nlohmann::ordered_json accuracy;       ///< as accuracy_json
    std::vector<StageTime> stages;         ///< without the total
    std::shared_ptr<FrameTriplets> frame;  ///< of source frame
    std::string error;
    JobFrameRates rates;
};

/// The frame's approximation by its largest triplets.
struct RankPicture {
    int rank = 0;
    double energy = 0;  ///< fraction kept
    HostMatrix<float> luminance;
};

/// Outcome with the fields that are known before the run.
[[nodiscard]] SvdOutcome expected_outcome(const SvdTask& task);
/// Decomposes on a separate stream, in a thread of low priority. Throws on errors.
void run_svd(const SvdTask& task, JobRun& run, SvdOutcome& outcome);
/// Measures the errors of the values of `matrices` matrices of the task's kind, found by all modes
/// of its device. Throws on errors.
void run_svd_errors(const SvdTask& task, int matrices, JobRun& run, SvdErrors& errors);
/// Approximates the frame by its `rank` largest triplets, in a thread of low priority.
[[nodiscard]] RankPicture approximate(FrameTriplets& frame, int rank);

}  // namespace tl
