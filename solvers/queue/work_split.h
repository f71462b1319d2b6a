// Splits independent tasks over several queues, the CPU's and the GPU's. A queue takes the next
// task if it would end it before the other queues could do all remaining ones. The times are
// predicted by a cost model, which each task's measured time updates (Brodtkorb 2007, section
// 4.2.4, has one fixed ratio). Predictions can be wrong where devices slow each other down. So in
// the end an idle queue repeats a task of another one if it will be done with it earlier, like the
// "backup tasks" of MapReduce (Dean & Ghemawat 2004).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/queue/cost_model.h"
#include "solvers/queue/queue.h"

namespace tl {

struct SplitTask {
    std::string kind;  ///< kind in the cost model: "lu"
    double work = 0;   ///< in one unit for all tasks of a run
    /// Enqueues the task's operations and returns the values that complete it, which then belong to
    /// the split. Called in the thread of that queue, and perhaps once more for another queue.
    std::function<std::vector<ValueId>(Queue& queue)> give;
    /// Receives the values once they exist, on the queue that was done first, and has to release
    /// them. Called in that queue's thread, one task of a queue after the other. An exception ends
    /// the run.
    std::function<void(Queue& queue, const std::vector<ValueId>& values)> take;
    /// Index of the queue that the task is planned for; below 0: any. Another queue may take it
    /// once nothing else is left for that one.
    int planned = -1;
};

/// Statistics of a queue's part of the tasks.
struct SplitShare {
    int n_tasks = 0;     ///< done there first
    int n_again = 0;     ///< tasks among these that another queue had begun
    double seconds = 0;  ///< time between the first task's start and the last one's end
    double error = 0;    ///< error of the cost model for the last kind: CostModel::error()
};

/// Configuration of a queue that splits tasks with those of other devices. The CPU's leaves cores
/// free for the threads that drive GPUs; else these would wait for a core before each kernel.
[[nodiscard]] QueueConfig shared_queue_config(const Device& device);

class WorkSplit {
  public:
    explicit WorkSplit(std::vector<Queue*> queues);

    /// Runs each task on every queue, one after the other, so that the costs are known before the
    /// first run; the first task once more before, uncounted, which loads kernels and memory.
    /// Releases the results. Throws UserError with the first error.
    void measure(const std::vector<SplitTask>& tasks);

    /// Runs all tasks, in any order, and waits for them. A task that another queue has done first
    /// is cancelled, and not waited for. Returns the statistics of each queue. Throws UserError
    /// with the first error.
    std::vector<SplitShare> run(const std::vector<SplitTask>& tasks);

    [[nodiscard]] const CostModel& model(std::size_t queue) const { return models_[queue]; }

    /// Tasks of a queue in flight at once, so that copies of one overlap with another one.
    static constexpr std::size_t kAhead = 3;

  private:
    struct Running;
    struct Worker;

    std::vector<Queue*> queues_;
    std::vector<CostModel> models_;
};

/// Predicted time of the tasks that a queue has taken, and of one more task, in seconds; below 0 if
/// unknown.
struct SlotLoad {
    double backlog = 0, cost = 0;
};
/// Whether queue `place` should take the next of `n_left` tasks that are alike.
[[nodiscard]] bool is_worth_taking(std::size_t place, std::span<const SlotLoad> loads,
                                   std::size_t n_left);

}  // namespace tl
