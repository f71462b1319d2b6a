// Where the files that a scene names are looked for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tl {

/// The folder of fetched models: $TREELIGHT_MODELS, else $XDG_CACHE_HOME/treelight/models, else
/// ~/.cache/treelight/models.
[[nodiscard]] std::filesystem::path model_folder();

/// The file that a scene names: "model:x" lies in model_folder(), a relative path in `folder`.
/// Throws UserError when there is no such regular file; the message does not say who named it.
[[nodiscard]] std::filesystem::path resolve_file(const std::string& name,
                                                 const std::filesystem::path& folder);

/// The file that an OBJ or MTL names, however its exporter spelled it: as it is, with backslashes
/// as slashes, its basename alone, and at last without regard to case; relative to each of
/// `folders` in turn. Empty when none exists.
[[nodiscard]] std::filesystem::path find_referenced_file(
    const std::string& name, const std::vector<std::filesystem::path>& folders);

}  // namespace tl
