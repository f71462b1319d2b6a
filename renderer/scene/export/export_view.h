// The camera and the lights of a scene as nodes of glTF.
#pragma once

#include "renderer/scene/export/export_meshes.h"

namespace tl {

/// Appends the camera's node; returns its index.
int add_camera_node(GlbWriter& file, const Camera& camera);

/// Appends the node of a light without a surface (KHR_lights_punctual); returns its index.
int add_light_node(GlbWriter& file, const Light& light);

/// A rectangle light's surface, its corner at the origin; triangles face the side that it emits to.
[[nodiscard]] Mesh rectangle_mesh(const Light& light);

}  // namespace tl
