// All nodes of a tree over sorted points, written by one kernel.
#pragma once

#include "accel/octree/leaf_levels.h"

TL_DEVICE_BEGIN

/// Sets the header's levels, the nodes and their parents, from the tree's keys. Never waits.
void write_nodes_by_rank(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree);

/// Keys that are sorted by `n_levels` levels alone, and what is found out about them.
struct RoughOrder {
    LevelKeys keys;
    int n_levels;               ///< cells are not split on the last of these
    View<std::uint16_t> steps;  ///< of each point, a packed LevelStep; see take_steps()
};
[[nodiscard]] View<std::uint16_t> take_steps(Scratch& scratch, std::size_t n_points);
/// The same by keys that are not the tree's; sets the steps.
void write_nodes_by_rank(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree,
                         const RoughOrder& order);

TL_DEVICE_END
