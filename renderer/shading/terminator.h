// The shadow terminator: facets under a smooth shading normal shadow themselves in steps where the
// surface that the normals mean would be lit (Hanika 2021, "Hacking the shadow terminator", Ray
// Tracing Gems II ch. 4).
#pragma once

#include "renderer/shading/surface_variation.h"

TL_DEVICE_BEGIN

/// From a place on a triangle up to the mean of its projections onto the planes of the vertices'
/// normals: about where the smooth surface is. Nothing on spheres, on flat triangles, and where
/// that surface lies below.
TL_HD inline vec3 to_smooth_surface(const SceneView& scene, const Hit& hit, const Surface& s,
                                    bool from_inside) {
    if (is_sphere(scene, hit) || s.normal == s.geometric_normal) return vec3(0);
    Corners c = corners_of(scene, hit);
    float weights[3] = {1 - hit.u - hit.v, hit.u, hit.v};
    vec3 rise(0);
    for (int k = 0; k < 3; ++k) {
        vec3 normal = from_inside ? -c.normals[k] : c.normals[k];
        float below = minimum(glm::dot(s.position - c.positions[k], normal), 0.0f);
        rise -= weights[k] * below * normal;
    }
    return rise;
}

TL_DEVICE_END
