#include "accel/points/points_in_bvh.h"

#include "accel/points/point_search.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Capacity of the stack of deferred nodes: one for each level.
constexpr int kMostLevels = 128;

TL_D float square_to_child(const BvhNode& node, int side, vec3 p) {
    Box box = node.box(side);
    vec3 offset = p - glm::clamp(p, box.lo, box.hi);
    return glm::dot(offset, offset);
}

TL_D std::uint32_t count_at(const BvhOfPoints& tree, vec3 p, float most) {
    NodeRef stack[kMostLevels];
    int n = 0;
    std::uint32_t count = 0;
    stack[n++] = NodeRef::inner(tree.header[0].root);
    while (n > 0) {
        NodeRef at = stack[--n];
        if (at.is_leaf()) {
            for (std::uint32_t i = 0; i < at.count(); ++i)
                count += square_distance(p, tree.points[tree.order[at.first() + i]]) < most;
            continue;
        }
        BvhNode node = tree.nodes[at.node()];
        for (int side = 0; side < 2; ++side)
            if (!node.child(side).is_missing() && n < kMostLevels &&
                square_to_child(node, side, p) < most)
                stack[n++] = node.child(side);
    }
    return count;
}

}  // namespace

void box_points(Stream& stream, View<const vec3> points, View<Box> boxes) {
    parallel_for(
        stream, "boxes of points", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) {
            boxes[i] = {points[i], points[i]};
        });
}

void count_within(Stream& stream, const BvhOfPoints& tree, View<const vec3> places, float radius,
                  View<std::uint32_t> counts) {
    float most = radius * radius;
    BvhOfPoints given = tree;
    parallel_for(
        stream, "points within", static_cast<std::uint32_t>(places.size),
        TL_LAMBDA(std::uint32_t q) { counts[q] = count_at(given, places[q], most); }, 64);
}

TL_DEVICE_END
