// What a live scene runs on its device for every frame.
#pragma once

#include "renderer/scene/live/scene_view.h"

namespace tl {

/// From `sources` and `meshes` to what rays, shading and the tree above need of each instance.
struct InstanceUpdate {
    float phase;  ///< of Scene::duration, 0 to 1; at 0 all are where they rest
    View<const InstanceSource> sources;
    View<const InstancedMesh> meshes;
    View<InstanceData> data;
    View<InstanceShading> shading;
    View<Box> boxes;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// The box of every triangle and sphere, in their own order.
    void primitive_boxes(Stream& stream, SceneView scene, View<Box> boxes);
    /// primitives[place] = the primitive that the tree put there, ready for intersection; for the
    /// places in use.
    void gather_primitives(Stream& stream, SceneView scene, View<const std::uint32_t> order,
                           View<const TreeHeader> header, View<Primitive> primitives);
    /// Both at once, for a tree that is refitted: the leaves' boxes come from the primitives as they
    /// are gathered; those of instances from `boxes`.
    void refit_and_gather(Stream& stream, SceneView scene, View<const Box> boxes,
                          const RefitView& tree, View<const std::uint32_t> order,
                          View<Primitive> primitives);
    void update_instances(Stream& stream, InstanceUpdate update);
)
// clang-format on
