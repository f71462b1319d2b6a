// Clearance of rays above the surface that they leave: bounds of the rounding errors of hit points
// and of the intersection tests that such a ray meets next, along the surface's normal (after
// Pharr, Jakob & Humphreys 2016, "Physically Based Rendering", 3.9). They follow the coordinates'
// own errors at every scale: a face in a coordinate plane has next to none, so that rays pass
// between faces however close to each other, and leave the flat boxes of such faces nevertheless.
#pragma once

#include "accel/bvh/layouts/instance.h"
#include "accel/parallel/fused.h"

TL_DEVICE_BEGIN

/// Clearance for one rounding of a term of size 1: sixteen roundings of 2^-24. Two are the fewest
/// that keep random rays off triangles of all shapes; eight clear watertight tests too.
inline constexpr float kClearance = 0x1p-20f;

TL_HD inline vec3 absolute(vec3 v) {
    return {fabsf(v.x), fabsf(v.y), fabsf(v.z)};
}
TL_HD inline vec3 largest_of_corners(vec3 a, vec3 b, vec3 c) {
    return {maximum(maximum(fabsf(a.x), fabsf(b.x)), fabsf(c.x)),
            maximum(maximum(fabsf(a.y), fabsf(b.y)), fabsf(c.y)),
            maximum(maximum(fabsf(a.z), fabsf(b.z)), fabsf(c.z))};
}

/// Least size of the rounded terms, m: a ray that starts in a coordinate plane would start within
/// the flat boxes of all the faces there.
inline constexpr float kLeastRounding = 0x1p-100f;

/// Most of it relative to the edges of a sliver, in units of kClearance.
inline constexpr float kMostOfEdges = 0x1p-10f / kClearance;

/// Rounding of intersect_triangle, as a distance from the plane: the determinant of the edges and
/// of the vector from a corner to the origin, term by term, divided by twice the area, whose
/// inverse is `inverse_of_cross`.
TL_HD inline float rounding_of_edges(vec3 edge1, vec3 edge2, float inverse_of_cross) {
    vec3 a = absolute(edge1), b = absolute(edge2);
    vec3 reach(maximum(a.x, b.x), maximum(a.y, b.y), maximum(a.z, b.z));
    vec3 terms(fmaf(a.y, b.z, product(a.z, b.y)), fmaf(a.z, b.x, product(a.x, b.z)),
               fmaf(a.x, b.y, product(a.y, b.x)));
    float most = product(kMostOfEdges, maximum(maximum(reach.x, reach.y), reach.z));
    float of_edges = product(fused_dot(reach, terms), inverse_of_cross);
    return of_edges < most ? of_edges : most;  // the most too where a triangle has no area
}

/// Sizes of the terms that are rounded where a ray hits a triangle.
struct TriangleRounding {
    vec3 corners;  ///< largest absolute coordinates of the corners
    float edges;   ///< rounding_of_edges

    /// The same for the triangle of an instance. `stretch`: length of the object's unit normal
    /// times the inverse transpose.
    [[nodiscard]] TL_HD TriangleRounding in_world(const AffineRows& object_to_world,
                                                  float stretch) const {
        TriangleRounding world;
        for (int r = 0; r < 3; ++r) {
            const vec4& row = object_to_world.rows[r];
            world.corners[r] = fused_dot(absolute(vec3(row)), corners) + fabsf(row.w);
        }
        world.edges = edges / stretch;
        return world;
    }
    /// Clearance along the triangle's unit normal.
    [[nodiscard]] TL_HD float clearance(vec3 normal) const {
        float terms = fused_dot(absolute(normal), corners) + edges;
        return product(kClearance, maximum(terms, kLeastRounding));
    }
};

/// Clearance of a point that is known to its coordinates' rounding, along unit `normal`.
TL_HD inline float point_clearance(vec3 position, vec3 normal) {
    return product(kClearance,
                   maximum(fused_dot(absolute(normal), absolute(position)), kLeastRounding));
}
/// Clearance of a sphere where its unit normal is `normal`.
TL_HD inline float sphere_clearance(vec3 center, float radius, vec3 normal) {
    return product(kClearance, fused_dot(absolute(normal), absolute(center)) + radius);
}

TL_DEVICE_END
