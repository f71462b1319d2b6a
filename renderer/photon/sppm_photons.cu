// Stochastic progressive photon mapping (Hachisuka & Jensen 2009): each pixel has its own search
// radius, which shrinks with the photons found. The photon sum over all passes, reduced to the part
// within the newest radius, equals the sum of the passes' own estimates. So the film accumulates
// these like any other samples.
#include "core/device/fitting_array.h"
#include "core/device/parallel_for.h"
#include "core/device/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/photon/gather/gather_by_pixel.h"
#include "renderer/photon/gather/photon_radius.h"
#include "renderer/photon/photon_maps.h"
#include "renderer/photon/photon_technique.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

/// Largest ratio of a pixel's radius to that of a pixel that finds as many photons in each pass. A
/// pixel that finds no photons keeps its radius; without this bound its searches would visit more
/// and more cells of the grid.
constexpr float kWidest = 4;

struct PixelRadii {
    View<float> radii;
    View<float> n_kept;  ///< photons kept by the radius reductions so far
    View<std::uint32_t> n_found;
};

/// Starts the pixels of the film, or of the part of it that is rendered.
void start_pixels(Stream& stream, const FilmView& film, float radius, const PixelRadii& pixels) {
    auto given = pixels;
    FilmView of_part = film;
    parallel_for(
        stream, "start pixels", static_cast<std::uint32_t>(pixels.radii.size),
        TL_LAMBDA(std::uint32_t i) {
            if (of_part.is_done(i)) return;
            given.radii[i] = radius;
            given.n_kept[i] = 0;
            given.n_found[i] = 0;
        });
}

/// Shrinks each pixel's radius by the photons found. `widest`: upper bound for the next pass.
void shrink_radii(Stream& stream, float alpha, float widest, const PixelRadii& pixels) {
    auto given = pixels;
    parallel_for(
        stream, "shrink radii", static_cast<std::uint32_t>(pixels.radii.size),
        TL_LAMBDA(std::uint32_t i) {
            float kept = given.n_kept[i], radius = given.radii[i];
            auto found = static_cast<float>(given.n_found[i]);
            if (found > 0) {
                radius *= sqrtf((kept + alpha * found) / (kept + found));
                given.n_kept[i] = kept + alpha * found;
                given.n_found[i] = 0;
            }
            given.radii[i] = minimum(radius, widest);
        });
}

class SppmPhotons final : public PhotonTechnique {
  public:
    void render(const FrameContext& context, const PhotonConfig& config,
                const PathJob& job) override {
        auto& stream = context.stream();
        const Box bounds = context.scene.bounds_at_rest();
        std::uint32_t sample = context.frame.sample;
        float radius = radius_of_pass(config, bounds, sample);
        auto n_pixels = static_cast<std::size_t>(job.film.extent.pixels());
        if (radii_.size() != n_pixels) {
            resize_fitting(radii_, stream, n_pixels);
            resize_fitting(n_kept_, stream, n_pixels);
            resize_fitting(n_found_, stream, n_pixels);
            FilmView all = job.film;
            all.done = nullptr;
            start_pixels(stream, all, radius, pixels());
        }
        if (sample == 0) start_pixels(stream, job.film, radius, pixels());
        auto places = PictureGatherPoints::of(context, config.cull, job, radii_.view());
        maps_.update(context, job.frame.scene, config, radius, 0, places ? &*places : nullptr);
        if (context.cancelled()) return;
        StageTimer::Scope stage(context.timer, "trace and gather", StageKind::trace);
        Scratch::Scope scope(context.scratch);
        const PicturePart part(context.scratch, config.show, job.n_sums());
        const GatherByPixel gather(job.frame, maps_.near(config, part), part,
                                   {radii_.view(), n_found_.view(), figures_});
        trace_paths_in_waves(context.scratch, part.of(job), &gather);
        shrink_radii(stream, config.alpha, kWidest * radius_of_pass(config, bounds, sample + 1),
                     pixels());
    }

    std::vector<FrameCount> counts(Stream& stream, const PhotonConfig& config) override {
        return maps_.counts(stream, config);
    }
    const PhotonMaps* maps() const override { return &maps_; }

  private:
    [[nodiscard]] PixelRadii pixels() { return {radii_.view(), n_kept_.view(), n_found_.view()}; }

    PhotonMaps maps_;
    DeviceArray<float> radii_, n_kept_;
    DeviceArray<std::uint32_t> n_found_;
};

}  // namespace

std::unique_ptr<PhotonTechnique> make_sppm_photons() {
    return std::make_unique<SppmPhotons>();
}

TL_DEVICE_END
