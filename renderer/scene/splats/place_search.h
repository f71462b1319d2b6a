// The nearest ones of many places to each of them, on the CPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "accel/parallel/math.h"

namespace tl {

class PlaceSearch {
  public:
    /// `places` are finite.
    explicit PlaceSearch(std::span<const vec3> places);
    ~PlaceSearch();

    /// The k places nearest to each of `count` ones from number `first` on, themselves among them,
    /// in no order; ~0 for no more. At most NearestPoints::kMost.
    [[nodiscard]] std::vector<std::uint32_t> nearest(std::size_t first, std::size_t count, int k);

  private:
    struct Tree;
    std::unique_ptr<Tree> tree_;
};

}  // namespace tl
