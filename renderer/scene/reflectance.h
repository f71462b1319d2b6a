// Surfaces that would reflect more light than they receive, as files allow them to be described.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// The greatest fraction of light, over its colours, that a surface reflects by its numbers alone:
/// diffuse and Phong together; of mirrors and dielectrics the greater of both tints. Colours of
/// textures and vertices only make it less.
[[nodiscard]] float reflected_fraction_of(const Material& material);

/// The material with its reflectances divided by reflected_fraction_of(), where that is above 1.
/// Materials with layers are returned unchanged, since their kind is only a placeholder.
[[nodiscard]] Material limited_reflectance(Material material);

/// Adds a warning for each material that limited_reflectance changes. `name`: the scene's own, with
/// which each warning begins.
void warn_about_reflectance(Scene& scene, const std::string& name);

}  // namespace tl
