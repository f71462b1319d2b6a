// Work for queues that the benchmark and the panel share: equal tasks, each of which uploads a
// matrix, solves with it, and reads the results.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/queue/work_split.h"

namespace tl {

struct QueueWork {
    std::string operation = "lu";  ///< the id of a row of operations with one or two operands
    int size = 1024;               ///< rows and columns
    int count = 25;                ///< of tasks
    bool single = false;           ///< float instead of double
    std::uint64_t seed = 0;
};

/// The ids of the operations that tasks may have, for flags and lists.
[[nodiscard]] std::vector<std::string> work_operations();

/// The tasks' matrices, in memory of the host that copies run beside other work from.
class QueueTasks {
  public:
    /// `memory` lends it: that of a GPU's queue, if one takes part. Throws UsageError for an
    /// unknown operation.
    QueueTasks(const QueueWork& work, Queue& memory);

    /// Gives a task to a queue, reads included, and returns its results.
    std::vector<ValueId> give(Queue& queue, int task) const;
    /// Waits for the results, and releases them. Throws UserError with their error.
    static void take(Queue& queue, const std::vector<ValueId>& results);

    /// Does all tasks on one queue: overlapping, or each after the one before. Returns seconds.
    /// `done` is called after each task, and may throw.
    double run(Queue& queue, bool overlapping, const std::function<void(int)>& done) const;
    /// Shares the tasks among the split's queues. Returns seconds.
    double run(WorkSplit& split, std::vector<SplitShare>& shares) const;

  private:
    QueueWork work_;
    const OperationRow* row_;
    Shape shape_;
    std::vector<std::shared_ptr<void>> matrices_;  ///< for the tasks in turn
};

}  // namespace tl
