// Bounds on which side of their points' planes nodes lie.
//
// The points of a node lie within a disc: within a radius of the middle of their box, and in a slab
// along the mean normal. On a smooth surface the slab is as thin as the square of the radius, so
// that the signs of cosines between two nodes are known from about the distance on at which their
// fields are smooth; from boxes along the axes alone they would hardly ever be.
#pragma once

#include "accel/octree/octree.h"

TL_DEVICE_BEGIN

struct alignas(16) NodeDisc {
    vec3 middle;   ///< of the box
    float radius;  ///< no point is farther from the middle
    vec3 axis;     ///< of unit length, or zero where there is none
    float spread;  ///< no normal differs from the axis by a vector longer than this
    float lo, hi;  ///< of the dot products of the axis and points from the middle
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

/// The dot products of the normals of `from` and the ways from its points to those of `to`.
TL_D inline Range range_in_front(const NodeDisc& from, const NodeDisc& to) {
    vec3 between = to.middle - from.middle;
    float distance = glm::length(between), along = glm::dot(from.axis, between);
    Range there = range_along(from.axis, to);
    float turned = from.spread * (distance + from.radius + to.radius);
    return {along + there.lo - from.hi - turned, along + there.hi - from.lo + turned};
}

TL_DEVICE_END
