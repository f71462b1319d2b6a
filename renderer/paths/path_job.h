// One sample for every pixel of a picture, by paths from the camera.
#pragma once

#include "renderer/film/film_view.h"
#include "renderer/paths/follow_path.h"

TL_DEVICE_BEGIN

/// A frame's work.
struct PathJob {
    PathTracerFrame frame;
    CameraRays camera;
    FilmView film;

    /// Of one sample, the sums that paths add to: one for each lane of a pixel.
    [[nodiscard]] std::size_t n_sums() const {
        return static_cast<std::size_t>(film.extent.pixels()) *
               static_cast<std::size_t>(frame.limits.n_lanes);
    }
};

TL_DEVICE_END
