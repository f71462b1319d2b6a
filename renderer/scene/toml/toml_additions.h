// The tables [[add]] of scene files.
#pragma once

#include <filesystem>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene_edits.h"
#include "renderer/scene/toml/toml_table.h"

namespace tl {

/// Applies all [[add]] tables to a scene that is complete. Relative names of files start at
/// `folder`. Throws UserError.
void read_additions(TomlTable& root, const std::string& file, const std::filesystem::path& folder,
                    const ReadContext& reading, EditedScene& edited);

}  // namespace tl
