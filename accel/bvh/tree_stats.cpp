#include "accel/bvh/tree_stats.h"

#include <algorithm>

namespace tl {

TreeStats measure_tree(Stream& stream, const Tree& tree) {
    TreeStats stats;
    if (tree.nodes().empty()) return stats;
    TreeHeader header;
    stream.device().download(stream, &header, tree.header().data, sizeof header);
    stats.n_dropped = header.n_dropped - header.n_padding;
    stats.errors = header.errors;
    stats.bytes = header.n_nodes * sizeof(BvhNode) + header.n_places * sizeof(std::uint32_t);
    if (header.n_valid == 0) return stats;
    auto nodes = tree.nodes().download(stream);
    nodes.resize(header.n_nodes);
    std::uint32_t root = header.root;

    std::vector<bool> node_seen(nodes.size()), place_seen(header.n_places);
    auto reach = [](std::vector<bool>& seen, std::uint32_t i, const char* what) {
        if (i >= seen.size() || seen[i])
            throw UserError("the tree is damaged: " + std::string(what) + " " + std::to_string(i) +
                            (i < seen.size() ? " is reached twice" : " does not exist"));
        seen[i] = true;
    };
    struct Visit {
        std::uint32_t node;
        int depth;
    };
    std::vector<Visit> stack{{root, 1}};
    reach(node_seen, root, "node");
    Box root_box;
    for (int side : {0, 1})
        if (!nodes[root].child(side).is_missing()) root_box.extend(nodes[root].box(side));
    double cost = root_box.half_area();  // every ray that meets the root's box visits the root
    while (!stack.empty()) {
        auto [node, depth] = stack.back();
        stack.pop_back();
        ++stats.n_nodes;
        stats.depth = std::max(stats.depth, depth);
        for (int side = 0; side < 2; ++side) {
            Box box = nodes[node].box(side);
            NodeRef ref = nodes[node].child(side);
            if (ref.is_missing()) continue;
            if (ref.is_leaf()) {
                ++stats.n_leaves;
                ++stats.leaves_of_size[ref.count()];
                stats.leaves_at_depth.resize(
                    std::max(stats.leaves_at_depth.size(), static_cast<std::size_t>(depth) + 1));
                ++stats.leaves_at_depth[static_cast<std::size_t>(depth)];
                stats.n_primitives += ref.count();
                cost += double(ref.count()) * box.half_area();
                for (std::uint32_t k = 0; k < ref.count(); ++k)
                    reach(place_seen, ref.first() + k, "leaf place");
            } else {
                cost += box.half_area();
                reach(node_seen, ref.node(), "node");
                stack.push_back({ref.node(), depth + 1});
            }
        }
    }
    if (root_box.half_area() > 0) stats.sah = cost / root_box.half_area();
    return stats;
}

std::string warning_of(const TreeHeader& header) {
    std::string text;
    auto say = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
    if (std::uint32_t n = header.n_dropped - header.n_padding)
        say(std::to_string(n) + (n == 1 ? " primitive was" : " primitives were") +
            " left out of the tree: NaN, infinite or inverted coordinates");
    if (header.errors & kBuildCapReached)
        say("the tree builder stopped at its cap: the tree is whole but slower than it should be");
    if (header.errors & kOutOfReferences)
        say("the tree builder had no room for all the splits that it wanted");
    if (header.errors & kTraversalStackFull)
        say("the tree is too deep for some rays, which miss a part of it: choose another builder");
    return text;
}

}  // namespace tl
