// Decides when the viewer frees memory that earlier states needed, such as larger pictures and
// views that are now hidden. The time has come once the present needs have lasted for a few
// seconds.
#pragma once

#include <chrono>
#include <cstdint>

#include "app/jobs/background_job.h"
#include "core/base/math.h"

namespace tl {

struct ViewerModel;

/// Times the freeing of memory, in two stages. First the caller frees its unneeded objects, then
/// the allocator's free memory goes back to the system.
class MemoryTrimmer {
  public:
    /// Time for which the needs must not change before memory is freed, seconds.
    float rest = 3;

    /// Compares the needs with those of the last call. Returns whether unneeded memory should be
    /// freed now; the caller then frees it and calls trimmed(). Call between two frames.
    [[nodiscard]] bool due(const ViewerModel& model);
    /// Tells that the caller has freed its unneeded objects.
    void trimmed();
    /// Returns the allocator's free memory to the system, in another thread, once after each
    /// trimmed(). Call while the viewer is idle. Other threads that allocate meanwhile may have
    /// to wait.
    void return_heap();
    /// Whether no memory of earlier states is left to free.
    [[nodiscard]] bool done() const { return !pending_ && !heap_due_ && !heap_.busy(); }

  private:
    using Clock = std::chrono::steady_clock;
    /// State of the viewer that determines how much memory it needs.
    struct Needs {
        std::uint64_t edits = 0;  ///< number of edits that have run
        Extent film;              ///< size of the film
        /// Whether each of these is shown, counted or compared.
        bool boxes = false, net = false, points = false, histogram = false, comparison = false;
        bool frames = false;           ///< whether samples are being added
        std::uint64_t histograms = 0;  ///< version of the histogram
        std::uint64_t unwanted = 0;    ///< ended pieces of work whose results were discarded
        bool operator==(const Needs&) const = default;
    };

    Needs needs_;                ///< at the last due()
    Clock::time_point since_{};  ///< time of the last change of needs_
    /// pending_: needs_ have changed since trimmed(); heap_due_: trimmed() was called since
    /// return_heap() last started.
    bool pending_ = false, heap_due_ = false;
    BackgroundJob<int> heap_;  ///< work of return_heap()
};

}  // namespace tl
