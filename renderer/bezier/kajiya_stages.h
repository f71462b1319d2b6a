// Kajiya's method for many rays at once, stage by stage (Lahabar 2010, chapter 4): traverse, scan,
// rearrange into pairs of a ray and a patch, bezout, laguerre, gcd, 3D points. One thread per pair;
// between stages data is stored coefficient by coefficient, so that accesses are coalesced. Found
// roots are divided out (deflation) in registers, in the same kernel.
#pragma once

#include "accel/patch/resultant.h"
#include "accel/patch/root_sinks.h"
#include "accel/primitives.h"
#include "accel/tree.h"
#include "core/device/array.h"
#include "core/device/stage_timer.h"
#include "renderer/bezier/picture_part.h"

namespace tl {

/// Rays of one depth and purpose.
enum class RayKind : int { primary, shadow, reflection };

/// Counters of one kind of rays in one frame.
struct KajiyaCounts {
    std::uint32_t n_pairs = 0;
    std::uint32_t n_roots = 0;       ///< roots of the resultants in [0, 1]
    std::uint32_t n_iterations = 0;  ///< iterations of the root finder
    std::uint32_t n_rays = 0;        ///< rays with a pair; only where KajiyaRays::in_detail
    /// Pairs whose resultant has a k-th root, in the order in which Laguerre's method finds them,
    /// one of two conjugates; only where KajiyaRays::in_detail.
    std::uint32_t n_searched[kResultantDegree] = {};
    std::uint32_t n_real[kResultantDegree] = {};  ///< those whose k-th root is real
};
static_assert(sizeof(KajiyaCounts) == 16 + 8 * kResultantDegree);

/// The planes of a picture's rays: one per column and row, with unit normals, through `origin`.
struct PicturePlanes {
    View<glm::dvec3> columns, rows;
    vec3 origin{0};
    PicturePart part{PixelOrder(Extent{}), 0, 0};
};

/// Rays and their hits.
struct KajiyaRays {
    View<const Ray> rays;
    View<Hit> hits;                ///< an existing hit limits its ray; closer ones replace it
    const PicturePlanes* picture;  ///< planes of the picture part that the rays belong to; or null
    RayKind kind;
    View<SearchCounts> work{};  ///< accumulates each ray's work; may be empty
    /// Whether to count rays with pairs and, by one more run of Laguerre's method, its real roots.
    bool in_detail = false;
};

/// The tree over the bounding boxes of whole patches.
struct PatchTree {
    Bvh2View nodes;
    SkipTreeView skip;                ///< null: traversal of `nodes`
    View<const std::uint32_t> order;  ///< patch at each leaf position
    PatchesView patches;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Computes the bounding boxes of the patches' control points.
    void find_patch_boxes(Stream& stream, const PatchesView& patches, View<Box> boxes);
    /// Computes the planes of `camera` for all columns and rows.
    void find_picture_planes(Stream& stream, const CameraRays& camera, vec2 offset,
                             const PicturePlanes& planes);
    /// Updates hits[i] of rays[i], and adds to counts[0]. Waits once, for the number of pairs.
    /// `memory`: bytes for a batch of pairs.
    void intersect_by_kajiya(Scratch& scratch, StageTimer& timer, const PatchTree& tree,
                             const KajiyaRays& rays, bool only_real, std::size_t memory,
                             View<KajiyaCounts> counts);
)
// clang-format on
