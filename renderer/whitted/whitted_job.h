// Input of every pipeline of the Whitted tracer for one sample of a picture.
#pragma once

#include "renderer/film/film_view.h"
#include "renderer/pixel_tree.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/whitted/splitting.h"

TL_DEVICE_BEGIN

struct WhittedJob {
    WhittedFrame frame;
    CameraRays camera;
    PixelOrder order;
    FilmView film;
    PixelTree* copy = nullptr;  ///< receives the first pixel's tree, if the pipeline is by_level
};

TL_DEVICE_END
