// Divides equal items among queues by measured costs, so that the queues in use end together: the
// optimum for divisible loads (Bharadwaj, Ghose, Mani & Robertazzi 1996). Brodtkorb 2007, section
// 7.3, asks for such an automatic distribution.
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

/// Returns the items of each queue that make the latest end as early as possible.
[[nodiscard]] std::vector<int> divide_items(int n, std::span<const ItemCost> costs);

/// Cuts each queue's part into batches, so that copies overlap with work and the end can be
/// balanced: up to kMostBatches for each queue, with fixed costs of at most a fifth of their other
/// costs.
[[nodiscard]] std::vector<ItemBatch> batches_of(int n, std::span<const ItemCost> costs);

inline constexpr int kMostBatches = 16;

}  // namespace tl
