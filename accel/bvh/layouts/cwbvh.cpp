#include "accel/bvh/layouts/cwbvh.h"

#include <algorithm>

#include "accel/bvh/layouts/convert_cwbvh.h"

namespace tl {

void Cwbvh::convert(Scratch& scratch, View<const BvhNode> nodes, View<const std::uint32_t> order,
                    View<const TreeHeader> header) {
    auto& stream = scratch.stream();
    nodes_.resize_discard(stream, max_wide_nodes(nodes.size));
    order_.resize_discard(stream, order.size);
    progress_.resize_discard(stream, 1);
    Scratch::Scope scope(scratch);
    CwbvhConversion conversion{nodes,
                               order,
                               header,
                               nodes_.view(),
                               order_.view(),
                               progress_.view(),
                               scratch.take<std::uint32_t>(nodes_.size())};
    TL_DISPATCH(stream.device(), convert_to_cwbvh(stream, conversion));
}

}  // namespace tl
