// Visibility of all points from a chosen one, for display (Goradia 2008, figure 6.13).
#pragma once

#include "renderer/radiosity/radiosity_config.h"
#include "renderer/radiosity/transport/light_transport.h"

TL_DEVICE_BEGIN

/// Index of the point whose ray origin is nearest to a position, in the order of the tree; there
/// must be points. The two points at both sides of a surface thus differ. Waits for the stream.
[[nodiscard]] std::uint32_t find_chosen_point(Scratch& scratch, const DiffusePointsView& points,
                                              vec3 position);

/// Sets seen[j] to 1 if the chosen point and point j face and see each other by a test of their
/// own, else to 0. Never waits, except to find the largest disc.
void test_seen_points(Scratch& scratch, const DiffusePointsView& points, const SceneView& scene,
                      PointVisibility visibility, std::uint32_t chosen, View<float> seen);

/// Sets seen[j] to 0 where the chosen point and point j do not face each other. Never waits.
void hide_averted_points(Stream& stream, View<const Surfel> points, std::uint32_t chosen,
                         View<float> seen);

/// Waits for the stream.
[[nodiscard]] SeenCounts count_seen(Scratch& scratch, View<const float> seen);

TL_DEVICE_END
