// Rays against a tree of BvhNodes: one thread a ray, nearest child first.
#pragma once

#include "accel/bvh/traversal.h"

TL_DEVICE_BEGIN

template <bool kRobust>
struct Bvh2Tracer {
    Bvh2View tree;
    const Primitive* primitives;

    template <class Stats = NoStats>
    TL_D Hit closest(const Ray& ray, Stats&& stats = {}) const {
        Hit hit;
        PrimitiveRay<kRobust> tester(ray);
        auto leaf = [&](std::uint32_t first, std::uint32_t count, float& t_max) {
            bool found = false;
            for (std::uint32_t i = first; i < first + count; ++i)
                if (tester.meets(primitives[i], ray, t_max, hit)) {
                    t_max = hit.t;
                    found = true;
                }
            return found;
        };
        traverse<false, kRobust>(tree, ray, leaf, stats);
        return hit;
    }
    template <class Stats = NoStats>
    TL_D bool occluded(const Ray& ray, Stats&& stats = {}) const {
        PrimitiveRay<kRobust> tester(ray);
        auto leaf = [&](std::uint32_t first, std::uint32_t count, float& t_max) {
            Hit hit;
            for (std::uint32_t i = first; i < first + count; ++i)
                if (tester.meets(primitives[i], ray, t_max, hit)) return true;
            return false;
        };
        return traverse<true, kRobust>(tree, ray, leaf, stats);
    }
};

TL_DEVICE_END
