// Transforms meshes by the nodes of their file.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Transforms a mesh from its own space to another one. Missing normals are completed there, but a
/// mesh without normals stays so. Mirroring reverses the triangles, so that outsides stay outside.
/// Returns false where a position becomes not finite or larger than a scene may have.
[[nodiscard]] bool place_mesh(Mesh& mesh, const glm::dmat4& transform);

}  // namespace tl
