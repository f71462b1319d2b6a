// Search for the files named in a scene, and restriction of those that may be read.
//
// A scene may come from a stranger. The files that it names are read, symbolic links followed, from
// a few folders. These are the folder of the opened scene and those below it, the program's own
// folders `scenes` and `assets`, and the fetched models. Other files are read only where the user
// permits it.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "renderer/scene/loaders/read_context.h"

namespace tl {

/// Names of a folder's entries by their spelling in lower case; of several, the first one in byte
/// order.
using FolderNames = std::unordered_map<std::string, std::string>;

/// The files that may be read for a scene.
class SceneAccess {
  public:
    /// `scene` is the file that is opened; `allow_outside` permits all files.
    SceneAccess(const std::filesystem::path& scene, bool allow_outside);

    [[nodiscard]] bool permits(const std::filesystem::path& file) const;
    /// Names in a folder; valid until the next call. Each folder is read once for all of a scene's
    /// files.
    [[nodiscard]] const FolderNames& names_in(const std::filesystem::path& folder) const;

  private:
    std::vector<std::filesystem::path> folders_;
    bool all_;
    mutable std::map<std::string, FolderNames> names_;  // by the folders' canonical paths
};

/// Whether an existing file may be read. Without an access, only the program's own files and the
/// fetched models may.
[[nodiscard]] bool may_read(const std::filesystem::path& file, const ReadContext& context);

/// Error message for a file that may not be read, which the scene calls `name`.
[[nodiscard]] std::string outside_fault(const std::string& name);

/// The folder of fetched models: $TREELIGHT_MODELS, else $XDG_CACHE_HOME/treelight/models, else
/// ~/.cache/treelight/models.
[[nodiscard]] std::filesystem::path model_folder();

/// Prefix of the names of generated scenes.
constexpr std::string_view kGeneratePrefix = "generate:";

/// Whether a name is that of a file that belongs to no scene's folder: a fetched model, "model:x",
/// or one that comes with the program, "asset:x" or "scene:x".
[[nodiscard]] bool is_shared_name(const std::string& name);
/// Whether a scene's name is the path of a file: neither a shared name nor "generate:x".
[[nodiscard]] bool is_file_name(const std::string& name);

/// "scene:x", "asset:x" or "model:x" where that is a file and `name` is "x"; "" where none is.
[[nodiscard]] std::string shared_name_of(const std::string& name, const ReadContext& context);

/// Names of the scenes that come with the program, sorted: "scene:atrium", ..., "scene:waves".
[[nodiscard]] std::vector<std::string> scene_names();

/// The path of a file named in a scene: "model:x" is in model_folder(), "asset:x" and "scene:x" in
/// the program's own folders, where x may lack its ending; a relative path in `folder`. Throws
/// UserError when there is no such regular file or it may not be read; callers add where it was
/// named.
[[nodiscard]] std::filesystem::path resolve_file(const std::string& name,
                                                 const std::filesystem::path& folder,
                                                 const ReadContext& context);

/// Path of a file named in a model, tolerant of exporters. In each of `folders`, in their order, it
/// tries the name as it is, with backslashes as slashes, and only its basename. Then it searches
/// all folders again, ignoring case. Empty when no such file exists that may be read.
[[nodiscard]] std::filesystem::path find_referenced_file(
    const std::string& name, const std::vector<std::filesystem::path>& folders,
    const ReadContext& context);

/// Finds a file like find_referenced_file(), but throws UserError if there is none. The error names
/// the file `owner`, which names the other one as its `what`: "a.obj: texture 'b.png' not found".
[[nodiscard]] std::filesystem::path referenced_file(
    const std::string& owner, const char* what, const std::string& name,
    const std::vector<std::filesystem::path>& folders, const ReadContext& context);

}  // namespace tl
