// Triangles in place of exact surfaces, for formats that know no other.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// A closed sphere of radius 1 about the origin, with normals and the texture coordinates that
/// spheres have in the renderer. The more spheres a scene has, the fewer triangles each gets: from
/// 16,128 down to 960, so that programs that copy meshes can hold them.
[[nodiscard]] Mesh unit_sphere_mesh(std::size_t n_spheres);

/// The patches of a set at rest, each as a grid of two triangles a cell, with exact normals. All
/// have the same number of cells, so that patches that share an edge still meet; they are as many
/// as keep the triangles within a 5,000th of the set's size, but at most 64 a side.
[[nodiscard]] Mesh mesh_of_patches(const PatchSet& set);

}  // namespace tl
