// Times repeated work on a stream with the device's clock.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "app/jobs/bench_progress.h"
#include "app/jobs/statistics.h"
#include "core/device/device.h"

namespace tl {

/// Milliseconds of repeated work.
struct Timing {
    double median = 0, p95 = 0;
};

/// Counts repeats of timed work and reports their progress. On the CPU no repeat but the first
/// starts after the repeats took half of the time limit. A GPU has no limit.
class RepeatCounter {
  public:
    /// `count`: maximum number of repeats. `most_seconds`: time limit on the CPU; 0: none.
    /// `progress` must outlive it.
    RepeatCounter(const Device& device, int count, double most_seconds,
                  const ReadProgress& progress)
        : progress_(progress),
          count_(count),
          most_ms_(device.kind() == DeviceKind::cpu ? 1000 * most_seconds / 2 : 0) {}
    [[nodiscard]] bool continues() const {
        if (n_done_ == count_ || (n_done_ > 0 && is_late())) return false;
        progress_.report_work(kRepeats, static_cast<double>(n_done_) / count_);
        return true;
    }
    /// Counts a repeat, and adds its time to the time that is limited.
    void add(double milliseconds) {
        ++n_done_;
        spent_ms_ += milliseconds;
    }
    [[nodiscard]] int n_done() const { return n_done_; }
    [[nodiscard]] bool is_late() const { return most_ms_ > 0 && spent_ms_ > most_ms_; }

  private:
    const ReadProgress& progress_;
    int count_, n_done_ = 0;
    double most_ms_, spent_ms_ = 0;
};

class WorkTimer {
  public:
    /// `most`: maximum number of repeats of one call of time(). `most_seconds`: time limit of such
    /// a call on the CPU; 0: none. `progress` receives that of the repeats on the CPU.
    WorkTimer(Stream& stream, int most, double most_seconds = 0, ReadProgress progress = {})
        : stream_(stream), most_seconds_(most_seconds), progress_(std::move(progress)) {
        if (is_cpu()) most = 1;
        for (int i = 0; i < 2 * most; ++i) events_.push_back(stream.device().create_event());
    }
    /// Times `repeat` runs of work(), after warm-up runs. On a GPU all runs are enqueued without
    /// waiting, so that the device never idles between launches, as in continuous rendering. On the
    /// CPU no run starts after the runs took half of the time limit, warm-up included. A warm-up
    /// run that ends the measurement in this way is counted.
    template <class Work>
    [[nodiscard]] Timing time(int repeat, Work&& work) {
        auto samples = is_cpu() ? run_on_cpu(repeat, work) : run_on_gpu(repeat, work);
        return {median(samples), p95(samples)};
    }

  private:
    static constexpr int kWarmup = 3;

    [[nodiscard]] bool is_cpu() const { return stream_.device().kind() == DeviceKind::cpu; }
    template <class Work>
    [[nodiscard]] std::vector<double> run_on_cpu(int repeat, Work& work) {
        int n_warmup = std::min(kWarmup, repeat);
        std::vector<double> samples;
        RepeatCounter counter(stream_.device(), n_warmup + repeat, most_seconds_, progress_);
        while (counter.continues()) {
            events_[0]->record(stream_);
            work();
            events_[1]->record(stream_);
            double taken = events_[1]->milliseconds_since(*events_[0]);
            counter.add(taken);
            if (counter.n_done() > n_warmup || counter.is_late()) samples.push_back(taken);
        }
        return samples;
    }
    template <class Work>
    [[nodiscard]] std::vector<double> run_on_gpu(int repeat, Work& work) {
        for (int i = 0; i < std::min(kWarmup, repeat); ++i) work();
        stream_.synchronize();
        for (int i = 0; i < repeat; ++i) {
            auto k = 2 * static_cast<std::size_t>(i);
            events_[k]->record(stream_);
            work();
            events_[k + 1]->record(stream_);
        }
        stream_.synchronize();
        std::vector<double> samples;
        for (int i = 0; i < repeat; ++i) {
            auto k = 2 * static_cast<std::size_t>(i);
            samples.push_back(events_[k + 1]->milliseconds_since(*events_[k]));
        }
        return samples;
    }

    Stream& stream_;
    double most_seconds_;
    ReadProgress progress_;
    std::vector<std::unique_ptr<Event>> events_;
};

}  // namespace tl
