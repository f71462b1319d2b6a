// Times repeated work on a stream by the device's own clock.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "accel/parallel/device.h"
#include "app/jobs/statistics.h"

namespace tl {

/// Milliseconds of repeated work.
struct Timing {
    double median = 0, p95 = 0;
};

class WorkTimer {
  public:
    /// For at most `most` repeats at once.
    WorkTimer(Stream& stream, int most) : stream_(stream) {
        for (int i = 0; i < 2 * most; ++i) events_.push_back(stream.device().create_event());
    }
    /// Medians of `repeat` runs of work(), after some that do not count. They are given to the
    /// device in one go, so that it never waits for the host to launch, as in a stream of frames.
    template <class Work>
    [[nodiscard]] Timing time(int repeat, Work&& work) {
        constexpr int kWarmup = 3;
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
        return {median(samples), p95(samples)};
    }

  private:
    Stream& stream_;
    std::vector<std::unique_ptr<Event>> events_;
};

}  // namespace tl
