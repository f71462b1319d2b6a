// Auxiliary layers of a picture that was sampled without them.
#pragma once

#include <vector>

#include "renderer/aov/aov_channels.h"
#include "session/session.h"

namespace tl {

/// Most samples that layers_of() takes of a pixel.
inline constexpr std::uint32_t kMostLayerSamples = 16;

/// The layers of the session's picture, as AovBuffers::planes() writes them: means of the first
/// samples of the picture, up to kMostLayerSamples, at the moment of its newest frame. Waits for
/// the stream. Throws UserError when memory does not suffice.
[[nodiscard]] std::vector<ImagePlane> layers_of(Session& session, AovSet channels);

}  // namespace tl
