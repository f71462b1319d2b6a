// Unidirectional path tracer, the reference for all other renderers. Estimates all light that
// reaches the camera, by any number of bounces (Kajiya 1986, "The rendering equation").
#include "accel/parallel/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/path/path_config.h"
#include "renderer/path/path_trace.h"
#include "renderer/paths/gaussian_shadows.h"
#include "renderer/paths/path_wavefront.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

class PathTracer final : public Renderer, public RayRecorder {
  public:
    void render(const FrameContext& context) override {
        StageTimer::Scope stage(context.timer, "trace and shade", StageKind::trace);
        gaussian_shadows_.update(context);
        PathJob job = job_of(context.frame, context.scene, context.film.view());
#if !defined(__CUDACC__)
        // Gaussians need the wavefront, which adds them between the tracing and shading of hits.
        if (config_.pipeline != PathPipeline::wavefront && !job.frame.scene.gaussians)
            return trace_paths(context.stream(), job);
#else
        if (!side_) side_ = std::make_unique<SideStream>(context.stream().device());
#endif
        trace_paths_in_waves(context.scratch, job, nullptr, nullptr, side_.get());
    }

    Settings settings() override {
        return config_.settings();
    }

    RayRecorder* ray_recorder() override {
        return this;
    }

    RecordedRays record_rays(const Frame& frame, LiveScene& live, const FilmView& film,
                             Scratch& scratch, std::uint64_t most_bytes) override {
        return record_paths(scratch, job_of(frame, live, film), most_bytes);
    }

  private:
    [[nodiscard]] PathJob job_of(const Frame& frame, LiveScene& live, const FilmView& film) const {
        SceneView scene = live.view();
        // Refracted paths find the light behind glass, so glass must stop shadow rays.
        scene.glass_passes_light = false;
        scene.texture_filter = config_.texture_filter;
        CameraRays camera(frame.camera, film.extent, frame.sampling);
        RayCone cone = pixel_cone(glm::length(camera.step_y), frame.sample);
        return {{{scene, frame.sampling.pattern, frame.seed, frame.sample, PackedCone::of(cone)},
                 config_},
                camera,
                film};
    }

    PathConfig config_;
    GaussianShadows gaussian_shadows_;
    std::unique_ptr<SideStream> side_;  ///< second stream on a GPU; null on the CPU
};

}  // namespace

std::unique_ptr<Renderer> make_path_renderer() {
    return std::make_unique<PathTracer>();
}

TL_DEVICE_END
