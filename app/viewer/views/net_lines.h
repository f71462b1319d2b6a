// Control nets of patches as lines: what is in sight bright, what lies behind something faint.
#pragma once

#include "accel/bvh/inspect/control_net.h"
#include "app/viewer/gl/line_renderer.h"

namespace tl {

/// Edges of patches yellow, inner lines blue. `hidden_too`: also what lies behind something.
[[nodiscard]] std::vector<LineVertex> lines_of(const ControlNets& nets, bool hidden_too);

}  // namespace tl
