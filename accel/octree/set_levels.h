// Selects the levels of an octree that fit the capacity, from the number of nodes of each level.
#pragma once

#include "accel/octree/octree.h"

TL_DEVICE_BEGIN

/// Sets the header's levels and counts of nodes. The tree gets the levels that fit the capacity.
/// end_of(level) returns the number of nodes down to and including that level.
template <class EndOf>
TL_D void set_levels(const OctreeView& tree, int max_level, const EndOf& end_of) {
    OctreeHeader& header = tree.header[0];
    int last = 0;
    while (last < OctreeGrid::kLevels && end_of(last + 1) <= tree.nodes.size) ++last;
    header.level_begin[0] = 0;
    for (int level = 0; level <= OctreeGrid::kLevels; ++level)
        header.level_begin[level + 1] = end_of(level < last ? level : last);
    header.last_level = static_cast<std::uint32_t>(last < max_level ? last : max_level);
    header.n_nodes = end_of(last);
    header.n_wanted = end_of(OctreeGrid::kLevels);
}

TL_DEVICE_END
