// Reads back the links of one node of the octree, for display.
#pragma once

#include "renderer/radiosity/transport/visibility_map.h"
#include "renderer/transport_source.h"

TL_DEVICE_BEGIN

/// All links of an exchange, with the octree of their nodes.
struct TransportLinks {
    OctreeView tree;
    LinkTable table;
    PartialLinks partial;
};

/// Links of the node `above` levels above a leaf, or of the root if that is nearer, in the form of
/// TransportSource::links_at(). Waits for the stream.
[[nodiscard]] GroupLinks find_group_links(Scratch& scratch, const TransportLinks& links,
                                          const OctreeHeader& header, std::uint32_t leaf, int above,
                                          bool with_above);

/// Number of terms that a gather sums over all targets: one per far link, one per pair of points of
/// other links. Waits for the stream.
[[nodiscard]] std::uint64_t count_link_terms(Scratch& scratch, const TransportLinks& links,
                                             std::uint32_t n_nodes);

/// Numbers of nodes and links of each level, the root's first. Waits for the stream.
[[nodiscard]] std::vector<LinkLevel> count_links_by_level(Scratch& scratch,
                                                          const TransportLinks& links,
                                                          const OctreeHeader& header);

TL_DEVICE_END
