// Names of an octree's nodes by what is in them, so that a node whose points have stayed is known
// again in another tree, wherever its number and those of its points may be there.
#pragma once

#include "renderer/radiosity/diffuse_points.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

/// The hash of a sequence and one more word.
TL_HD inline std::uint64_t hash_with(std::uint64_t hash, std::uint64_t word) {
    return hash_64(hash ^ word);
}

/// names[k] = a hash of the points of node k, in their order, of where their rays start, and of how
/// they are divided among the nodes below. Never waits.
void name_nodes(Stream& stream, const DiffusePointsView& points, const OctreeHeader& header,
                View<std::uint64_t> names);

/// The name of two nodes, a of lower index than b, with the order in which their points lie.
TL_D inline std::uint64_t name_of_pair(View<const std::uint64_t> names, const OctreeView& tree,
                                       std::uint32_t a, std::uint32_t b) {
    std::uint64_t hash = hash_with(hash_with(0, names[a]), names[b]);
    return hash_with(hash, tree.nodes[a].first < tree.nodes[b].first ? 1 : 0);
}

TL_DEVICE_END
