// Correction of the shadow terminator: facets with smooth shading normals shadow themselves in
// visible steps where the smooth surface would be unoccluded (Hanika 2021, "Hacking the shadow
// terminator", Ray Tracing Gems II ch. 4).
#pragma once

#include "renderer/shading/surface_variation.h"

TL_DEVICE_BEGIN

/// Whether a surface's two normals differ noticeably. An angle of a thousandth of a radian changes
/// the light by at most that fraction. For a Surface, or a Surface8 of packets.
template <class AnySurface>
TL_HD inline auto is_smooth(const AnySurface& s) {
    constexpr float kAsFlat = 1 - 0.5e-6f;
    return fused_dot(s.normal, s.geometric_normal) < kAsFlat;
}

/// The offset from a point on a triangle to the mean of its projections onto the tangent planes at
/// the vertices, which approximates the smooth surface. Zero where that is below.
TL_HD TL_OUT_OF_LINE vec3 to_smooth_surface(const SceneView& scene, const Hit& hit,
                                            const Surface& s, bool from_inside) {
    glm::uvec3 t = scene.triangles[triangle_of(scene, hit)];
    float weight = 1 - hit.u - hit.v, next_weight = hit.u, last_weight = hit.v;
    vec3 rise(0);
    // Not unrolled: all corners at once would need more registers, which limits occupancy for every
    // ray.
#pragma unroll 1
    for (int k = 0; k < 3; ++k) {
        Corner c = corner_of(scene, hit, t.x);
        vec3 normal = from_inside ? -c.normal : c.normal;
        float below = minimum(fused_dot(s.position - c.position, normal), 0.0f);
        rise = fused(-weight * below, normal, rise);
        t.x = t.y, t.y = t.z;
        weight = next_weight, next_weight = last_weight;
    }
    return rise;
}

TL_DEVICE_END
