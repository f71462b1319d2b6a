// Reads model files of many formats by the library assimp, where it was found when the program was
// built. The only source that knows assimp.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/loaders/imported_model.h"

namespace tl {

/// Whether the program was built with assimp.
[[nodiscard]] bool has_assimp();

/// What import_by_assimp() tells of by tell_work(). The library does not tell which share of a file
/// it has parsed.
inline constexpr const char *kParsing = "parsing", *kJoining = "joining vertices",
                            *kConverting = "converting";

/// Reads a file with all that it refers to but textures. Throws UserError. The library is not to
/// be trusted with damaged files; call it through run_apart.
[[nodiscard]] ImportedModel import_by_assimp(const std::string& path);

}  // namespace tl
