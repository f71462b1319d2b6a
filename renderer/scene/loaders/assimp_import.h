// Reads model files of many formats through the library assimp, if it was found when the program
// was built. The only source that includes assimp.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/loaders/imported_model.h"
#include "renderer/scene/loaders/read_context.h"

namespace tl {

/// Whether the program was built with assimp.
[[nodiscard]] bool has_assimp();

/// Phases whose progress import_by_assimp() reports. The library does not report the fraction of a
/// file that it has parsed.
inline constexpr const char *kParsing = "parsing", *kJoining = "joining vertices",
                            *kConverting = "converting";

/// Reads a file and the files that it names, except textures. Throws UserError. The library is
/// unsafe for damaged files; call it through run_apart.
[[nodiscard]] ImportedModel import_by_assimp(const std::string& path, const ReadContext& context);

}  // namespace tl
