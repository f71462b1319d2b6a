// Bounding discs of nodes, which bound the signs of cosines between the points of two nodes.
//
// The points of a node lie within a radius of the middle of their box, and in a slab along the mean
// normal. On a smooth surface the slab's thickness grows as the square of the radius. The signs of
// cosines are then known from about the distance at which fields are smooth. Axis-aligned boxes
// alone would hardly ever bound them.
#pragma once

#include "accel/octree/octree.h"

TL_DEVICE_BEGIN

struct alignas(16) NodeDisc {
    vec3 middle;   ///< middle of the box
    float radius;  ///< no point is farther from the middle
    vec3 axis;     ///< unit length, or zero where there is none
    float spread;  ///< no normal differs from the axis by a vector longer than this
    float lo, hi;  ///< range of the dot products of the axis and points from the middle
    float unused[2];
};
static_assert(sizeof(NodeDisc) == 48);

/// Least and greatest values.
struct Range {
    float lo, hi;
};

/// The dot products of `axis` and the points of a disc, from its middle.
TL_D inline Range range_along(vec3 axis, const NodeDisc& disc) {
    float cosine = glm::dot(axis, disc.axis);
    float sine = sqrtf(maximum(1 - cosine * cosine, 0.0f));
    float a = cosine * disc.lo, b = cosine * disc.hi, across = sine * disc.radius;
    return {maximum(minimum(a, b) - across, -disc.radius),
            minimum(maximum(a, b) + across, disc.radius)};
}

/// Dot products of a vector and all unit vectors that differ from a disc's axis by at most its
/// spread. The vector has length `length`, and component `along` along the axis.
TL_D inline Range range_of_normals(const NodeDisc& disc, float along, float length) {
    // The spread is a chord of the unit sphere.
    float cosine = 1 - 0.5f * disc.spread * disc.spread;
    float sine = sqrtf(maximum(1 - cosine * cosine, 0.0f));
    float across = sqrtf(maximum(length * length - along * along, 0.0f));
    Range range{along * cosine - across * sine, along * cosine + across * sine};
    if (along >= length * cosine) range.hi = length;
    if (along <= -length * cosine) range.lo = -length;
    return range;
}

/// Dot products of the normals of `from` and the offsets from its points to those of `to`: the
/// offset of the middles, plus those from the middles to the points.
TL_D inline Range range_in_front(const NodeDisc& from, const NodeDisc& to) {
    vec3 between = to.middle - from.middle;
    Range way = range_of_normals(from, glm::dot(from.axis, between), glm::length(between));
    Range there = range_along(from.axis, to);
    float turned_there = from.spread * to.radius, turned_here = from.spread * from.radius;
    return {way.lo + maximum(there.lo - turned_there, -to.radius) -
                minimum(from.hi + turned_here, from.radius),
            way.hi + minimum(there.hi + turned_there, to.radius) -
                maximum(from.lo - turned_here, -from.radius)};
}

TL_DEVICE_END
