// Model files: what the loaders of meshes and patches have in common.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Endings of the files that add_model reads, in lower case: ".obj", ".ply", ".gltf", ".glb"
/// and those of patches.
[[nodiscard]] const std::vector<std::string>& model_extensions();
[[nodiscard]] bool is_model_extension(const std::string& ending);
[[nodiscard]] bool is_patch_extension(const std::string& ending);

/// The endings as messages list them: ".obj, .ply".
[[nodiscard]] std::string joined(const std::vector<std::string>& endings);

/// What a scene takes of a model file besides its meshes.
struct ModelParts {
    bool materials = true;  ///< and textures
    bool view = false;      ///< the camera and the lights, of files that have them
};

/// Appends a model file of the kind `ending` to a scene that has a material 0; returns what it
/// leaves open. Throws UserError naming file and place.
SceneGaps add_model(Scene& scene, const std::string& path, const std::string& ending,
                    ModelParts parts);

}  // namespace tl
