// Emissive triangles and patches as lights: their data, and their bounds for the light tree, at
// their current positions. Shared by the host, for lights at rest, and devices, for moving ones.
#pragma once

#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Sets a triangle light's corners; it emits on the side of `outside`.
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

/// Bounds of an emitter of mean radiance `mean` (W/(sr m^2), over channels and surface) and of
/// `area`. Dark, at the origin, where the area or the box is NaN.
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

/// Area of a patch's control net, m^2, about that of the patch.
TL_HD inline float area_of_net(const vec3 (&points)[PatchPoints::kCount]) {
    float area = 0;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            const vec3* at = points + 4 * i + j;
            area += (glm::length(glm::cross(at[4] - at[0], at[1] - at[0])) +
                     glm::length(glm::cross(at[4] - at[5], at[1] - at[5]))) /
                    2;
        }
    return area;
}

/// Bounds of a patch. Its points lie in the box of its control points. Its normals lie in the cone
/// of the products of differences of its control points by u and by v, unless it is rational.
TL_HD inline LightBounds bounds_of_patch_light(const vec3 (&points)[PatchPoints::kCount],
                                               bool is_rational, float mean) {
    Box box;
    vec3 du[12], dv[12], sum_u(0), sum_v(0);
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            const vec3* at = points + 4 * i + j;
            box.extend(*at);
            if (i < 3) sum_u += du[4 * i + j] = at[4] - at[0];
            if (j < 3) sum_v += dv[3 * i + j] = at[1] - at[0];
        }
    LightBounds b = bounds_of_surface(box, area_of_net(points), mean);
    b.cos_cone = -1;
    vec3 middle = glm::cross(sum_u, sum_v);
    float length = glm::length(middle);
    if (is_rational || !(length > 0)) return b;
    middle /= length;
    float least = 1;
    for (const vec3& u : du)
        for (const vec3& v : dv) {
            vec3 normal = glm::cross(u, v);
            float size = glm::length(normal);
            // Shorter products are rounding errors of differences that vanish, as at collapsed
            // edges.
            if (size > 1e-6f * length) least = minimum(least, glm::dot(middle, normal) / size);
        }
    if (!(least > 0)) return b;
    b.axis = middle;
    b.cos_cone = least;
    return b;
}

}  // namespace tl
