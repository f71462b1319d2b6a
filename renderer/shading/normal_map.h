// Normal maps: textures that perturb shading normals, in the tangent space of texture coordinates.
#pragma once

#include "renderer/optics/fresnel.h"
#include "renderer/shading/surface_variation.h"

TL_DEVICE_BEGIN

/// Decodes a texel of a normal map; 128 is exactly 0, as tools write it.
TL_HD inline vec3 normal_of_texel(vec4 texel) {
    return fused(255.0f, vec3(texel), vec3(-128)) / 127.0f;
}

/// The unit shading normal, perturbed by the material's normal map if it has one; outward, like
/// Surface::normal.
TL_HD inline vec3 mapped_normal(const SceneView& scene, const Hit& hit, const Surface& s,
                                float footprint) {
    int texture = s.material->normal_texture;
    vec3 tangent, bitangent;
    if (texture < 0 || !uv_axes(scene, hit, s, tangent, bitangent)) return s.normal;
    vec3 n = normal_of_texel(sample_texture(scene, texture, s.uv, footprint));
    float scale = s.material->normal_scale;
    return fused_unit(
        fused_mean(scale * n.x, tangent, scale * n.y, bitangent, maximum(n.z, 1e-3f), s.normal));
}

/// The shading normal, bent just enough that `direction`, which arrives on the side of `side`, is
/// reflected to the same side (Keller et al. 2017, "The Iray light transport simulation and
/// rendering system", appendix A.3).
TL_HD inline vec3 reflecting_outward(vec3 normal, vec3 side, vec3 direction) {
    constexpr float kAboveHorizon = 1e-3f;
    vec3 reflected = reflect_direction(direction, normal);
    float height = fused_dot(side, reflected);
    if (height >= 0) return normal;
    float slope = maximum(fused_dot(normal, side), 1e-3f);
    vec3 horizontal = fused_unit(fused(-height / slope, normal, reflected));
    return fused_unit(fused(kAboveHorizon, side, horizontal) - direction);
}

TL_DEVICE_END
