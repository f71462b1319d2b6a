// Input of the path tracing kernels: one sample of every pixel of a picture. Renderers that trace
// paths from the camera make theirs by path_job().
#pragma once

#include "renderer/film/film_view.h"
#include "renderer/frame_context.h"
#include "renderer/path/follow_path.h"

TL_DEVICE_BEGIN

/// One sample of a frame: scene, camera and film.
struct PathJob {
    PathTracerFrame frame;
    CameraRays camera;
    FilmView film;

    /// Number of radiance sums of one sample: one per path slot (lane) of each pixel.
    [[nodiscard]] std::size_t n_sums() const {
        return static_cast<std::size_t>(film.extent.pixels()) *
               static_cast<std::size_t>(frame.splitting.n_lanes);
    }
};

/// Per-frame data of paths in that scene. `camera`: the frame's camera rays.
[[nodiscard]] inline PathFrame path_frame(const Frame& frame, const SceneView& scene,
                                          const CameraRays& camera) {
    RayCone cone = pixel_cone(glm::length(camera.step_y), frame.sample);
    return {scene, frame.sampling.pattern, frame.seed, frame.sample, PackedCone::of(cone)};
}

/// The job of a frame. `scene`: the scene's view on the device. Glass occludes shadow rays there:
/// refracted paths and photons carry the light behind it.
[[nodiscard]] inline PathJob path_job(const Frame& frame, SceneView scene, TextureFilter filter,
                                      const PathLimits& limits, const FilmView& film,
                                      const PathSplitting& splitting = {}) {
    scene.glass_passes_light = false;
    scene.texture_filter = filter;
    CameraRays camera(frame.camera, film.extent, frame.sampling);
    return {{path_frame(frame, scene, camera), limits, splitting}, camera, film};
}

TL_DEVICE_END
