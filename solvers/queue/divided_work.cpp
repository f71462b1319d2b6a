#include "solvers/queue/divided_work.h"

#include <algorithm>
#include <cmath>

namespace tl {
namespace {

/// Items that a queue can do until `end`, at most n.
double items_until(double end, const ItemCost& cost, int n) {
    if (end <= cost.fixed) return 0;
    double left = end - cost.fixed;
    return left >= cost.each * n ? n : left / cost.each;
}

/// The earliest end of n items.
double earliest_end(int n, std::span<const ItemCost> costs) {
    double low = 0, high = costs[0].fixed + costs[0].each * n;
    // Halvings until roundings stop them.
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high), items = 0;
        for (auto& cost : costs) items += items_until(middle, cost, n);
        (items >= n ? high : low) = middle;
    }
    return high;
}

int batch_count(int n_items, const ItemCost& cost) {
    int most = std::min(kMostBatches, n_items);
    double balanced = 0.2 * cost.each * n_items;
    if (balanced >= cost.fixed * most) return most;
    return std::max(static_cast<int>(balanced / cost.fixed), 1);
}

}  // namespace

std::vector<int> divide_items(int n, std::span<const ItemCost> costs) {
    double end = earliest_end(n, costs);
    std::vector<int> parts;
    int left = n;
    for (auto& cost : costs) {
        parts.push_back(std::min(static_cast<int>(items_until(end, cost, n)), left));
        left -= parts.back();
    }
    // Fractions that are left go to the queues that end them first.
    for (; left > 0; --left) {
        auto end_with_one_more = [&](std::size_t p) {
            return costs[p].fixed + costs[p].each * (parts[p] + 1);
        };
        std::size_t best = 0;
        for (std::size_t p = 1; p < parts.size(); ++p)
            if (end_with_one_more(p) < end_with_one_more(best)) best = p;
        ++parts[best];
    }
    return parts;
}

std::vector<ItemBatch> batches_of(int n, std::span<const ItemCost> costs) {
    auto parts = divide_items(n, costs);
    std::vector<ItemBatch> batches;
    int first = 0;
    for (std::size_t p = 0; p < parts.size(); ++p) {
        int n_batches = parts[p] > 0 ? batch_count(parts[p], costs[p]) : 0;
        for (int b = 0, left = parts[p]; b < n_batches; ++b) {
            int count = (left + n_batches - b - 1) / (n_batches - b);
            batches.push_back({first, count, static_cast<int>(p)});
            first += count;
            left -= count;
        }
    }
    return batches;
}

}  // namespace tl
