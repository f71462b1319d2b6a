// Where the files that a scene names are looked for, and how text files are read.
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

/// All bytes of a regular file of at most `limit` bytes. Throws UserError.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t limit = SIZE_MAX);

/// read_file without a UTF-8 byte order mark. Throws UserError.
[[nodiscard]] std::string read_text_file(const std::filesystem::path& path,
                                         std::size_t limit = SIZE_MAX);

/// Text without the white space at its ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// ASCII letters in lower case.
[[nodiscard]] std::string lower_case(std::string_view text);

}  // namespace tl
