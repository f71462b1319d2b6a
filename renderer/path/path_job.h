// Input of the kernels that trace paths from the camera: one sample of every pixel of a picture.
// path_job() makes it, for the path tracer and for renderers whose camera paths gather light.
#pragma once

#include "renderer/film/film_view.h"
#include "renderer/frame_context.h"
#include "renderer/path/follow_path.h"

TL_DEVICE_BEGIN

/// One sample of every pixel of a picture.
struct PathJob {
    PathTracerFrame frame;  ///< scene, random numbers and settings of the paths
    CameraRays camera;      ///< the frame's camera, for a picture of the film's size
    FilmView film;          ///< gets the sample

    /// Number of radiance sums of the sample. Each pixel has one for each of its path slots
    /// (PathSplitting::n_path_slots).
    [[nodiscard]] std::size_t n_sums() const {
        return static_cast<std::size_t>(film.extent.pixels()) *
               static_cast<std::size_t>(frame.splitting.n_path_slots);
    }
};

/// Makes the PathFrame of a frame in `scene`. `camera`: the frame's camera rays, for the width of a
/// pixel.
[[nodiscard]] inline PathFrame path_frame(const Frame& frame, const SceneView& scene,
                                          const CameraRays& camera) {
    RayCone cone = pixel_cone(glm::length(camera.step_y), frame.sample);
    return {scene, frame.sampling.pattern, frame.seed, frame.sample, PackedCone::of(cone)};
}

/// Makes the job of a frame. `scene`: the scene's view on the device, of which the job keeps a
/// changed copy. Textures are filtered by `filter`. Glass occludes shadow rays, since refracted
/// paths or photons carry the light through it.
[[nodiscard]] inline PathJob path_job(const Frame& frame, SceneView scene, TextureFilter filter,
                                      const PathLimits& limits, const FilmView& film,
                                      const PathSplitting& splitting = {}) {
    scene.glass_passes_light = false;
    scene.texture_filter = filter;
    CameraRays camera(frame.camera, film.extent, frame.sampling);
    return {{path_frame(frame, scene, camera), limits, splitting}, camera, film};
}

TL_DEVICE_END
