// Scene files: docs/scene-files.md is their reference.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Whether a table of this name holds settings of a renderer, builder or session. Defined with the
/// sections of settings, since scenes do not depend on renderers.
[[nodiscard]] bool is_settings_section(const std::string& id);

/// Reads a scene file into a scene that holds only material 0. Throws UserError "file:line: what;
/// what to do".
[[nodiscard]] SceneGaps read_toml_scene(Scene& scene, const std::string& path);

}  // namespace tl
