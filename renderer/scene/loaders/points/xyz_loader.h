// Points as lines of text: .xyz, .pts, .asc and .csv files, as scanners and programs for clouds
// write them.
#pragma once

#include <string>

#include "renderer/scene/loaders/points/point_cloud.h"
#include "renderer/scene/loaders/read_context.h"

namespace tl {

/// The points of a text, whose warnings go to a scene; `path` is the name in messages. Throws
/// UserError "file:line: what".
[[nodiscard]] PointCloud read_xyz(Scene& scene, std::string_view text, const std::string& path,
                                  const ReadProgress& progress = {});

/// Whether a line is one of three numbers or more, or names columns x, y and z.
[[nodiscard]] bool is_xyz_line(std::string_view line);

/// Appends the points of a text file to a scene with a material 0: a line for each with columns
/// that a line before them names, or x y z [intensity] [r g b] [nx ny nz]; separated by blanks,
/// commas or semicolons; `#` and `//` start comments. docs/scene-files.md has the details. Throws
/// UserError "file:line: what".
void add_xyz(Scene& scene, const std::string& path, bool with_materials, bool drop_outliers,
             const ReadContext& context);

}  // namespace tl
