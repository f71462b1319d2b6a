// Points that a renderer has stored, with their colours: visible ones bright, occluded ones faint.
#pragma once

#include "app/viewer/gl/overlay_renderer.h"
#include "renderer/point_source.h"

namespace tl {

/// The colour of a group of PointList::groups, display sRGB from 0 to 1. The last group has a
/// colour of its own, yellow; the others go from light blue to violet.
[[nodiscard]] vec3 color_of_group(std::size_t group, std::size_t n_groups);
/// The values between which colours by value differ, on a logarithmic scale.
struct ValueRange {
    float bottom = 0, top = 0;
};
/// From 1/1000 of the value that one point in a hundred exceeds up to that value.
[[nodiscard]] ValueRange value_range(const PointList& list);
/// The points in the order in which they are drawn: occluded ones, if they are wanted, first.
[[nodiscard]] std::vector<OverlayVertex> points_of(const PointList& list, bool by_value,
                                                   bool hidden_too);

}  // namespace tl
