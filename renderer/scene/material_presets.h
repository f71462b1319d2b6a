// Materials by name, with measured values, for scene files and the viewer.
#pragma once

#include <span>
#include <string_view>

#include "renderer/scene/scene.h"

namespace tl {

struct MaterialPreset {
    const char* id;     ///< "gold"
    const char* title;  ///< for lists
    const char* help;   ///< what its values are, one sentence with a period
    Material material;  ///< without name and textures
};

[[nodiscard]] std::span<const MaterialPreset> material_presets();
/// The preset of this id; null if there is none.
[[nodiscard]] const MaterialPreset* find_preset(std::string_view id);

/// A material with the values of a preset, without textures. Values that the preset's kind does not
/// use are those of `before`, the material as the scene was opened; name, priority and scales of
/// textures are those of `now`.
[[nodiscard]] Material with_preset(const Material& before, const Material& now,
                                   const MaterialPreset& preset);

}  // namespace tl
