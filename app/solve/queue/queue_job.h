// Background work of the queue's section: runs equal tasks on a queue of low priority, whose
// timeline is visible meanwhile. No GL, no ImGui.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "app/jobs/background_job.h"
#include "app/solve/queue/queue_work.h"

namespace tl {

struct QueuePanelTask {
    QueueWork work{"lu", 512, 25, false, 0};
    std::string device = "auto";
    /// else each task begins once the results of the one before have been read
    bool overlapping = true;
};

/// The result of a run. `error` is "" on success.
struct QueueOutcome {
    QueuePanelTask task;
    std::string device;
    double taken = -1;  ///< seconds; below 0 if it failed
    LaneOverlap overlap;
    std::vector<TimelineSpan> spans;
    std::string error;
    JobFrameRates rates;
};

/// Timeline of the queue in use, for another thread.
class LiveTimeline {
  public:
    /// Shows a queue until the end of the scope.
    class Shown {
      public:
        Shown(LiveTimeline& timeline, const Queue& queue) : timeline_(timeline) {
            timeline_.set(&queue);
        }
        ~Shown() { timeline_.set(nullptr); }
        Shown(const Shown&) = delete;
        Shown& operator=(const Shown&) = delete;

      private:
        LiveTimeline& timeline_;
    };

    /// Empty while no queue is shown.
    [[nodiscard]] std::vector<TimelineSpan> spans() const;

  private:
    void set(const Queue* queue);

    mutable std::mutex mutex_;
    const Queue* queue_ = nullptr;
};

/// Runs the tasks in a thread of low priority. Throws on errors.
void run_queue_task(const QueuePanelTask& task, LiveTimeline& live, JobRun& run,
                    QueueOutcome& outcome);

}  // namespace tl
