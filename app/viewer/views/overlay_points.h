// Points stored by a renderer, with their colours: visible ones bright, occluded ones faint.
#pragma once

#include "app/viewer/gl/overlay_renderer.h"
#include "renderer/point_source.h"

namespace tl {

/// Colour of a group of PointList::groups, display sRGB from 0 to 1. The last group is yellow; the
/// others range from light blue to violet.
[[nodiscard]] vec3 color_of_group(std::size_t group, std::size_t n_groups);
/// Range of the colour scale by value, logarithmic.
struct ValueRange {
    float bottom = 0, top = 0;
};
/// Range of the colour scale for these points. The top is the 99th percentile of the values, the
/// bottom 1/1000 of it.
[[nodiscard]] ValueRange value_range(const PointList& list);
/// Points in drawing order: occluded ones first, if `hidden_too`.
[[nodiscard]] std::vector<OverlayVertex> points_of(const PointList& list, bool by_value,
                                                   bool hidden_too);

}  // namespace tl
