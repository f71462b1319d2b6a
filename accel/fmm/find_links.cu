// The dual-tree traversal of a list of pairs of nodes, one level after another: a pair is linked,
// dropped, or replaced by the pairs of one node and the children of the other, the larger one
// (after Dehnen 2002, "A hierarchical O(N) force calculation algorithm"). Threads append what they
// find in any order; rows of links are sorted at the end.
#include "accel/fmm/find_links.h"

#include <algorithm>

#include "accel/fmm/node_discs.h"
#include "accel/parallel/block.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

namespace {

/// Without its points: the middle of the box, and the axis.
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
    OctreeNode node = load_whole(tree.nodes[k]);
    NodeDisc disc = empty_disc(tree.attributes[k]);
    for (std::uint32_t i = node.first; i < node.end; ++i) {
        Surfel point = load_whole(tree.points[i]);
        vec3 offset = point.position - disc.middle;
        float along = glm::dot(disc.axis, offset);
        disc.radius = maximum(disc.radius, glm::length(offset));
        disc.lo = minimum(disc.lo, along);
        disc.hi = maximum(disc.hi, along);
        // Points without a normal exchange nothing.
        if (point.normal != vec3(0))
            disc.spread = maximum(disc.spread, glm::length(point.normal - disc.axis));
    }
    return disc;
}

TL_D NodeDisc disc_of_children(const OctreeView& tree, View<const NodeDisc> discs,
                               std::uint32_t k) {
    OctreeNode node = load_whole(tree.nodes[k]);
    NodeDisc disc = empty_disc(tree.attributes[k]);
    for (std::uint32_t c = node.first_child; c < node.end_child; ++c) {
        NodeDisc child = load_whole(discs[c]);
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
            if (tree.nodes[k].is_leaf()) store_whole(discs[k], disc_of_leaf(tree, k));
        });
    for (int l = header.n_levels() - 2; l >= 0; --l) {
        std::uint32_t first = header.level_begin[l];
        parallel_for(
            stream, "discs of nodes", header.level_begin[l + 1] - first,
            TL_LAMBDA(std::uint32_t i) {
                std::uint32_t k = first + i;
                if (!tree.nodes[k].is_leaf())
                    store_whole(discs[k], disc_of_children(tree, discs, k));
            });
    }
    return discs;
}

enum class Verdict : std::uint8_t { far, near, dropped, split_target, split_source };

/// Pairs by target and source, as LooseLinks; counters: one for each step of the search, which has
/// its pairs in one of two queues, and those of links.
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
        std::uint32_t counts[3], first[3];  ///< of pairs, far and near links
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
            auto target = static_cast<std::uint32_t>(pair >> 32);
            auto source = static_cast<std::uint32_t>(pair);
            Verdict verdict = is_one ? judge(target, source) : Verdict::dropped;
            std::uint32_t wanted[3] = {0, verdict == Verdict::far, verdict == Verdict::near}, at[3];
            OctreeNode split{};
            if (verdict == Verdict::split_target) split = load_whole(tree.nodes[target]);
            if (verdict == Verdict::split_source) split = load_whole(tree.nodes[source]);
            wanted[0] = split.end_child - split.first_child;
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
            for (std::uint32_t c = 0; c < wanted[0]; ++c) {
                std::uint32_t child = split.first_child + c;
                put(lists.queues[(step + 1) % 2], at[0] + c,
                    verdict == Verdict::split_target ? LooseLinks::pair_of(child, source)
                                                     : LooseLinks::pair_of(target, child));
            }
            block.sync();
        }
    }
    TL_D static void put(View<std::uint64_t> list, std::uint32_t at, std::uint64_t pair) {
        if (at < list.size) list[at] = pair;
    }
    TL_D Verdict judge(std::uint32_t target, std::uint32_t source) const {
        NodeDisc t = load_whole(discs[target]), s = load_whole(discs[source]);
        float distance = glm::length(s.middle - t.middle);
        bool is_smooth = t.radius + s.radius <= config.theta * distance && distance > 0;
        if constexpr (kFacing) {
            Range at_target = range_in_front(t, s), at_source = range_in_front(s, t);
            float slack = config.slack * distance;
            if (at_target.hi <= slack || at_source.hi <= slack) return Verdict::dropped;
            is_smooth = is_smooth && at_target.lo >= -slack && at_source.lo >= -slack;
        }
        OctreeNode target_node = load_whole(tree.nodes[target]),
                   source_node = load_whole(tree.nodes[source]);
        if (target_node.is_leaf() && source_node.is_leaf()) {
            bool is_far = is_smooth && std::uint64_t(target_node.count()) * source_node.count() >
                                           config.few_pairs;
            return is_far ? Verdict::far : Verdict::near;
        }
        if (is_smooth) return Verdict::far;
        // Of two as large the one of lower index, so that the answer is the same both ways.
        bool is_larger = t.radius > s.radius || (t.radius == s.radius && target <= source);
        bool is_target_split = source_node.is_leaf() || (!target_node.is_leaf() && is_larger);
        return is_target_split ? Verdict::split_target : Verdict::split_source;
    }
};

/// One search; false if there was too little room, which `room` then has.
template <bool kFacing>
bool search(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
            View<const NodeDisc> discs, const LinkConfig& config, LinkRoom& room, NodeLinks& out,
            LinkCounts& found) {
    constexpr std::uint32_t kBlocks = 132 * 12;  // all that a large GPU runs at once
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    Device& device = stream.device();
    // Each step splits one node of a pair, which ends after all levels of both.
    auto n_steps = static_cast<std::uint32_t>(2 * header.n_levels() - 1);
    PairLists lists{
        {scratch.take<std::uint64_t>(room.queue), scratch.take<std::uint64_t>(room.queue)},
        scratch.take<std::uint64_t>(room.far),
        scratch.take<std::uint64_t>(room.near),
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
    auto weigh = [&](View<std::uint64_t> pairs, std::uint32_t n, LinkList& rows) {
        Scratch::Scope inner(scratch);
        LooseLinks loose{{pairs.data, n}, scratch.take<float>(n)};
        fill(stream, loose.weights, 1.0f);
        make_rows(scratch, loose, header.n_nodes, rows);
    };
    weigh(lists.far, n_far, out.far);
    weigh(lists.near, n_near, out.near);
    found = {n_far, n_near, 0};
    for (std::uint32_t step = 0; step <= n_steps; ++step) found.visited += counts[step];
    return true;
}

template <bool kFacing>
LinkCounts find(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                const LinkConfig& config, LinkRoom& room, NodeLinks& out, StageTimer& timer) {
    StageTimer::Scope stage(timer, "links");
    Scratch::Scope scope(scratch);
    auto discs = find_discs(scratch, tree, header);
    auto at_least = [&](std::uint32_t& count, std::uint32_t per_node) {
        count = std::max(count, std::min(header.n_nodes, 1u << 24) * per_node + 64);
    };
    at_least(room.queue, 16);
    at_least(room.far, 16);
    at_least(room.near, 16);
    LinkCounts found;
    if (header.n_nodes == 0) {
        make_rows(scratch, {}, 0, out.far);
        make_rows(scratch, {}, 0, out.near);
        return found;
    }
    while (!search<kFacing>(scratch, tree, header, discs, config, room, out, found)) {
    }
    return found;
}

}  // namespace

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
