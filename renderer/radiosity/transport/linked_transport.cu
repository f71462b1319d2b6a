// Radiosity between linked nodes of the octree, in two modes. Mode `fmm` uses expansions
// (accel/fmm). Mode `hierarchical` replaces the points of each node by one (Hanrahan, Salzman &
// Aupperle 1991, "A rapid hierarchical radiosity algorithm"). Powers are summed up the tree, and
// irradiance is added down again (there: PushPull). In both modes near leaves exchange light point
// by point, and partially visible leaves by the visibility bits of their pairs of points.
#include <cmath>
#include <utility>

#include "accel/fmm/fmm.h"
#include "accel/fmm/fmm_choice.h"
#include "core/device/parallel_for.h"
#include "renderer/radiosity/transport/group_links.h"
#include "renderer/radiosity/transport/light_transport.h"
#include "renderer/radiosity/transport/link_transmittance.h"
#include "renderer/radiosity/transport/partial_transport.h"
#include "renderer/radiosity/transport/point_kernel.h"
#include "renderer/radiosity/transport/visibility_map.h"

TL_DEVICE_BEGIN

namespace {

/// VisibilityMapConfig::negligible, divided by the requested error.
constexpr float kNegligible = 0.01f;
/// VisibilityMapConfig::doubt, divided by the requested error.
constexpr float kDoubt = 0.05f;
/// Cosine below which light is neglected, divided by the requested error.
constexpr float kGrazing = 0.3f;

/// Sets leaves[i] to the leaf node of point i.
void find_leaves(Stream& stream, const OctreeView& tree, std::uint32_t n_nodes,
                 View<std::uint32_t> leaves) {
    parallel_for(
        stream, "leaves of points", n_nodes, TL_LAMBDA(std::uint32_t k) {
            OctreeNode node = load_vectorized(tree.nodes[k]);
            if (!node.is_leaf()) return;
            for (std::uint32_t i = node.first; i < node.end; ++i) leaves[i] = k;
        });
}

/// Visibility bits of point `row` of a leaf: bit k for point k of `source`.
TL_D std::uint32_t seen_bits(const PartialLinks& partial, const NodeLink& link, std::uint32_t leaf,
                             std::uint32_t row, const OctreeNode& source) {
    LeafBits bits = load_vectorized(partial.bits[bits_of_float(link.weight)]);
    if (leaf < link.source) return bits.rows[row];
    std::uint32_t seen = 0;
    for (std::uint32_t k = 0; k < source.count(); ++k) seen |= (bits.rows[k] >> row & 1u) << k;
    return seen;
}

/// Implements LightTransport::find_visibilities().
void find_link_weights(Stream& stream, const OctreeView& tree, const LinkTable& table,
                       const PartialLinks& partial, View<const std::uint32_t> leaves,
                       View<const std::uint32_t> targets, View<float> weights) {
    std::size_t n = leaves.size;
    parallel_for(
        stream, "weights of links", static_cast<std::uint32_t>(targets.size),
        TL_LAMBDA(std::uint32_t t) {
            float* own = &weights[t * n];
            for (std::size_t j = 0; j < n; ++j) own[j] = 0;
            auto set = [&](const LinkRows& rows, std::uint32_t node) {
                for (std::uint32_t l = rows.begin[node]; l < rows.begin[node + 1]; ++l) {
                    OctreeNode source = load_vectorized(tree.nodes[rows.links[l].source]);
                    for (std::uint32_t j = source.first; j < source.end; ++j)
                        own[j] = rows.links[l].weight;
                }
            };
            std::uint32_t leaf = leaves[targets[t]], row = targets[t] - tree.nodes[leaf].first;
            set(table.near, leaf);
            std::uint32_t node = leaf;
            for (set(table.far, node); node != 0; set(table.far, node)) node = tree.parents[node];
            for (std::uint32_t l = partial.rows.begin[leaf]; l < partial.rows.begin[leaf + 1];
                 ++l) {
                NodeLink link = partial.rows.links[l];
                OctreeNode source = load_vectorized(tree.nodes[link.source]);
                std::uint32_t seen = seen_bits(partial, link, leaf, row, source);
                for (std::uint32_t k = 0; k < source.count(); ++k)
                    own[source.first + k] = seen >> k & 1u ? 1.0f : 0.0f;
            }
        },
        1);
}

/// Replaces a node's points by one at their centroid, with their mean normal. That is the shorter
/// the more the normals differ.
TL_D Surfel as_one_point(const OctreeView& tree, std::uint32_t node) {
    const OctreeAttributes& of = tree.attributes[node];
    return {of.centroid, of.area, of.area > 0 ? of.normal / of.area : vec3(0)};
}

/// Sets powers[k] to the power that leaves node k, W, from the leaves up.
void push(Stream& stream, const OctreeView& tree, const OctreeHeader& header,
          View<const vec3> radiosity, View<vec3> powers) {
    for (int l = header.n_levels() - 1; l >= 0; --l) {
        std::uint32_t first = header.level_begin[l];
        parallel_for(
            stream, "push", header.level_begin[l + 1] - first, TL_LAMBDA(std::uint32_t item) {
                OctreeNode node = load_vectorized(tree.nodes[first + item]);
                vec3 sum(0);
                if (node.is_leaf())
                    for (std::uint32_t i = node.first; i < node.end; ++i)
                        sum += tree.points[i].area * radiosity[i];
                for (std::uint32_t c = node.first_child; c < node.end_child; ++c) sum += powers[c];
                powers[first + item] = sum;
            });
    }
}

/// Sets irradiance[k] to what node k receives by its own links.
void exchange_far(Stream& stream, const OctreeView& tree, const LinkRows& far,
                  View<const vec3> powers, View<vec3> irradiance) {
    parallel_for(
        stream, "far links", static_cast<std::uint32_t>(powers.size),
        TL_LAMBDA(std::uint32_t k) {
            Surfel own = as_one_point(tree, k);
            vec3 sum(0);
            for (std::uint32_t l = far.begin[k]; l < far.begin[k + 1]; ++l) {
                NodeLink link = far.links[l];
                sum += link.weight * point_kernel(as_one_point(tree, link.source), own) *
                       powers[link.source];
            }
            irradiance[k] = sum;
        },
        64);
}

/// Adds the irradiance of nodes to their children, level by level, and that of leaves to points.
void pull(Stream& stream, const OctreeView& tree, const OctreeHeader& header,
          View<const std::uint32_t> leaves, View<vec3> of_nodes, View<vec3> irradiance) {
    for (int l = 1; l < header.n_levels(); ++l) {
        std::uint32_t first = header.level_begin[l];
        parallel_for(
            stream, "pull", header.level_begin[l + 1] - first, TL_LAMBDA(std::uint32_t item) {
                std::uint32_t k = first + item;
                of_nodes[k] += of_nodes[tree.parents[k]];
            });
    }
    parallel_for(
        stream, "irradiance of leaves", static_cast<std::uint32_t>(leaves.size),
        TL_LAMBDA(std::uint32_t i) { irradiance[i] += of_nodes[leaves[i]]; });
}

void copy_colour(Stream& stream, View<const vec3> from, int colour, View<vec3> to) {
    parallel_for(
        stream, "irradiance of a colour", static_cast<std::uint32_t>(to.size),
        TL_LAMBDA(std::uint32_t i) { to[i][colour] = from[i][colour]; });
}

class LinkedTransport final : public LightTransport {
  public:
    void link(Scratch& scratch, StageTimer& timer, const DiffusePointsView& points,
              const OctreeHeader& header, const SceneView& scene, std::span<const ScenePart> parts,
              const RadiosityConfig& config) override {
        auto& stream = scratch.stream();
        header_ = header;
        mode_ = config.mode;
        choose_accuracy(config);
        LinkPairs pairs =
            find_facing_pairs(scratch, points.tree, header, choice_.links, room_, timer);
        StageTimer::Scope stage(timer, "visibility");
        map_.find(scratch, points, header, scene, parts,
                  {config.visibility, config.link_search, config.link_threads,
                   static_cast<std::uint32_t>(config.link_rays), kNegligible * config.error,
                   kDoubt * config.error, choice_.links.few},
                  std::move(pairs), links_);
        make_rows(scratch, {}, header.n_nodes, no_links_);
        if (points.media.empty())
            transmittance_.clear();
        else
            transmittance_.find(scratch, points, scene, links_.view(), map_.partial().rows);
        leaves_.resize_discard(stream, points.starts.size);
        find_leaves(stream, points.tree, header.n_nodes, leaves_.view());
        const TransportLinks all{points.tree, links_.view(), map_.partial()};
        work_ = {map_.counts().rays, count_link_terms(scratch, all, header.n_nodes)};
        levels_ = count_links_by_level(scratch, all, header);
    }

    void gather(Scratch& scratch, StageTimer& timer, const DiffusePointsView& points,
                View<const vec3> radiosity, View<vec3> irradiance,
                LightThroughGlass glass) override {
        auto& stream = scratch.stream();
        bool is_dimmed = transmittance_.is_found() && glass == LightThroughGlass::attenuated;
        if (is_dimmed)
            gather_colours(scratch, timer, points, radiosity, irradiance);
        else
            gather_whole(scratch, timer, points, links_.view(), radiosity, irradiance);
        StageTimer::Scope stage(timer, "partial");
        View<const PackedTransmittance> transmittance;
        if (is_dimmed) transmittance = transmittance_.partial();
        add_partial(stream, points.tree, map_.partial(), transmittance, radiosity, irradiance);
    }

    void find_visibilities(Stream& stream, const DiffusePointsView& points,
                           View<const std::uint32_t> targets, View<float> weights) override {
        find_link_weights(stream, points.tree, links_.view(), map_.partial(), leaves_.view(),
                          targets, weights);
    }

    std::optional<GroupLinks> links_of(Scratch& scratch, const DiffusePointsView& points,
                                       std::uint32_t point, int above, bool with_above) override {
        std::uint32_t leaf = 0;
        scratch.stream().device().download(scratch.stream(), &leaf, leaves_.data() + point,
                                           sizeof leaf);
        return find_group_links(scratch, {points.tree, links_.view(), map_.partial()}, header_,
                                leaf, above, with_above);
    }
    TransportWork work() const override { return work_; }
    std::vector<LinkLevel> levels() const override { return levels_; }

    std::vector<FrameCount> counts() override {
        auto& seen = map_.counts();
        std::uint64_t n = header_.n_points;
        return {{"pairs of points", n * n, 0},
                {"links", links_.far.links.size() + links_.near.links.size(), 0},
                {"links between groups", links_.far.links.size(), 0},
                {"links between leaves", links_.near.links.size(), 0},
                {"links by bits of points", 2 * seen.partial, 0},
                {"links by a fraction", 2 * seen.fraction, 0},
                {"pairs of groups tested", seen.pairs, 0},
                {"pairs of groups in the visibility cache", seen.known, 0},
                {"pairs of groups hidden", seen.hidden, 0},
                {"visibility rays", seen.rays, 0},
                {"order of expansions",
                 mode_ == RadiosityMode::fmm ? std::uint64_t(choice_.expansion.order) : 0, 0}};
    }
    [[nodiscard]] std::size_t bytes() const override {
        return links_.bytes() + map_.bytes() + transmittance_.bytes() + leaves_.bytes();
    }

  private:
    /// Gathers by all links but partial ones, all colours together.
    void gather_whole(Scratch& scratch, StageTimer& timer, const DiffusePointsView& points,
                      LinkTable table, View<const vec3> radiosity, View<vec3> irradiance) {
        auto& stream = scratch.stream();
        LinkRows far = table.far;
        bool by_expansions = mode_ == RadiosityMode::fmm;
        constexpr FmmExpansion kNoFar{FmmBasis::interpolation, FmmOrder::kLeast};
        if (!by_expansions) table.far = no_links_.view();
        sum_by_expansions(scratch, points.tree, header_, table,
                          by_expansions ? choice_.expansion : kNoFar, radiosity, irradiance, timer);
        if (by_expansions) return;
        Scratch::Scope scope(scratch);
        StageTimer::Scope stage(timer, "far");
        auto powers = scratch.take<vec3>(header_.n_nodes);
        auto received = scratch.take<vec3>(header_.n_nodes);
        push(stream, points.tree, header_, radiosity, powers);
        exchange_far(stream, points.tree, far, powers, received);
        pull(stream, points.tree, header_, leaves_.view(), received, irradiance);
    }
    /// gather_whole() for one colour channel after the other, with its transmittance, since a link
    /// has a single weight.
    void gather_colours(Scratch& scratch, StageTimer& timer, const DiffusePointsView& points,
                        View<const vec3> radiosity, View<vec3> irradiance) {
        Scratch::Scope scope(scratch);
        auto own = scratch.take<vec3>(irradiance.size);
        for (int colour = 0; colour < 3; ++colour) {
            Scratch::Scope pass(scratch);
            LinkTable table = transmittance_.of_colour(scratch, links_.view(), colour);
            gather_whole(scratch, timer, points, table, radiosity, own);
            copy_colour(scratch.stream(), own, colour, irradiance);
        }
    }
    /// Chooses the admissibility of links (theta) and the order of expansions by the requested
    /// error.
    void choose_accuracy(const RadiosityConfig& config) {
        float error = config.error;
        // In a tree split by normals, expansions carry more of the light.
        constexpr float kPart = 0.3f;
        choice_ = choose_fmm(FmmKernel::radiosity,
                             std::clamp(kPart * error, FmmErrors::kLeast, FmmErrors::kMost),
                             config.expansions);
        // Grazing light matters more in rooms than among points in all directions.
        choice_.links.slack = std::min(choice_.links.slack, kGrazing * error);
        if (mode_ == RadiosityMode::fmm) return;
        // Variation within nodes is neglected, so the error is proportional to their size.
        constexpr float kThetaByError = 5;
        choice_.links.theta = std::clamp(kThetaByError * error, 0.005f, 0.5f);
        choice_.links.few = {1, 0};
    }

    OctreeHeader header_{};
    RadiosityMode mode_{};
    FmmChoice choice_;
    LinkRoom room_;
    NodeLinks links_;
    LinkList no_links_;
    VisibilityMap map_;
    LinkTransmittance transmittance_;
    DeviceArray<std::uint32_t> leaves_;
    TransportWork work_;
    std::vector<LinkLevel> levels_;
};

}  // namespace

std::unique_ptr<LightTransport> make_linked_transport() {
    return std::make_unique<LinkedTransport>();
}

TL_DEVICE_END
