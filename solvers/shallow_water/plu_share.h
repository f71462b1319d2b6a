// Devices that share the dense systems of mode plu, as Brodtkorb 2007, section 5.2.2, has the CPU
// and the GPU do: the lines are divided by measured costs, and batches of them are tasks of a
// WorkSplit. The thesis has one fixed ratio instead, and a task for each line. Where one device
// alone turns out to be faster than both, it solves all lines.
#pragma once

#include <map>
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

    /// Solves all systems and waits for them. The first calls for lines of a length measure the
    /// costs of each queue, and the time of all systems on both devices and on each alone; later
    /// ones do what was fastest. `single`: in floats instead of doubles. Throws UserError if a
    /// device fails.
    void solve(PluSystems& systems, bool single);

    /// A row for each queue: sums since construction.
    [[nodiscard]] const std::vector<WaterShare>& shares() const { return shares_; }

  private:
    template <class T>
    [[nodiscard]] SplitTask task_of(PluSystems& systems, const std::string& kind, int first,
                                    int count);
    /// Times of systems of a kind, shared and then by the device of each queue alone.
    struct WayTime {
        int n_runs = 0;
        double least = 0;  ///< s
    };
    using WayTimes = std::vector<WayTime>;
    /// Index of a way that is not known well yet, else of the fastest one.
    [[nodiscard]] static std::size_t way_to_take(const WayTimes& times);

    /// Divides the systems between all queues.
    template <class T>
    void solve_shared(PluSystems& systems, const std::string& kind);
    void solve_alone(PluSystems& systems, std::size_t queue, bool single);
    /// Whether the costs of all queues are known; false after an error while they were measured.
    [[nodiscard]] bool is_measured(const std::string& kind) const;
    [[nodiscard]] std::vector<ItemCost> costs_of(const std::string& kind) const;

    std::vector<std::unique_ptr<Queue>> queues_;
    WorkSplit split_;
    std::vector<WaterShare> shares_;
    std::vector<std::unique_ptr<Stream>> streams_;  ///< of each queue's device, for systems alone
    std::map<std::string, WayTimes> times_;         ///< by kind and number of lines
};

}  // namespace tl
