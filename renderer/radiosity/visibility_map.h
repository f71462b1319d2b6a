// The V-map: which nodes of an octree see each other, all of one all of the other, some of it, or
// none (Goradia, Kanakanahalli, Chandran & Datta 2007, "Visibility map for global illumination in
// point clouds"; Goradia 2008, chapter 6).
//
// It starts from the links that nodes have as if nothing were in the way, since nodes that are not
// linked need not be looked at. For each pair of nodes, once for both directions, a few rays
// between their points tell which of the three it is. Pairs that see each other in part are
// replaced by those of the larger node's children, as long as the light between them matters, down
// to leaves, for which a bit for each pair of points is found. All pairs of a round are looked at
// in parallel, in one of the report's ways of giving them to threads.
#pragma once

#include "accel/fmm/find_links.h"
#include "renderer/radiosity/diffuse_points.h"
#include "renderer/radiosity/radiosity_config.h"
#include "renderer/radiosity/sight_memory.h"

namespace tl {

/// Which points of two leaves see each other: bit j of row i for point i of the leaf of lower index
/// and point j of the other one.
struct alignas(16) LeafBits {
    static constexpr std::uint32_t kMost = 16;  ///< points of a leaf

    std::uint16_t rows[kMost];
};
static_assert(sizeof(LeafBits) == 32);

struct VisibilityMapConfig {
    PointVisibility visibility = PointVisibility::rays;
    LinkThreads threads = LinkThreads::pairs;
    std::uint32_t rays = 16;  ///< between two nodes, at least
    /// The form factor between two nodes up to which it is enough to know by what fraction they see
    /// each other.
    float negligible = 0.001f;
    /// The form factor up to which it may go unnoticed that nodes which seem to see each other, or
    /// not to, do so in part: more rays are sent where more is at stake.
    float doubt = 0.001f;
    /// Of points, for which nodes are replaced by their leaves, which are linked point by point.
    FewPairs few;

    bool operator==(const VisibilityMapConfig&) const = default;
};

struct VisibilityMapCounts {
    std::uint64_t rays = 0;
    std::uint64_t pairs = 0;     ///< of nodes that were looked at
    std::uint64_t known = 0;     ///< of those, ones whose answer was known from the search before
    std::uint64_t hidden = 0;    ///< of those, ones that do not see each other
    std::uint64_t fraction = 0;  ///< ones that are linked by a fraction
    std::uint64_t partial = 0;   ///< ones of leaves whose points have bits
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Links of leaves whose points see each other in part; a link's weight is, as bits, the number of
/// its LeafBits, which both directions share.
struct PartialLinks {
    LinkRows rows;
    View<const LeafBits> bits;
};

class VisibilityMap {
  public:
    /// Finds what is visible of the pairs, for both directions alike, and turns it into `links`:
    /// leaves out those that are hidden, gives weights to those that are visible in part, and
    /// replaces some by links of children and by partial ones. `parts` of the scene, if there are
    /// any, tell of which pairs the answer is known from the find() before, where rays have found
    /// it; the links are the same without. Waits.
    void find(Scratch& scratch, const DiffusePointsView& points, const OctreeHeader& header,
              const SceneView& scene, std::span<const ScenePart> parts,
              const VisibilityMapConfig& config, LinkPairs pairs, NodeLinks& links);

    [[nodiscard]] PartialLinks partial() { return {partial_.view(), bits_.view()}; }
    [[nodiscard]] const VisibilityMapCounts& counts() const { return counts_; }
    [[nodiscard]] std::size_t bytes() const {
        return partial_.bytes() + bits_.bytes() + memory_.bytes();
    }

  private:
    LinkList partial_;
    DeviceArray<LeafBits> bits_;
    SightMemory memory_;
    VisibilityMapConfig config_;
    VisibilityMapCounts counts_;
};

TL_DEVICE_END
