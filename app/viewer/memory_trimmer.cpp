#include "app/viewer/memory_trimmer.h"

#include "app/jobs/resident_memory.h"
#include "app/viewer/viewer_model.h"

namespace tl {

bool MemoryTrimmer::due(const ViewerModel& model) {
    (void)heap_.take();
    Needs now{model.gate.edits(),
              model.session.extent(),
              model.view.boxes.shown,
              model.view.net.shown,
              model.view.points.shown,
              model.view.histogram.counted(model.view.interface_visible),
              model.view.compare.second != nullptr,
              model.accumulating(),
              model.view.histogram.version,
              BackgroundWork::n_unwanted()};
    if (now != needs_) {
        needs_ = now;
        since_ = Clock::now();
        pending_ = true;
    }
    bool rested = std::chrono::duration<float>(Clock::now() - since_).count() >= rest;
    return pending_ && rested && !heap_.busy();
}

void MemoryTrimmer::trimmed() {
    pending_ = false;
    heap_due_ = true;
}

void MemoryTrimmer::return_heap() {
    if (!heap_due_ || heap_.busy()) return;
    heap_due_ = false;
    heap_.start("memory", 0, [](JobRun&, int&) { trim_free_memory(); });
}

}  // namespace tl
