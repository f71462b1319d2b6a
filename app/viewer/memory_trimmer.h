// Decides when the viewer frees memory that it has kept for larger pictures and hidden views: once
// its present state has lasted for a while.
#pragma once

#include <chrono>
#include <cstdint>

#include "app/jobs/background_job.h"
#include "app/viewer/viewer_model.h"

namespace tl {

class MemoryTrimmer {
  public:
    /// Seconds without a change of the needs.
    float rest = 3;

    /// Whether kept memory should be freed now; then call given_back(). Call between two frames.
    [[nodiscard]] bool due(const ViewerModel& model);
    void given_back();
    /// Returns free memory of the allocator to the system, in another thread; call while the viewer
    /// is idle. Other threads that allocate meanwhile may have to wait.
    void return_heap();
    /// Whether nothing is kept for earlier states.
    [[nodiscard]] bool done() const { return !pending_ && !heap_due_ && !heap_.busy(); }

  private:
    using Clock = std::chrono::steady_clock;
    /// State that determines how much memory is needed.
    struct Needs {
        std::uint64_t edits = 0;  ///< number of edits of the gate
        Extent film;
        bool boxes = false, net = false, points = false, histogram = false, comparison = false;
        bool frames = false;           ///< samples are being added
        std::uint64_t histograms = 0;  ///< number of histograms found
        std::uint64_t unwanted = 0;    ///< dropped pieces of work that have ended
        bool operator==(const Needs&) const = default;
    };

    Needs needs_;
    Clock::time_point since_{};
    bool pending_ = false, heap_due_ = false;
    BackgroundJob<int> heap_;
};

}  // namespace tl
