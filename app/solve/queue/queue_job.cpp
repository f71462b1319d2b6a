#include "app/solve/queue/queue_job.h"

#include "app/solve/solver_runs.h"

namespace tl {

std::vector<TimelineSpan> LiveTimeline::spans() const {
    std::scoped_lock lock(mutex_);
    return queue_ ? queue_->timeline() : std::vector<TimelineSpan>{};
}

void LiveTimeline::set(const Queue* queue) {
    std::scoped_lock lock(mutex_);
    queue_ = queue;
}

void run_queue_task(const QueuePanelTask& task, LiveTimeline& live, JobRun& run,
                    QueueOutcome& outcome) {
    give_way([&] {
        Device& device = find_device(task.device);
        outcome.device = device.id();
        Queue queue(device, {.background = true});
        LiveTimeline::Shown shown(live, queue);
        run.enter("making matrices");
        QueueTasks tasks(task.work, queue);
        run.enter("tasks");
        outcome.taken = tasks.run(queue, task.overlapping, [&](int n_done) {
            run.report(static_cast<double>(n_done) / task.work.count);
        });
        outcome.spans = queue.timeline();
        outcome.overlap = measure_overlap(outcome.spans);
    });
}

}  // namespace tl
