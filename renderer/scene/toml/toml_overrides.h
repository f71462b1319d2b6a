// The tables [[override]] and [[bookmark]] of scene files.
#pragma once

#include "renderer/scene/scene_document.h"
#include "renderer/scene/toml/toml_table.h"

namespace tl {

/// Applies all [[override]] tables to a scene that is complete. Throws UserError.
void read_overrides(TomlTable& root, const std::string& file, EditedScene& edited);

/// Reads all [[bookmark]] tables. Properties that a bookmark's camera lacks are those of the
/// scene's camera. Throws UserError.
[[nodiscard]] Bookmarks read_bookmarks(TomlTable& root, const std::string& file, Scene& scene);

/// The key of a light's brightness: "radiance", "irradiance" or "intensity".
[[nodiscard]] const char* brightness_key(LightKind kind);

}  // namespace tl
