// Control nets of patches as lines for an overlay, and the visibility of their parts from an eye
// point. Computed on the device from the control points of the current frame.
#pragma once

#include <vector>

#include "accel/tree.h"

namespace tl {

/// Number of lines of a patch's net: rows and columns of four points.
inline constexpr std::uint32_t kNetLines = 24;
/// Maximum number of patches whose nets are collected; further patches are left out.
inline constexpr std::uint32_t kMaxNetPatches = 1u << 14;

/// Number of parts that each line of a net is cut into; fewer if there are many patches.
TL_HD constexpr std::uint32_t net_line_parts(std::uint32_t n_patches) {
    return n_patches <= 256 ? 8 : n_patches <= 2048 ? 4 : 2;
}

/// Line 0 to 23 of a net, between two of the 16 control points. Lines 0 to 11 run along v, the
/// others along u.
struct NetLine {
    std::uint32_t from, to;  ///< indices of the control points at its ends
    bool on_edge;            ///< whether it lies on the patch's border

    TL_HD constexpr explicit NetLine(std::uint32_t line) : from(0), to(0), on_edge(false) {
        bool along_u = line >= kNetLines / 2;
        std::uint32_t row = line % (kNetLines / 2) / 3, at = line % 3;
        from = along_u ? 4 * at + row : 4 * row + at;
        to = from + (along_u ? 4 : 1);
        on_edge = row == 0 || row == 3;
    }
};

/// Control nets of the collected patches.
struct ControlNets {
    std::vector<vec3> points;  ///< 16 control points per patch
    /// kNetLines words per patch: bit s is set if part s of the line is occluded.
    std::vector<std::uint32_t> hidden;
    std::uint32_t n_total = 0;  ///< number of patches in the tree

    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(hidden.size()) / kNetLines;
    }
};

/// Collects the nets of the first patches of the tree, at most kMaxNetPatches of `n_patches`. Waits
/// for the stream.
[[nodiscard]] ControlNets collect_control_nets(Scratch& scratch, const TreeView& tree,
                                               std::uint32_t n_patches, vec3 eye);

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Device part of collect_control_nets(): writes 16 points and kNetLines words per patch.
    void find_control_nets(Scratch& scratch, const TreeView& tree, vec3 eye, View<vec3> points,
                           View<std::uint32_t> hidden);
)
// clang-format on
