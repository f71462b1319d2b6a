// Clearance of rays above the surface that they leave, along its normal. It bounds the rounding
// errors of hit points, and those of the intersection tests of the ray that starts there (after
// Pharr, Jakob & Humphreys 2016, "Physically Based Rendering", 3.9). The bounds scale with the
// rounding errors of the coordinates along the normal. They are almost 0 for a face in a coordinate
// plane, such as y = 0. A ray from there starts below a face that lies close above, but still
// outside the flat bounding box of its own face.
#pragma once

#include "accel/bvh/layouts/instance.h"
#include "core/base/fused.h"

TL_DEVICE_BEGIN

/// Clearance divided by the size of the rounded terms: 16 * 2^-24. In tests with random rays, 2 *
/// 2^-24 is the least that keeps rays off the triangle that they leave, whatever its shape. 8 *
/// 2^-24 does so for watertight intersection tests, too.
inline constexpr float kClearance = 0x1p-20f;

TL_HD inline vec3 absolute(vec3 v) {
    return {fabsf(v.x), fabsf(v.y), fabsf(v.z)};
}
TL_HD inline vec3 largest_of_corners(vec3 a, vec3 b, vec3 c) {
    return {maximum(maximum(fabsf(a.x), fabsf(b.x)), fabsf(c.x)),
            maximum(maximum(fabsf(a.y), fabsf(b.y)), fabsf(c.y)),
            maximum(maximum(fabsf(a.z), fabsf(b.z)), fabsf(c.z))};
}

/// Minimum size of the rounded terms, m. Without it, rays from a face in a coordinate plane, such
/// as y = 0, would start inside the flat bounding boxes of all faces in that plane.
inline constexpr float kLeastRounding = 0x1p-100f;

/// Upper bound of rounding_of_edges(), divided by the largest extent of the edges along an axis.
/// Only slivers reach it. The edges' part of the clearance is thus at most 2^-10 of that extent.
inline constexpr float kMostOfEdges = 0x1p-10f / kClearance;

/// Size of the terms that intersect_triangle rounds, as a distance from the triangle's plane, m.
/// They are the terms of the determinant of both edges and of the vector from a corner to the ray's
/// origin, divided by twice the area. `inverse_of_cross`: 1 / (twice the area).
TL_HD inline float rounding_of_edges(vec3 edge1, vec3 edge2, float inverse_of_cross) {
    vec3 a = absolute(edge1), b = absolute(edge2);
    vec3 reach(maximum(a.x, b.x), maximum(a.y, b.y), maximum(a.z, b.z));
    vec3 terms(fmaf(a.y, b.z, product(a.z, b.y)), fmaf(a.z, b.x, product(a.x, b.z)),
               fmaf(a.x, b.y, product(a.y, b.x)));
    float most = product(kMostOfEdges, maximum(maximum(reach.x, reach.y), reach.z));
    float of_edges = product(fused_dot(reach, terms), inverse_of_cross);
    return of_edges < most ? of_edges : most;  // `most` also for NaN, from a triangle without area
}

/// Sizes of the terms that are rounded where a ray hits a triangle.
struct TriangleRounding {
    vec3 corners;  ///< largest absolute coordinates of the corners
    float edges;   ///< rounding_of_edges

    /// The sizes in world space, for the triangle of an instance. `stretch`: length of the
    /// object-space unit normal after multiplication by the inverse transpose.
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
    /// Clearance, m, along the triangle's unit normal.
    [[nodiscard]] TL_HD float clearance(vec3 normal) const {
        float terms = fused_dot(absolute(normal), corners) + edges;
        return product(kClearance, maximum(terms, kLeastRounding));
    }
};

/// Clearance, m, along unit `normal`, of a point whose only error is the rounding of its
/// coordinates.
TL_HD inline float point_clearance(vec3 position, vec3 normal) {
    return product(kClearance,
                   maximum(fused_dot(absolute(normal), absolute(position)), kLeastRounding));
}
/// Clearance, m, of a sphere at the point whose unit normal is `normal`.
TL_HD inline float sphere_clearance(vec3 center, float radius, vec3 normal) {
    return product(kClearance, fused_dot(absolute(normal), absolute(center)) + radius);
}

TL_DEVICE_END
