// Nodes of glTF: transforms in the forms that the format allows.
#pragma once

#include "renderer/scene/export/glb_writer.h"

namespace tl {

/// A node with a mesh. `shape` names the exact shape that the mesh represents (gltf_extras.h), or
/// is null.
[[nodiscard]] Json mesh_node(int mesh, const char* shape = nullptr);

/// Appends a node, placed in its parent by an affine matrix; returns the index of the outermost
/// node. glTF knows no shears: a matrix that has one takes two nodes, one within the other.
int add_placed(GlbWriter& file, const glm::dmat4& matrix, Json node);

/// A rotation of unit length as glTF stores it, the real part last.
[[nodiscard]] Json rotation_json(const glm::dvec4& xyzw);
/// The rotation whose matrix has these orthonormal columns, as glTF stores it.
[[nodiscard]] Json rotation_json(const glm::dmat3& matrix);

}  // namespace tl
