// Ray traversal of quantised 4-wide nodes (accel/bvh/layouts/bvh4.h).
#pragma once

#include "accel/bvh/layouts/bvh4.h"
#include "accel/bvh/traversal/traversal.h"

TL_DEVICE_BEGIN

/// Returns 1 + b / 2^15, where b is byte k of `word`. Moves the byte into the middle of a float's
/// mantissa.
TL_D inline float one_and_byte(std::uint32_t word, int k) {
#if defined(__CUDACC__)
    return __uint_as_float(__byte_perm(word, 0x3f800000u, 0x7604u | k << 4));
#else
    std::uint32_t bits = 0x3f800000u | (word >> (8 * k) & 0xffu) << 8;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
#endif
}
inline constexpr float kByteUnit = 32768;  ///< one_and_byte() of b is 1 + b / kByteUnit

/// Quantised 4-wide nodes, with the same members as Bvh2Nodes.
template <bool kRobust>
struct Bvh4Nodes {
    static constexpr bool kIsRobust = kRobust;
    using Node = Bvh4Node;
    Bvh4View tree;

    struct RaySlabs {
        vec3 inverse_direction;
        vec3 origin;  ///< the ray's origin; unless robust, -origin * inverse_direction

        RaySlabs() = default;
        TL_D explicit RaySlabs(const Ray& ray)
            : inverse_direction(safe_inverse(ray.direction.x), safe_inverse(ray.direction.y),
                                safe_inverse(ray.direction.z)),
              origin(kRobust ? ray.origin : -ray.origin * inverse_direction) {}
    };

    [[nodiscard]] TL_D NodeRef root() const { return NodeRef::inner(0); }
    [[nodiscard]] TL_D TreeHeader* header() const { return tree.header; }
    [[nodiscard]] TL_D const Node* nodes() const { return tree.nodes; }

    template <bool kAnyHit>
    TL_D static NodeRef descend(const Node& node, const RaySlabs& slabs, float t_min, float t_max,
                                Traversal& way) {
        std::uint32_t keys[4];
        find_entries(node, slabs, t_min, t_max, keys);
        if (kAnyHit) {
            NodeRef next = NodeRef::missing();
            for (int k = 0; k < 4; ++k) {
                if (keys[k] == kMissed) continue;
                if (!next.is_missing()) way.push(next);
                next = node.children[k];
            }
            return next;
        }
        // A sorting network puts the nearest child first.
        auto order = [&](int i, int j) {
            std::uint32_t a = keys[i], b = keys[j];
            keys[i] = a < b ? a : b;
            keys[j] = a < b ? b : a;
        };
        order(0, 1);
        order(2, 3);
        order(0, 2);
        order(1, 3);
        order(1, 2);
        for (int k = 3; k > 0; --k)
            if (keys[k] != kMissed) way.push(child_of(node, keys[k]));
        return keys[0] == kMissed ? NodeRef::missing() : child_of(node, keys[0]);
    }

  private:
    static constexpr std::uint32_t kMissed = 0xffffffffu;

    /// Sets keys[k] to child k's entry distance with k in its lowest two bits, or to kMissed.
    TL_D static void find_entries(const Bvh4Node& node, const RaySlabs& slabs, float t_min,
                                  float t_max, std::uint32_t* keys) {
        // A plane at byte b lies at t = (1 + b / 2^15) * step + start.
        float step[3], start[3];
        std::uint32_t near[3], far[3];
        std::uint32_t scale_bits[2] = {node.scale_xy << 16, node.scale_xy & 0xffff0000u};
        float scales[3];
        memcpy(scales, scale_bits, sizeof scale_bits);
        scales[2] = node.scale_z;
        for (int axis = 0; axis < 3; ++axis) {
            float inverse = slabs.inverse_direction[axis];
            step[axis] = scales[axis] * inverse * kByteUnit;
            float at_origin = kRobust ? (node.origin[axis] - slabs.origin[axis]) * inverse
                                      : fmaf(node.origin[axis], inverse, slabs.origin[axis]);
            start[axis] = at_origin - step[axis];
            near[axis] = inverse < 0 ? node.hi[axis] : node.lo[axis];
            far[axis] = inverse < 0 ? node.lo[axis] : node.hi[axis];
        }
        for (int k = 0; k < 4; ++k) {
            vec3 a, b;
            for (int axis = 0; axis < 3; ++axis) {
                a[axis] = fmaf(one_and_byte(near[axis], k), step[axis], start[axis]);
                b[axis] = fmaf(one_and_byte(far[axis], k), step[axis], start[axis]);
            }
            constexpr float kWiden = kRobust ? 1.0000012f : 1.0f;
            float entry = slab_entry(a.x, a.y, a.z, t_min);
            float exit = slab_exit(b.x * kWiden, b.y * kWiden, b.z * kWiden, t_max);
            std::uint32_t bits;
            memcpy(&bits, &entry, sizeof bits);
            bool meets = entry <= exit && !node.children[k].is_missing();
            keys[k] = meets ? (bits & ~3u) | static_cast<std::uint32_t>(k) : kMissed;
        }
    }
    /// Returns the child of a key, by selects: an index would put the node into local memory.
    TL_D static NodeRef child_of(const Bvh4Node& node, std::uint32_t key) {
        NodeRef low = key & 1u ? node.children[1] : node.children[0];
        NodeRef high = key & 1u ? node.children[3] : node.children[2];
        return key & 2u ? high : low;
    }
};

template <bool kRobust, class Tests = PlainTests<kRobust>>
using Bvh4Tracer = NodeTracer<Bvh4Nodes<kRobust>, Tests>;

TL_DEVICE_END
