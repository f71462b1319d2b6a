// PLY meshes (Turk 1994): text, and binary of either byte order.
#pragma once

#include <string>

#include "renderer/scene/loaders/points/point_cloud.h"
#include "renderer/scene/loaders/read_context.h"

namespace tl {

/// The points of a PLY that has nothing else; none of one with faces or edges. `bytes` are those of
/// the file, `path` is its name in messages, warnings go to a scene. Throws as add_ply().
[[nodiscard]] PointCloud read_ply_points(Scene& scene, const std::string& bytes,
                                         const std::string& path,
                                         const ReadProgress& progress = {});

/// Appends the mesh of a PLY to a scene with a material 0: faces, cut by polygon.h, and triangle
/// strips; edges, by points_and_lines.h; and the vertices of a file that has nothing else, by
/// point_cloud.h, with normals, areas, and those of splats (3D Gaussian splatting). With
/// `as_gaussians` a file of these is appended as Gaussians instead, see ply_gaussians.h. Texture
/// coordinates are s and t, u and v, or texture_u and texture_v of vertices, or the list texcoord
/// of faces. With `shows_radiosity`, the points of an illumination map emit their radiosity and
/// reflect nothing. With `with_materials`, textures that comments name are appended with a material
/// each. Missing normals are computed by normals.h. Other elements and properties are skipped.
/// Throws UserError naming file and line, or the byte of a binary row.
void add_ply(Scene& scene, const std::string& path, bool with_materials, bool drop_outliers,
             bool as_gaussians, bool shows_radiosity, const ReadContext& context);

}  // namespace tl
