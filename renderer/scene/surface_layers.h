// The kind of material that stands for layers where a renderer does not sample surfaces.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Gives the material these layers, and the kind, colours and exponent that come closest to them: a
/// mirror for smooth metals, glass of that index for what lets most light through, Phong for what
/// is glossy, and else diffuse. Textures of the layers count with `mean_metallic` and
/// `mean_roughness`, which are theirs times the layers' own.
void set_layers(Material& material, const SurfaceLayers& layers, float ior, float mean_metallic,
                float mean_roughness);

/// Whether a kind of material reflects, or lets through, in sharp or rough lobes: mirror and glass.
[[nodiscard]] inline bool is_perfect(MaterialKind kind) {
    return kind == MaterialKind::mirror || kind == MaterialKind::dielectric;
}

/// The reflectance at normal incidence of a dielectric of that index, from air.
[[nodiscard]] float reflectance_of_index(float ior);

}  // namespace tl
