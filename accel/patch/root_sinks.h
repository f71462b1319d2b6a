// Sinks for the roots that a search of patches finds, and counters of its cost. All methods count
// in the same way: a search reports its steps to its sink. Ordinary sinks ignore them, so that no
// counting remains in the kernel.
#pragma once

#include "core/base/math.h"

namespace tl {

/// Work done for one ray.
struct SearchCounts {
    std::uint32_t n_tests = 0;  ///< tests of the ray against a patch, or a piece in a leaf
    std::uint32_t n_steps = 0;  ///< iterations, clips or cells, without polishing of roots
};
static_assert(sizeof(SearchCounts) == 8);

}  // namespace tl

TL_DEVICE_BEGIN

/// An intersection of a ray and a patch, in the patch's own parameters.
struct PatchRoot {
    double t, u, v;
};

/// Keeps the closest root.
struct NearestRoot {
    PatchRoot root{double(kInfinity), 0, 0};
    float limit;
    [[nodiscard]] TL_HD float t_max() const { return limit; }
    TL_HD bool add(const PatchRoot& found) {
        root = found;
        limit = static_cast<float>(found.t);
        return false;
    }
    TL_HD void count_steps(std::uint32_t) const {}
};

/// Stops at the first root.
struct AnyRoot {
    float limit;
    bool found = false;
    [[nodiscard]] TL_HD float t_max() const { return limit; }
    TL_HD bool add(const PatchRoot&) { return found = true; }
    TL_HD void count_steps(std::uint32_t) const {}
};

/// Forwards roots to another sink, and counts.
template <class Sink>
struct CountingSink {
    Sink& sink;
    SearchCounts& counts;
    [[nodiscard]] TL_HD float t_max() const { return sink.t_max(); }
    TL_HD bool add(const PatchRoot& root) { return sink.add(root); }
    TL_HD void count_steps(std::uint32_t n) { counts.n_steps += n; }
};

TL_DEVICE_END
