// Opens a scene by its file: TOML scene files, models (framed and lit), or
// "generate:NAME[,key=value]".
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Loads `path`: a file by its ending (else by its content), "model:bunny.obj", or
/// "generate:NAME[,key=value...]". docs/scene-files.md is the reference. A scene without lights
/// gets a key and a fill light, one without a camera is framed. Throws UserError: file, line or
/// byte, what is wrong, what to do. `environment`, unless it is "", is the .hdr or .exr file of a
/// map that takes the place of the scene's own and of lights that would be added.
[[nodiscard]] Scene load_scene(const std::string& path, const std::string& environment = "");

/// Endings that load_scene opens, for messages and file lists: ".toml" and those of models.
[[nodiscard]] const std::vector<std::string>& scene_extensions();

}  // namespace tl
