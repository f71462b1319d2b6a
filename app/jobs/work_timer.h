// Times repeated work on a stream with the device's clock.
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
    /// `most`: maximum number of repeats of one call of time().
    WorkTimer(Stream& stream, int most) : stream_(stream) {
        for (int i = 0; i < 2 * most; ++i) events_.push_back(stream.device().create_event());
    }
    /// Times `repeat` runs of work(), after warm-up runs. All runs are enqueued without waiting, so
    /// that the device never idles between launches, as in continuous rendering.
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
