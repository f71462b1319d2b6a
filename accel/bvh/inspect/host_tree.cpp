#include "accel/bvh/inspect/host_tree.h"

namespace tl {

Box HostTree::root_box() const {
    Box box;
    if (header.n_valid == 0) return box;
    for (int side : {0, 1})
        if (!nodes[header.root].child(side).is_missing()) box.extend(nodes[header.root].box(side));
    return box;
}

HostTree download_tree(Stream& stream, const Tree& tree) {
    HostTree host;
    if (tree.nodes().empty()) return host;
    auto& device = stream.device();
    device.download(stream, &host.header, tree.header().data, sizeof host.header);
    host.nodes.resize(host.header.n_nodes);
    host.order.resize(host.header.n_places);
    device.download(stream, host.nodes.data(), tree.nodes().data(),
                    host.nodes.size() * sizeof(BvhNode));
    device.download(stream, host.order.data(), tree.order().data,
                    host.order.size() * sizeof(std::uint32_t));
    return host;
}

}  // namespace tl
