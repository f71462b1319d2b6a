// The passes of the fast multipole method for one kernel and order.
//
// What is smooth is interpolated: the expansion of a node is, for every place of its box, the sum
// of its points' strengths by the weight of the place at each point (P2M); the expansion of a
// parent is made from its children's places as if they were points (M2M). A far link lets places of
// the target get from places of the source what points would (M2L), by gather.h, as near links do
// (P2P). A child's places, and at last points, get the field of the box between its places (L2L,
// L2P). Boxes are those of points, not cells of the octree, and kernels are computed in place:
// tables of cells would save a third to a tenth of the arithmetic, but a surface fills its cells
// badly, so that there would be more links, and of three channels of three colours, none.
#pragma once

#include "accel/fmm/chebyshev.h"
#include "accel/fmm/fmm.h"
#include "accel/fmm/gather.h"
#include "accel/parallel/whole_copy.h"

TL_DEVICE_BEGIN

/// What all passes share. Expansions and fields of a node: channel by channel, place by place.
template <class Kernel, int kOrder>
struct Expansions {
    static constexpr int kPlaces = Chebyshev<kOrder>::kPlaces;
    static constexpr int kChannels = Kernel::kChannels;
    static constexpr std::uint32_t kNodeSize = kPlaces * kChannels;

    OctreeView tree;
    View<const typename Kernel::Value> values;
    View<float> expansions, fields;
    Chebyshev<kOrder> chebyshev;

    [[nodiscard]] TL_D ExpansionBox box(std::uint32_t node) const {
        return ExpansionBox(tree.attributes[node].box);
    }
    /// What node `node` is made of: points, or places of its children.
    [[nodiscard]] TL_D static std::uint32_t n_elements(const OctreeNode& node) {
        return node.is_leaf() ? node.count() : (node.end_child - node.first_child) * kPlaces;
    }
    /// Where element e is in the node's box.
    [[nodiscard]] TL_D vec3 element_inside(const OctreeNode& node, const ExpansionBox& of_node,
                                           std::uint32_t e) const {
        if (node.is_leaf())
            return of_node.inside(tree.points[node.first + e].position - of_node.middle);
        ExpansionBox child = box(node.first_child + e / kPlaces);
        return of_node.inside(child.middle - of_node.middle +
                              child.half * chebyshev.place(e % kPlaces));
    }
    /// Of channel 0 of an element that is a child's place; other channels follow after kPlaces.
    [[nodiscard]] TL_D static std::size_t element_at(const OctreeNode& node, std::uint32_t e) {
        return std::size_t(node.first_child + e / kPlaces) * kNodeSize + e % kPlaces;
    }
};

/// The nodes of some levels, a block each.
struct NodeRange {
    std::uint32_t first, end;

    [[nodiscard]] std::uint32_t size() const { return end - first; }
};

/// P2M for leaves or M2M for other nodes.
template <class Kernel, int kOrder>
struct UpwardPass {
    using All = Expansions<Kernel, kOrder>;
    static constexpr int kThreads = 64;
    static constexpr std::uint32_t kTile = 32;  ///< elements at a time

    All all;
    NodeRange range;
    bool leaves;  ///< or the other nodes of the range

    struct Shared {
        float weights[kTile][3][kOrder];
        float strengths[kTile][All::kChannels];
    };

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t k = range.first + block.index;
        OctreeNode node = load_whole(all.tree.nodes[k]);
        if (node.is_leaf() != leaves) return;
        ExpansionBox of_node = all.box(k);
        std::uint32_t n = All::n_elements(node);
        float* out = &all.expansions[std::size_t(k) * All::kNodeSize];
        for (std::uint32_t begin = 0; begin < n; begin += kTile) {
            std::uint32_t n_loaded = n - begin < kTile ? n - begin : kTile;
            block.sync();
            for (std::uint32_t e = block.rank; e < n_loaded; e += block.size)
                load(node, of_node, begin + e, shared.weights[e], shared.strengths[e]);
            block.sync();
            for (std::uint32_t place = block.rank; place < All::kPlaces; place += block.size) {
                float sums[All::kChannels] = {};
                if (begin > 0)
                    for (int c = 0; c < All::kChannels; ++c)
                        sums[c] = out[c * All::kPlaces + place];
                add(shared, n_loaded, place, sums);
                for (int c = 0; c < All::kChannels; ++c) out[c * All::kPlaces + place] = sums[c];
            }
        }
    }
    TL_D void load(const OctreeNode& node, const ExpansionBox& of_node, std::uint32_t e,
                   float (&weights)[3][kOrder], float (&strengths)[All::kChannels]) const {
        vec3 t = all.element_inside(node, of_node, e);
        for (int axis = 0; axis < 3; ++axis) {
            float own[kOrder];
            all.chebyshev.weights_at(t[axis], own);
            for (int i = 0; i < kOrder; ++i) weights[axis][i] = own[i];
        }
        if (node.is_leaf()) {
            std::uint32_t i = node.first + e;
            Kernel::strengths(load_whole(all.tree.points[i]), all.values[i], strengths);
        } else {
            const float* child = &all.expansions[All::element_at(node, e)];
            for (int c = 0; c < All::kChannels; ++c) strengths[c] = child[c * All::kPlaces];
        }
    }
    TL_D static void add(const Shared& shared, std::uint32_t n, std::uint32_t place,
                         float (&sums)[All::kChannels]) {
        std::uint32_t i = place / (kOrder * kOrder), j = place / kOrder % kOrder,
                      k = place % kOrder;
        for (std::uint32_t e = 0; e < n; ++e) {
            auto& of = shared.weights[e];
            float weight = of[0][i] * of[1][j] * of[2][k];
            for (int c = 0; c < All::kChannels; ++c) sums[c] += weight * shared.strengths[e][c];
        }
    }
};

/// M2L, for all nodes: sets their fields.
template <class Kernel, int kOrder>
struct FarPass {
    using All = Expansions<Kernel, kOrder>;
    using Pair = typename Kernel::Far;

    All all;
    LinkRows rows;
    std::uint32_t n_nodes;

    struct List {
        std::uint32_t source;
        float weight;
        static constexpr std::uint32_t n = All::kPlaces;
    };

    [[nodiscard]] std::uint32_t n_groups() const { return n_nodes; }
    [[nodiscard]] TL_D std::uint32_t group(std::uint32_t i) const { return rows.order[i]; }
    [[nodiscard]] TL_D std::uint32_t n_targets(std::uint32_t) const { return All::kPlaces; }
    [[nodiscard]] TL_D std::uint32_t n_lists(std::uint32_t node) const {
        return rows.begin[node + 1] - rows.begin[node];
    }
    [[nodiscard]] TL_D List list(std::uint32_t node, std::uint32_t l) const {
        NodeLink link = rows.links[rows.begin[node] + l];
        return {link.source, link.weight};
    }
    TL_D void load_target(std::uint32_t node, std::uint32_t target, float* words) const {
        vec3 place = all.box(node).half * all.chebyshev.place(target);
        for (int axis = 0; axis < 3; ++axis) words[axis] = place[axis];
    }
    TL_D void load_source(std::uint32_t node, const List& list, std::uint32_t i,
                          float* words) const {
        ExpansionBox source = all.box(list.source);
        vec3 place = source.middle - all.box(node).middle + source.half * all.chebyshev.place(i);
        for (int axis = 0; axis < 3; ++axis) words[axis] = place[axis];
        const float* strengths = &all.expansions[std::size_t(list.source) * All::kNodeSize + i];
        for (int c = 0; c < All::kChannels; ++c)
            words[3 + c] = list.weight * strengths[c * All::kPlaces];
    }
    TL_D void store(std::uint32_t node, std::uint32_t target, const float* sums) const {
        float* field = &all.fields[std::size_t(node) * All::kNodeSize + target];
        for (int c = 0; c < All::kChannels; ++c) field[c * All::kPlaces] = sums[c];
    }
};

/// P2P, for all leaves: sets the sums of points.
template <class Kernel>
struct NearPass {
    using Pair = typename Kernel::Near;

    OctreeView tree;
    LinkRows rows;
    View<const typename Kernel::Value> values;
    View<typename Kernel::Sum> sums;
    std::uint32_t n_nodes;

    struct List {
        std::uint32_t first, n;
        float weight;
    };

    [[nodiscard]] std::uint32_t n_groups() const { return n_nodes; }
    [[nodiscard]] TL_D std::uint32_t group(std::uint32_t i) const { return rows.order[i]; }
    [[nodiscard]] TL_D std::uint32_t n_targets(std::uint32_t k) const {
        OctreeNode node = load_whole(tree.nodes[k]);
        return node.is_leaf() ? node.count() : 0;
    }
    [[nodiscard]] TL_D std::uint32_t n_lists(std::uint32_t k) const {
        return rows.begin[k + 1] - rows.begin[k];
    }
    [[nodiscard]] TL_D List list(std::uint32_t k, std::uint32_t l) const {
        NodeLink link = rows.links[rows.begin[k] + l];
        OctreeNode source = load_whole(tree.nodes[link.source]);
        return {source.first, source.count(), link.weight};
    }
    TL_D void load_target(std::uint32_t k, std::uint32_t target, float* words) const {
        Surfel point = load_whole(tree.points[tree.nodes[k].first + target]);
        for (int c = 0; c < Pair::kTargetWords; ++c)
            words[c] = Kernel::target_word(point, c / 3)[c % 3];
    }
    TL_D void load_source(std::uint32_t, const List& list, std::uint32_t i, float* words) const {
        Surfel point = load_whole(tree.points[list.first + i]);
        Kernel::load_source(point, values[list.first + i], list.weight, words);
    }
    TL_D void store(std::uint32_t k, std::uint32_t target, const float* own) const {
        sums[tree.nodes[k].first + target] = Kernel::sum_of_near(own);
    }
};

/// L2P for leaves, which adds to the sums of points, or L2L for other nodes, which adds to the
/// fields of children.
template <class Kernel, int kOrder>
struct DownwardPass {
    using All = Expansions<Kernel, kOrder>;
    static constexpr int kThreads = 64;

    All all;
    NodeRange range;
    bool leaves;
    View<typename Kernel::Sum> sums;

    struct Shared {
        float field[All::kNodeSize];
    };

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t k = range.first + block.index;
        OctreeNode node = load_whole(all.tree.nodes[k]);
        if (node.is_leaf() != leaves) return;
        const float* field = &all.fields[std::size_t(k) * All::kNodeSize];
        for (std::uint32_t i = block.rank; i < All::kNodeSize; i += block.size)
            shared.field[i] = field[i];
        block.sync();
        ExpansionBox of_node = all.box(k);
        std::uint32_t n = All::n_elements(node);
        for (std::uint32_t e = block.rank; e < n; e += block.size) {
            float own[All::kChannels];
            interpolate(shared.field, all.element_inside(node, of_node, e), own);
            if (leaves) {
                std::uint32_t i = node.first + e;
                sums[i] += Kernel::sum_of_far(load_whole(all.tree.points[i]), own);
            } else {
                float* child = &all.fields[All::element_at(node, e)];
                for (int c = 0; c < All::kChannels; ++c) child[c * All::kPlaces] += own[c];
            }
        }
    }
    TL_D void interpolate(const float* field, vec3 t, float (&out)[All::kChannels]) const {
        float x[kOrder], y[kOrder], z[kOrder];
        all.chebyshev.weights_at(t.x, x);
        all.chebyshev.weights_at(t.y, y);
        all.chebyshev.weights_at(t.z, z);
        for (float& sum : out) sum = 0;
        for (int i = 0; i < kOrder; ++i)
            for (int j = 0; j < kOrder; ++j)
                for (int k = 0; k < kOrder; ++k) {
                    float weight = x[i] * y[j] * z[k];
                    int place = (i * kOrder + j) * kOrder + k;
                    for (int c = 0; c < All::kChannels; ++c)
                        out[c] += weight * field[c * All::kPlaces + place];
                }
    }
};

template <class Kernel, int kOrder>
void run_passes(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                const LinkTable& links, View<const typename Kernel::Value> values,
                View<typename Kernel::Sum> sums, StageTimer& timer) {
    using All = Expansions<Kernel, kOrder>;
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    std::size_t n_floats = std::size_t(header.n_nodes) * All::kNodeSize;
    All all{tree, values, scratch.take<float>(n_floats), scratch.take<float>(n_floats), {}};
    NodeRange nodes{0, header.n_nodes};
    auto level = [&](int l) { return NodeRange{header.level_begin[l], header.level_begin[l + 1]}; };
    int n_levels = header.n_levels();
    auto upward = [&](const char* name, NodeRange range, bool leaves) {
        UpwardPass<Kernel, kOrder> pass{all, range, leaves};
        launch_blocks<decltype(pass)::kThreads>(stream, name, range.size(), pass);
    };
    auto downward = [&](const char* name, NodeRange range, bool leaves) {
        DownwardPass<Kernel, kOrder> pass{all, range, leaves, sums};
        launch_blocks<decltype(pass)::kThreads>(stream, name, range.size(), pass);
    };
    {
        StageTimer::Scope stage(timer, "upward");
        upward("expansions of leaves", nodes, true);
        for (int l = n_levels - 2; l >= 0; --l) upward("expansions of nodes", level(l), false);
    }
    {
        StageTimer::Scope stage(timer, "far");
        gather(stream, "far links", FarPass<Kernel, kOrder>{all, links.far, header.n_nodes});
    }
    {
        StageTimer::Scope stage(timer, "near");
        gather(stream, "near links",
               NearPass<Kernel>{tree, links.near, values, sums, header.n_nodes});
    }
    StageTimer::Scope stage(timer, "downward");
    for (int l = 0; l + 1 < n_levels; ++l) downward("fields of nodes", level(l), false);
    downward("fields of leaves", nodes, true);
}

/// Calls run_passes() of the order.
template <class Kernel, int kOrder = FmmOrder::kLeast>
void run_passes_of(int order, Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                   const LinkTable& links, View<const typename Kernel::Value> values,
                   View<typename Kernel::Sum> sums, StageTimer& timer) {
    if constexpr (kOrder <= FmmOrder::kMost) {
        if (order == kOrder)
            run_passes<Kernel, kOrder>(scratch, tree, header, links, values, sums, timer);
        else
            run_passes_of<Kernel, kOrder + 1>(order, scratch, tree, header, links, values, sums,
                                              timer);
    } else {
        throw UsageError("the order of expansions is 2 to 6, not " + std::to_string(order));
    }
}

TL_DEVICE_END
