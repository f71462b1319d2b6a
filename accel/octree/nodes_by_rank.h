// Octree construction over sorted points: one kernel writes the nodes of all levels.
#pragma once

#include "accel/octree/leaf_levels.h"

TL_DEVICE_BEGIN

/// Sets the header's levels, the nodes and their parents, from the tree's keys. Never waits.
void write_nodes_by_rank(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree);

/// Keys sorted by their upper `n_levels` levels only.
struct RoughOrder {
    LevelKeys keys;
    int n_levels;               ///< cells are not split on the last of these
    View<std::uint16_t> steps;  ///< packed LevelStep of each point; from take_steps()
};
/// Takes scratch memory for RoughOrder::steps, in the caller's scope.
[[nodiscard]] View<std::uint16_t> take_steps(Scratch& scratch, std::size_t n_points);
/// Sets the header's levels, the nodes and their parents, from the keys of `order` instead of the
/// tree's. Sets order.steps. Never waits.
void write_nodes_by_rank(Scratch& scratch, const OctreeConfig& config, const OctreeView& tree,
                         const RoughOrder& order);

TL_DEVICE_END
