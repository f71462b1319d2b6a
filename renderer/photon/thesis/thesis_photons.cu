// Photon mapping after Zeidan 2011, "Efficient parallel construction of hierarchical trees and
// their applications in global illumination", chapter 6. One pass of photons fills the maps. A
// final gather at few seeds supplies irradiance, which is interpolated between them. Caustics come
// from a map of their own. Direct lighting and specular reflections are path traced from the
// camera.
#include "core/device/stage_timer.h"
#include "renderer/photon/photon_technique.h"
#include "renderer/photon/thesis/gather_thesis.h"
#include "renderer/photon/thesis/seeds.h"
#include "renderer/photon/thesis/thesis_maps.h"

TL_DEVICE_BEGIN

namespace {

class ThesisPhotons final : public PhotonTechnique {
  public:
    void render(const FrameContext& context, const PhotonConfig& config,
                const PathJob& job) override {
        maps_.update(context, job.frame.scene, config);
        if (context.cancelled()) return;
        Scratch& scratch = context.scratch;
        Scratch::Scope scope(scratch);
        const PicturePart part(scratch, config.show, job.n_sums());
        if (is_lit(config) && part.with_indirect()) gather(context, config, job);
        if (context.cancelled()) return;
        const ThesisLight light = light_of(config, part);
        if (light.with_caustics && is_of_structure(config.thesis_search)) {
            StageTimer::Scope stage(context.timer, "structure of photons", StageKind::trace);
            neighbors_.update(scratch, light.caustic,
                              static_cast<std::uint32_t>(maps_.n_caustic(scratch.stream())),
                              light.caustic_reach, config, maps_.version());
        }
        StageTimer::Scope stage(context.timer, "trace and gather", StageKind::trace);
        const ThesisGather gather(job.frame, light, config.thesis_search, neighbors_, context.timer,
                                  part);
        trace_paths_in_waves(scratch, part.of(job), &gather);
    }

    bool shows(PhotonShow show) const override {
        return show != PhotonShow::density && show != PhotonShow::radius;
    }

    std::vector<PictureFigure> figures(Stream& stream, const PhotonConfig& config) override {
        if (!is_of_structure(config.thesis_search)) return {};
        return {{"nearest photons found", neighbors_.recall(stream)}};
    }

    std::vector<FrameCount> counts(Stream& stream, const PhotonConfig& config) override {
        auto n_emitted = static_cast<std::uint64_t>(config.photons);
        std::uint64_t n_seeds = seeds_.n_seeds(stream);
        return {
            {"photons emitted", n_emitted, 0},
            {"photons in the global map", maps_.n_global(stream), n_emitted},
            {"photons in the caustic map", maps_.n_caustic(stream), n_emitted},
            {"seeds", n_seeds, 0},
            {"gather rays", n_seeds * static_cast<std::uint64_t>(config.thesis_gather_rays), 0}};
    }

  private:
    /// Whether there is indirect lighting.
    [[nodiscard]] static bool is_lit(const PhotonConfig& config) { return config.max_depth > 1; }

    [[nodiscard]] ThesisLight light_of(const PhotonConfig& config, const PicturePart& part) const {
        // Caustics are sharp, and many photons form them: a smaller radius is enough.
        constexpr float kNarrower = 0.5f;
        return {maps_.caustic(),
                kNarrower * config.caustic_share() * maps_.largest_radius(),
                config.thesis_neighbors,
                static_cast<std::uint32_t>(config.max_depth),
                seeds_.view(),
                is_lit(config) && part.with_caustics(),
                is_lit(config) && part.with_indirect()};
    }

    /// Gathers the irradiance at the seeds of the frame's view.
    void gather(const FrameContext& context, const PhotonConfig& config, const PathJob& job) {
        Scratch& scratch = context.scratch;
        Scratch::Scope scope(scratch);
        const ShadingGrid grid(job.film.extent);
        auto points = scratch.take<ShadingPoint>(grid.n_slots());
        auto seeds = scratch.take<std::uint32_t>(static_cast<std::size_t>(config.thesis_seeds));
        {
            StageTimer::Scope stage(context.timer, "seeds", StageKind::trace);
            find_shading_points(scratch, job, grid, points);
            choose_seeds(scratch, grid, points, job.frame.sample, seeds);
        }
        {
            StageTimer::Scope stage(context.timer, "final gather", StageKind::trace);
            seeds_.gather(scratch, job.frame, maps_.radiance(), maps_.radiance_radius(),
                          {points, seeds}, static_cast<std::uint32_t>(config.thesis_gather_rays),
                          context.photon_share);
        }
        StageTimer::Scope stage(context.timer, "seed tree", StageKind::trace);
        seeds_.build_tree(scratch);
    }

    ThesisMaps maps_;
    IrradianceSeeds seeds_;
    CausticNeighbors neighbors_;
};

}  // namespace

std::unique_ptr<PhotonTechnique> make_thesis_photons() {
    return std::make_unique<ThesisPhotons>();
}

TL_DEVICE_END
