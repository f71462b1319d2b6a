// The links of one node of the octree, read for display.
#pragma once

#include "renderer/exchange_source.h"
#include "renderer/radiosity/visibility_map.h"

TL_DEVICE_BEGIN

/// All links of an exchange.
struct ExchangeLinks {
    OctreeView tree;
    LinkTable table;
    PartialLinks partial;
};

/// The links of the node that is `above` levels above a leaf, but not above the root, as
/// ExchangeSource::links_at() has them. Waits for the stream.
[[nodiscard]] GroupLinks find_group_links(Scratch& scratch, const ExchangeLinks& links,
                                          const OctreeHeader& header, std::uint32_t leaf, int above,
                                          bool with_above);

/// The number of terms that links add up for all targets: one for each link of groups, one for each
/// pair of points of others. Waits for the stream.
[[nodiscard]] std::uint64_t count_link_terms(Scratch& scratch, const ExchangeLinks& links,
                                             std::uint32_t n_nodes);

TL_DEVICE_END
