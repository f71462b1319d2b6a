// The camera as a matrix for OpenGL, so that lines align with the hits of primary rays.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Maps points of the scene to clip coordinates for a picture of this size: the inverse of
/// CameraRays. The near plane lies at a thousandth of the distance to the target.
[[nodiscard]] mat4 camera_matrix(const Camera& camera, Extent picture);

}  // namespace tl
