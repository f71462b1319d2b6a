// Kajiya's method for many rays at once, stage by stage (Lahabar 2010, chapter 4): traverse, scan,
// rearrange into pairs of a ray and a patch, bezout, laguerre, gcd, 3D points. One thread a pair;
// between stages everything lies coefficient by coefficient, so that threads side by side read side
// by side. Roots are divided out in registers, in the kernel that finds them.
#pragma once

#include "accel/parallel/array.h"
#include "accel/parallel/stage_timer.h"
#include "accel/patch/resultant.h"
#include "accel/patch/root_sinks.h"
#include "accel/primitives.h"
#include "accel/tree.h"
#include "renderer/bezier/picture_part.h"

namespace tl {

/// Rays of one depth and purpose.
enum class RayKind : int { primary, shadow, reflection };

/// What a kind of rays came to in one frame.
struct KajiyaCounts {
    std::uint32_t n_pairs = 0;
    std::uint32_t n_roots = 0;       ///< of the resultants, in [0, 1]
    std::uint32_t n_iterations = 0;  ///< of the root finder
    std::uint32_t unused = 0;
};
static_assert(sizeof(KajiyaCounts) == 16);

/// The planes of a picture's rays: one for every column and row, unit normals; all hold `origin`.
struct PicturePlanes {
    View<glm::dvec3> columns, rows;
    vec3 origin{0};
    PicturePart part{PixelOrder({}), 0, 0};
};

/// Rays, and what they meet.
struct KajiyaRays {
    View<const Ray> rays;
    View<Hit> hits;                ///< what is there ends the ray; nearer ones take its place
    const PicturePlanes* picture;  ///< to whose part's items the rays belong; or null
    RayKind kind;
    View<SearchCounts> work{};  ///< added to: what each ray took; may be empty
};

/// The tree over the boxes of whole patches.
struct PatchTree {
    Bvh2View nodes;
    View<const std::uint32_t> order;  ///< patch at each place
    PatchesView patches;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Boxes of the patches' control points.
    void find_patch_boxes(Stream& stream, const PatchesView& patches, View<Box> boxes);
    /// planes of `camera` for all pixels.
    void find_picture_planes(Stream& stream, const CameraRays& camera, vec2 offset,
                             const PicturePlanes& planes);
    /// hits[i] of rays[i], and counts added to counts[0]. Waits once, for the number of pairs.
    /// `memory`: bytes for a batch of pairs.
    void intersect_by_kajiya(Scratch& scratch, StageTimer& timer, const PatchTree& tree,
                                      const KajiyaRays& rays, bool only_real, std::size_t memory,
                                      View<KajiyaCounts> counts);
)
// clang-format on
