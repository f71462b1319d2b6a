// The shadow terminator: facets under a smooth shading normal shadow themselves in steps where the
// surface that the normals mean would be lit (Hanika 2021, "Hacking the shadow terminator", Ray
// Tracing Gems II ch. 4).
#pragma once

#include "renderer/shading/surface_variation.h"

TL_DEVICE_BEGIN

/// Whether a surface's two normals differ. Where they are a thousandth apart, no more than that of
/// the light is at stake.
TL_HD inline bool is_smooth(const Surface& s) {
    constexpr float kAsFlat = 1 - 0.5e-6f;
    return fused_dot(s.normal, s.geometric_normal) < kAsFlat;
}

/// From a place on a triangle up to the mean of its projections onto the planes of the vertices'
/// normals: about where the smooth surface is. Nothing where that lies below.
TL_HD TL_OUT_OF_LINE vec3 to_smooth_surface(const SceneView& scene, const Hit& hit,
                                            const Surface& s, bool from_inside) {
    glm::uvec3 t = scene.triangles[triangle_of(scene, hit)];
    float weight = 1 - hit.u - hit.v, next_weight = hit.u, last_weight = hit.v;
    vec3 rise(0);
    // One corner after the other: all at once they would cost the kernel registers that every ray
    // pays for.
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
