// Independent tasks that several queues share, the CPU's and the GPU's: each takes the next one as
// long as it will be done with it before the others would have done all that is left. What each
// task takes corrects the cost model by which that is told (Brodtkorb 2007, section 4.2.4, has one
// fixed ratio).
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
    /// Gives the task's operations to a queue and returns the values that it is done with. Called
    /// in the thread of that queue.
    std::function<std::vector<ValueId>(Queue& queue)> give;
};

/// How a queue has fared.
struct SplitShare {
    int n_tasks = 0;
    double seconds = 0;  ///< from the first task's start to the last one's end
    double error = 0;    ///< of the cost model for the last kind, as CostModel has it
};

class WorkSplit {
  public:
    explicit WorkSplit(std::vector<Queue*> queues);

    /// Does all tasks, in any order, and waits for them. Throws UserError with the first error.
    std::vector<SplitShare> run(const std::vector<SplitTask>& tasks);

    [[nodiscard]] const CostModel& model(std::size_t queue) const { return models_[queue]; }

    /// Tasks of a queue that are under way at once, so that copies of one overlap another one.
    static constexpr std::size_t kAhead = 3;

  private:
    struct Running;
    void work(std::size_t place, const std::vector<SplitTask>& tasks, Running& running);

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
