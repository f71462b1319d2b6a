// Work for queues that the benchmark and the panel share: equal tasks. Each uploads a matrix,
// solves with it, and reads the results.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "solvers/queue/work_split.h"

namespace tl {

struct QueueWork {
    std::string operation = "lu";  ///< id of an operation with one or two operands
    int size = 1024;               ///< rows and columns
    int count = 25;                ///< number of tasks
    bool single = false;           ///< float instead of double
    std::uint64_t seed = 0;
};

/// Ids of the operations that tasks may have, for flags and lists.
[[nodiscard]] std::vector<std::string> work_operations();

/// The tasks and their matrices, in host memory from which copies run concurrently with other work.
class QueueTasks {
  public:
    /// `memory`: the queue that lends the host memory, a GPU's if one takes part. Throws UsageError
    /// for an unknown operation.
    QueueTasks(const QueueWork& work, Queue& memory);

    /// Enqueues a task, reads included, and returns its results.
    std::vector<ValueId> give(Queue& queue, int task) const;
    /// Waits for the results and releases them. Throws UserError with their error.
    static void take(Queue& queue, const std::vector<ValueId>& results);

    /// Runs all tasks on one queue: overlapping, or each after the one before. Returns seconds.
    /// `done` is called after each task, and may throw.
    double run(Queue& queue, bool overlapping, const std::function<void(int)>& done) const;
    /// Distributes the tasks over the split's queues. Returns seconds.
    double run(WorkSplit& split, std::vector<SplitShare>& shares) const;

  private:
    QueueWork work_;
    const OperationRow* row_;
    Shape shape_;
    std::vector<std::shared_ptr<void>> matrices_;  ///< tasks cycle through them
};

}  // namespace tl
