#include "renderer/scene/surface_layers.h"

#include <algorithm>

namespace tl {

float reflectance_of_index(float ior) {
    float amplitude = (ior - 1) / (ior + 1);
    return amplitude * amplitude;
}

void set_layers(Material& material, const SurfaceLayers& layers, float ior, float mean_metallic,
                float mean_roughness) {
    constexpr float kMirrorRoughness = 0.2f;  // metals up to this are mirrors
    constexpr float kGlossyRoughness = 0.5f;  // non-metals below this are glossy
    material.layers = layers;
    material.kind = MaterialKind::diffuse;
    material.diffuse = layers.base;
    float alpha = std::max(mean_roughness * mean_roughness, 1e-3f);
    material.exponent = std::clamp(2 / (alpha * alpha) - 2, 1.0f, 1e6f);
    if (layers.transmission >= 0.5f) {
        material.kind = MaterialKind::dielectric;
        material.ior = ior;
        material.specular = vec3(1);
        material.transmission = layers.base;
    } else if (mean_metallic >= 0.5f && mean_roughness <= kMirrorRoughness) {
        material.kind = MaterialKind::mirror;
        material.specular = layers.base;
    } else if (mean_metallic >= 0.5f) {
        // The diffuse part of a metal's colour grows with roughness.
        material.kind = MaterialKind::phong;
        material.diffuse = layers.base * mean_roughness;
        material.specular = layers.base * (1 - mean_roughness);
    } else if (mean_roughness < kGlossyRoughness) {
        material.kind = MaterialKind::phong;
        material.specular = layers.reflectance;
    }
}

}  // namespace tl
