// Point-to-point visibility tests: by a ray through the scene's tree, or by the discs of the points
// in between.
#pragma once

#include "accel/bvh/traversal/any_tracer.h"
#include "renderer/radiosity/points/diffuse_points.h"
#include "renderer/radiosity/points/passed_surfaces.h"
#include "renderer/radiosity/radiosity_config.h"
#include "renderer/shading/cutouts.h"

TL_DEVICE_BEGIN

/// Visibility by rays. All surfaces occlude, except holes of cutouts, smooth glass and lamps.
template <class Tracer>
struct RayVisibility {
    static constexpr int kResidentBlocks = kBlocksFor<Tracer>;
    Tracer tracer;
    SceneView scene;
    View<const vec3> starts;

    [[nodiscard]] TL_D bool sees(std::uint32_t a, std::uint32_t b) const {
        // Traced from the point of lower index, so that visibility is symmetric.
        vec3 from = starts[a < b ? a : b], way = starts[a < b ? b : a] - from;
        float length = glm::length(way);
        if (!(length > 0)) return true;
        Ray ray{};
        ray.origin = from;
        ray.direction = way / length;
        ray.t_max = length;
        // Starts with an any-hit ray. Only if the scene has lamps or glass must the closest hit be
        // examined.
        bool any = !scene.has_cutouts;
        for (int n_passed = 0; n_passed <= kMostPassed;) {
            Hit hit = closest_or_any_solid(tracer, scene, ray, any);
            if (!hit.found()) return true;
            if (any && !scene.has_visible_light && !scene.has_glass) return false;
            if (!any && !is_passed(scene, hit, Passed::all)) return false;
            if (!any) {
                ray.t_min = kBehind * hit.t;
                ++n_passed;
            }
            any = false;
        }
        return false;
    }
};

/// Visibility by discs of points (Goradia 2008, section 6.1.2 and figure 6.3). Tests the points in
/// all nodes that the segment passes. A point occludes if the segment intersects its tangent plane
/// within the point's radius, between the end points and not nearly parallel. Departs from there:
/// the radius follows from the point's area, and a single occluder is enough.
struct DiscVisibility {
    static constexpr int kResidentBlocks = 0;
    /// Radius of a disc, divided by the square root of its point's area. Large enough that discs of
    /// evenly spread points leave no gaps.
    static constexpr float kRadius = 0.75f;

    OctreeView tree;
    float largest_radius;  ///< maximum over all discs, m

    [[nodiscard]] TL_D bool sees(std::uint32_t a, std::uint32_t b) const {
        const Segment segment(tree.points[a < b ? a : b], tree.points[a < b ? b : a]);
        return !is_blocked(segment);
    }

  private:
    struct Segment {
        vec3 from, way;
        float clear_from, clear_to;  ///< range of parameters, 0 to 1, that occluders are tested in

        TL_D Segment(const Surfel& a, const Surfel& b)
            : from(a.position), way(b.position - a.position) {
            float length = glm::length(way);
            clear_from = radius(a.area) / length;
            clear_to = 1 - radius(b.area) / length;
        }
    };
    [[nodiscard]] TL_D static float radius(float area) { return kRadius * sqrtf(area); }

    /// Whether the segment passes the box, grown by `margin`.
    [[nodiscard]] TL_D static bool passes(const Segment& s, const Box& box, float margin) {
        float enter = s.clear_from, leave = s.clear_to;
        for (int axis = 0; axis < 3; ++axis) {
            float inverse = 1 / s.way[axis];  // infinite where the segment is parallel to a slab
            float low = box.lo[axis] - margin - s.from[axis];
            float high = box.hi[axis] + margin - s.from[axis];
            if (s.way[axis] == 0) {
                if (low > 0 || high < 0) return false;
                continue;
            }
            float t0 = low * inverse, t1 = high * inverse;
            enter = maximum(enter, minimum(t0, t1));
            leave = minimum(leave, maximum(t0, t1));
        }
        return enter <= leave;
    }
    [[nodiscard]] TL_D static bool blocks(const Segment& s, const Surfel& point) {
        constexpr float kParallel = 1e-3f;
        float along = glm::dot(point.normal, s.way);
        if (fabsf(along) < kParallel * glm::length(s.way)) return false;
        vec3 offset = point.position - s.from;
        float t = glm::dot(point.normal, offset) / along;
        if (!(t > s.clear_from && t < s.clear_to)) return false;
        vec3 beside = t * s.way - offset;
        return glm::dot(beside, beside) < kRadius * kRadius * point.area;
    }
    [[nodiscard]] TL_D bool is_blocked(const Segment& s) const {
        // Each level leaves at most seven children on the stack.
        std::uint32_t stack[7 * OctreeGrid::kLevels + 8];
        int n = 0;
        stack[n++] = 0;
        while (n > 0) {
            std::uint32_t at = stack[--n];
            OctreeNode node = tree.nodes[at];
            const OctreeAttributes& of_node = tree.attributes[at];
            // No point's area exceeds the total area of its leaf.
            float margin = node.is_leaf() ? kRadius * sqrtf(of_node.area) : largest_radius;
            if (!passes(s, of_node.box, minimum(margin, largest_radius))) continue;
            if (!node.is_leaf()) {
                for (std::uint32_t c = node.first_child; c < node.end_child; ++c) stack[n++] = c;
                continue;
            }
            for (std::uint32_t i = node.first; i < node.end; ++i)
                if (blocks(s, tree.points[i])) return true;
        }
        return false;
    }
};

/// No occlusion: all points see each other.
struct NoOcclusion {
    static constexpr int kResidentBlocks = 0;
    [[nodiscard]] TL_D bool sees(std::uint32_t, std::uint32_t) const { return true; }
};

/// Largest area of a point, m^2. Waits for the stream.
[[nodiscard]] float largest_area(Scratch& scratch, View<const Surfel> points);

/// Calls use(visibility) with the test of a kind. `largest_area`: maximum over the points, m^2.
template <class Use>
void visit_visibility(PointVisibility kind, const DiffusePointsView& points, const SceneView& scene,
                      float largest_area, Use&& use) {
    if (kind == PointVisibility::none) return use(NoOcclusion{});
    if (kind == PointVisibility::points) {
        return use(DiscVisibility{points.tree, DiscVisibility::kRadius * std::sqrt(largest_area)});
    }
    visit_any_tracer(scene.tree, [&](auto tracer) {
        using Tracer = decltype(tracer);
        use(RayVisibility<Tracer>{tracer, seen_by<Tracer>(scene), points.starts});
    });
}

TL_DEVICE_END
