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
};

TL_DEVICE_END
