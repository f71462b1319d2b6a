// Boxes of a tree as lines: what is in sight bright, what lies behind something faint.
#pragma once

#include "accel/bvh/inspect/tree_boxes.h"
#include "app/viewer/gl/line_renderer.h"

namespace tl {

/// Inner nodes green, leaves orange; neighbouring segments of an edge that look the same are one
/// line. `hidden_too`: also what lies behind something.
[[nodiscard]] std::vector<LineVertex> lines_of(const TreeBoxes& boxes, bool hidden_too);

}  // namespace tl
