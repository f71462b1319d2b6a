// What is shown of trees and patches besides the picture: boxes, control nets, another tree beside
// the first, and the legend of false colours. No GL, no ImGui.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "accel/bvh/inspect/control_net.h"
#include "accel/bvh/inspect/tree_boxes.h"
#include "app/viewer/views/comparison.h"

namespace tl {

/// Boxes of the tree's nodes over the picture.
struct BoxView {
    bool shown = false;
    bool leaves = false;               ///< all leaves instead of a level
    bool hidden_too = true;            ///< also what lies behind something, faintly; of nets, too
    int level = 4;                     ///< 0: the box of everything
    bool stale = true;                 ///< what was found is of another tree, view or choice
    std::uint64_t found_count = 0;     ///< searches so far
    std::array<TreeBoxes, 2> found{};  ///< in the session's tree, and in the one beside it
    std::chrono::steady_clock::time_point found_at{};
};

/// Control nets of the scene's patches over the picture.
struct NetView {
    bool shown = false;
    bool stale = true;              ///< what was found is of another frame
    std::uint64_t found_count = 0;  ///< searches so far
    ControlNets found;
    std::string uv_lines = "4";  ///< setting of the Bezier backend when lines are switched on
};

/// Two trees for one picture.
struct CompareView {
    std::unique_ptr<Comparison> second;  ///< null while nothing is compared
    std::string builder;                 ///< last compared with; "": nothing yet
    float split = 0.5f;                  ///< share of the picture that shows the first
    bool difference = false;             ///< their difference instead of both
    float gain = 16;                     ///< that the difference is shown with
};

/// Numbers to false colours, of the session and of the one beside it, some tenths of a second old.
struct LegendView {
    struct Side {
        FalseColorScale scale;
        float at_cursor = 0;
        std::string text_at_cursor;  ///< where one number does not say it
    };
    std::array<Side, 2> sides{};
    bool known = false;
    bool cursor_inside = false;
};

/// The tree of rays of the pixel that the cursor was over last.
struct PixelTreeView {
    bool wanted = false;  ///< its section of the panel is open
    int x = 0, y = 0;     ///< film pixel
    PixelTree tree;
};

}  // namespace tl
