#include "accel/bvh/builders/host_builder.h"

#include <algorithm>

#include "accel/bvh/passes/mark_leaves.h"

namespace tl {

void HostTreeBuilder::build(Scratch& scratch, const BuildInput& input, BinaryTree& tree) {
    auto& stream = scratch.stream();
    auto& device = stream.device();
    std::vector<Box> boxes(input.boxes.size);
    device.download(stream, boxes.data(), input.boxes.data, boxes.size() * sizeof(Box));
    std::vector<std::uint32_t> valid;
    valid.reserve(boxes.size());
    for (std::uint32_t i = 0; i < boxes.size(); ++i)
        if (boxes[i].is_valid()) valid.push_back(i);

    TreeHeader header;
    device.download(stream, &header, tree.header.data, sizeof header);
    header.n_valid = static_cast<std::uint32_t>(valid.size());
    header.n_dropped += static_cast<std::uint32_t>(boxes.size() - valid.size());
    HostBinaryTree host;
    if (valid.size() == 1) {
        const Box& box = boxes[valid[0]];
        host.nodes = {{box.lo, NodeRef::leaf(0, 1), box.hi, NodeRef::missing()}};
        host.order = valid;
    } else if (valid.size() > 1) {
        host = build_on_host(boxes, std::move(valid));
    }
    header.root = host.root;
    header.n_nodes = static_cast<std::uint32_t>(host.nodes.size());
    device.upload(stream, tree.header.data, &header, sizeof header);
    if (host.nodes.empty()) {
        device.fill_zero(stream, tree.output_sizes.data,
                         tree.output_sizes.size * sizeof(std::uint64_t));
        return;
    }
    device.upload(stream, tree.nodes.data, host.nodes.data(),
                  host.nodes.size() * sizeof(BinaryNode));
    device.upload(stream, tree.order.data, host.order.data(),
                  host.order.size() * sizeof(std::uint32_t));
    TL_DISPATCH(device, mark_leaves(scratch, input, tree));
}

}  // namespace tl
