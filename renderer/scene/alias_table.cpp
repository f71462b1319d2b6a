#include "renderer/scene/alias_table.h"

#include <numeric>

namespace tl {

std::vector<AliasEntry> make_alias_table(std::span<const double> weights) {
    double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (!(sum > 0)) return {};
    std::vector<AliasEntry> table(weights.size());
    // Weights relative to their mean.
    std::vector<double> left(weights.size());
    std::vector<std::uint32_t> small, large;
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
        left[i] = weights[i] / sum * static_cast<double>(weights.size());
        table[i] = {1, i, static_cast<float>(weights[i] / sum)};
        (left[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
        std::uint32_t poor = small.back(), rich = large.back();
        small.pop_back();
        table[poor].keep = static_cast<float>(left[poor]);
        table[poor].other = rich;
        left[rich] -= 1 - left[poor];
        if (left[rich] >= 1) continue;
        large.pop_back();
        small.push_back(rich);
    }
    // Entries that rounding leaves in `small` have a remaining weight of about 1, unless their
    // weight is 0.
    for (std::uint32_t i : small)
        if (!(weights[i] > 0)) {
            std::uint32_t heaviest = 0;
            for (std::uint32_t k = 0; k < weights.size(); ++k)
                if (weights[k] > weights[heaviest]) heaviest = k;
            table[i].keep = 0;
            table[i].other = heaviest;
        }
    return table;
}

}  // namespace tl
