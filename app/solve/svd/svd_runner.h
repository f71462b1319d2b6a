// Decomposes matrices in a thread and on a stream of its own while frames go on. One run at a
// time; what has come of it is taken by the thread that draws. No GL, no ImGui.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "accel/parallel/background.h"
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

/// What came of a task. `error` is "" where all went well.
struct SvdOutcome {
    SvdSource source = SvdSource::kind;
    std::string what;  ///< the matrix for people: "geometric, condition 1e+14"
    int rows = 0, cols = 0;
    std::string mode, device, precision, vectors;
    int multiprocessors = 0;  ///< of the GPU, that it ran on; 0 on the CPU
    double seconds = 0;       ///< of the solve alone
    std::vector<double> values;
    nlohmann::ordered_json accuracy;  ///< as accuracy_json
    std::vector<StageTime> stages;    ///< without the whole
    std::string error;
    /// Frames a second, by who watches the run; 0: none were made, or too few to tell.
    double fps_before = 0, fps_during = 0, fps_after = 0;
};

/// The frame's approximation by its largest triplets.
struct RankPicture {
    int rank = 0;
    double energy = 0;  ///< share kept
    HostMatrix<float> luminance;
};

class SvdRunner {
  public:
    SvdRunner() = default;
    /// Cancels, and waits for it: a library's run cannot be stopped in the middle.
    ~SvdRunner();
    SvdRunner(const SvdRunner&) = delete;
    SvdRunner& operator=(const SvdRunner&) = delete;

    /// Does nothing while another task runs.
    void start(SvdTask task);
    void cancel();
    /// From start() until take() has handed out the outcome.
    [[nodiscard]] bool busy() const { return busy_; }
    [[nodiscard]] float progress() const;
    /// What it is at: "making the matrix".
    [[nodiscard]] std::string phase() const;
    /// What has finished since the last call; never waits.
    [[nodiscard]] std::optional<SvdOutcome> take();

    /// Asks for the approximation of the newest frame that was decomposed; the newest call wins.
    void show_rank(int rank);
    /// show_rank() has not been answered yet.
    [[nodiscard]] bool showing() const;
    [[nodiscard]] std::optional<RankPicture> take_picture();

  private:
    void work();
    void solve(const SvdTask& task, SvdOutcome& outcome);
    template <class T>
    void solve_as(const SvdTask& task, SvdOutcome& outcome);
    template <class T>
    Matrix<T> make_matrix_of(Blas& blas, const SvdTask& task, SvdOutcome& outcome,
                             std::vector<double>& known);
    template <class T>
    void keep_frame(Stream& stream, const SvdResult<T>& result);
    [[nodiscard]] RankPicture approximate(int rank);
    void enter(const char* phase);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<SvdTask> waiting_;
    std::optional<SvdOutcome> finished_;
    std::optional<int> wanted_rank_;
    bool approximating_ = false;
    std::optional<RankPicture> picture_;
    std::string phase_;
    std::shared_ptr<SolverRun> run_;
    bool stop_ = false;

    bool busy_ = false;  // of the thread that draws
    // Of the worker: the newest frame's triplets, on the CPU.
    std::unique_ptr<Stream> frame_stream_;
    SvdResult<float> frame_;
    std::thread thread_;  // started by the first task
};

}  // namespace tl
