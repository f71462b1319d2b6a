// Runs work in a separate thread while frames continue, with its phase, progress, cancellation and
// result, and the frame rates before, during and after it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/jobs/frame_log.h"
#include "solvers/solver.h"

namespace tl {

/// Reports the phase and progress of the work, and lets it be cancelled.
class JobRun : public SolverRun {
  public:
    /// Called by the work with a string literal: "making the matrix". Throws Cancelled after
    /// cancel() was called.
    void enter(const char* phase) {
        phase_.store(phase, std::memory_order_relaxed);
        report(0);
    }
    /// May be called from any thread.
    [[nodiscard]] const char* phase() const { return phase_.load(std::memory_order_relaxed); }

  private:
    std::atomic<const char*> phase_{"starting"};
};

/// Frames per second before, during and after the work, by the median period of frames in one
/// state. 0: no frames, or too few.
struct JobFrameRates {
    double before = 0, during = 0, after = 0;
};

/// The frame rate before the work, and the state of the frames when it begins.
struct FramesBefore {
    double rate = 0;          ///< per second; 0: no frames are rendered, or too few to measure
    FrameState state{};       ///< only frames in this state count, during and after the work
    std::uint64_t count = 0;  ///< FrameLog::count()
};

/// Base of all jobs, independent of their type of result. The work runs in the job's thread; all
/// member functions are called by the drawing thread and never wait.
class BackgroundWork {
  public:
    BackgroundWork() = default;
    /// Cancels the work in progress and waits for it to end.
    ~BackgroundWork();
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;

    /// Ends the work in progress at its next call of report(), with the error "cancelled".
    void cancel();
    /// Cancels all work and discards its results, which are freed as soon as it ends.
    void drop();
    /// True from start() until take() has returned the result of the newest work.
    [[nodiscard]] bool busy() const { return run_ != nullptr; }
    /// Whether the thread of any job works, also on discarded or replaced work that has not ended
    /// yet. May be called from any thread.
    [[nodiscard]] static bool any_works();
    /// Number of pieces of work, of any job, that have ended and whose results were discarded. May
    /// be called from any thread.
    [[nodiscard]] static std::uint64_t n_unwanted();
    /// State of the newest work; "", "" and 0 if the job is not busy.
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::string phase() const { return run_ ? run_->phase() : ""; }
    [[nodiscard]] float progress() const { return run_ ? run_->progress() : 0; }
    /// Seconds since the newest work was requested.
    [[nodiscard]] double seconds() const;

    /// Call once a step, before take(). `frames_go_on`: frames are rendered whether or not the job
    /// ends.
    void follow_frames(const FrameLog& log, bool frames_go_on);
    /// True while the frame rate after the work is still being measured.
    [[nodiscard]] bool measuring() const { return measuring_; }
    /// Rates known so far. During the work, `during` is the rate over its frames up to now.
    [[nodiscard]] JobFrameRates rates() const;

  protected:
    struct Request {
        std::function<void(JobRun&)> work;
        std::shared_ptr<void> result;
        std::shared_ptr<JobRun> run;
        std::string error;  ///< "" on success
        bool cancelled = false;
    };
    void launch(std::string name, const FramesBefore& frames, Request request);
    [[nodiscard]] std::optional<Request> take_finished();

  private:
    using Clock = std::chrono::steady_clock;
    void work_on_requests();

    // Used by the drawing thread only.
    std::string name_;
    std::shared_ptr<JobRun> run_;  // of the newest work; null if there is none
    Clock::time_point started_, ended_;
    FramesBefore frames_;
    std::uint64_t frames_seen_ = 0;  // number in the FrameLog
    std::vector<double> periods_;    // seconds; of frames during the work, later of frames after it
    bool measuring_ = false;
    JobFrameRates rates_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Request> waiting_, finished_;
    std::shared_ptr<JobRun> wanted_;  // of the work whose result will be taken; null: of none
    bool stop_ = false;
    std::thread thread_;  // started by the first request
};

/// Work that fills a Result. The newest work wins: waiting work is dropped, running work is
/// cancelled, and the results of both are discarded.
template <class Result>
class BackgroundJob : public BackgroundWork {
  public:
    /// `result` is the initial value that the work modifies; take() returns its value when the work
    /// ends or throws.
    void start(std::string name, Result result, std::function<void(JobRun&, Result&)> work,
               const FramesBefore& frames = {}) {
        auto kept = std::make_shared<Result>(std::move(result));
        launch(
            std::move(name), frames,
            {[kept, work = std::move(work)](JobRun& run) { work(run, *kept); }, kept, {}, {}, {}});
    }

    struct Ended {
        Result result;
        std::string error;  ///< message of the exception, or "cancelled"; "" on success
        bool cancelled;     ///< the work ended because of cancel()
    };
    /// The result of the newest work, if it has ended since the last call.
    [[nodiscard]] std::optional<Ended> take() {
        auto finished = take_finished();
        if (!finished) return std::nullopt;
        return Ended{std::move(*static_cast<Result*>(finished->result.get())),
                     std::move(finished->error), finished->cancelled};
    }
};

}  // namespace tl
