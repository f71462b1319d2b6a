// Models of STL, as text or binary.
#pragma once

#include <string>

#include "renderer/scene/loaders/read_context.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Adds a mesh for each solid, with one vertex for all corners at the same position, and normals
/// made from those; with a white material if `with_materials`, else of material 0. Throws
/// UserError.
void add_stl(Scene& scene, const std::string& path, bool with_materials,
             const ReadContext& context);

}  // namespace tl
