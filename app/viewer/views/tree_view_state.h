// State of the views of trees and patches: boxes, control nets, and the legend of false colours. No
// GL, no ImGui.
#pragma once

#include <array>
#include <chrono>
#include <string>

#include "accel/bvh/inspect/control_net.h"
#include "accel/bvh/inspect/tree_boxes.h"
#include "app/session.h"

namespace tl {

/// Boxes of the tree's nodes over the picture.
struct BoxView {
    bool shown = false;
    bool leaves = false;               ///< all leaves instead of a level
    bool hidden_too = true;            ///< also occluded lines, faintly; for nets, too
    int level = 4;                     ///< 0: the root's box
    bool stale = true;                 ///< the boxes belong to another tree, view or choice
    std::uint64_t found_count = 0;     ///< searches so far
    std::array<TreeBoxes, 2> found{};  ///< of the session's tree and of the compared tree
    std::chrono::steady_clock::time_point found_at{};
};

/// Control nets of the scene's patches over the picture.
struct NetView {
    bool shown = false;
    bool stale = true;              ///< the nets belong to another frame
    std::uint64_t found_count = 0;  ///< searches so far
    ControlNets found;
    std::string uv_lines = "4";  ///< setting of the Bezier backend when uv lines are switched on
};

/// Scales of the false colours of the session and of the one it is compared with, up to some tenths
/// of a second old.
struct LegendView {
    struct Side {
        bool known = false;
        FalseColorScale scale;
        float at_cursor = 0;
        std::string text_at_cursor;  ///< if one number is not sufficient
    };
    std::array<Side, 2> sides{};
    [[nodiscard]] bool known() const { return sides[0].known || sides[1].known; }
    bool cursor_inside = false;
};

/// The tree of rays of the pixel that the cursor was over last.
struct PixelTreeView {
    bool wanted = false;  ///< its section of the panel is open
    int x = 0, y = 0;     ///< film pixel
    PixelTree tree;
};

}  // namespace tl
