// Emissive triangles and patches as lights: their data and their bounds for the light tree, from
// where they are. The same on the host, for lights at rest, and on a device, for those that move.
#pragma once

#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Puts a triangle light at its corners; it emits on the side of `outside`.
TL_HD inline void place_triangle_light(LightData& light, const vec3 (&corners)[3], vec3 outside) {
    light.position = corners[0];
    light.edge_u = corners[1] - corners[0];
    light.edge_v = corners[2] - corners[0];
    vec3 normal = glm::cross(light.edge_u, light.edge_v);
    if (glm::dot(normal, outside) < 0) normal = -normal;
    float length = glm::length(normal);
    light.area = length / 2;
    light.normal = length > 0 ? normal / length : vec3(0, 1, 0);
}

/// Bounds of what emits `mean` (W/(sr m^2), of the channels and the surface) from `area`: dark, at
/// the origin, where that or the box is no number.
TL_HD inline LightBounds bounds_of_surface(const Box& box, float area, float mean) {
    LightBounds b;
    float power = kPi * area * mean;
    bool shines = power > 0 && power < kInfinity && box.is_valid();
    b.power = shines ? power : 0;
    b.box = box;
    if (!shines) b.box.lo = b.box.hi = vec3(0);
    return b;
}

TL_HD inline LightBounds bounds_of_triangle_light(const LightData& light, float mean) {
    Box box;
    box.extend(light.position);
    box.extend(light.position + light.edge_u);
    box.extend(light.position + light.edge_v);
    LightBounds b = bounds_of_surface(box, light.area, mean);
    b.axis = light.normal;
    return b;
}

}  // namespace tl
