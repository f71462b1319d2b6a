// Unidirectional path tracer, the reference for all other renderers. Estimates all light that
// reaches the camera, by any number of bounces (Kajiya 1986, "The rendering equation").
#include "core/device/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/path/gaussians/gaussian_shadows.h"
#include "renderer/path/path_rays.h"
#include "renderer/path/path_wavefront.h"
#include "renderer/path/tracer/path_config.h"
#include "renderer/path/tracer/trace_batches.h"
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
        // The CPU traces batches of paths unless the setting selects the wavefront, which a GPU
        // always uses. Gaussians need the wavefront, which adds them between the tracing and
        // shading of hits.
        if (config_.pipeline != PathPipeline::wavefront && !job.frame.scene.gaussians)
            return trace_path_batches(context.stream(), job);
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
        return path_job(frame, live.view(), config_.texture_filter, config_, film);
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
