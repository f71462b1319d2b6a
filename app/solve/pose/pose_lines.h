// Cameras as lines in the scene: the views of an estimated pose.
#pragma once

#include <vector>

#include "app/solve/pose/pose_job.h"
#include "app/viewer/gl/overlay_vertex.h"

namespace tl {

/// Colours of the views, 0xaabbggrr.
inline constexpr std::uint32_t kFirstViewColor = 0xe6ffb45au, kTrueViewColor = 0xe6ffffffu;
inline constexpr std::uint32_t kFoundViewColor = 0xe65ad24bu;

/// The first view, the true second one and the recovered one as pyramids from the eye, with the
/// baselines; the recovered one is a little smaller, so that both are seen where it is exact.
/// Empty if there is no pose.
[[nodiscard]] std::vector<OverlayVertex> view_lines(const PoseOutcome& outcome);

}  // namespace tl
