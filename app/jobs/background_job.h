// Work in a thread of its own while frames go on: what it is at, how far it is, how it is stopped,
// what has come of it, and how many frames a second there were beside it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "solvers/solver.h"

namespace tl {

/// What the work tells of itself, and how it is stopped.
class JobRun : public SolverRun {
  public:
    /// By the work, with a literal: "making the matrix". Throws SolverCancelled once somebody has
    /// cancelled.
    void enter(const char* phase) {
        phase_.store(phase, std::memory_order_relaxed);
        report(0);
    }
    /// From any thread.
    [[nodiscard]] const char* phase() const { return phase_.load(std::memory_order_relaxed); }

  private:
    std::atomic<const char*> phase_{"starting"};
};

/// Frames a second; 0: none were made, or too few to tell.
struct JobFrameRates {
    double before = 0, during = 0, after = 0;
};

/// What all jobs share, whatever comes of them. The work runs in the job's thread; everything else
/// is called by the thread that draws, and never waits.
class BackgroundWork {
  public:
    BackgroundWork() = default;
    /// Cancels, and waits for the work in progress to end.
    ~BackgroundWork();
    BackgroundWork(const BackgroundWork&) = delete;
    BackgroundWork& operator=(const BackgroundWork&) = delete;

    /// The work in progress ends as soon as it looks, with the error "cancelled".
    void cancel();
    /// From start() until take() has handed out what came of the newest work.
    [[nodiscard]] bool busy() const { return run_ != nullptr; }
    /// Of the newest work; "", "" and 0 where the job is not busy.
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] std::string phase() const { return run_ ? run_->phase() : ""; }
    [[nodiscard]] float progress() const { return run_ ? run_->progress() : 0; }
    /// Since the newest work was asked for.
    [[nodiscard]] double seconds() const;

    /// Once for each frame. `frames_go_on`: frames are made whether or not the job ends.
    void count_frame(bool frames_go_on);
    /// The rate of the second that follows the work is still being taken.
    [[nodiscard]] bool measuring() const { return measuring_; }
    [[nodiscard]] const JobFrameRates& rates() const { return rates_; }

  protected:
    struct Request {
        std::function<void(JobRun&)> work;
        std::shared_ptr<void> result;
        std::shared_ptr<JobRun> run;
        std::string error;  ///< "" where all went well
    };
    void launch(std::string name, double frame_rate, Request request);
    [[nodiscard]] std::optional<Request> take_finished();

  private:
    using Clock = std::chrono::steady_clock;
    void work_on_requests();

    // Of the thread that draws.
    std::string name_;
    std::shared_ptr<JobRun> run_;  // of the newest work; null where nothing is awaited
    Clock::time_point started_, ended_;
    std::uint64_t n_frames_ = 0;
    bool measuring_ = false;
    JobFrameRates rates_;

    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<Request> waiting_, finished_;
    bool stop_ = false;
    std::thread thread_;  // started by the first request
};

/// Work that fills a Result. The newest work wins: what waits is dropped, what runs is cancelled,
/// and nothing comes of either.
template <class Result>
class BackgroundJob : public BackgroundWork {
  public:
    /// `result` is what the work starts from; what it holds when the work ends, or throws, is
    /// handed out. `frame_rate`: frames a second now, 0 where none are made.
    void start(std::string name, Result result, std::function<void(JobRun&, Result&)> work,
               double frame_rate = 0) {
        auto kept = std::make_shared<Result>(std::move(result));
        launch(std::move(name), frame_rate,
               {[kept, work = std::move(work)](JobRun& run) { work(run, *kept); }, kept, {}, {}});
    }

    struct Ended {
        Result result;
        std::string error;  ///< what the work has thrown; "" where all went well
    };
    /// What has come of the newest work since the last call.
    [[nodiscard]] std::optional<Ended> take() {
        auto finished = take_finished();
        if (!finished) return std::nullopt;
        return Ended{std::move(*static_cast<Result*>(finished->result.get())),
                     std::move(finished->error)};
    }
};

}  // namespace tl
