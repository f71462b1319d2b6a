// A prefix-sum table of areas, for sampling surfaces by area.
#pragma once

#include <algorithm>
#include <vector>

namespace tl {

class AreaTable {
  public:
    void add(double area) { ends_.push_back(total() + area); }
    [[nodiscard]] double total() const { return ends_.empty() ? 0 : ends_.back(); }

    struct Place {
        std::size_t index;  ///< index of a surface with positive area
        double within;      ///< area from the surface's start to the position
    };
    /// The surface at cumulative area `place` (0 to total()); total() must be above 0.
    [[nodiscard]] Place find(double place) const {
        auto end = std::upper_bound(ends_.begin(), ends_.end(), place);
        // Rounding may move `place` to the total.
        if (end == ends_.end()) end = std::lower_bound(ends_.begin(), ends_.end(), total());
        double before = end == ends_.begin() ? 0 : *(end - 1);
        return {static_cast<std::size_t>(end - ends_.begin()), place - before};
    }

  private:
    std::vector<double> ends_;  ///< cumulative area at the end of each surface
};

}  // namespace tl
