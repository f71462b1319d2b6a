// Figures of a renderer's point-to-point light transport, for display: convergence over bounces,
// and the links between groups of points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/math.h"
#include "core/device/array.h"
#include "renderer/scene/points/illumination_map.h"

namespace tl {

/// Nodes of one level of the octree over the points, and the links by which they receive light.
struct LinkLevel {
    std::uint64_t n_nodes = 0;
    std::uint64_t n_groups = 0;  ///< links of LinkKind::groups
    std::uint64_t n_points = 0;  ///< links of LinkKind::points
    std::uint64_t n_bits = 0;    ///< links of LinkKind::bits

    [[nodiscard]] std::uint64_t n_links() const { return n_groups + n_points + n_bits; }
};

/// The octree over the points.
struct OctreeReport {
    std::string builder;  ///< id in octree_builders()
    int leaf_size = 0;    ///< maximum points of a leaf above the last level
    int most_levels = 0;  ///< maximum number of levels below the root
    int n_levels = 0;     ///< levels with nodes, the root's included
    double build_ms = 0;  ///< time of the build, with the choice of its cells' size, ms
};

/// Numbers of points by their visibility from a chosen one.
struct SeenCounts {
    std::uint64_t whole = 0;    ///< fully visible
    std::uint64_t in_part = 0;  ///< visible by a fraction, that of a link between groups
};

/// Figures of the newest light transport between points.
struct TransportReport {
    double direct = 0;            ///< flux straight from light sources, W, mean of channels
    std::vector<double> bounces;  ///< flux added by each bounce, W
    double least_share = 0;       ///< fraction of all flux; a bounce that adds less is the last
    std::size_t most_bounces = 0;
    std::uint64_t n_points = 0;
    std::uint64_t n_rays = 0;        ///< visibility rays between points
    std::uint64_t n_terms = 0;       ///< terms of one bounce: links of groups, and pairs of points
    std::uint64_t n_links_made = 0;  ///< number of times that links were built
    double link_ms = 0;              ///< time of the newest links, visibility included, ms
    OctreeReport octree{};
    std::vector<LinkLevel> levels;  ///< of the octree, the root's first; empty without links
    /// Points that the chosen one sees; none unless they are shown.
    std::optional<SeenCounts> seen{};
    /// Root mean square error of the first bounce, relative to that bounce over all pairs with a
    /// visibility test for each. None where no points are checked.
    std::optional<double> error{};

    /// Fraction of all light that the last bounce added; 0 without bounces.
    [[nodiscard]] double last_share() const {
        double all = direct;
        for (double bounce : bounces) all += bounce;
        return bounces.empty() || !(all > 0) ? 0 : bounces.back() / all;
    }
    /// Whether bounces ended because there were as many as allowed, with light left.
    [[nodiscard]] bool ended_early() const {
        return bounces.size() >= most_bounces && last_share() > least_share;
    }
    /// Number of ordered pairs of points.
    [[nodiscard]] std::uint64_t n_pairs() const {
        return n_points > 0 ? n_points * (n_points - 1) : 0;
    }
};

/// A node of the octree over the points.
struct PointGroup {
    vec3 lo;  ///< lower corner of the bounds of its points
    std::uint32_t node;
    vec3 hi;
    std::uint32_t n_points;
    vec3 centroid;
    std::uint32_t is_leaf;
};
static_assert(sizeof(PointGroup) == 48);

/// Evaluation of a link's transport.
enum class LinkKind : std::uint32_t {
    groups,  ///< between groups: by expansions, or each as one point
    points,  ///< between leaves, for all pairs of their points
    bits,    ///< between leaves, for the mutually visible pairs of their points
};
inline constexpr int kLinkKinds = 3;

/// A sending group, linked to the receiving group or to one of its ancestors.
struct GroupLink {
    PointGroup from;
    LinkKind kind;
    float fraction;      ///< fraction of mutually visible pairs of points, in (0, 1]
    std::int32_t level;  ///< level of `from`; 0: the root
    std::int32_t above;  ///< levels from the queried group up to the receiver
};
static_assert(sizeof(GroupLink) == 64);

/// The groups that send light to a group.
struct GroupLinks {
    PointGroup group;
    int level = 0;       ///< level of the group
    int leaf_level = 0;  ///< level of the leaf below it that holds the query point
    std::vector<GroupLink> links;
};

/// Additional interface of a renderer that transports light between points.
class TransportSource {
  public:
    virtual ~TransportSource() = default;
    /// The light at all points; empty before there are any. Waits for the stream.
    [[nodiscard]] virtual IlluminationMap illumination(Stream& stream) = 0;
    /// Changes whenever points, links or light change; 0 before there are any.
    [[nodiscard]] virtual std::uint64_t transport_version() const = 0;
    [[nodiscard]] virtual TransportReport transport_report() const = 0;
    /// The links of a group: that `above` levels above the leaf of the point nearest to `position`,
    /// the root at most. `with_above` adds the links of all its ancestors, which bring the rest of
    /// its light. None where there is no such point, and where light is not sent by groups. Waits
    /// for the stream.
    [[nodiscard]] virtual std::optional<GroupLinks> links_at(Scratch& scratch, vec3 position,
                                                             vec3 normal, int above,
                                                             bool with_above) = 0;
};

}  // namespace tl
