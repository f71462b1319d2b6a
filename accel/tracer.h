// Rays against a tree of whatever layout: a kernel is written once, as a template over a tracer,
// and visit_tracer picks the one that fits the tree.
//
// A tracer has two members, both with an optional statistics argument:
//   Hit  closest(const Ray&, Stats&)   the nearest hit
//   bool occluded(const Ray&, Stats&)  whether anything lies on the ray
#pragma once

#include "accel/bvh/instance_tracer.h"
#include "accel/bvh/traversal.h"
#include "accel/tree.h"

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

/// Calls visitor(tracer) with the tracer of the tree's layout. The visitor launches the kernel.
/// Trees without instances keep the tracer that knows none.
template <class Visitor>
void visit_tracer(const TreeView& tree, Visitor&& visitor) {
    if (tree.instances && tree.robust)
        visitor(InstanceTracer<true>{tree.bvh2, tree.primitives, tree.instances});
    else if (tree.instances)
        visitor(InstanceTracer<false>{tree.bvh2, tree.primitives, tree.instances});
    else if (tree.robust)
        visitor(Bvh2Tracer<true>{tree.bvh2, tree.primitives});
    else
        visitor(Bvh2Tracer<false>{tree.bvh2, tree.primitives});
}

TL_DEVICE_END
