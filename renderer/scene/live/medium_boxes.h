// Boxes around the dielectrics of a scene, so that what is outside all of them need not look for
// the media around it.
#pragma once

#include <vector>

#include "accel/box.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Boxes that contain all dielectrics at any time, one for each mesh, instance, set of patches,
/// sphere and splat that has some; infinite for what moves otherwise than by frames.
[[nodiscard]] std::vector<Box> medium_boxes(const Scene& scene);

/// Whether media change light that starts within them: some absorb, or there are several, between
/// which indices of refraction are needed.
[[nodiscard]] bool media_matter(const Scene& scene);

}  // namespace tl
