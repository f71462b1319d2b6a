// The passes of the fast multipole method for one kernel and one form of expansions.
//
// The expansion of a node has one number for each term of the form and channel of the kernel. In a
// leaf it sums the strengths of the points, each times the term's weight there (P2M). In other
// nodes it sums the terms of the children in the same way (M2M). A far link adds the field of the
// source's expansion to the target (M2L). Near links are summed point by point, by gather.h (P2P).
// Children's terms and, in leaves, points take the field of the node by the same weights (L2L,
// L2P).
//
// A Form (interpolation.h, harmonics.h) defines the terms:
//   kTerms, kChannels, Kernel; nodes: a NodeExpansions; Weights of a point or a child's term
//   region(node) -> Region, the node's extent as the form needs it
//   weigh_source(Region, point), weigh_target(Region, point), weigh_term(Region, child, its Region,
//   term), which set Weights
//   part(term) -> Part, weight(Weights, Part); interpolate(Weights, field term by term, out)
//   strengths(Region, point, value, out), sum(Region, point, field at the point)
//   send_up(Region, that of a child, strengths), send_down(Region, that of a child, field)
//   sum_far(Stream&, LinkRows, number of nodes): M2L, for all nodes; sets their fields
#pragma once

#include "accel/fmm/fmm.h"
#include "accel/fmm/gather.h"
#include "accel/fmm/node_expansions.h"
#include "core/device/parallel_for.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

/// The nodes of some levels, a block each.
struct NodeRange {
    std::uint32_t first, end;

    [[nodiscard]] std::uint32_t size() const { return end - first; }
};

/// P2M for leaves or M2M for other nodes.
template <class Form>
struct UpwardPass {
    using Nodes = decltype(Form::nodes);
    static constexpr int kThreads = 64;
    static constexpr std::uint32_t kTile = 32;  ///< elements at a time

    Form form;
    NodeRange range;
    bool leaves;  ///< or the other nodes of the range

    struct Shared {
        typename Form::Weights weights[kTile];
        float strengths[kTile][Form::kChannels];
    };

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t k = range.first + block.index;
        OctreeNode node = load_vectorized(form.nodes.tree.nodes[k]);
        if (node.is_leaf() != leaves) return;
        auto of_node = form.region(k);
        std::uint32_t n = Nodes::n_elements(node);
        float* out = &form.nodes.expansions[std::size_t(k) * Nodes::kNodeSize];
        for (std::uint32_t begin = 0; begin < n; begin += kTile) {
            std::uint32_t n_loaded = n - begin < kTile ? n - begin : kTile;
            block.sync();
            for (std::uint32_t e = block.rank; e < n_loaded; e += block.size)
                load(node, of_node, begin + e, shared.weights[e], shared.strengths[e]);
            block.sync();
            for (std::uint32_t term = block.rank; term < Form::kTerms; term += block.size) {
                float sums[Form::kChannels] = {};
                if (begin > 0)
                    for (int c = 0; c < Form::kChannels; ++c)
                        sums[c] = out[c * Form::kTerms + term];
                add(shared, n_loaded, term, sums);
                for (int c = 0; c < Form::kChannels; ++c) out[c * Form::kTerms + term] = sums[c];
            }
        }
    }
    TL_D void load(const OctreeNode& node, const typename Form::Region& of_node, std::uint32_t e,
                   typename Form::Weights& weights, float (&strengths)[Form::kChannels]) const {
        if (node.is_leaf()) {
            std::uint32_t i = node.first + e;
            Surfel point = load_vectorized(form.nodes.tree.points[i]);
            form.weigh_source(of_node, point, weights);
            form.strengths(of_node, point, form.nodes.values[i], strengths);
        } else {
            std::uint32_t child_node = Nodes::child_of(node, e);
            auto child = form.region(child_node);
            form.weigh_term(of_node, child_node, child, e % Form::kTerms, weights);
            const float* of_child = &form.nodes.expansions[Nodes::element_at(node, e)];
            for (int c = 0; c < Form::kChannels; ++c) strengths[c] = of_child[c * Form::kTerms];
            form.send_up(of_node, child, strengths);
        }
    }
    TL_D static void add(const Shared& shared, std::uint32_t n, std::uint32_t term,
                         float (&sums)[Form::kChannels]) {
        auto part = Form::part(term);
        for (std::uint32_t e = 0; e < n; ++e) {
            float weight = Form::weight(shared.weights[e], part);
            for (int c = 0; c < Form::kChannels; ++c) sums[c] += weight * shared.strengths[e][c];
        }
    }
};

/// A point as a source of near links, prepared once for all of them.
template <class Kernel>
struct alignas(16) NearSource {
    float words[Kernel::Near::kSourceWords];
};

/// P2P, for all leaves: sets the sums of points.
template <class Kernel>
struct NearPass {
    using Pair = typename Kernel::Near;

    OctreeView tree;
    LinkRows rows;
    View<const NearSource<Kernel>> sources;  ///< all points, in the tree's order
    View<typename Kernel::Sum> sums;
    std::uint32_t n_nodes;

    struct List {
        std::uint32_t first, n;
        float weight;
    };

    [[nodiscard]] std::uint32_t n_groups() const { return n_nodes; }
    [[nodiscard]] TL_D std::uint32_t group(std::uint32_t i) const { return rows.order[i]; }
    [[nodiscard]] TL_D std::uint32_t n_targets(std::uint32_t k) const {
        OctreeNode node = load_vectorized(tree.nodes[k]);
        return node.is_leaf() ? node.count() : 0;
    }
    [[nodiscard]] TL_D std::uint32_t n_lists(std::uint32_t k) const {
        return rows.begin[k + 1] - rows.begin[k];
    }
    [[nodiscard]] TL_D List list(std::uint32_t k, std::uint32_t l) const {
        NodeLink link = rows.links[rows.begin[k] + l];
        OctreeNode source = load_vectorized(tree.nodes[link.source]);
        return {source.first, source.count(), link.weight};
    }
    TL_D void load_target(std::uint32_t k, std::uint32_t target, float* words) const {
        Surfel point = load_vectorized(tree.points[tree.nodes[k].first + target]);
        for (int c = 0; c < Pair::kTargetWords; ++c)
            words[c] = Kernel::target_word(point, c / 3)[c % 3];
    }
    TL_D void load_source(std::uint32_t, const List& list, std::uint32_t i, float* words) const {
        NearSource<Kernel> source = load_vectorized(sources[list.first + i]);
        for (int c = 0; c < Pair::kSourceWords; ++c) words[c] = source.words[c];
        Kernel::weigh(list.weight, words);
    }
    TL_D void store(std::uint32_t k, std::uint32_t target, const float* own) const {
        sums[tree.nodes[k].first + target] = Kernel::sum_of_near(own);
    }
};

/// L2P for leaves, which adds to the sums of points, or L2L for other nodes, which adds to the
/// fields of children.
template <class Form>
struct DownwardPass {
    using Nodes = decltype(Form::nodes);
    static constexpr int kThreads = 64;

    Form form;
    NodeRange range;
    bool leaves;
    View<typename Form::Kernel::Sum> sums;

    struct Shared {
        float field[Nodes::kNodeSize];  ///< term by term
    };

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t k = range.first + block.index;
        OctreeNode node = load_vectorized(form.nodes.tree.nodes[k]);
        if (node.is_leaf() != leaves) return;
        const float* field = &form.nodes.fields[std::size_t(k) * Nodes::kNodeSize];
        for (std::uint32_t i = block.rank; i < Nodes::kNodeSize; i += block.size)
            shared.field[i % Form::kTerms * Form::kChannels + i / Form::kTerms] = field[i];
        block.sync();
        auto of_node = form.region(k);
        std::uint32_t n = Nodes::n_elements(node);
        for (std::uint32_t e = block.rank; e < n; e += block.size) {
            typename Form::Weights weights;
            float own[Form::kChannels];
            if (leaves) {
                std::uint32_t i = node.first + e;
                Surfel point = load_vectorized(form.nodes.tree.points[i]);
                form.weigh_target(of_node, point, weights);
                Form::interpolate(weights, shared.field, own);
                sums[i] += form.sum(of_node, point, own);
            } else {
                std::uint32_t child_node = Nodes::child_of(node, e);
                auto child = form.region(child_node);
                form.weigh_term(of_node, child_node, child, e % Form::kTerms, weights);
                Form::interpolate(weights, shared.field, own);
                form.send_down(of_node, child, own);
                float* of_child = &form.nodes.fields[Nodes::element_at(node, e)];
                for (int c = 0; c < Form::kChannels; ++c) of_child[c * Form::kTerms] += own[c];
            }
        }
    }
};

/// Runs all passes and sets `sums`. `form` has no expansions and fields yet.
template <class Form>
void run_passes(Scratch& scratch, Form form, const OctreeHeader& header, const LinkTable& links,
                View<typename Form::Kernel::Sum> sums, StageTimer& timer) {
    using Kernel = typename Form::Kernel;
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    std::size_t n_floats = std::size_t(header.n_nodes) * decltype(form.nodes)::kNodeSize;
    form.nodes.expansions = scratch.take<float>(n_floats);
    form.nodes.fields = scratch.take<float>(n_floats);
    NodeRange nodes{0, header.n_nodes};
    auto level = [&](int l) { return NodeRange{header.level_begin[l], header.level_begin[l + 1]}; };
    int n_levels = header.n_levels();
    auto upward = [&](const char* name, NodeRange range, bool leaves) {
        UpwardPass<Form> pass{form, range, leaves};
        launch_blocks<decltype(pass)::kThreads>(stream, name, range.size(), pass);
    };
    auto downward = [&](const char* name, NodeRange range, bool leaves) {
        DownwardPass<Form> pass{form, range, leaves, sums};
        launch_blocks<decltype(pass)::kThreads>(stream, name, range.size(), pass);
    };
    {
        StageTimer::Scope stage(timer, "upward");
        upward("expansions of leaves", nodes, true);
        for (int l = n_levels - 2; l >= 0; --l) upward("expansions of nodes", level(l), false);
    }
    {
        StageTimer::Scope stage(timer, "far");
        form.sum_far(stream, links.far, header.n_nodes);
    }
    {
        StageTimer::Scope stage(timer, "near");
        Scratch::Scope only_near(scratch);
        auto sources = scratch.take<NearSource<Kernel>>(sums.size);
        auto& nodes = form.nodes;
        parallel_for(
            stream, "sources of near links", static_cast<std::uint32_t>(sums.size),
            TL_LAMBDA(std::uint32_t i) {
                NearSource<Kernel> source;
                Kernel::load_source(load_vectorized(nodes.tree.points[i]), nodes.values[i],
                                    source.words);
                store_vectorized(sources[i], source);
            });
        gather(stream, "near links",
               NearPass<Kernel>{nodes.tree, links.near, sources, sums, header.n_nodes});
    }
    StageTimer::Scope stage(timer, "downward");
    for (int l = 0; l + 1 < n_levels; ++l) downward("fields of nodes", level(l), false);
    downward("fields of leaves", nodes, true);
}

TL_DEVICE_END
