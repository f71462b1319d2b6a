// The renderer `radiosity`: solves radiosity at points spread over the surfaces (Goradia 2008,
// "Global illumination for point models"), here for scenes of any kind. Paths from the camera
// sample direct lighting, mirrors, glass and narrow lobes. At diffuse and rough glossy lobes they
// interpolate irradiance between the points, and add caustics from a photon map.
#include "core/device/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/path/gaussians/gaussian_shadows.h"
#include "renderer/radiosity/radiosity_solver.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

/// Adds light between points and, unless null, caustics at gather points.
class LightGather final : public PathGather {
  public:
    LightGather(const PathTracerFrame& frame, const IrradiancePointsView& light,
                const CausticLight* caustics)
        : between_(frame, light), caustics_(caustics) {}

    void add(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
             View<vec4> sums) const override {
        // Caustics come first: between_ converts all gather points of the queue to Lambertian ones.
        if (caustics_) caustics_->add(stream, queue, counts, sums);
        between_.add(stream, queue, counts, sums);
    }

  private:
    IrradianceGather between_;
    const CausticLight* caustics_;
};

class RadiosityRenderer final : public Renderer, public TransportSource {
  public:
    explicit RadiosityRenderer(CausticFactory make_caustics)
        : solver_(make_caustics), caustics_(make_caustics()) {}

    void prepare(const FrameContext& context) override {
        gaussian_shadows_.update(context);
        solver_.update(context, job_of(context).frame, config_);
    }

    void render(const FrameContext& context) override {
        PathJob job = job_of(context);
        if (config_.view == RadiosityView::picture && solver_.has_caustics())
            caustics_->update(context, job.frame.scene, config_.caustic_photons, config_.max_depth);
        if (context.cancelled()) return;
        StageTimer::Scope stage(context.timer, "trace and gather", StageKind::trace);
        if (config_.view != RadiosityView::picture) {
            SeparatePoints points = solver_.separate_points(config_.point_light);
            points.as_discs = config_.view == RadiosityView::discs;
            return draw_separate_points(context.scratch, job, points);
        }
        const LightGather gather(job.frame, solver_.irradiance(),
                                 solver_.has_caustics() ? caustics_.get() : nullptr);
        trace_paths_in_waves(context.scratch, job, &gather);
    }

    Settings settings() override { return config_.settings(); }

    std::vector<FrameCount> counts(Stream&) override { return solver_.counts(); }

    std::vector<PictureFigure> figures(Stream&) override { return solver_.figures(); }

    std::uint64_t transport_version() const override { return solver_.version(); }
    TransportReport transport_report() const override { return solver_.report(config_); }
    IlluminationMap illumination(Stream& stream) override { return solver_.illumination(stream); }
    std::optional<GroupLinks> links_at(Scratch& scratch, vec3 position, vec3 normal, int above,
                                       bool with_above) override {
        return solver_.links_at(scratch, position, normal, above, with_above);
    }

  private:
    [[nodiscard]] PathJob job_of(const FrameContext& context) const {
        PathLimits limits;
        limits.max_depth = config_.max_depth;
        limits.smooth_terminator = config_.smooth_terminator;
        return path_job(context.frame, context.scene.view(), config_.texture_filter, limits,
                        context.film.view());
    }

    RadiosityConfig config_;
    RadiositySolver solver_;
    std::unique_ptr<CausticLight> caustics_;  // for gather points
    GaussianShadows gaussian_shadows_;
};

}  // namespace

std::unique_ptr<Renderer> make_radiosity_renderer(CausticFactory make_caustics) {
    return std::make_unique<RadiosityRenderer>(make_caustics);
}

TL_DEVICE_END
