// Smooths the noise of a film of few samples, for a preview. The filter is an edge-avoiding a-trous
// wavelet transform (Dammertz et al. 2010). Edges are found by depth and normal, and by an estimate
// of the noise from two halves of the samples (after Schied et al. 2017, "Spatiotemporal
// variance-guided filtering"). Radiance is divided by the reflectance before the filter and
// multiplied by it afterwards, which keeps textures sharp. Where the filter changes pixels by more
// than their noise, the change is biased and partly taken back (James & Stein 1961, "Estimation
// with quadratic loss"), so that the bias vanishes as the number of samples grows. Each channel of
// a pixel stays between the least and the greatest unfiltered value of the 5 x 5 pixels around it
// (kDenoiseRange).
#pragma once

#include <memory>

#include "core/base/settings.h"
#include "core/device/array.h"
#include "renderer/denoise/denoise_schedule.h"
#include "renderer/film/film_view.h"
#include "renderer/frame_context.h"

namespace tl {

struct GuideView;
struct SceneView;

struct DenoiseConfig {
    static constexpr int kMostPasses = 8;

    bool enabled = false;
    int passes = 5;
    float strength = 1;

    bool operator==(const DenoiseConfig&) const = default;
    /// Whether anything is smoothed.
    [[nodiscard]] bool smooths() const { return enabled && strength > 0; }
    [[nodiscard]] static const SettingsOf<DenoiseConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

/// Name of the denoiser's stage in a StageTimer.
inline constexpr const char* kDenoiseStage = "denoise";

/// The picture to smooth, and the scene for its guide samples.
struct DenoiseSource {
    const Frame& frame;        ///< the newest frame of the picture
    const Versions& versions;  ///< versions of scene and view
    const SceneView& scene;    ///< up to date
    FilmView film;
    DenoiseMoment moment;
};

class Denoiser {
  public:
    /// Maximum number of guide samples of a pixel: camera rays that find depth, normal and
    /// reflectance.
    static constexpr std::uint32_t kGuideSamples = 64;

    /// Whether to smooth the picture now, while samples are still added to it.
    [[nodiscard]] bool due(const DenoiseMoment& now, const DenoiseConfig& config);
    /// Whether smoothed() shows this picture under this configuration, with all of its samples and
    /// with kGuideSamples guide samples.
    [[nodiscard]] bool is_current(const DenoiseMoment& now, const DenoiseConfig& config) const;
    /// Whether smoothed() shows the picture of this number, with all or fewer of its samples.
    [[nodiscard]] bool shows(std::uint64_t picture) const { return schedule_.shows(picture); }
    /// Adds guide samples up to a total of `n_guides`, at most kGuideSamples, and smooths the
    /// picture. Never waits. Throws UserError when memory does not suffice, and Cancelled when
    /// work on the stream is cancelled. There is no smoothed picture then.
    void run(Scratch& scratch, const DenoiseSource& source, const DenoiseConfig& config,
             std::uint32_t n_guides);
    /// `film` with its sums of radiance replaced by the newest smoothed picture, as one sample per
    /// pixel. That picture is in memory of this object. `film` must be the film that was smoothed.
    [[nodiscard]] FilmView smoothed(const FilmView& film);
    /// Total duration, in seconds, of the runs on the device since clear(). A run that has not
    /// finished when the next one starts is not counted.
    [[nodiscard]] double seconds();
    /// Frees all memory and drops the smoothed picture and its guides.
    void clear();

  private:
    void add_guides(Stream& stream, const DenoiseSource& source, std::uint32_t n);
    void smooth(Scratch& scratch, const FilmView& film, const DenoiseConfig& config);
    [[nodiscard]] GuideView guides_view();
    void take_time();

    Extent guide_extent_;
    DeviceArray<vec4> normal_, depth_, reflected_, background_;  // of GuideView
    DeviceArray<vec4> smooth_;
    std::uint32_t n_guides_ = 0;
    std::uint64_t scene_version_ = 0, view_version_ = 0;
    DenoiseSchedule schedule_;
    DenoiseConfig config_;                // config of the smoothed picture
    std::unique_ptr<Event> begin_, end_;  // begin and end of the newest run
    double seconds_ = 0;
};

}  // namespace tl
