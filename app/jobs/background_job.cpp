#include "app/jobs/background_job.h"

#include <atomic>
#include <exception>

#include "core/base/error.h"

namespace tl {
namespace {

std::atomic<int> n_working{0};
std::atomic<std::uint64_t> n_ended_unwanted{0};

}  // namespace

bool BackgroundWork::any_works() {
    return n_working.load() > 0;
}

std::uint64_t BackgroundWork::n_unwanted() {
    return n_ended_unwanted.load();
}

BackgroundWork::~BackgroundWork() {
    cancel();
    {
        std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void BackgroundWork::cancel() {
    if (run_) run_->cancel();
}

void BackgroundWork::drop() {
    cancel();
    run_.reset();
    name_.clear();
    std::optional<Request> waiting, finished;  // freed after unlocking
    std::scoped_lock lock(mutex_);
    waiting = std::exchange(waiting_, std::nullopt);
    finished = std::exchange(finished_, std::nullopt);
    wanted_.reset();
}

double BackgroundWork::seconds() const {
    return std::chrono::duration<double>(Clock::now() - started_).count();
}

void BackgroundWork::launch(std::string name, const FramesBefore& frames, Request request) {
    cancel();
    // First, since this may throw.
    if (!thread_.joinable()) thread_ = std::thread([this] { work_on_requests(); });
    name_ = std::move(name);
    run_ = request.run = std::make_shared<JobRun>();
    started_ = Clock::now();
    frames_ = frames;
    frames_seen_ = frames.count + 1;  // a period that began before the work does not count
    periods_.clear();
    measuring_ = false;
    rates_ = {.before = frames.rate};
    std::optional<Request> replaced, outdated;  // freed after unlocking
    {
        std::scoped_lock lock(mutex_);
        wanted_ = run_;
        replaced = std::exchange(waiting_, std::move(request));
        outdated = std::exchange(finished_, std::nullopt);
    }
    changed_.notify_all();
}

std::optional<BackgroundWork::Request> BackgroundWork::take_finished() {
    std::optional<Request> finished;
    {
        std::scoped_lock lock(mutex_);
        finished = std::exchange(finished_, std::nullopt);
    }
    if (!finished) return finished;
    run_.reset();
    name_.clear();
    rates_.during = rates_.before > 0 ? rate_of(periods_) : 0;
    measuring_ = rates_.during > 0;
    periods_.clear();
    ++frames_seen_;  // the frame under way began before the end
    ended_ = Clock::now();
    return finished;
}

JobFrameRates BackgroundWork::rates() const {
    auto rates = rates_;
    if (busy() && rates.before > 0) rates.during = rate_of(periods_);
    return rates;
}

void BackgroundWork::follow_frames(const FrameLog& log, bool frames_go_on) {
    constexpr std::chrono::seconds kLeast{1}, kMost{10};  // after the work
    if (rates_.before > 0 && (busy() || measuring_) && log.count() > frames_seen_) {
        auto newest = log.periods_since(frames_seen_, frames_.state);
        frames_seen_ = log.count();
        if (periods_.size() >= FrameLog::kKept)
            periods_.erase(periods_.begin(), periods_.begin() + FrameLog::kKept / 2);
        periods_.insert(periods_.end(), newest.begin(), newest.end());
    }
    if (busy() || !measuring_) return;
    auto passed = Clock::now() - ended_;
    double after = passed >= kLeast ? rate_of(periods_) : 0;
    measuring_ = frames_go_on && after == 0 && passed < kMost;
    if (frames_go_on) rates_.after = after;
}

void BackgroundWork::work_on_requests() {
    while (true) {
        Request request;  // outlives the locks, so that it is freed after unlocking
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return stop_ || waiting_; });
            if (stop_) return;
            request = *std::exchange(waiting_, std::nullopt);
            ++n_working;
        }
        try {
            request.work(*request.run);
        } catch (const Cancelled& end) {
            request.error = end.what();
            request.cancelled = true;
        } catch (const std::exception& error) {
            request.error = message_of(error);
        }
        request.work = nullptr;  // frees its captures here, not in the drawing thread
        --n_working;
        std::scoped_lock lock(mutex_);
        // Otherwise a newer request has replaced this one, or its result was dropped.
        if (wanted_ == request.run)
            finished_ = std::move(request);
        else
            ++n_ended_unwanted;
    }
}

}  // namespace tl
