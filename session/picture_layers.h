// Auxiliary layers, such as depth and normals, of a picture that was sampled without them.
#pragma once

#include <vector>

#include "renderer/aov/aov_channels.h"
#include "session/session.h"

namespace tl {

/// Largest number of samples per pixel that layers_of() takes.
inline constexpr std::uint32_t kMostLayerSamples = 16;

/// Layers of the session's picture in the form of AovBuffers::planes(). Traces the picture's first
/// samples again, up to kMostLayerSamples a pixel, and averages them; all have the time and camera
/// of its newest frame. A frame must have been rendered. Waits for the stream. Throws UserError
/// when memory does not suffice.
[[nodiscard]] std::vector<ImagePlane> layers_of(Session& session, AovSet channels);

}  // namespace tl
