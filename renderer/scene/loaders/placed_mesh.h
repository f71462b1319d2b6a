// Meshes of files whose nodes place them.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Moves a mesh from its own space to another one; normals that are missing there are completed,
/// but a mesh without normals stays so. Mirroring reverses the triangles, so that outsides stay
/// outside. Returns false where a position becomes not finite or larger than a scene may have.
[[nodiscard]] bool place_mesh(Mesh& mesh, const glm::dmat4& transform);

}  // namespace tl
