// What the program adds to the glTF files that it writes, in the `extras` that the format leaves to
// programs: so it reads its own files without loss. Others ignore them.
#pragma once

namespace tl {

// No tables within tables: assimp 5.2 aborts where it copies these.

/// Of a scene: its background, three numbers. Such a file also says how the scene is lit.
inline constexpr const char* kGltfBackground = "treelight_background";
/// Of a node with a mesh: what its triangles stand for, one of the following.
inline constexpr const char* kGltfShape = "treelight_shape";
inline constexpr const char* kGltfSphere = "sphere";  ///< of radius 1 in the node's space
inline constexpr const char* kGltfPoints = "points";  ///< spheres of kGltfRadius in that space
inline constexpr const char* kGltfRadius = "treelight_radius";
/// Points with normals, each of the radius that kGltfRadii says: an attribute of vertices.
inline constexpr const char* kGltfSplats = "splats";
inline constexpr const char* kGltfRadii = "_TREELIGHT_RADIUS";
inline constexpr const char* kGltfSphereLight = "sphere-light";
inline constexpr const char* kGltfRectangleLight = "rectangle-light";  ///< corners in order

}  // namespace tl
