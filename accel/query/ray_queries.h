// Rays of a caller's own arrays through a tree of shapes.
#pragma once

#include "accel/bvh/layouts/instance.h"
#include "accel/query/shape_tree.h"

namespace tl {

/// Rays in device memory.
struct StridedRays {
    std::uint32_t count = 0;
    StridedFloats origins, directions;
    StridedFloats t_min, t_max;            ///< one component; without data 0 and infinity
    const std::uint32_t* masks = nullptr;  ///< null: rays hit all shapes
    bool is_coherent = false;              ///< each ray and the next visit nearly the same nodes

    [[nodiscard]] TL_HD Ray ray(std::uint32_t i) const {
        Ray ray;
        ray.origin = origins.vector(i);
        ray.direction = directions.vector(i);
        if (t_min.data) ray.t_min = maximum(t_min.at(i), 0.0f);
        if (t_max.data) ray.t_max = t_max.at(i);
        return ray;
    }
};

/// Output arrays of hits; null members are not written.
struct HitsOut {
    float* t = nullptr;
    std::uint32_t* primitives = nullptr;
    std::uint32_t* instances = nullptr;
    float* uv = nullptr;       ///< 2 each
    float* normals = nullptr;  ///< 3 each
};

/// An instance's tree, for the normals of its hits.
struct InstancedShapes {
    AffineRows world_to_object;
    const std::uint32_t* place_of;
    const Primitive* primitives;
    std::uint32_t kind;  ///< ShapeKind
    std::uint32_t unused[3];
};

/// A tree of shapes, or of instances of such trees.
struct RayTree {
    ShapeTreeView shapes;
    const InstancedShapes* instances = nullptr;
};

/// Lists of all hits of rays: those of ray i are at [offsets[i], offsets[i + 1]).
struct HitLists {
    ListOffsets offsets;
    std::size_t size = 0;  ///< of all lists
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Finds the closest hit of each ray. Never waits.
    void find_closest_hits(Scratch& scratch, const RayTree& tree, const StridedRays& rays,
                           const HitsOut& out);
    /// Sets occluded[i] to whether ray i hits anything. Never waits.
    void find_occluded(Scratch& scratch, const RayTree& tree, const StridedRays& rays,
                       std::uint8_t* occluded);
    /// Sets counts[i] to the number of shapes that ray i hits; each shape must stand in one leaf.
    /// Not for patches.
    void count_hits(Scratch& scratch, const RayTree& tree, const StridedRays& rays,
                    std::uint32_t* counts);
    /// Finds the first k hits of each ray in order of t, with their number in counts unless null.
    void find_all_hits(Scratch& scratch, const RayTree& tree, const StridedRays& rays, int k,
                       const HitsOut& out, std::uint32_t* counts);
    /// Lists all hits of each ray, as count_hits() has counted them, in order of t, then of the
    /// instances, then of the primitives. Not for patches.
    void list_hits(Scratch& scratch, const RayTree& tree, const StridedRays& rays,
                   const HitLists& lists, const HitsOut& out);
)
// clang-format on
