// Progressive photon mapping: each sample of the picture has its own photon pass, with a smaller
// radius than the one before. The mean of the passes converges to the exact solution (Knaus &
// Zwicker 2011, "Progressive photon mapping: a probabilistic approach"). Direct lighting, specular
// and narrow glossy reflections are path traced from the camera.
#include "core/device/stage_timer.h"
#include "renderer/photon/gather/contrast_samples.h"
#include "renderer/photon/gather/gather_photons.h"
#include "renderer/photon/gather/photon_radius.h"
#include "renderer/photon/photon_maps.h"
#include "renderer/photon/photon_technique.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

/// Kernel radius of caustics in the first pass, in distances between neighbouring photons.
constexpr float kSpread = 2;

class ProgressivePhotons final : public PhotonTechnique {
  public:
    void render(const FrameContext& context, const PhotonConfig& config,
                const PathJob& job) override {
        const Box bounds = context.scene.bounds_at_rest();
        float radius = radius_of_pass(config, bounds, context.frame.sample), spread = 0;
        if (config.footprints && !config.edges && !(config.caustic_radius > 0) &&
            may_have_beams(context.scene.description()))
            spread = kSpread * radius / static_cast<float>(first_radius(config, bounds));
        bool cull = config.cull && config.contrast_samples == 0;
        auto places = PictureGatherPoints::of(context, cull, job);
        maps_.update(context, job.frame.scene, config, radius, spread, places ? &*places : nullptr);
        if (context.cancelled()) return;
        StageTimer::Scope stage(context.timer, "trace and gather", StageKind::trace);
        auto trace_job = [&](const PathJob& one, bool is_first) {
            trace(context.scratch, config, one, is_first ? figures_ : View<GatherFigures>{});
        };
        auto n_more = static_cast<std::uint32_t>(config.contrast_samples);
        if (n_more > 0)
            render_with_contrast(context.scratch, job, n_more, trace_job);
        else
            trace_job(job, true);
    }

    std::vector<FrameCount> counts(Stream& stream, const PhotonConfig& config) override {
        return maps_.counts(stream, config);
    }
    const PhotonMaps* maps() const override { return &maps_; }

  private:
    /// Adds a sample of the job's pixels to its film, with the photons of the pass.
    void trace(Scratch& scratch, const PhotonConfig& config, const PathJob& job,
               View<GatherFigures> figures) const {
        Scratch::Scope scope(scratch);
        const PicturePart part(scratch, config.show, job.n_sums());
        const NearPhotons near = maps_.near(config, part);
        std::optional<EdgeCorrection> edges;
        if (config.edges)
            edges = {&scratch, hash_bits(static_cast<std::uint32_t>(hash_64(job.frame.seed)) ^
                                         job.frame.sample)};
        const PhotonGather gather(job.frame.scene, near, part, figures, edges);
        trace_paths_in_waves(scratch, part.of(job), &gather);
    }

    PhotonMaps maps_;
};

}  // namespace

std::unique_ptr<PhotonTechnique> make_progressive_photons() {
    return std::make_unique<ProgressivePhotons>();
}

TL_DEVICE_END
