// Rays for measuring a tree and nothing else, without shading: what `treelight bench trees` times
// besides trace_closest and trace_any (accel/bvh/traversal/trace_rays.h), and the counts by which
// another program can be compared with it.
//
// Rays lie in launch order (PixelOrder: tiles, 8x4 pixels to a warp). Shadow and diffuse rays are
// those of the primary hits alone, packed together.
#pragma once

#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// What one ray met on its way.
struct ProbeSteps {
    std::uint32_t n_nodes = 0;       ///< nodes visited
    std::uint32_t n_primitives = 0;  ///< primitives tested
};

/// One ray through the middle of every pixel.
struct PrimaryProbe {
    Camera camera;
    Extent extent;
    /// Elements of the arrays that primary rays write to: those of border tiles outside the image
    /// stay as they are.
    [[nodiscard]] std::size_t n_items() const;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Closest hits of rays that the kernel makes itself; `hits` has probe.n_items() elements.
    void probe_primary(Stream& stream, const TreeView& tree, const PrimaryProbe& probe,
                       View<ProbeHit> hits);
    /// Traversals of the same rays and of given ones, counted: not to be timed.
    void count_primary(Stream& stream, const TreeView& tree, const PrimaryProbe& probe,
                       View<ProbeSteps> steps);
    void count_closest(Stream& stream, const TreeView& tree, View<const Ray> rays,
                       View<ProbeSteps> steps);
    void count_occluded(Stream& stream, const TreeView& tree, View<const Ray> rays,
                        View<ProbeSteps> steps);

    /// For every primary hit, in launch order, from just off the side of the surface that the camera
    /// sees: a ray that ends at `light`, and one cosine-distributed about the normal. The outputs have
    /// probe.n_items() elements, of which count[0] are written.
    void make_secondary_rays(Scratch& scratch, const SceneView& scene, const PrimaryProbe& probe,
                             vec3 light, std::uint64_t seed, View<Ray> shadow, View<Ray> diffuse,
                             View<std::uint32_t> count);
)
// clang-format on
