// What becomes of the roots that a search of patches finds, and what the search costs. There is one
// way of counting for all methods: a search tells its sink the steps that it makes. Usual sinks
// take no notice, which leaves nothing of it in the kernel.
#pragma once

#include "accel/parallel/math.h"

namespace tl {

/// Of one ray.
struct SearchCounts {
    std::uint32_t n_tests = 0;  ///< pairs of the ray with a patch, or with a piece of a leaf
    std::uint32_t n_steps = 0;  ///< iterations, clips, cells; the polish of roots is not among them
};
static_assert(sizeof(SearchCounts) == 8);

}  // namespace tl

TL_DEVICE_BEGIN

/// A point where a ray meets a patch, in the patch's own parameters.
struct PatchRoot {
    double t, u, v;
};

/// Keeps the nearest root.
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

/// Ends with the first root.
struct AnyRoot {
    float limit;
    bool found = false;
    [[nodiscard]] TL_HD float t_max() const { return limit; }
    TL_HD bool add(const PatchRoot&) { return found = true; }
    TL_HD void count_steps(std::uint32_t) const {}
};

/// Passes on to another sink, and counts.
template <class Sink>
struct CountingSink {
    Sink& sink;
    SearchCounts& counts;
    [[nodiscard]] TL_HD float t_max() const { return sink.t_max(); }
    TL_HD bool add(const PatchRoot& root) { return sink.add(root); }
    TL_HD void count_steps(std::uint32_t n) { counts.n_steps += n; }
};

TL_DEVICE_END
