// Names of the program's additions to the glTF files that it writes, in the format's `extras`. They
// let it read its own files without loss; other programs ignore them.
#pragma once

namespace tl {

// The values are not nested: assimp 5.2 aborts where it copies tables within tables.

/// Extra of a scene: its background, three numbers. Its presence also means that the file describes
/// the scene's lighting.
inline constexpr const char* kGltfBackground = "treelight_background";
/// Extra of a node with a mesh: the shape that its triangles represent, one of the following.
inline constexpr const char* kGltfShape = "treelight_shape";
inline constexpr const char* kGltfSphere = "sphere";  ///< sphere of radius 1 in the node's space
inline constexpr const char* kGltfPoints = "points";  ///< spheres of kGltfRadius in that space
inline constexpr const char* kGltfRadius = "treelight_radius";
/// Points with normals; the vertex attribute kGltfRadii has their radii.
inline constexpr const char* kGltfSplats = "splats";
inline constexpr const char* kGltfRadii = "_TREELIGHT_RADIUS";
/// Vertex attribute of points that emit: the emission of each, three numbers, in W/(sr m^2).
inline constexpr const char* kGltfEmission = "_TREELIGHT_EMISSION";
inline constexpr const char* kGltfSphereLight = "sphere-light";
inline constexpr const char* kGltfRectangleLight = "rectangle-light";  ///< corners in order

}  // namespace tl
