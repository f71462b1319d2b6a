// The camera as a matrix for OpenGL, so that lines fall on what primary rays hit.
#pragma once

#include "renderer/scene/scene.h"

namespace tl {

/// Clip coordinates of points in the scene, for a picture of this size: the projection that
/// CameraRays inverts. What is nearer than a thousandth of the way to the target is clipped.
[[nodiscard]] mat4 camera_matrix(const Camera& camera, Extent picture);

}  // namespace tl
