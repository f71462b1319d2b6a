// What a background job does for the panel of decompositions: it decomposes a matrix on a stream of
// its own, and approximates the frame by its largest triplets. No GL, no ImGui.
#pragma once

#include <memory>
#include <string>

#include "accel/parallel/background.h"
#include "app/jobs/background_job.h"
#include "app/solve/form_factors/form_factor_job.h"
#include "app/solve/svd/svd_job.h"

namespace tl {

enum class SvdSource : int { kind, file, frame, form_factors };

/// What to decompose, and how.
struct SvdTask {
    SvdSource source = SvdSource::kind;
    SvdInput input{"", {"uniform", 512, 512, 1e3, 0}};  ///< of sources kind and file
    HostMatrix<float> frame;                            ///< of source frame
    std::shared_ptr<const Scene> scene;                 ///< of source form_factors
    float time = 0;                                     ///< of its motion
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

/// What came of a task. `error` is "" where all went well.
struct SvdOutcome {
    SvdSource source = SvdSource::kind;
    std::string what;  ///< the matrix for people: "geometric, condition 1e+14"
    int rows = 0, cols = 0;
    std::string mode, device, precision, vectors;
    int multiprocessors = 0;  ///< of the GPU, that it ran on; 0 on the CPU
    double seconds = 0;       ///< of the solve alone
    std::vector<double> values;
    nlohmann::ordered_json accuracy;       ///< as accuracy_json
    std::vector<StageTime> stages;         ///< without the whole
    std::shared_ptr<FrameTriplets> frame;  ///< of source frame
    std::string error;
    JobFrameRates rates;
};

/// The frame's approximation by its largest triplets.
struct RankPicture {
    int rank = 0;
    double energy = 0;  ///< share kept
    HostMatrix<float> luminance;
};

/// What is known of the outcome before anything has been done.
[[nodiscard]] SvdOutcome expected_outcome(const SvdTask& task);
/// Decomposes on a stream of its own, in a thread that gives way to others; throws what goes wrong.
void run_svd(const SvdTask& task, JobRun& run, SvdOutcome& outcome);
/// The frame by its `rank` largest triplets, in a thread that gives way to others.
[[nodiscard]] RankPicture approximate(FrameTriplets& frame, int rank);

}  // namespace tl
