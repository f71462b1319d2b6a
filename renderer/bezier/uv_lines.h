// Isolines of u and v on the patches of a picture.
#pragma once

#include "renderer/bezier/bezier_shading.h"
#include "renderer/bezier/picture_part.h"

// clang-format off
TL_FOR_DEVICES(
    /// Reduces the throughput of camera rays' paths that hit a patch within about half a pixel of u
    /// or v = k / n_lines.
    void darken_uv_lines(Stream& stream, const SceneView& scene, const CameraRays& camera,
                         vec2 offset, int n_lines, const PicturePart& part, View<const Hit> hits,
                         View<PathRay> paths);
)
// clang-format on
