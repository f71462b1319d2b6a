// Each sample of the picture has a pass of photons of its own, within a smaller radius, so that
// their mean tends to the truth (Knaus & Zwicker 2011, "Progressive photon mapping: a probabilistic
// approach"). Direct light, mirrors, glass and narrow highlights are followed from the camera as by
// the path tracer.
#include "accel/parallel/stage_timer.h"
#include "renderer/photon/gather_photons.h"
#include "renderer/photon/photon_maps.h"
#include "renderer/photon/photon_radius.h"
#include "renderer/photon/photon_technique.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

class ProgressivePhotons final : public PhotonTechnique {
  public:
    void render(const FrameContext& context, const PhotonConfig& config,
                const PathJob& job) override {
        float radius = radius_of_pass(config, context.scene.bounds_at_rest(), context.frame.sample);
        maps_.update(context, job.frame.scene, config, radius);
        if (context.cancelled()) return;
        StageTimer::Scope stage(context.timer, "trace and gather", StageKind::trace);
        Scratch::Scope scope(context.scratch);
        const PicturePart part(context.scratch, config.show, job.n_sums());
        const NearPhotons near = maps_.near(config, part);
        std::optional<EdgeCorrection> edges;
        if (config.edges)
            edges = {&context.scratch,
                     hash_bits(static_cast<std::uint32_t>(hash_64(context.frame.seed)) ^
                               context.frame.sample)};
        const PhotonGather gather(job.frame.scene, near, part, figures_, edges);
        trace_paths_in_waves(context.scratch, part.of(job), &gather);
    }

    std::vector<FrameCount> counts(Stream& stream, const PhotonConfig& config) override {
        return maps_.counts(stream, config);
    }
    const PhotonMaps* maps() const override { return &maps_; }
    bool measures() const override { return true; }

  private:
    PhotonMaps maps_;
};

}  // namespace

std::unique_ptr<PhotonTechnique> make_progressive_photons() {
    return std::make_unique<ProgressivePhotons>();
}

TL_DEVICE_END
