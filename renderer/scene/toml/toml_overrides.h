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

/// The number of the part that a key names: by a number from 0, or by the name before edits that
/// only it has.
[[nodiscard]] std::uint32_t read_reference(TomlTable& table, const char* key, ItemKind kind,
                                           const EditedScene& edited);

}  // namespace tl
