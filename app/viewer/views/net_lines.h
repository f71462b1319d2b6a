// Control nets of patches as lines: visible parts bright, occluded parts faint.
#pragma once

#include "accel/bvh/inspect/control_net.h"
#include "app/viewer/gl/line_renderer.h"

namespace tl {

/// Edges of patches yellow, inner lines blue. `hidden_too`: also the occluded parts.
[[nodiscard]] std::vector<LineVertex> lines_of(const ControlNets& nets, bool hidden_too);

}  // namespace tl
