// Independent tasks that several queues share, the CPU's and the GPU's: each takes the next one as
// long as it will be done with it before the others would have done all that is left. What each
// task takes corrects the cost model by which that is told (Brodtkorb 2007, section 4.2.4, has one
// fixed ratio). Times are told wrong all the same, where devices slow each other down: in the end a
// queue that has nothing else to do does a task of another one again if it will be done with it
// earlier, as "backup tasks" of MapReduce (Dean & Ghemawat 2004) do.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/queue/cost_model.h"
#include "solvers/queue/queue.h"

namespace tl {

struct SplitTask {
    std::string kind;  ///< of the cost model: "lu"
    double work = 0;   ///< in any unit
    /// Gives the task's operations to a queue and returns the values that it is done with, which
    /// then belong to the split. Called in the thread of that queue, and perhaps once more for
    /// another one.
    std::function<std::vector<ValueId>(Queue& queue)> give;
    /// Is handed the values once they exist, on the queue that was done first, in that queue's
    /// thread, one task of a queue after the other; it has to release them. What it throws ends the
    /// run.
    std::function<void(Queue& queue, const std::vector<ValueId>& values)> take;
};

/// How a queue has fared.
struct SplitShare {
    int n_tasks = 0;     ///< done there first
    int n_again = 0;     ///< of them, such that another queue had begun
    double seconds = 0;  ///< from the first task's start to the last one's end
    double error = 0;    ///< of the cost model for the last kind, as CostModel has it
};

/// For the queue of a device that shares tasks with others: the CPU's leaves the threads free that
/// drive GPUs, which would wait else for one of its cores before each kernel.
[[nodiscard]] QueueConfig shared_queue_config(const Device& device);

class WorkSplit {
  public:
    explicit WorkSplit(std::vector<Queue*> queues);

    /// Does all tasks, in any order, and waits for them; what a slower queue still does of a task
    /// that is done is cancelled, and not waited for. Returns how each queue has fared. Throws
    /// UserError with the first error.
    std::vector<SplitShare> run(const std::vector<SplitTask>& tasks);

    [[nodiscard]] const CostModel& model(std::size_t queue) const { return models_[queue]; }

    /// Tasks of a queue that are under way at once, so that copies of one overlap another one.
    static constexpr std::size_t kAhead = 3;

  private:
    struct Running;
    struct Worker;

    std::vector<Queue*> queues_;
    std::vector<CostModel> models_;
};

/// What a place has before it, and what one more task takes it, in seconds; below 0 if unknown.
struct PlaceLoad {
    double backlog = 0, cost = 0;
};
/// Whether the place should take the next of `n_left` tasks that are alike.
[[nodiscard]] bool is_worth_taking(std::size_t place, std::span<const PlaceLoad> loads,
                                   std::size_t n_left);

}  // namespace tl
