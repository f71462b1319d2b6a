// The settings of the photon mapper.
#pragma once

#include "accel/parallel/settings.h"
#include "renderer/paths/path_limits.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// How photons become a picture.
enum class PhotonMode : int {
    progressive,  ///< one radius for all, smaller from sample to sample
    sppm,         ///< a radius for each pixel, smaller with the photons that it finds
    vcm,          ///< photons and paths from both ends, each weighed by how good it is
    thesis,       ///< maps of one pass, final gather, irradiance interpolated between few places
};
[[nodiscard]] constexpr auto names_of(PhotonMode) {
    return std::to_array<EnumName<PhotonMode>>({{PhotonMode::progressive, "progressive"},
                                                {PhotonMode::sppm, "sppm"},
                                                {PhotonMode::vcm, "vcm"},
                                                {PhotonMode::thesis, "thesis"}});
}

/// How the nearest photons are found, in the thesis' mode.
enum class PhotonSearch : int {
    nearest,    ///< exactly, in a list
    histogram,  ///< by histograms of distances, about as many
};
[[nodiscard]] constexpr auto names_of(PhotonSearch) {
    return std::to_array<EnumName<PhotonSearch>>(
        {{PhotonSearch::nearest, "nearest"}, {PhotonSearch::histogram, "histogram"}});
}

/// What the film shows.
enum class PhotonShow : int {
    picture,   ///< all of the light
    direct,    ///< what the camera sees without mirrors and glass, by light straight from sources
    specular,  ///< the same by way of mirrors, glass and narrow lobes
    caustics,  ///< light that mirrors and glass alone have turned before it is scattered
    indirect,  ///< other light that has been scattered before
    density,   ///< photons per m^2 where pixels gather
    radius,    ///< within which photons count there
    error,     ///< the picture's estimated relative error
};
[[nodiscard]] constexpr auto names_of(PhotonShow) {
    return std::to_array<EnumName<PhotonShow>>({{PhotonShow::picture, "picture"},
                                                {PhotonShow::direct, "direct"},
                                                {PhotonShow::specular, "specular"},
                                                {PhotonShow::caustics, "caustics"},
                                                {PhotonShow::indirect, "indirect"},
                                                {PhotonShow::density, "density"},
                                                {PhotonShow::radius, "radius"},
                                                {PhotonShow::error, "error"}});
}

/// Whether it is a map of numbers, in false colours.
[[nodiscard]] inline bool is_map(PhotonShow show) {
    return show >= PhotonShow::density;
}

/// What the mode vcm does besides following paths from the camera to the lights.
enum class VcmTechniques : int {
    all,
    paths,          ///< nothing: the path tracer
    light_tracing,  ///< light sub-paths are connected to the camera
    connect,        ///< and to the camera's: bidirectional path tracing
    merge,          ///< light and camera sub-paths are merged: progressive photon mapping
};
[[nodiscard]] constexpr auto names_of(VcmTechniques) {
    return std::to_array<EnumName<VcmTechniques>>({{VcmTechniques::all, "all"},
                                                   {VcmTechniques::paths, "paths"},
                                                   {VcmTechniques::light_tracing, "light-tracing"},
                                                   {VcmTechniques::connect, "connect"},
                                                   {VcmTechniques::merge, "merge"}});
}

struct PhotonConfig {
    static constexpr int kMostPhotons = 1 << 24;
    /// Of caustic_radius, where nothing tells a better one.
    static constexpr float kCausticShare = 0.5f;

    PhotonMode mode = PhotonMode::progressive;
    PhotonShow show = PhotonShow::picture;
    VcmTechniques vcm_techniques = VcmTechniques::all;
    int photons = 250'000;
    float radius = 0;
    float caustic_radius = 0;
    float alpha = 2.0f / 3;
    int max_depth = PathLimits::kUsualDepth;
    bool guide = true;
    bool cull = false;
    bool footprints = true;
    bool edges = false;
    int contrast_samples = 0;
    int thesis_seeds = 2048;
    int thesis_gather_rays = 256;
    int thesis_neighbors = 50;
    PhotonSearch thesis_search = PhotonSearch::nearest;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;
    float show_top = 0;
    bool estimate_error = false;
    /// No setting: photons end where a surface first scatters them broadly.
    bool caustics_only = false;

    [[nodiscard]] static const SettingsOf<PhotonConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
    /// caustic_radius for modes that do not choose it by the photons.
    [[nodiscard]] float caustic_share() const {
        return caustic_radius > 0 ? caustic_radius : kCausticShare;
    }
};

}  // namespace tl
