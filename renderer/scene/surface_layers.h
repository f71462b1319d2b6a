// Approximates surface layers by a kind of material, for renderers that do not sample surfaces.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Gives the material these layers, and the kind, colours and exponent closest to them: a mirror
/// for smooth metals, glass of that index where most light is transmitted, Phong for glossy ones,
/// else diffuse. Textures of the layers count with `mean_metallic` and `mean_roughness`, the mean
/// texture values times the layers' own.
void set_layers(Material& material, const SurfaceLayers& layers, float ior, float mean_metallic,
                float mean_roughness);

/// Whether a kind of material has specular lobes, smooth or rough: mirror and glass.
[[nodiscard]] inline bool is_perfect(MaterialKind kind) {
    return kind == MaterialKind::mirror || kind == MaterialKind::dielectric;
}

/// The reflectance at normal incidence of a dielectric of that index, from air.
[[nodiscard]] float reflectance_of_index(float ior);

}  // namespace tl
