// Surfaces in a row, found by the area before them.
#pragma once

#include <algorithm>
#include <vector>

namespace tl {

class AreaTable {
  public:
    void add(double area) { ends_.push_back(total() + area); }
    [[nodiscard]] double total() const { return ends_.empty() ? 0 : ends_.back(); }

    struct Place {
        std::size_t index;  ///< of a surface that has an area
        double within;      ///< area of it before the place
    };
    /// What lies at `place` (0 to total()) of the area, which must be above 0.
    [[nodiscard]] Place find(double place) const {
        auto end = std::upper_bound(ends_.begin(), ends_.end(), place);
        // Rounding may lead to the end of it all.
        if (end == ends_.end()) end = std::lower_bound(ends_.begin(), ends_.end(), total());
        double before = end == ends_.begin() ? 0 : *(end - 1);
        return {static_cast<std::size_t>(end - ends_.begin()), place - before};
    }

  private:
    std::vector<double> ends_;  ///< area up to the end of each
};

}  // namespace tl
