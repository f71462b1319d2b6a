// State of the views of trees and patches: boxes, control nets, and the legend of false colours. No
// GL, no ImGui.
#pragma once

#include <array>
#include <chrono>
#include <string>

#include "accel/bvh/inspect/control_net.h"
#include "accel/bvh/inspect/tree_boxes.h"
#include "session/session.h"

namespace tl {

/// State of an overlay that has to be searched.
struct OverlayView {
    bool shown = false;
    bool stale = true;              ///< the found overlay belongs to another frame, view or choice
    std::uint64_t found_count = 0;  ///< searches so far
    std::chrono::steady_clock::time_point found_at{};
};

/// Boxes of the tree's nodes over the picture.
struct BoxView : OverlayView {
    bool leaves = false;               ///< all leaves instead of a level
    bool octree = false;               ///< those of an octree over the scene's points
    bool hidden_too = true;            ///< also occluded lines, faintly; applies to nets, too
    int level = 4;                     ///< 0: the root's box
    std::array<TreeBoxes, 2> found{};  ///< of the session's tree and of the compared tree
};

/// Control nets of the scene's patches over the picture.
struct NetView : OverlayView {
    ControlNets found;
    std::string uv_lines = "4";  ///< setting of the Bezier backend when uv lines are switched on
};

/// Points that the renderer has stored, such as photons, over the picture.
struct PointView : OverlayView {
    static constexpr int kMost = 1'000'000;
    static constexpr float kLargest = 16;

    bool by_value = false;    ///< coloured by value (flux) instead of by group (surfaces hit)
    bool hidden_too = false;  ///< also occluded points, faintly
    float size = 3;           ///< diameter, in units of the interface's scale
    int most = 20'000;        ///< number of points drawn; of more, a subset is drawn
    std::array<PointList, 2> found{};         ///< of the session and of the compared one
    std::array<std::uint64_t, 2> versions{};  ///< SessionInspection::points_version() of these
};

/// Scales of the false colours of the session and of side B, up to some tenths of a second old.
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

/// Ray tree of the pixel that the cursor was over last.
struct PixelTreeView {
    bool wanted = false;  ///< its section of the panel is open
    int x = 0, y = 0;     ///< film pixel
    PixelTree tree;
};

}  // namespace tl
