// glTF 2.0 scenes (.gltf, .glb), through tinygltf.
#pragma once

#include <string>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Appends the meshes of a glTF file's scene, transformed by its nodes. With `with_materials`, also
/// appends its materials and textures. The scene has a material 0, which is the default for
/// triangles. With `with_view`, also appends its first camera and its lights. Returns what the file
/// does not specify; warns of unused parts. Throws UserError naming the file and the part.
SceneGaps add_gltf(Scene& scene, const std::string& path, bool with_materials, bool with_view,
                   const ReadContext& context);

}  // namespace tl
