// Kernels of a live scene's update, run for every frame.
#pragma once

#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Input (`sources`, `meshes`) and output of instance placement: data for rays, shading and tree.
struct InstanceUpdate {
    float phase;  ///< phase of Scene::duration, 0 to 1; 0 is the rest position
    View<const InstanceSource> sources;
    View<const InstancedMesh> meshes;
    View<InstanceData> data;
    View<InstanceShading> shading;
    View<Box> boxes;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Computes the box of every triangle, sphere, splat and piece, in scene order.
    void primitive_boxes(Stream& stream, SceneView scene, View<Box> boxes);
    /// Gathers primitives into leaf order, ready for intersection: primitives[i] is the primitive
    /// at leaf position i, for all positions in use.
    void gather_primitives(Stream& stream, SceneView scene, View<const std::uint32_t> order,
                           View<const TreeHeader> header, View<Primitive> primitives);
    /// Refits and gathers in one pass. Boxes of leaves are computed from the primitives as they are
    /// gathered; those of instances come from `boxes`.
    void refit_and_gather(Stream& stream, SceneView scene, View<const Box> boxes,
                          const RefitView& tree, View<const std::uint32_t> order,
                          View<Primitive> primitives);
    /// Gathers Gaussians into the leaf order of their tree: in_leaves[i] is the one at leaf
    /// position i.
    void gather_gaussians(Stream& stream, View<const Primitive> gaussians,
                          View<const std::uint32_t> order, View<const TreeHeader> header,
                          View<Primitive> in_leaves);
    void update_instances(Stream& stream, InstanceUpdate update);
)
// clang-format on
