// Materials by name, with measured values, for scene files and the viewer.
#pragma once

#include <span>
#include <string_view>

#include "renderer/scene/scene.h"

namespace tl {

/// A row of the table of presets.
struct MaterialPreset {
    const char* id;     ///< name in scene files: "gold"
    const char* title;  ///< name in the viewer: "Gold"
    const char* help;   ///< description of its values, one sentence with a period
    Material material;  ///< has no name and no textures
};

/// All presets, in the order of lists; valid until the program ends.
[[nodiscard]] std::span<const MaterialPreset> material_presets();
/// The preset with this id, from material_presets(); null if there is none.
[[nodiscard]] const MaterialPreset* find_preset(std::string_view id);

/// A material with the values of a preset, without textures. `before`, the material as the scene
/// was opened, gives the values that the preset's kind does not use. `now`, the current one, gives
/// name, priority, alpha cutoff and normal scale.
[[nodiscard]] Material with_preset(const Material& before, const Material& now,
                                   const MaterialPreset& preset);

}  // namespace tl
