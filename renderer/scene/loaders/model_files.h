// Model files: the common interface to the loaders of meshes, points and patches.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Endings of the files that add_model reads, in lower case: ".obj", ".ply", ".gltf", ".glb",
/// those of points and patches and, where the program was built with assimp, of further formats.
[[nodiscard]] const std::vector<std::string>& model_extensions();
/// Also true for formats that are refused with the reason: .laz, and those of assimp in a build
/// without it.
[[nodiscard]] bool is_model_extension(const std::string& ending);
[[nodiscard]] bool is_patch_extension(const std::string& ending);

/// The parts of a model file that a scene takes besides its meshes.
struct ModelParts {
    bool materials = true;  ///< and textures
    bool view = false;      ///< the camera and the lights, if the file has them
    /// Whether points of clouds that lie far from all others are left out.
    bool drop_outliers = false;
    /// Whether files of 3D Gaussian splatting become Gaussians, not points.
    bool gaussians = true;
    /// Whether the points of an illumination map show their radiosity, not their colours.
    bool radiosity = true;

    auto operator<=>(const ModelParts&) const = default;
};

/// Appends a model file of type `ending` to a scene that has a material 0; returns what the file
/// does not specify. Sets Scene::offset to the offset that was subtracted from all of its
/// coordinates. Throws UserError naming the file and the line or byte.
SceneGaps add_model(Scene& scene, const std::string& path, const std::string& ending,
                    ModelParts parts, const ReadContext& context);

}  // namespace tl
