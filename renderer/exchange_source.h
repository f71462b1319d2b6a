// What a renderer tells of the light that points of surfaces send to each other, for display: how
// fast it comes to an end, and which groups of points are linked.
#pragma once

#include <optional>
#include <vector>

#include "accel/parallel/array.h"
#include "accel/parallel/math.h"

namespace tl {

/// How light between points has been found.
struct ExchangeReport {
    double direct = 0;            ///< flux that arrives straight from sources, W, mean of channels
    std::vector<double> bounces;  ///< what each bounce has added to it, W
    double least_share = 0;       ///< of all light: a bounce that brings less is the last one
    std::size_t most_bounces = 0;
    std::uint64_t n_points = 0;
    std::uint64_t n_rays = 0;        ///< that have told which points see each other
    std::uint64_t n_terms = 0;       ///< of one bounce: links of groups, and pairs of points
    std::uint64_t n_links_made = 0;  ///< how many times links were made
    /// Root mean square error of the first bounce, as a share of that over all pairs with a test of
    /// visibility for each; none where no points are checked.
    std::optional<double> error{};

    /// Ordered pairs of points.
    [[nodiscard]] std::uint64_t n_pairs() const {
        return n_points > 0 ? n_points * (n_points - 1) : 0;
    }
};

/// A node of the octree over the points.
struct PointGroup {
    vec3 lo;  ///< of the bounds of its points
    std::uint32_t node;
    vec3 hi;
    std::uint32_t n_points;
    vec3 centroid;
    std::uint32_t is_leaf;
};
static_assert(sizeof(PointGroup) == 48);

/// How the light of a link is added up.
enum class LinkKind : std::uint32_t {
    groups,  ///< between groups: by expansions, or with each taken for one point
    points,  ///< between leaves, for all pairs of their points
    bits,    ///< between leaves, for those pairs of their points that see each other
};
inline constexpr int kLinkKinds = 3;

/// A group that sends light to the one in question.
struct GroupLink {
    PointGroup from;
    LinkKind kind;
    float fraction;      ///< of the pairs of their points that see each other: above 0, up to 1
    std::int32_t level;  ///< of `from`; 0: the root
    std::int32_t above;  ///< by how many levels the receiver is above the group in question
};
static_assert(sizeof(GroupLink) == 64);

/// The groups by which light arrives at a group.
struct GroupLinks {
    PointGroup group;
    int level = 0;       ///< of the group
    int leaf_level = 0;  ///< of the leaf below it that the place is in
    std::vector<GroupLink> links;
};

/// A renderer that has something to tell is one beside a Renderer.
class ExchangeSource {
  public:
    virtual ~ExchangeSource() = default;
    /// Changes whenever points, links or light do; 0 before there are any.
    [[nodiscard]] virtual std::uint64_t exchange_version() const = 0;
    [[nodiscard]] virtual ExchangeReport exchange_report() const = 0;
    /// The links of the group, `above` levels above its leaf, but not above the root, of the point
    /// that is nearest to a place of a surface; `with_above`: also those of all groups that this
    /// one is in, by which the rest of its light arrives. None where there is no such point, and
    /// where light is not sent by groups. Waits for the stream.
    [[nodiscard]] virtual std::optional<GroupLinks> links_at(Scratch& scratch, vec3 position,
                                                             vec3 normal, int above,
                                                             bool with_above) = 0;
};

}  // namespace tl
