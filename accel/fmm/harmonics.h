// Expansions in solid harmonics about the middles of nodes, for radiosity after Karapurkar, Goel &
// Chandran 2004, "The fast multipole method for global illumination".
//
// The kernel is a product of two cosines over |d|^2, d being the offset between two points, so it
// has terms d_a d_b / |d|^4 with axes a and b. With 1 / |d|^4 expanded and d_a d_b split into
// factors of either end, each colour would have sixteen sums. Here 1 / |d|^2 is expanded, whose
// derivative is proportional to d_a / |d|^4, with four sums for each colour: those of the source
// points' strengths s_b along each axis, and that of y_b s_b summed over the axes, y being the
// source point. The coefficients of a link depend only on the offset between the middles and are
// the same for all channels. Positions are in units of node radii, and moments carry powers of
// these, so that clusters of any size keep to the range of floats.
#pragma once

#include "accel/fmm/lanes.h"
#include "accel/fmm/links.h"
#include "accel/fmm/node_expansions.h"
#include "accel/fmm/solid_harmonics.h"
#include "core/device/block.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

/// A number and its derivative along a direction (a dual number).
struct Slope {
    float value, slope;

    Slope() = default;
    TL_D explicit Slope(float value, float slope = 0) : value(value), slope(slope) {}
    TL_D friend Slope operator+(Slope a, Slope b) {
        return Slope(a.value + b.value, a.slope + b.slope);
    }
    TL_D friend Slope operator-(Slope a, Slope b) {
        return Slope(a.value - b.value, a.slope - b.slope);
    }
    TL_D friend Slope operator*(Slope a, Slope b) {
        return Slope(a.value * b.value, a.slope * b.value + a.value * b.slope);
    }
};

/// Bounding ball of a node: its middle, and a radius beyond which it has no point.
struct ExpansionBall {
    vec3 middle;
    float radius;

    TL_D explicit ExpansionBall(const Box& box) : middle(box.center()) {
        constexpr float kLeast = 1e-18f;  // radius of a single point, which still has a derivative
        radius = maximum(glm::length(glm::max(box.hi - middle, middle - box.lo)), kLeast);
    }
};

/// M2L. A block has one node. It processes its links a few at a time, on the CPU eight to a
/// register.
template <class Form>
struct HarmonicFarPass {
    using Strengths = typename Form::Kernel::HarmonicStrengths;
    static constexpr int kThreads = 128;
    static constexpr int kTerms = Form::kTerms, kChannels = Form::kChannels;
    static constexpr int kOrder = Form::kOrder;
    static constexpr int kSize = kTerms * kChannels;
    /// Links at a time, in registers: as many as fit into the shared memory of a GPU.
    static constexpr int kMost = 8000 / (kSize + kTerms + 2 * kOrder);
    static constexpr int kTile = kLanes > 1 ? 1 : kMost < 16 ? kMost : 16;
    /// Threads of a GPU have one colour each.
    static constexpr int kParts = kLanes > 1 ? 1 : Strengths::kColours;
    static constexpr int kOwn = kChannels / kParts;

    Form form;
    LinkRows rows;

    struct Link {
        Lanes moments[kSize];     ///< moments of the source, relative to the target
        Lanes series[kTerms];     ///< terms of the kernel's series
        Lanes of_source[kOrder];  ///< factor of moments, by degree
        Lanes of_target[kOrder];  ///< factor of the field's terms, by degree
        Lanes way[3];             ///< offset from the target's middle to the source's
    };
    struct Memory {
        Lanes sums[kSize];
        Link links[kTile];
    };

#if defined(__CUDACC__)
    using Shared = Memory;

    __device__ void operator()(const Block<kThreads>& block, Shared& shared) const {
        run(block, shared);
    }
#else
    using Shared = NoShared;  // shared memory on the CPU is not aligned for registers

    void operator()(const Block<kThreads>& block, Shared&) const {
        Memory memory;
        run(block, memory);
    }
#endif

  private:
    TL_D void run(const Block<kThreads>& block, Memory& shared) const {
        std::uint32_t node = rows.order[block.index], first = rows.begin[node],
                      end = rows.begin[node + 1];
        float* field = &form.nodes.fields[std::size_t(node) * kSize];
        for (std::uint32_t i = block.rank; i < kSize; i += block.size) shared.sums[i] = 0.0f;
        for (; first < end; first += kTile * kLanes) {
            std::uint32_t n = (end - first + kLanes - 1) / kLanes;  // registers
            n = n < kTile ? n : kTile;
            block.sync();
            for (std::uint32_t l = block.rank; l < n; l += block.size)
                load_link(node, first + l * kLanes, end, shared.links[l]);
            block.sync();
            for (std::uint32_t l = 0; l < n; ++l)
                load_moments(block, first + l * kLanes, end, shared.links[l].moments);
            block.sync();
            for (std::uint32_t i = block.rank; i < n * kTerms; i += block.size)
                scale_moments(shared.links[i / kTerms], i % kTerms);
            block.sync();
            for (std::uint32_t i = block.rank; i < kTerms * kParts; i += block.size)
                for (std::uint32_t l = 0; l < n; ++l)
                    add(shared.links[l], i / kParts, i % kParts, shared.sums);
        }
        block.sync();
        for (std::uint32_t i = block.rank; i < kSize; i += block.size)
            field[i] = sum_of_lanes(shared.sums[i]);
    }
    /// Link of a lane. Lanes behind the last link repeat it with weight 0.
    [[nodiscard]] TL_D NodeLink link(std::uint32_t l, std::uint32_t end) const {
        NodeLink link = rows.links[l < end ? l : end - 1];
        return {link.source, l < end ? link.weight : 0.0f};
    }
    TL_D void load_link(std::uint32_t node, std::uint32_t first, std::uint32_t end,
                        Link& out) const {
        ExpansionBall target = form.region(node);
        Lanes way[3], weight, from, to, unit[3];
        for (std::uint32_t i = 0; i < kLanes; ++i) {
            int lane = static_cast<int>(i);
            NodeLink link = this->link(first + i, end);
            ExpansionBall source = form.region(link.source);
            vec3 offset = source.middle - target.middle;
            float closeness = 1 / glm::length(offset);
            for (int axis = 0; axis < 3; ++axis) {
                set_lane(way[axis], lane, offset[axis]);
                set_lane(unit[axis], lane, offset[axis] * closeness);
            }
            float kernel = closeness;
            for (int k = 1; k < Strengths::kDistancePower; ++k) kernel *= closeness;
            set_lane(weight, lane, link.weight * kernel);
            // The offset of a target is less that of the source: w = v - u.
            set_lane(from, lane, -source.radius * closeness);
            set_lane(to, lane, target.radius * closeness);
        }
        for (int axis = 0; axis < 3; ++axis) out.way[axis] = way[axis];
        Lanes source_scale = 1.0f, target_scale = weight;
        for (int degree = 0; degree < kOrder; ++degree) {
            out.of_source[degree] = source_scale;
            out.of_target[degree] = target_scale;
            source_scale = source_scale * from;
            target_scale = target_scale * to;
        }
        Form::Harmonics::find(unit[0], unit[1], unit[2], out.series);
        for (int q = 0; q < kTerms; ++q)
            out.series[q] = Lanes(form.rows[q].in_series) * out.series[q];
    }
    TL_D void load_moments(const Block<kThreads>& block, std::uint32_t first, std::uint32_t end,
                           Lanes* moments) const {
        const float* of_lanes[kLanes];
        for (std::uint32_t i = 0; i < kLanes; ++i)
            of_lanes[i] = &form.nodes.expansions[std::size_t(link(first + i, end).source) * kSize];
        load_words(of_lanes, kSize, block.rank, block.size, moments);
    }
    /// Scales a term's moments for this link; positions in them become relative to the target's
    /// middle.
    TL_D void scale_moments(Link& link, std::uint32_t term) const {
        Lanes scale = link.of_source[form.rows[term].degree], own[kChannels];
        for (int c = 0; c < kChannels; ++c) own[c] = scale * link.moments[c * kTerms + term];
        Strengths::move(link.way[0], link.way[1], link.way[2], own);
        for (int c = 0; c < kChannels; ++c) link.moments[c * kTerms + term] = own[c];
    }
    /// Adds a link's contribution to term k of the field, for channels part, part + kParts and so
    /// on.
    TL_D void add(const Link& link, std::uint32_t k, std::uint32_t part, Lanes* sums) const {
        Lanes own[kOwn];
        for (Lanes& sum : own) sum = 0.0f;
        SolidRow row = form.rows[k];
        const SolidProduct* next = &form.products[row.first_product];
        const Lanes* moments = link.moments + part * kTerms;
        auto n_terms = Form::n_below(row.degree);
        for (std::uint32_t n = 0; n < n_terms; ++n) {
            Lanes factor = 0.0f;
            for (bool is_last = false; !is_last; ++next) {
                SolidProduct product = *next;
                is_last = product.q & SolidProduct::kLast;
                factor =
                    factor + Lanes(product.factor) * link.series[product.q & ~SolidProduct::kLast];
            }
            for (int c = 0; c < kOwn; ++c)
                own[c] = own[c] + factor * moments[c * kParts * kTerms + n];
        }
        for (int c = 0; c < kOwn; ++c) {
            Lanes& sum = sums[(c * kParts + part) * kTerms + k];
            sum = sum + link.of_target[row.degree] * own[c];
        }
    }
};

/// A Form of expansions.h, of degrees below kOrder.
template <class K, int order>
struct HarmonicExpansion {
    using Kernel = K;
    using Strengths = typename Kernel::HarmonicStrengths;
    using Region = ExpansionBall;
    static constexpr int kOrder = order;
    using Harmonics = SolidHarmonics<order, Strengths::kDistancePower>;
    static constexpr int kTerms = Harmonics::kTerms, kChannels = Strengths::kChannels;
    using Nodes = NodeExpansions<Kernel, kTerms, kChannels>;
    using Part = std::uint32_t;

    struct Weights {
        float of_term[kTerms];
        std::uint32_t first;  ///< the first that is not 0
    };

    Nodes nodes;
    View<const SolidRow> rows;
    View<const SolidProduct> products;
    View<float> shifts;  ///< all terms at each node's middle, relative to its parent's middle

    /// Sets shifts.
    void find_shifts(Stream& stream, std::uint32_t n_nodes) const {
        HarmonicExpansion form = *this;
        parallel_for(
            stream, "shifts of nodes", n_nodes,
            TL_LAMBDA(std::uint32_t node) {
                Region parent = form.region(form.nodes.tree.parents[node]);
                vec3 v = (form.region(node).middle - parent.middle) / parent.radius;
                Harmonics::find(v.x, v.y, v.z, &form.shifts[std::size_t(node) * kTerms]);
            },
            64);
    }
    /// Number of terms whose degree and this one add up to less than kOrder.
    [[nodiscard]] TL_D static std::uint32_t n_below(std::uint32_t degree) {
        return static_cast<std::uint32_t>(Harmonics::first(kOrder - static_cast<int>(degree)));
    }

    [[nodiscard]] TL_D Region region(std::uint32_t node) const {
        return Region(nodes.tree.attributes[node].box);
    }
    TL_D void weigh_source(const Region& of_node, const Surfel& point, Weights& weights) const {
        vec3 v = (point.position - of_node.middle) / of_node.radius;
        Harmonics::find(v.x, v.y, v.z, weights.of_term);
        weights.first = 0;
    }
    TL_D void weigh_target(const Region& of_node, const Surfel& point, Weights& weights) const {
        if constexpr (Strengths::kIsGradient) {
            vec3 v = (point.position - of_node.middle) / of_node.radius;
            vec3 along = point.normal / of_node.radius;
            Slope slopes[kTerms];
            Harmonics::find(Slope(v.x, along.x), Slope(v.y, along.y), Slope(v.z, along.z), slopes);
            for (int k = 0; k < kTerms; ++k) weights.of_term[k] = slopes[k].slope;
            weights.first = 0;
        } else {
            weigh_source(of_node, point, weights);
        }
    }
    TL_D void weigh_term(const Region& of_node, std::uint32_t child_node, const Region& child,
                         std::uint32_t term, Weights& weights) const {
        const float* shift = &shifts[std::size_t(child_node) * kTerms];
        SolidRow row = rows[term];
        float ratio = child.radius / of_node.radius, scale = 1;
        for (std::uint32_t k = 0; k < row.degree; ++k) scale *= ratio;
        for (float& weight : weights.of_term) weight = 0;
        weights.first = static_cast<std::uint32_t>(Harmonics::first(static_cast<int>(row.degree)));
        const SolidProduct* next = &products[row.first_product];
        auto n_terms = n_below(row.degree);
        for (std::uint32_t n = 0; n < n_terms; ++n)
            for (bool is_last = false; !is_last; ++next) {
                SolidProduct product = *next;
                is_last = product.q & SolidProduct::kLast;
                weights.of_term[product.q & ~SolidProduct::kLast] +=
                    scale * product.factor * shift[n];
            }
    }
    [[nodiscard]] TL_D static Part part(std::uint32_t term) { return term; }
    [[nodiscard]] TL_D static float weight(const Weights& weights, Part part) {
        return weights.of_term[part];
    }
    TL_D static void interpolate(const Weights& weights, const float* field,
                                 float (&out)[kChannels]) {
        for (float& sum : out) sum = 0;
        for (std::uint32_t k = weights.first; k < kTerms; ++k)
            for (int c = 0; c < kChannels; ++c)
                out[c] += weights.of_term[k] * field[k * kChannels + c];
    }
    TL_D static void strengths(const Region& of_node, const Surfel& point,
                               typename Kernel::Value value, float (&out)[kChannels]) {
        Strengths::strengths(point, point.position - of_node.middle, value, out);
    }
    [[nodiscard]] TL_D static typename Kernel::Sum sum(const Region& of_node, const Surfel& point,
                                                       const float (&field)[kChannels]) {
        return Strengths::sum(point.position - of_node.middle, field);
    }
    TL_D static void send_up(const Region& of_node, const Region& child,
                             float (&strengths)[kChannels]) {
        vec3 way = child.middle - of_node.middle;
        Strengths::move(way.x, way.y, way.z, strengths);
    }
    TL_D static void send_down(const Region& of_node, const Region& child,
                               float (&field)[kChannels]) {
        vec3 way = of_node.middle - child.middle;
        Strengths::move(way.x, way.y, way.z, field);
    }
    void sum_far(Stream& stream, const LinkRows& links, std::uint32_t n_nodes) const {
        HarmonicFarPass<HarmonicExpansion> pass{*this, links};
        launch_blocks<decltype(pass)::kThreads>(stream, "far links", n_nodes, pass);
    }
};

TL_DEVICE_END
