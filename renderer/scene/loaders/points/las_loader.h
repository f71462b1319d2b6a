// Points that laser scanners have measured: LAS files, of versions up to 1.4 and all point formats.
#pragma once

#include <string>

#include "renderer/scene/loaders/points/point_cloud.h"
#include "renderer/scene/loaders/read_context.h"

namespace tl {

/// The points of a LAS file's bytes, whose warnings go to a scene; `path` is the name in messages.
/// Throws UserError naming the byte.
[[nodiscard]] PointCloud read_las(Scene& scene, std::string_view bytes, const std::string& path,
                                  const ReadProgress& progress = {});

/// Appends the points of a LAS file to a scene with a material 0. They have their colours or, where
/// all of those are 0 or there are none, greys for intensities. They have the normals of extra
/// bytes (las_extra.h). Points with the flag "withheld" are left out. Times, wave packets, near
/// infrared and other extra bytes are ignored. Throws UserError naming the byte.
void add_las(Scene& scene, const std::string& path, bool with_materials, bool drop_outliers,
             const ReadContext& context);

}  // namespace tl
