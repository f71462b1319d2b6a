// Nearest neighbours among many points, on the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/math.h"

namespace tl {

class PlaceSearch {
  public:
    /// Builds the tree; positions must be finite.
    explicit PlaceSearch(std::span<const vec3> places);
    ~PlaceSearch();

    /// Indices of the k nearest points of each of `count` points from index `first` on, themselves
    /// included. They are unordered, and padded with ~0 where there are fewer. `k` is at most
    /// NearestPoints::kMost.
    [[nodiscard]] std::vector<std::uint32_t> nearest(std::size_t first, std::size_t count, int k);

  private:
    struct Tree;
    std::unique_ptr<Tree> tree_;
};

}  // namespace tl
