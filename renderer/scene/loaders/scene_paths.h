// Where the files named in a scene are searched for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tl {

/// The folder of fetched models: $TREELIGHT_MODELS, else $XDG_CACHE_HOME/treelight/models, else
/// ~/.cache/treelight/models.
[[nodiscard]] std::filesystem::path model_folder();

/// Whether a name is that of a fetched model: "model:x".
[[nodiscard]] bool is_model_name(const std::string& name);

/// The path of a file named in a scene: "model:x" is in model_folder(), a relative path in
/// `folder`. Throws UserError when there is no such regular file; callers add where it was named.
[[nodiscard]] std::filesystem::path resolve_file(const std::string& name,
                                                 const std::filesystem::path& folder);

/// The path of a file named in an OBJ or MTL, tolerant of exporters: tries the name as it is, with
/// backslashes as slashes, only its basename, and finally ignoring case; relative to each of
/// `folders` in turn. Empty when none exists.
[[nodiscard]] std::filesystem::path find_referenced_file(
    const std::string& name, const std::vector<std::filesystem::path>& folders);

}  // namespace tl
