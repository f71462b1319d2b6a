// Content hashes ("names") of an octree's nodes. They identify a node with unchanged points in
// another tree, whatever the indices of the node and its points there.
#pragma once

#include "renderer/radiosity/points/diffuse_points.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

/// Hash of a sequence extended by one word.
TL_HD inline std::uint64_t hash_with(std::uint64_t hash, std::uint64_t word) {
    return hash_64(hash ^ word);
}

/// Sets names[k] to a hash of node k: its points in their order, the origins of their rays, and
/// their partition among the nodes below. Never waits.
void name_nodes(Stream& stream, const DiffusePointsView& points, const OctreeHeader& header,
                View<std::uint64_t> names);

/// Hash of a pair of nodes, a of lower index than b, and of the order of their points in the tree.
TL_D inline std::uint64_t name_of_pair(View<const std::uint64_t> names, const OctreeView& tree,
                                       std::uint32_t a, std::uint32_t b) {
    std::uint64_t hash = hash_with(hash_with(0, names[a]), names[b]);
    return hash_with(hash, tree.nodes[a].first < tree.nodes[b].first ? 1 : 0);
}

TL_DEVICE_END
