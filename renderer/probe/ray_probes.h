// Rays for measuring only a tree, without shading: used by `treelight bench trees` in addition to
// trace_closest and trace_any (accel/bvh/traversal/trace_rays.h), with traversal counts for
// comparisons with other programs.
//
// Rays are in launch order (PixelOrder: tiles, 8x4 pixels per warp). Shadow and diffuse rays exist
// only for primary hits and are compacted.
#pragma once

#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/scene/live/scene_view.h"
#include "renderer/shading/camera_rays.h"

namespace tl {

/// The traversal counts of one ray.
struct ProbeSteps {
    std::uint32_t n_nodes = 0;       ///< nodes visited
    std::uint32_t n_primitives = 0;  ///< primitives tested
};

/// One ray through the middle of every pixel.
struct PrimaryProbe {
    Camera camera;
    Extent extent;
    /// Size of arrays that primary rays write to. Elements of border tiles outside the image are
    /// not written.
    [[nodiscard]] std::size_t n_items() const { return PixelOrder(extent).n_items; }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Traces rays generated in the kernel for their closest hits; `hits` has probe.n_items()
    /// elements.
    void probe_primary(Stream& stream, const TreeView& tree, const PrimaryProbe& probe,
                       View<ProbeHit> hits);
    /// Counts the traversal steps of the same rays, or of given ones; not for timing.
    void count_primary(Scratch& scratch, const TreeView& tree, const PrimaryProbe& probe,
                       View<ProbeSteps> steps);
    void count_closest(Stream& stream, const TreeView& tree, View<const Ray> rays,
                       View<ProbeSteps> steps);
    void count_occluded(Stream& stream, const TreeView& tree, View<const Ray> rays,
                        View<ProbeSteps> steps);

    /// Makes two rays for every primary hit, in launch order, from just off the visible side of the
    /// surface: one that ends at `light`, one cosine-distributed about the normal. The outputs have
    /// probe.n_items() elements, of which count[0] are written.
    void make_secondary_rays(Scratch& scratch, const SceneView& scene, const PrimaryProbe& probe,
                             vec3 light, std::uint64_t seed, View<Ray> shadow, View<Ray> diffuse,
                             View<std::uint32_t> count);
)
// clang-format on
