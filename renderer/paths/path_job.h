// Input of the path tracing kernels: one sample of every pixel of a picture.
#pragma once

#include "renderer/film/film_view.h"
#include "renderer/paths/follow_path.h"

TL_DEVICE_BEGIN

/// One sample of a frame: scene, camera and film.
struct PathJob {
    PathTracerFrame frame;
    CameraRays camera;
    FilmView film;

    /// Number of radiance sums of one sample: one per path slot (lane) of each pixel.
    [[nodiscard]] std::size_t n_sums() const {
        return static_cast<std::size_t>(film.extent.pixels()) *
               static_cast<std::size_t>(frame.limits.n_lanes);
    }
};

TL_DEVICE_END
