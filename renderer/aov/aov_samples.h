// Camera rays that fill auxiliary pictures.
#pragma once

#include "renderer/aov/aov_buffers.h"
#include "renderer/film/film_share.h"
#include "renderer/frame_context.h"
#include "renderer/scene/live/scene_view.h"

// clang-format off
TL_FOR_DEVICES(
    /// Adds one sample to the region's pixels of the selected channels, or restarts them where
    /// frame.sample is 0. Means use the same camera rays as the frame's picture. `scene` must be up
    /// to date. Never waits.
    void add_aov_sample(Stream& stream, const Frame& frame, const SceneView& scene,
                        const AovView& out, const FilmRegion& region = {});
)
// clang-format on
