// Limits the reflectance of materials to 1. Scene files can describe surfaces that would reflect
// more light than they receive.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// The fraction of light that a surface reflects, in the colour channel where it is greatest:
/// diffuse and specular reflectance together for Phong, the greater of both tints for dielectrics.
/// Diffuse reflectance is that at the brightest texel of the material's texture, channel by
/// channel. Colours of vertices, which only reduce it, are left out.
[[nodiscard]] float reflected_fraction_of(const Material& material,
                                          const std::vector<Texture>& textures);

/// The material with its reflectances and transmission divided by reflected_fraction_of(), if that
/// exceeds 1 by more than rounding. Materials with layers are returned unchanged: their layers
/// define their reflectance, not their kind.
[[nodiscard]] Material limited_reflectance(Material material, const std::vector<Texture>& textures);

/// Adds a warning to Scene::warnings for each material that limited_reflectance() changes. Each
/// begins with `name`, the file or model name of the scene.
void warn_about_reflectance(Scene& scene, const std::string& name);

}  // namespace tl
