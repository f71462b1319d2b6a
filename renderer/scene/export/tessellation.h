// Triangle meshes that approximate exact surfaces, for formats that support no others.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// A closed sphere of radius 1 about the origin, with normals and the texture coordinates that
/// spheres have in the renderer. The more spheres a scene has, the fewer triangles each gets: from
/// 16,128 down to 960, so that programs that copy meshes can hold them.
[[nodiscard]] Mesh unit_sphere_mesh(std::size_t n_spheres);

/// Mesh of the patches of a set at rest, each as a grid of two triangles a cell, with exact
/// normals. All patches have the same number of cells, so that patches that share an edge stay
/// connected. The number of cells keeps triangles within a 5,000th of the set's size, but is at
/// most 64 a side.
[[nodiscard]] Mesh mesh_of_patches(const PatchSet& set);

}  // namespace tl
