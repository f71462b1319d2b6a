// glTF 2.0 scenes (.gltf, .glb), through tinygltf.
#pragma once

#include <string>

#include "renderer/scene/scene.h"

namespace tl {

/// Appends the meshes of a glTF file's scene, moved to where its nodes put them, and with
/// `with_materials` its materials and textures, to a scene that has a material 0, which triangles
/// without one take. With `with_view`, also its first camera and its lights. Returns what the file
/// leaves open. What is not used is a warning. Throws UserError naming the file and the part.
SceneGaps add_gltf(Scene& scene, const std::string& path, bool with_materials, bool with_view);

}  // namespace tl
