// When the viewer gives back the memory that it has kept for larger pictures and for what is no
// longer shown: once its present state has lasted for a while.
#pragma once

#include <chrono>
#include <cstdint>

#include "app/jobs/background_job.h"
#include "app/viewer/viewer_model.h"

namespace tl {

class MemoryReturn {
  public:
    /// Seconds without a change of what is needed.
    float rest = 3;

    /// Call between two frames. True if what is kept should be given back now, followed by a call
    /// of given_back().
    [[nodiscard]] bool due(const ViewerModel& model);
    void given_back();
    /// Call while the viewer rests. Gives what the allocator still holds of it back to the system,
    /// in another thread; others that allocate meanwhile may have to wait.
    void return_heap();
    /// Whether nothing is kept for earlier states.
    [[nodiscard]] bool done() const { return !pending_ && !heap_due_ && !heap_.busy(); }

  private:
    using Clock = std::chrono::steady_clock;
    /// What decides how much memory is needed.
    struct Needs {
        std::uint64_t edits = 0;  ///< of the gate
        Extent film;
        bool boxes = false, net = false, points = false, histogram = false, comparison = false;
        bool frames = false;           ///< samples are being added
        std::uint64_t histograms = 0;  ///< found so far
        std::uint64_t unwanted = 0;    ///< pieces of work that have ended after they were dropped
        bool operator==(const Needs&) const = default;
    };

    Needs needs_;
    Clock::time_point since_{};
    bool pending_ = false, heap_due_ = false;
    BackgroundJob<int> heap_;
};

}  // namespace tl
