// Expansions at Chebyshev points in the boxes of nodes' points (chebyshev.h).
//
// The kernel is smooth away from 0, so it is interpolated. A node's terms are the Chebyshev points
// of its box; a parent treats its children's terms as points. M2L evaluates the kernel between the
// Chebyshev points of source and target, by gather.h. Boxes bound the points and are not the
// octree's cells, and the kernel is evaluated, not tabulated. Tables for pairs of cells would save
// a third to a tenth of the arithmetic, and none for three channels of three colours. But a surface
// fills its cells badly, so there would be more links. Walls and floors are planes along two axes.
// Across a flat box one point counts instead of kOrder, and a link of two such boxes of order 3
// costs a ninth.
#pragma once

#include "accel/fmm/chebyshev.h"
#include "accel/fmm/gather.h"
#include "accel/fmm/links.h"
#include "accel/fmm/node_expansions.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

/// M2L: evaluates the kernel from the Chebyshev points of sources at those of targets.
template <class Form>
struct FarPass {
    using Pair = typename Form::Kernel::Far;

    Form form;
    LinkRows rows;
    std::uint32_t n_nodes;

    struct List {
        typename Form::Places places;
        std::uint32_t source;
        float weight;
        std::uint32_t n;
    };

    [[nodiscard]] std::uint32_t n_groups() const { return n_nodes; }
    [[nodiscard]] TL_D std::uint32_t group(std::uint32_t i) const { return rows.order[i]; }
    [[nodiscard]] TL_D std::uint32_t n_targets(std::uint32_t node) const {
        return typename Form::Places(form.region(node)).n;
    }
    [[nodiscard]] TL_D std::uint32_t n_lists(std::uint32_t node) const {
        return rows.begin[node + 1] - rows.begin[node];
    }
    [[nodiscard]] TL_D List list(std::uint32_t node, std::uint32_t l) const {
        NodeLink link = rows.links[rows.begin[node] + l];
        typename Form::Places places(form.region(link.source));
        return {places, link.source, link.weight, places.n};
    }
    TL_D void load_target(std::uint32_t node, std::uint32_t target, float* words) const {
        auto box = form.region(node);
        vec3 place = box.half * form.chebyshev.place(typename Form::Places(box).number(target));
        for (int axis = 0; axis < 3; ++axis) words[axis] = place[axis];
    }
    TL_D void load_source(std::uint32_t node, const List& list, std::uint32_t i,
                          float* words) const {
        auto source = form.region(list.source);
        std::uint32_t number = list.places.number(i);
        vec3 place =
            source.middle - form.region(node).middle + source.half * form.chebyshev.place(number);
        for (int axis = 0; axis < 3; ++axis) words[axis] = place[axis];
        const float* strengths =
            &form.nodes.expansions[std::size_t(list.source) * Form::Nodes::kNodeSize + number];
        for (int c = 0; c < Form::kChannels; ++c)
            words[3 + c] = list.weight * strengths[c * Form::kTerms];
    }
    TL_D void store(std::uint32_t node, std::uint32_t target, const float* sums) const {
        auto box = form.region(node);
        std::uint32_t number = typename Form::Places(box).number(target);
        float* field = &form.nodes.fields[std::size_t(node) * Form::Nodes::kNodeSize + number];
        for (int c = 0; c < Form::kChannels; ++c) field[c * Form::kTerms] = sums[c];
        // Points along flat axes that do not count get 0.
        for (std::uint32_t beside = 1; beside < Form::kTerms; ++beside)
            if (Form::is_across(box, beside))
                for (int c = 0; c < Form::kChannels; ++c) field[c * Form::kTerms + beside] = 0;
    }
};

/// A Form of expansions.h.
template <class K, int kOrder>
struct Interpolation {
    using Kernel = K;
    using Region = ExpansionBox;
    using Places = CountedPlaces<kOrder>;
    static constexpr int kTerms = Chebyshev<kOrder>::kPlaces;
    static constexpr int kChannels = Kernel::kChannels;
    using Nodes = NodeExpansions<Kernel, kTerms, kChannels>;

    struct Weights {
        float along[3][kOrder];
    };
    struct Part {
        std::uint32_t i, j, k;
    };

    Nodes nodes;
    Chebyshev<kOrder> chebyshev;

    [[nodiscard]] TL_D Region region(std::uint32_t node) const {
        return Region(nodes.tree.attributes[node].box, kOrder);
    }
    TL_D void weigh(const Region& of_node, vec3 offset, Weights& weights) const {
        for (int axis = 0; axis < 3; ++axis) {
            float own[kOrder] = {1};
            if (!of_node.is_flat(axis))
                chebyshev.weights_at(offset[axis] / of_node.half[axis], own);
            for (int i = 0; i < kOrder; ++i) weights.along[axis][i] = own[i];
        }
    }
    TL_D void weigh_source(const Region& of_node, const Surfel& point, Weights& weights) const {
        weigh(of_node, point.position - of_node.middle, weights);
    }
    TL_D void weigh_target(const Region& of_node, const Surfel& point, Weights& weights) const {
        weigh_source(of_node, point, weights);
    }
    TL_D void weigh_term(const Region& of_node, std::uint32_t, const Region& child,
                         std::uint32_t term, Weights& weights) const {
        weigh(of_node, child.middle - of_node.middle + child.half * chebyshev.place(term), weights);
    }
    /// Whether a Chebyshev point differs from point 0 along flat axes alone.
    [[nodiscard]] TL_D static bool is_across(const Region& box, std::uint32_t place) {
        Part of = part(place);
        return (of.i == 0 || box.is_flat(0)) && (of.j == 0 || box.is_flat(1)) &&
               (of.k == 0 || box.is_flat(2));
    }
    [[nodiscard]] TL_D static Part part(std::uint32_t term) {
        return {term / (kOrder * kOrder), term / kOrder % kOrder, term % kOrder};
    }
    [[nodiscard]] TL_D static float weight(const Weights& weights, Part part) {
        return weights.along[0][part.i] * weights.along[1][part.j] * weights.along[2][part.k];
    }
    TL_D static void interpolate(const Weights& weights, const float* field,
                                 float (&out)[kChannels]) {
        for (float& sum : out) sum = 0;
        for (int i = 0; i < kOrder; ++i)
            for (int j = 0; j < kOrder; ++j)
                for (int k = 0; k < kOrder; ++k) {
                    float weight = weights.along[0][i] * weights.along[1][j] * weights.along[2][k];
                    int place = (i * kOrder + j) * kOrder + k;
                    for (int c = 0; c < kChannels; ++c)
                        out[c] += weight * field[place * kChannels + c];
                }
    }
    TL_D static void strengths(const Region&, const Surfel& point, typename Kernel::Value value,
                               float (&out)[kChannels]) {
        Kernel::strengths(point, value, out);
    }
    [[nodiscard]] TL_D static typename Kernel::Sum sum(const Region&, const Surfel& point,
                                                       const float (&field)[kChannels]) {
        return Kernel::sum_of_far(point, field);
    }
    TL_D static void send_up(const Region&, const Region&, float (&)[kChannels]) {}
    TL_D static void send_down(const Region&, const Region&, float (&)[kChannels]) {}
    void sum_far(Stream& stream, const LinkRows& rows, std::uint32_t n_nodes) const {
        gather(stream, "far links", FarPass<Interpolation>{*this, rows, n_nodes});
    }
};

TL_DEVICE_END
