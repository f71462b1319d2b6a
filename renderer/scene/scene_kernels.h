// What a live scene runs on its device for every frame.
#pragma once

#include "renderer/scene/scene_view.h"

// clang-format off
TL_FOR_DEVICES(
    /// The box of every primitive, in their own order.
    void primitive_boxes(Stream& stream, SceneView scene, View<Box> boxes);
    /// primitives[place] = the primitive that the tree put there, ready for intersection; for the
    /// places in use.
    void gather_primitives(Stream& stream, SceneView scene, View<const std::uint32_t> order,
                           View<const TreeHeader> header, View<Primitive> primitives);
)
// clang-format on
