// Models of further formats (FBX, COLLADA, 3DS, ...), through the library assimp.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Endings of the files that add_by_assimp reads, in lower case; none where the program was built
/// without assimp.
[[nodiscard]] const std::vector<std::string>& assimp_extensions();
/// Whether assimp would read this ending if the program was built with it.
[[nodiscard]] bool is_assimp_extension(const std::string& ending);

/// Appends the meshes of a file, placed by its nodes, and with `with_materials` its materials and
/// textures, to a scene with a material 0. With `with_view`, also appends its first camera and its
/// lights, and meshes that several nodes use become instances. Returns what the file does not
/// specify; warns of unused parts. Throws UserError naming the file.
SceneGaps add_by_assimp(Scene& scene, const std::string& path, const std::string& ending,
                        bool with_materials, bool with_view, const ReadContext& context);

}  // namespace tl
