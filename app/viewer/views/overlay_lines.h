// Boxes of a tree and control nets of patches as lines: visible parts bright, occluded parts faint.
#pragma once

#include <array>

#include "accel/bvh/inspect/control_net.h"
#include "accel/bvh/inspect/tree_boxes.h"
#include "app/viewer/gl/overlay_renderer.h"

namespace tl {

/// Inner nodes green, leaves orange; neighbouring segments of an edge with the same colour are one
/// line. `hidden_too`: also the occluded parts.
[[nodiscard]] std::vector<OverlayVertex> lines_of(const TreeBoxes& boxes, bool hidden_too);
/// Edges of patches yellow, inner lines blue.
[[nodiscard]] std::vector<OverlayVertex> lines_of(const ControlNets& nets, bool hidden_too);

/// The twelve edges of a box that may be turned and sheared, by its corners in the order of
/// corner_of_box.
using BoxCorners = std::array<vec3, 8>;
[[nodiscard]] std::vector<OverlayVertex> lines_of(const BoxCorners& corners);

}  // namespace tl
