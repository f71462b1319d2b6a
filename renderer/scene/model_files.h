// Model files: what the loaders of meshes have in common.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Endings of the files that add_model reads, in lower case: ".obj", ".ply".
[[nodiscard]] const std::vector<std::string>& model_extensions();
[[nodiscard]] bool is_model_extension(const std::string& ending);

/// The endings as messages list them: ".obj, .ply".
[[nodiscard]] std::string joined(const std::vector<std::string>& endings);

/// Appends the meshes of a model file of the kind `ending` and, with `with_materials`, its
/// materials and textures to a scene that has a material 0. Throws UserError naming file and place.
void add_model(Scene& scene, const std::string& path, const std::string& ending,
               bool with_materials);

}  // namespace tl
