#include "renderer/radiosity/transport/group_links.h"

#include <algorithm>
#include <numeric>

#include "core/base/bits.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// A node, its parent, and the ranges of its links of each kind in their rows.
struct NodePosition {
    PointGroup group;
    std::uint32_t parent;
    std::uint32_t begin[kLinkKinds], end[kLinkKinds];

    [[nodiscard]] TL_HD std::uint32_t n_links() const {
        std::uint32_t n = 0;
        for (int kind = 0; kind < kLinkKinds; ++kind) n += end[kind] - begin[kind];
        return n;
    }
};

TL_D PointGroup group_of(const OctreeView& tree, std::uint32_t k) {
    OctreeNode node = load_vectorized(tree.nodes[k]);
    const OctreeAttributes& of = tree.attributes[k];
    return {of.box.lo, k, of.box.hi, node.count(), of.centroid, node.is_leaf() ? 1u : 0u};
}

/// Fraction of visible pairs of points of two leaves that are linked by bits.
TL_D float seen_share(const PartialLinks& partial, const NodeLink& link, std::uint32_t target,
                      const OctreeView& tree) {
    LeafBits bits = load_vectorized(partial.bits[bits_of_float(link.weight)]);
    std::uint32_t n = 0;
    for (std::uint16_t row : bits.rows) n += static_cast<std::uint32_t>(bit_count(row));
    std::uint32_t n_pairs = tree.nodes[target].count() * tree.nodes[link.source].count();
    return static_cast<float>(n) / static_cast<float>(n_pairs);
}

NodePosition find_place(Scratch& scratch, const TransportLinks& links, std::uint32_t node) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto found = scratch.take<NodePosition>(1);
    OctreeView tree = links.tree;
    LinkRows far = links.table.far, near = links.table.near, bits = links.partial.rows;
    parallel_for(
        stream, "place of a group", 1, TL_LAMBDA(std::uint32_t) {
            NodePosition place;
            place.group = group_of(tree, node);
            place.parent = tree.parents[node];
            auto set = [&](LinkKind kind, const LinkRows& of) {
                place.begin[static_cast<int>(kind)] = of.begin[node];
                place.end[static_cast<int>(kind)] = of.begin[node + 1];
            };
            set(LinkKind::groups, far);
            set(LinkKind::points, near);
            set(LinkKind::bits, bits);
            found[0] = place;
        });
    NodePosition place;
    stream.device().download(stream, &place, found.data, sizeof place);
    return place;
}

/// Downloads the links of a node. Leaves their levels at 0, which the host fills in. Waits for the
/// stream.
std::vector<GroupLink> links_of(Scratch& scratch, const TransportLinks& links,
                                const NodePosition& place) {
    std::vector<GroupLink> list(place.n_links());
    if (list.empty()) return list;
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto found = scratch.take<GroupLink>(list.size());
    TransportLinks of = links;
    std::uint32_t n_far = place.end[0] - place.begin[0], n_near = place.end[1] - place.begin[1];
    parallel_for(
        stream, "links of a group", static_cast<std::uint32_t>(list.size()),
        TL_LAMBDA(std::uint32_t i) {
            LinkKind kind = LinkKind::groups;
            NodeLink link;
            if (i < n_far) {
                link = of.table.far.links[place.begin[0] + i];
            } else if (i < n_far + n_near) {
                kind = LinkKind::points;
                link = of.table.near.links[place.begin[1] + i - n_far];
            } else {
                kind = LinkKind::bits;
                link = of.partial.rows.links[place.begin[2] + i - n_far - n_near];
            }
            float fraction = link.weight;
            if (kind == LinkKind::bits)
                fraction = seen_share(of.partial, link, place.group.node, of.tree);
            found[i] = {group_of(of.tree, link.source), kind, fraction, 0, 0};
        });
    stream.device().download(stream, list.data(), found.data, list.size() * sizeof(GroupLink));
    return list;
}

int level_of(const OctreeHeader& header, std::uint32_t node) {
    int level = 0;
    while (node >= header.level_begin[level + 1]) ++level;
    return level;
}

}  // namespace

GroupLinks find_group_links(Scratch& scratch, const TransportLinks& links,
                            const OctreeHeader& header, std::uint32_t leaf, int above,
                            bool with_above) {
    GroupLinks all;
    all.leaf_level = level_of(header, leaf);
    all.level = std::max(all.leaf_level - std::max(above, 0), 0);
    std::uint32_t node = leaf;
    for (int level = all.leaf_level; level >= 0; --level) {
        NodePosition place = find_place(scratch, links, node);
        if (level == all.level) all.group = place.group;
        if (level == all.level || (level < all.level && with_above))
            for (GroupLink link : links_of(scratch, links, place)) {
                if (!(link.fraction > 0)) continue;  // no pair of points is visible
                link.level = level_of(header, link.from.node);
                link.above = all.level - level;
                all.links.push_back(link);
            }
        node = place.parent;
    }
    return all;
}

std::uint64_t count_link_terms(Scratch& scratch, const TransportLinks& links,
                               std::uint32_t n_nodes) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto terms = scratch.take<std::uint64_t>(n_nodes);
    TransportLinks of = links;
    parallel_for(
        stream, "terms of links", n_nodes, TL_LAMBDA(std::uint32_t k) {
            std::uint64_t n_points = 0;
            auto add = [&](const LinkRows& rows) {
                for (std::uint32_t l = rows.begin[k]; l < rows.begin[k + 1]; ++l)
                    n_points += of.tree.nodes[rows.links[l].source].count();
            };
            add(of.table.near);
            add(of.partial.rows);
            terms[k] = n_points * of.tree.nodes[k].count();
        });
    std::vector<std::uint64_t> each(n_nodes);
    stream.device().download(stream, each.data(), terms.data, n_nodes * sizeof each[0]);
    return std::accumulate(each.begin(), each.end(),
                           static_cast<std::uint64_t>(links.table.far.links.size));
}

std::vector<LinkLevel> count_links_by_level(Scratch& scratch, const TransportLinks& links,
                                            const OctreeHeader& header) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    int n_levels = header.n_levels();
    std::vector<LinkLevel> levels(static_cast<std::size_t>(n_levels));
    if (levels.empty()) return levels;
    auto counts = scratch.take<LinkLevel>(levels.size());
    TransportLinks of = links;
    OctreeHeader nodes = header;
    parallel_for(
        stream, "links of levels", static_cast<std::uint32_t>(n_levels),
        TL_LAMBDA(std::uint32_t level) {
            std::uint32_t first = nodes.level_begin[level], end = nodes.level_begin[level + 1];
            auto count = [&](const LinkRows& rows) { return rows.begin[end] - rows.begin[first]; };
            counts[level] = {end - first, count(of.table.far), count(of.table.near),
                             count(of.partial.rows)};
        });
    stream.device().download(stream, levels.data(), counts.data, levels.size() * sizeof(LinkLevel));
    return levels;
}

TL_DEVICE_END
