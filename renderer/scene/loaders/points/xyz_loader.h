// Points as lines of text: .xyz and .pts files, as scanners and programs for clouds write them.
#pragma once

#include <string>

#include "renderer/scene/loaders/points/point_cloud.h"

namespace tl {

/// The points of a text, whose warnings go to a scene; `path` is the name in messages. Throws
/// UserError "file:line: what".
[[nodiscard]] PointCloud read_xyz(Scene& scene, std::string_view text, const std::string& path);

/// Appends the points of a text file to a scene with a material 0: a line for each with x y z
/// [intensity] [r g b] [nx ny nz], separated by blanks, commas or semicolons; `#` and `//` start
/// comments. docs/scene-files.md has the details. Throws UserError "file:line: what".
void add_xyz(Scene& scene, const std::string& path, bool with_materials,
             bool drop_outliers = false);

}  // namespace tl
