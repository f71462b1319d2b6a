// Shapes of a tree that intersect boxes, and pairs of intersecting triangles of two trees.
#pragma once

#include "accel/query/shape_tree.h"

namespace tl {

/// Boxes of a caller's arrays.
struct StridedBoxes {
    std::uint32_t count = 0;
    StridedFloats lower, upper;

    [[nodiscard]] TL_HD Box box(std::uint32_t i) const {
        Box b;
        b.lo = lower.vector(i);
        b.hi = upper.vector(i);
        return b;
    }
};

/// Output of pairs: two indices each, and the number of all, which must be 0 at the start.
struct PairsOut {
    std::uint32_t* pairs = nullptr;
    std::uint64_t capacity = 0;
    std::uint64_t* count = nullptr;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sets counts[i] to the number of shapes that box i intersects: triangles and solid boxes exactly,
    /// spheres by their surface or inside. Inverted boxes and those with NaN
    /// intersect nothing.
    void count_in_boxes(Stream& stream, const ShapeTreeView& tree, const StridedBoxes& boxes,
                        std::uint32_t* counts);
    /// Writes these shapes from primitives[offsets[i]] on, at most offsets[i + 1] - offsets[i];
    /// Hit::kNone where there are fewer.
    void list_in_boxes(Stream& stream, const ShapeTreeView& tree, const StridedBoxes& boxes,
                       const ListOffsets& offsets, std::uint32_t* primitives);
    /// Finds all pairs of a triangle of `a` and an intersecting one of `b`. With `self` both are the same
    /// tree: a pair is found once, and triangles that share a vertex's coordinates do not count.
    void find_pairs(Stream& stream, const ShapeTreeView& a, const ShapeTreeView& b,
                    std::size_t n_places_of_b, bool self, const PairsOut& out);
)
// clang-format on
