// OBJ meshes.
#pragma once

#include <string>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Appends the meshes of an OBJ: one for each object or group, polygons triangulated. With
/// `with_materials`, also appends its materials and textures. The scene has a material 0, which is
/// the default for faces. Missing normals are computed by normals.h. Throws UserError naming file
/// and line.
void add_obj(Scene& scene, const std::string& path, bool with_materials,
             const ReadContext& context);

}  // namespace tl
