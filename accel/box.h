// Axis-aligned boxes: all that a tree builder knows of a primitive, and the bounds of a scene.
#pragma once

#include "core/base/macros.h"
#include "core/base/math.h"

namespace tl {

/// An axis-aligned box; empty when lo > hi.
struct alignas(8) Box {
    vec3 lo{kInfinity};
    vec3 hi{-kInfinity};

    TL_HD void extend(vec3 p) {
        lo = glm::min(lo, p);
        hi = glm::max(hi, p);
    }
    TL_HD void extend(const Box& b) {
        lo = glm::min(lo, b.lo);
        hi = glm::max(hi, b.hi);
    }
    /// Whether a tree can hold the box: finite and lo <= hi in every axis; its volume may be zero.
    [[nodiscard]] TL_HD bool is_valid() const {
        bool valid = true;
        for (int axis = 0; axis < 3; ++axis)
            valid = valid && lo[axis] > -kInfinity && hi[axis] < kInfinity && lo[axis] <= hi[axis];
        return valid;
    }
    [[nodiscard]] TL_HD bool empty() const { return lo.x > hi.x; }
    [[nodiscard]] TL_HD vec3 center() const { return 0.5f * (lo + hi); }
    /// Half of the surface area; 0 for an empty box.
    [[nodiscard]] TL_HD float half_area() const {
        vec3 d = hi - lo;
        return d.x < 0 ? 0.0f : d.x * d.y + d.y * d.z + d.z * d.x;
    }
};
static_assert(sizeof(Box) == 24);

}  // namespace tl
