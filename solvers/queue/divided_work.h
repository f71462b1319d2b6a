// Divides items that are alike among queues, by measured costs, so that all end at the same time.
// That is the optimum for divisible loads (Bharadwaj, Ghose, Mani & Robertazzi 1996). Brodtkorb
// 2007, section 7.3, asks for such an automatic distribution.
#pragma once

#include <span>
#include <vector>

namespace tl {

/// Cost of a batch of items on a queue, s: `fixed` plus `each` times their number.
struct ItemCost {
    double fixed = 0, each = 0;
};

/// Items [first, first + count) for one queue.
struct ItemBatch {
    int first = 0, count = 0;
    int queue = 0;  ///< its index
};

/// The number of items for each queue, of which the last one ends as early as possible.
[[nodiscard]] std::vector<int> divide_items(int n, std::span<const ItemCost> costs);

/// The same as batches, so that copies of one overlap with another one and the end can be balanced.
/// Up to kMostBatches for each queue, as far as their fixed costs are a fifth of the rest at most.
[[nodiscard]] std::vector<ItemBatch> batches_of(int n, std::span<const ItemCost> costs);

inline constexpr int kMostBatches = 16;

}  // namespace tl
