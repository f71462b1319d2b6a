// Devices that share the dense systems of mode plu, as Brodtkorb 2007, section 5.2.2, has the CPU
// and the GPU do: the lines are divided by measured costs, and batches of them are tasks of a
// WorkSplit. The thesis has one fixed ratio instead, and a task for each line.
#pragma once

#include <memory>
#include <vector>

#include "solvers/queue/divided_work.h"
#include "solvers/queue/work_split.h"
#include "solvers/shallow_water/plu.h"
#include "solvers/shallow_water/water.h"

namespace tl {

/// A queue for each device of this machine. Throws UserError where there is no GPU.
[[nodiscard]] std::vector<std::unique_ptr<Queue>> water_queues();
/// Throws UserError where there is no GPU.
void require_two_devices();

/// The queues and the costs that they have shown.
class PluShare {
  public:
    explicit PluShare(std::vector<std::unique_ptr<Queue>> queues);

    /// Solves all systems and waits for them. The first call for lines of a length measures the
    /// costs of each queue. `single`: in floats instead of doubles. Throws UserError if a device
    /// fails.
    void solve(PluSystems& systems, bool single);

    /// A row for each queue: sums since construction.
    [[nodiscard]] const std::vector<WaterShare>& shares() const { return shares_; }

  private:
    template <class T>
    [[nodiscard]] SplitTask task_of(PluSystems& systems, const std::string& kind, int first,
                                    int count);
    template <class T>
    void solve_as(PluSystems& systems);
    [[nodiscard]] std::vector<ItemCost> costs_of(const std::string& kind) const;

    std::vector<std::unique_ptr<Queue>> queues_;
    WorkSplit split_;
    std::vector<WaterShare> shares_;
};

}  // namespace tl
