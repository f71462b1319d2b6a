// Visibility map (V-map): classifies pairs of octree nodes as fully visible, partially visible or
// hidden. After Goradia, Kanakanahalli, Chandran & Datta 2007, "Visibility map for global
// illumination in point clouds", and Goradia 2008, chapter 6.
//
// The search starts from the links of nodes without occlusion, since other pairs exchange no light
// directly. A few rays between points of two nodes classify the pair, once for both directions.
// Partially visible pairs are replaced by pairs of the larger node's children while the light
// between them matters. Partially visible leaves get a visibility bit for each pair of points. All
// pairs of a slice are classified in parallel, in one of the ways of Goradia 2008, section 6.4
// (LinkThreads). Rays may also be traced between all pairs of leaves first (LinkSearch).
#pragma once

#include "accel/fmm/find_links.h"
#include "renderer/radiosity/points/diffuse_points.h"
#include "renderer/radiosity/radiosity_config.h"
#include "renderer/radiosity/transport/visibility_cache.h"

namespace tl {

/// Visibility bits between the points of two leaves. Bit j of row i is for point i of the leaf of
/// lower index and point j of the other leaf.
struct alignas(16) LeafBits {
    static constexpr std::uint32_t kMost = 16;  ///< maximum number of points of a leaf

    std::uint16_t rows[kMost];
};
static_assert(sizeof(LeafBits) == 32);

struct VisibilityMapConfig {
    PointVisibility visibility = PointVisibility::rays;
    LinkSearch search = LinkSearch::top_down;
    LinkThreads threads = LinkThreads::pair_teams;
    std::uint32_t rays = 16;  ///< minimum number of rays between two nodes
    /// Form factor up to which a partially visible pair is linked by its visible fraction, rather
    /// than replaced by children or linked by bits.
    float negligible = 0.001f;
    /// Form factor up to which partial visibility may go undetected. Pairs with a larger form
    /// factor get more rays.
    float doubt = 0.001f;
    /// Maximum number of pairs of points for which a pair of nodes is replaced by its leaves, which
    /// are linked point by point.
    FewPairs few;

    bool operator==(const VisibilityMapConfig&) const = default;
};

struct VisibilityMapCounts {
    std::uint64_t rays = 0;      ///< visibility rays traced
    std::uint64_t pairs = 0;     ///< pairs of nodes classified
    std::uint64_t known = 0;     ///< pairs with a valid result of the previous search
    std::uint64_t hidden = 0;    ///< pairs that are fully occluded
    std::uint64_t fraction = 0;  ///< pairs linked by a visible fraction
    std::uint64_t partial = 0;   ///< pairs of leaves linked by visibility bits
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Links of partially visible leaves. The weight of a link is the bit-cast index of its LeafBits,
/// which both directions share.
struct PartialLinks {
    LinkRows rows;
    View<const LeafBits> bits;
};

class VisibilityMap {
  public:
    /// Computes the visibility of the pairs, the same in both directions, and makes `links` of
    /// them. Hidden pairs are dropped, partially visible ones get weights, and some are replaced by
    /// links of children or partial links. `parts` of the scene, if not empty, show where results
    /// of the previous find() by rays are still valid; the links are the same without. Waits for
    /// the stream. Throws UserError if there are too many leaves for a table of them.
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
    VisibilityCache memory_;
    VisibilityMapConfig config_;
    VisibilityMapCounts counts_;
};

TL_DEVICE_END
