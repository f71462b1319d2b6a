// Computes end-point overlap by passing each triangle down the tree, clipped to the boxes of the
// nodes. At a node whose subtree does not contain the triangle, the clipped area is counted.
#include "accel/bvh/inspect/end_point_overlap.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>

namespace tl {
namespace {

/// Convex polygon: a triangle clipped by up to six planes.
struct Polygon {
    glm::dvec3 corners[10];
    int n = 0;

    /// Clips to the inner side of a plane; parts in the plane stay.
    void clip(int axis, double plane, double sign) {
        bool inside_all = true;
        for (int i = 0; i < n; ++i) inside_all &= sign * (corners[i][axis] - plane) >= 0;
        if (inside_all) return;
        Polygon kept;
        for (int i = 0; i < n; ++i) {
            const glm::dvec3 &a = corners[i], &b = corners[(i + 1) % n];
            double da = sign * (a[axis] - plane), db = sign * (b[axis] - plane);
            if (da >= 0) kept.corners[kept.n++] = a;
            if ((da < 0) == (db < 0) || da == 0 || db == 0) continue;
            glm::dvec3 cut = a + (b - a) * (da / (da - db));
            cut[axis] = plane;
            kept.corners[kept.n++] = cut;
        }
        *this = kept;
    }
    void clip(const Box& box) {
        for (int axis = 0; axis < 3 && n > 0; ++axis) {
            clip(axis, box.lo[axis], 1);
            clip(axis, box.hi[axis], -1);
        }
    }
    [[nodiscard]] double area() const {
        glm::dvec3 sum(0);
        for (int i = 1; i + 1 < n; ++i)
            sum += glm::cross(corners[i] - corners[0], corners[i + 1] - corners[0]);
        return 0.5 * glm::length(sum);
    }
};

/// Sums over some triangles: `own` of their areas, `foreign` of the areas of their parts in foreign
/// boxes, times the boxes' cost.
struct Areas {
    double own = 0, foreign = 0;
};

class Descent {
  public:
    Descent(const HostTree& tree, std::uint32_t triangle) : tree_(tree), triangle_(triangle) {}

    /// Adds the polygon's cost at this node and below to `foreign`. The polygon must be clipped to
    /// the node's box. Returns whether the triangle is in the node's subtree.
    bool visit_node(std::uint32_t node, const Polygon& polygon, double& foreign) const {
        bool below = false;
        for (int side = 0; side < 2; ++side) {
            NodeRef ref = tree_.nodes[node].child(side);
            if (ref.is_missing()) continue;
            Polygon part = polygon;
            part.clip(tree_.nodes[node].box(side));
            if (part.n == 0) continue;
            below |= ref.is_leaf() ? visit_leaf(ref, part, foreign)
                                   : visit_node(ref.node(), part, foreign);
        }
        if (!below) foreign += polygon.area();
        return below;
    }

  private:
    bool visit_leaf(NodeRef leaf, const Polygon& polygon, double& foreign) const {
        for (std::uint32_t k = 0; k < leaf.count(); ++k)
            if (tree_.order[leaf.first() + k] == triangle_) return true;
        foreign += leaf.count() * polygon.area();
        return false;
    }

    const HostTree& tree_;
    std::uint32_t triangle_;
};

}  // namespace

EndPointOverlap measure_end_point_overlap(const HostTree& tree, std::span<const vec3> positions,
                                          std::span<const glm::uvec3> triangles,
                                          std::size_t max_samples) {
    EndPointOverlap result;
    if (tree.header.n_valid == 0 || triangles.empty() || max_samples == 0) return result;
    std::size_t n = triangles.size();
    result.n_sampled = std::min(n, max_samples);
    using Range = tbb::blocked_range<std::size_t>;
    Areas areas = tbb::parallel_reduce(
        Range(0, result.n_sampled, 64), Areas{},
        [&](const Range& range, Areas part) {
            for (std::size_t i = range.begin(); i < range.end(); ++i) {
                auto triangle = static_cast<std::uint32_t>(i * n / result.n_sampled);
                Polygon polygon;
                polygon.n = 3;
                for (int k = 0; k < 3; ++k) polygon.corners[k] = positions[triangles[triangle][k]];
                double area = polygon.area();
                if (!(area > 0)) continue;
                part.own += area;
                double foreign = 0;
                // A triangle that the tree left out does not count as surface.
                if (Descent(tree, triangle).visit_node(tree.header.root, polygon, foreign))
                    part.foreign += foreign;
                else
                    part.own -= area;
            }
            return part;
        },
        [](Areas a, const Areas& b) {
            return Areas{a.own + b.own, a.foreign + b.foreign};
        });
    if (areas.own > 0) result.epo = areas.foreign / areas.own;
    return result;
}

}  // namespace tl
