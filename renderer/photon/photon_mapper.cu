// Photon mapper: indirect lighting is estimated from the density of nearby photons, by one of
// several techniques (photon_technique.h). Where the error is estimated or figures are shown
// instead of the picture, passes go through PassFigures.
//
// The way of a photon in the progressive technique, by files of this folder:
// - progressive_photons.cu chooses the radius of a pass and asks PhotonMaps for its photons;
// - photon_maps.cu traces them again where something has changed, and sorts them into
// photon_grid.cu;
// - trace/photon_emitter.cu prepares the pass, trace/trace_photons.cu emits, scatters and stores;
// - camera paths of renderer/path put their gather points into a queue (path_wavefront.cu,
//   shade_kernel.h), with which the wavefront calls PathGather::add();
// - gather/gather_photons.cu implements that by gather_kernels.h: the sum over the photons near
//   each point, which near_photons.h weights.
#include <cstdio>

#include "core/device/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/path/gaussians/gaussian_shadows.h"
#include "renderer/photon/gather/pass_figures.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/photon_points.h"
#include "renderer/photon/photon_technique.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

/// Paths per pixel in scenes with glass. With two of them the error of a glass ball's pixels is
/// thirteen times as large; with eight it is the same.
constexpr int kPathSlots = 4;
/// Throughput below which Russian roulette applies, with several paths per pixel: half of a single
/// reflection at glass.
constexpr float kRouletteBelow = 0.02f;

std::unique_ptr<PhotonTechnique> make_technique(PhotonMode mode) {
    switch (mode) {
        case PhotonMode::progressive:
            return make_progressive_photons();
        case PhotonMode::sppm:
            return make_sppm_photons();
        case PhotonMode::thesis:
            return make_thesis_photons();
        case PhotonMode::vcm:
            return make_vcm();
    }
    return nullptr;
}

class PhotonMapper final : public Renderer, public FalseColor {
  public:
    bool compares_pixels() const override {
        return config_.contrast_samples > 0 || is_map(config_.show);  // maps have one scale
    }

    void render(const FrameContext& context) override {
        require_shown();
        gaussian_shadows_.update(context);
        PathJob job = job_of(context);
        Convergence* convergence = context.film.convergence();
        measured_ = config_.estimate_error || convergence || is_map(config_.show);
        if (!measured_) {
            technique().measure({});
            return technique().render(context, config_, job);
        }
        auto& stream = context.stream();
        FilmView film = job.film;
        job.film =
            figures_.begin(stream, film, context.frame.sample, job.frame.splitting.n_path_slots);
        technique().measure(figures_.places());
        technique().render(context, config_, job);
        if (context.cancelled()) return;
        bool is_picture = !is_map(config_.show);
        {
            StageTimer::Scope stage(context.timer, "estimate error");
            figures_.end(context.scratch, is_picture ? &film : nullptr,
                         convergence ? convergence->bias(stream) : View<vec3>{});
        }
        if (is_picture) return;
        StageTimer::Scope stage(context.timer, "false colors");
        figures_.show(context.scratch, config_, leader_, film);
    }

    Settings settings() override { return config_.settings(); }

    std::vector<FrameCount> counts(Stream& stream) override {
        return technique().counts(stream, config_);
    }

    std::vector<PictureFigure> figures(Stream& stream) override {
        auto all = technique().figures(stream, config_);
        if (!measured_) return all;
        PictureError error = figures_.error(stream);
        all.push_back({"relative error", double(error.relative())});
        all.push_back({"fraction of bias in it", double(error.share_of_bias())});
        return all;
    }

    PointSource* points() override {
        const PhotonMaps* maps = technique().maps();
        if (!maps) return nullptr;
        points_.show(*maps);
        return &points_;
    }

    FalseColor* false_color() override { return is_map(config_.show) ? this : nullptr; }

    FalseColorScale scale(Stream& stream) override {
        std::string title = config_.show == PhotonShow::density  ? "photons per m^2"
                            : config_.show == PhotonShow::radius ? "radius, m"
                                                                 : "estimated relative error";
        if (config_.show == PhotonShow::error) title += text_of(figures_.error(stream));
        return figures_.scale(stream, title);
    }

    float value(Stream& stream, int x, int y) override {
        return PassFigures::value(config_.show, figures_.pixel(stream, x, y),
                                  figures_.error(stream),
                                  static_cast<float>(figures_.extent().pixels()));
    }

    void share_scale(const FalseColor* other) override {
        auto* mapper = dynamic_cast<const PhotonMapper*>(other);
        leader_ = mapper && mapper->config_.show == config_.show ? &mapper->figures_ : nullptr;
    }

  private:
    /// Technique of the configured mode. Kept from frame to frame, and made again where the mode
    /// changes.
    [[nodiscard]] PhotonTechnique& technique() {
        if (!technique_ || made_for_ != config_.mode) technique_ = make_technique(config_.mode);
        made_for_ = config_.mode;
        return *technique_;
    }
    /// Throws UserError if the mode cannot show the configured content.
    void require_shown() {
        if (technique().shows(config_.show)) return;
        auto settings = config_.settings();
        throw UserError("photon: mode " + find_setting(settings, "mode", "photon").text() +
                        " cannot show " + find_setting(settings, "show", "photon").text() +
                        ": take mode progressive or sppm, or show the picture");
    }
    [[nodiscard]] PathJob job_of(const FrameContext& context) const {
        const SceneView& scene = context.scene.view();
        PathLimits limits;
        limits.max_depth = config_.max_depth;
        limits.smooth_terminator = config_.smooth_terminator;
        PathSplitting splitting;
        if (scene.has_glass &&
            (config_.mode == PhotonMode::progressive || config_.mode == PhotonMode::sppm))
            splitting = {kPathSlots, kRouletteBelow};
        return path_job(context.frame, scene, config_.texture_filter, limits, context.film.view(),
                        splitting);
    }

    /// Text such as "; of the picture 2.1 %, 40 % of it bias".
    [[nodiscard]] static std::string text_of(const PictureError& error) {
        char text[80];
        std::snprintf(text, sizeof text, "; of the picture %.2g %%, %.0f %% of it bias",
                      100 * double(error.relative()), 100 * double(error.share_of_bias()));
        return text;
    }

    PhotonConfig config_;
    GaussianShadows gaussian_shadows_;
    std::unique_ptr<PhotonTechnique> technique_;
    PhotonMode made_for_{};
    PassFigures figures_;
    bool measured_ = false;                // whether figures_ are of the newest frame
    const PassFigures* leader_ = nullptr;  // source of the colour scale, where it is shared
    PhotonPoints points_;
};

}  // namespace

std::unique_ptr<Renderer> make_photon_renderer() {
    return std::make_unique<PhotonMapper>();
}

TL_DEVICE_END
