// Camera rays that fill auxiliary pictures.
#pragma once

#include "renderer/aov/aov_buffers.h"
#include "renderer/renderer.h"

// clang-format off
TL_FOR_DEVICES(
    /// Adds one sample to every pixel of the channels there are, or starts them anew where
    /// frame.sample is 0. Means take the very camera rays of the frame's picture. `scene` is up to
    /// date; nothing waits.
    void add_aov_sample(Stream& stream, const Frame& frame, const SceneView& scene,
                        const AovView& out);
)
// clang-format on
