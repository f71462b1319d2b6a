// Geometry of triangle pre-splitting (Karras & Aila 2013, section 5): selects split planes, and
// clips triangles to the two sides of a plane.
#pragma once

#include "accel/box.h"
#include "core/base/bits.h"

TL_DEVICE_BEGIN

/// Axis-aligned plane; none if axis is -1.
struct SplitPlane {
    int axis = -1;
    float at = 0;
    /// Distance to the next plane of the same level, relative to the longest extent of the scene: 1
    /// for the plane through the middle of the scene, halved with every level below.
    float importance = 0;
};

/// Grid of the spatial median planes, which halve the scene recursively.
struct SplitGrid {
    static constexpr int kBits = 20;  ///< levels per axis
    vec3 lo{0};
    vec3 cell{0};
    vec3 cells_per_length{0};
    float longest = 1;

    TL_HD static SplitGrid make(const Box& bounds) {
        SplitGrid grid;
        grid.lo = bounds.lo;
        vec3 extent = glm::max(bounds.hi - bounds.lo, vec3(0));
        constexpr auto kCells = static_cast<float>(1 << kBits);
        grid.longest = maximum(extent.x, maximum(extent.y, extent.z));
        for (int axis = 0; axis < 3; ++axis) {
            grid.cell[axis] = extent[axis] / kCells;
            float per_length = kCells / extent[axis];
            grid.cells_per_length[axis] = per_length < kInfinity ? per_length : 0;
        }
        return grid;
    }
    /// Returns the most important plane of the axis that is well inside the box. Skips planes that
    /// would cut off less than a thousandth of the box, which is as little as the boxes' slack.
    TL_D SplitPlane best_plane(const Box& box, int axis) const {
        constexpr auto kLastCell = static_cast<float>((1 << kBits) - 1);
        float first = floorf((box.lo[axis] - lo[axis]) * cells_per_length[axis]);
        float last = ceilf((box.hi[axis] - lo[axis]) * cells_per_length[axis]) - 1;
        auto a = static_cast<std::uint32_t>(minimum(maximum(first, 0.0f), kLastCell));
        auto b = static_cast<std::uint32_t>(minimum(maximum(last, 0.0f), kLastCell));
        float margin = 0x1p-10f * (box.hi[axis] - box.lo[axis]);
        while (a < b) {
            int bit = highest_bit(a ^ b);
            std::uint32_t plane = b >> bit << bit;
            float at = lo[axis] + static_cast<float>(plane) * cell[axis];
            if (!(at < box.hi[axis] - margin))
                b = plane - 1;
            else if (!(at > box.lo[axis] + margin))
                a = plane;
            else
                return {axis, at, 2 * cell[axis] * static_cast<float>(1u << bit) / longest};
        }
        return {};
    }
    /// Returns the most important plane of all axes. Ties go to the axis along which the box is
    /// longest.
    TL_D SplitPlane best_plane(const Box& box) const {
        SplitPlane best;
        for (int axis = 0; axis < 3; ++axis) {
            SplitPlane plane = best_plane(box, axis);
            if (plane.axis < 0 || plane.importance < best.importance) continue;
            bool longer = best.axis < 0 ||
                          box.hi[axis] - box.lo[axis] > box.hi[best.axis] - box.lo[best.axis];
            if (plane.importance > best.importance || longer) best = plane;
        }
        return best;
    }
};

/// Convex polygon clipped from a triangle, and its bounding box.
struct TrianglePiece {
    /// Six cuts give at most nine vertices; more can only be due to rounding.
    static constexpr int kMaxVertices = 12;
    Box box;
    int n_vertices = 0;
    vec3 vertices[kMaxVertices];

    TL_HD void add(vec3 vertex) {
        if (n_vertices < kMaxVertices) vertices[n_vertices] = vertex;
        ++n_vertices;
    }
    /// Clips the piece to one side of a plane (0: below). Both sides share the vertices on the
    /// plane, so they leave no gap. Their boxes are widened by the possible rounding error of those
    /// vertices, but stay within this piece's box. The result's box is invalid if nothing is left
    /// or there are too many vertices.
    TL_HD TrianglePiece side(const SplitPlane& plane, int which) const {
        TrianglePiece part;
        int axis = plane.axis;
        for (int i = 0; i < n_vertices; ++i) {
            vec3 from = vertices[i], to = vertices[i + 1 == n_vertices ? 0 : i + 1];
            float d_from = from[axis] - plane.at, d_to = to[axis] - plane.at;
            if (which ? d_from >= 0 : d_from <= 0) part.add(from);
            if ((d_from < 0 && d_to > 0) || (d_from > 0 && d_to < 0)) {
                vec3 crossing = from + d_from / (d_from - d_to) * (to - from);
                crossing[axis] = plane.at;
                part.add(crossing);
            }
        }
        if (part.n_vertices == 0 || part.n_vertices > kMaxVertices) return part;
        for (int i = 0; i < part.n_vertices; ++i) part.box.extend(part.vertices[i]);
        constexpr float kSlack = 0x1p-21f;
        part.box.lo -= kSlack * glm::abs(part.box.lo);
        part.box.hi += kSlack * glm::abs(part.box.hi);
        part.box.lo = glm::max(part.box.lo, box.lo);
        part.box.hi = glm::min(part.box.hi, box.hi);
        if (which)
            part.box.lo[axis] = maximum(part.box.lo[axis], plane.at);
        else
            part.box.hi[axis] = minimum(part.box.hi[axis], plane.at);
        return part;
    }
};

TL_DEVICE_END
