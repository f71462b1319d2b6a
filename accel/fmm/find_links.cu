// Dual-tree traversal of a list of pairs of nodes, one level after another (after Dehnen 2002, "A
// hierarchical O(N) force calculation algorithm"). A pair is linked, dropped, or split: the larger
// node is replaced by its children. A pair of a node with itself is replaced by the pairs of its
// children. Both directions of a pair have the same result, so each pair is visited once. Threads
// append links in any order; rows of links are sorted at the end.
#include "accel/fmm/find_links.h"

#include <algorithm>

#include "accel/fmm/few_pairs.h"
#include "accel/fmm/node_discs.h"
#include "core/device/block.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

namespace {

/// A disc without its points: the middle of the box, and the axis.
TL_D NodeDisc empty_disc(const OctreeAttributes& of) {
    NodeDisc disc{};
    float length = glm::length(of.normal);
    disc.middle = of.box.center();
    bool has_axis = length > 1e-30f;
    disc.axis = has_axis ? of.normal / length : vec3(0);
    if (!has_axis) disc.spread = 2;  // in any direction
    disc.lo = kInfinity;
    disc.hi = -kInfinity;
    return disc;
}

TL_D NodeDisc disc_of_leaf(const OctreeView& tree, std::uint32_t k) {
    OctreeNode node = load_vectorized(tree.nodes[k]);
    NodeDisc disc = empty_disc(tree.attributes[k]);
    for (std::uint32_t i = node.first; i < node.end; ++i) {
        Surfel point = load_vectorized(tree.points[i]);
        vec3 offset = point.position - disc.middle;
        float along = glm::dot(disc.axis, offset);
        disc.radius = maximum(disc.radius, glm::length(offset));
        disc.lo = minimum(disc.lo, along);
        disc.hi = maximum(disc.hi, along);
        // Points without a normal neither send nor receive.
        if (point.normal != vec3(0))
            disc.spread = maximum(disc.spread, glm::length(point.normal - disc.axis));
    }
    return disc;
}

TL_D NodeDisc disc_of_children(const OctreeView& tree, View<const NodeDisc> discs,
                               std::uint32_t k) {
    OctreeNode node = load_vectorized(tree.nodes[k]);
    NodeDisc disc = empty_disc(tree.attributes[k]);
    for (std::uint32_t c = node.first_child; c < node.end_child; ++c) {
        NodeDisc child = load_vectorized(discs[c]);
        vec3 offset = child.middle - disc.middle;
        float along = glm::dot(disc.axis, offset);
        Range range = range_along(disc.axis, child);
        disc.radius = maximum(disc.radius, glm::length(offset) + child.radius);
        disc.lo = minimum(disc.lo, along + range.lo);
        disc.hi = maximum(disc.hi, along + range.hi);
        float spread = glm::length(child.axis - disc.axis) + child.spread;
        disc.spread = maximum(disc.spread, minimum(spread, 2.0f));
    }
    const Box& box = tree.attributes[k].box;
    disc.radius = minimum(disc.radius, 0.5f * glm::length(box.hi - box.lo));
    return disc;
}

View<NodeDisc> find_discs(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header) {
    Stream& stream = scratch.stream();
    auto discs = scratch.take<NodeDisc>(header.n_nodes);
    parallel_for(
        stream, "discs of leaves", header.n_nodes, TL_LAMBDA(std::uint32_t k) {
            if (tree.nodes[k].is_leaf()) store_vectorized(discs[k], disc_of_leaf(tree, k));
        });
    for (int l = header.n_levels() - 2; l >= 0; --l) {
        std::uint32_t first = header.level_begin[l];
        parallel_for(
            stream, "discs of nodes", header.level_begin[l + 1] - first,
            TL_LAMBDA(std::uint32_t i) {
                std::uint32_t k = first + i;
                if (!tree.nodes[k].is_leaf())
                    store_vectorized(discs[k], disc_of_children(tree, discs, k));
            });
    }
    return discs;
}

enum class Verdict : std::uint8_t { far, near, dropped, split_first, split_second, split_both };

/// Pairs as in LinkPairs. Counters: one for each step of the search, whose pairs are in one of two
/// queues, and those of links.
struct PairLists {
    View<std::uint64_t> queues[2], far, near;
    View<std::uint32_t> counts;
    std::uint32_t n_steps;

    [[nodiscard]] TL_D std::uint32_t* far_count() const { return &counts[n_steps + 1]; }
    [[nodiscard]] TL_D std::uint32_t* near_count() const { return &counts[n_steps + 2]; }
};

template <bool kFacing>
struct SearchStep {
    static constexpr int kThreads = 128;

    OctreeView tree;
    View<const NodeDisc> discs;
    LinkConfig config;
    PairLists lists;
    std::uint32_t step;

    struct Shared {
        std::uint32_t counts[3], first[3];  ///< numbers of pairs, far and near links
    };

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        View<const std::uint64_t> queue = lists.queues[step % 2];
        std::uint32_t n = lists.counts[step];
        if (n > queue.size) n = static_cast<std::uint32_t>(queue.size);
        for (std::uint32_t begin = block.index * block.size; begin < n;
             begin += block.n_blocks * block.size) {
            bool is_one = begin + block.rank < n;
            if (block.rank == 0)
                for (auto& count : shared.counts) count = 0;
            block.sync();
            std::uint64_t pair = is_one ? queue[begin + block.rank] : 0;
            auto first = static_cast<std::uint32_t>(pair >> 32);
            auto second = static_cast<std::uint32_t>(pair);
            Verdict verdict = is_one ? judge(first, second) : Verdict::dropped;
            std::uint32_t wanted[3] = {0, verdict == Verdict::far, verdict == Verdict::near}, at[3];
            OctreeNode split{};
            if (verdict == Verdict::split_second)
                split = load_vectorized(tree.nodes[second]);
            else if (verdict == Verdict::split_first || verdict == Verdict::split_both)
                split = load_vectorized(tree.nodes[first]);
            std::uint32_t n = split.end_child - split.first_child;
            wanted[0] = verdict == Verdict::split_both ? n * (n + 1) / 2 : n;
            for (int k = 0; k < 3; ++k)
                at[k] = wanted[k] ? atomic_add(&shared.counts[k], wanted[k]) : 0;
            block.sync();
            if (block.rank == 0) {
                std::uint32_t* counters[3] = {&lists.counts[step + 1], lists.far_count(),
                                              lists.near_count()};
                for (int k = 0; k < 3; ++k)
                    shared.first[k] =
                        shared.counts[k] ? atomic_add(counters[k], shared.counts[k]) : 0;
            }
            block.sync();
            for (int k = 0; k < 3; ++k) at[k] += shared.first[k];
            if (wanted[1]) put(lists.far, at[1], pair);
            if (wanted[2]) put(lists.near, at[2], pair);
            View<std::uint64_t> next = lists.queues[(step + 1) % 2];
            for (std::uint32_t c = split.first_child; c < split.end_child; ++c) {
                if (verdict != Verdict::split_both)
                    put(next, at[0]++,
                        pair_of(c, verdict == Verdict::split_first ? second : first));
                else
                    for (std::uint32_t d = c; d < split.end_child; ++d)
                        put(next, at[0]++, pair_of(c, d));
            }
            block.sync();
        }
    }
    TL_D static void put(View<std::uint64_t> list, std::uint32_t at, std::uint64_t pair) {
        if (at < list.size) list[at] = pair;
    }
    TL_D static std::uint64_t pair_of(std::uint32_t one, std::uint32_t other) {
        return one < other ? LooseLinks::pair_of(one, other) : LooseLinks::pair_of(other, one);
    }
    TL_D Verdict judge(std::uint32_t first, std::uint32_t second) const {
        NodeDisc a = load_vectorized(discs[first]), b = load_vectorized(discs[second]);
        float distance = glm::length(b.middle - a.middle);
        bool is_smooth = a.radius + b.radius <= config.theta * distance && distance > 0;
        if constexpr (kFacing) {
            Range at_first = range_in_front(a, b), at_second = range_in_front(b, a);
            float slack = config.slack * distance;
            if (at_first.hi <= slack || at_second.hi <= slack) return Verdict::dropped;
            is_smooth = is_smooth && at_first.lo >= -slack && at_second.lo >= -slack;
        }
        OctreeNode node_a = load_vectorized(tree.nodes[first]),
                   node_b = load_vectorized(tree.nodes[second]);
        if (node_a.is_leaf() && node_b.is_leaf()) {
            auto is_few = [&] {
                const Box &a_box = tree.attributes[first].box, &b_box = tree.attributes[second].box;
                return std::uint64_t(node_a.count()) * node_b.count() <=
                       few_pairs(config.few, a_box, b_box);
            };
            return is_smooth && !is_few() ? Verdict::far : Verdict::near;
        }
        if (is_smooth) return Verdict::far;
        if (first == second) return Verdict::split_both;
        bool is_first_split = node_b.is_leaf() || (!node_a.is_leaf() && a.radius >= b.radius);
        return is_first_split ? Verdict::split_first : Verdict::split_second;
    }
};

/// Runs one search. Returns false if a list was too small; `room` then has the needed capacities.
template <bool kFacing>
bool search(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
            View<const NodeDisc> discs, const LinkConfig& config, LinkRoom& room,
            LinkPairs& found) {
    constexpr std::uint32_t kBlocks = 132 * 12;  // blocks that a large GPU runs at once
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    Device& device = stream.device();
    found.far.memory.resize_discard(stream, room.far);
    found.near.memory.resize_discard(stream, room.near);
    // Each step splits one node of a pair, which ends after all levels of both.
    auto n_steps = static_cast<std::uint32_t>(2 * header.n_levels() - 1);
    PairLists lists{
        {scratch.take<std::uint64_t>(room.queue), scratch.take<std::uint64_t>(room.queue)},
        found.far.memory.view(),
        found.near.memory.view(),
        scratch.take<std::uint32_t>(n_steps + 3),
        n_steps};
    device.fill_zero(stream, lists.counts.data, lists.counts.size * sizeof(std::uint32_t));
    parallel_for(
        stream, "first pair of nodes", 1, TL_LAMBDA(std::uint32_t) {
            lists.queues[0][0] = LooseLinks::pair_of(0, 0);
            lists.counts[0] = 1;
        });
    for (std::uint32_t step = 0; step < n_steps; ++step)
        launch_blocks<SearchStep<kFacing>::kThreads>(
            stream, "pairs of nodes", kBlocks,
            SearchStep<kFacing>{tree, discs, config, lists, step});
    std::vector<std::uint32_t> counts(lists.counts.size);
    device.download(stream, counts.data(), lists.counts.data,
                    counts.size() * sizeof(std::uint32_t));
    std::uint32_t longest = *std::max_element(counts.begin(), counts.end() - 2);
    std::uint32_t n_far = counts[n_steps + 1], n_near = counts[n_steps + 2];
    LinkRoom had = room;
    room = {std::max(room.queue, longest), std::max(room.far, n_far), std::max(room.near, n_near)};
    if (longest > had.queue || n_far > had.far || n_near > had.near) return false;
    found.far.size = n_far;
    found.near.size = n_near;
    found.n_visited = 0;
    for (std::uint32_t step = 0; step <= n_steps; ++step) found.n_visited += counts[step];
    return true;
}

template <bool kFacing>
LinkPairs find_pairs(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                     const LinkConfig& config, LinkRoom& room) {
    Scratch::Scope scope(scratch);
    LinkPairs found;
    if (header.n_nodes == 0) return found;
    auto discs = find_discs(scratch, tree, header);
    auto at_least = [&](std::uint32_t& count) {
        constexpr std::uint32_t kPerNode = 8;
        count = std::max(count, std::min(header.n_nodes, 1u << 24) * kPerNode + 64);
    };
    at_least(room.queue);
    at_least(room.far);
    at_least(room.near);
    while (!search<kFacing>(scratch, tree, header, discs, config, room, found)) {
    }
    return found;
}

template <bool kFacing>
LinkCounts find(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                const LinkConfig& config, LinkRoom& room, NodeLinks& out, StageTimer& timer) {
    StageTimer::Scope stage(timer, "links");
    LinkPairs found = find_pairs<kFacing>(scratch, tree, header, config, room);
    auto make = [&](LinkPairs::List& pairs, LinkList& rows) {
        Scratch::Scope scope(scratch);
        auto weights = scratch.take<float>(pairs.size);
        fill(scratch.stream(), weights, 1.0f);
        WeightedPairs all{pairs.view(), weights};
        make_rows_both_ways(scratch, std::span(&all, 1), header.n_nodes, WeightedPairs::kBatch,
                            rows);
    };
    make(found.far, out.far);
    make(found.near, out.near);
    return {out.far.links.size(), out.near.links.size(), found.n_visited};
}

}  // namespace

LinkPairs find_facing_pairs(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                            const LinkConfig& config, LinkRoom& room, StageTimer& timer) {
    StageTimer::Scope stage(timer, "links");
    return find_pairs<true>(scratch, tree, header, config, room);
}

LinkCounts find_links(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                      const LinkConfig& config, LinkRoom& room, NodeLinks& out, StageTimer& timer) {
    return find<false>(scratch, tree, header, config, room, out, timer);
}

LinkCounts find_facing_links(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                             const LinkConfig& config, LinkRoom& room, NodeLinks& out,
                             StageTimer& timer) {
    return find<true>(scratch, tree, header, config, room, out, timer);
}

TL_DEVICE_END
