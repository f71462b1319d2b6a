// Settings of the photon mapper.
#pragma once

#include "core/base/settings.h"
#include "renderer/path/path_limits.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Algorithm that renders the picture from photons.
enum class PhotonMode : int {
    /// Progressive photon mapping: one radius for all pixels, which shrinks from sample to sample.
    progressive,
    sppm,    ///< a radius for each pixel, which shrinks with the photons found there
    vcm,     ///< vertex connection and merging: photons and bidirectional paths, combined by MIS
    thesis,  ///< photon maps of one pass, final gather, irradiance interpolated between few seeds
};
[[nodiscard]] constexpr auto names_of(PhotonMode) {
    return std::to_array<EnumName<PhotonMode>>({{PhotonMode::progressive, "progressive"},
                                                {PhotonMode::sppm, "sppm"},
                                                {PhotonMode::vcm, "vcm"},
                                                {PhotonMode::thesis, "thesis"}});
}

/// Search for the nearest photons, in the thesis mode. The values after `histogram` name structures
/// (make_point_structure) that find caustic photons for many points at once; irradiance is then
/// estimated as by `nearest`.
enum class PhotonSearch : int {
    nearest,    ///< exact k nearest photons, in a list
    histogram,  ///< about k photons, by histograms of distances
    kd_tree,
    octree,
    windows,
    cells,
    hash,
};
[[nodiscard]] constexpr auto names_of(PhotonSearch) {
    return std::to_array<EnumName<PhotonSearch>>({{PhotonSearch::nearest, "nearest"},
                                                  {PhotonSearch::histogram, "histogram"},
                                                  {PhotonSearch::kd_tree, "kd-tree"},
                                                  {PhotonSearch::octree, "octree"},
                                                  {PhotonSearch::windows, "windows"},
                                                  {PhotonSearch::cells, "cells"},
                                                  {PhotonSearch::hash, "hash"}});
}
[[nodiscard]] inline bool is_of_structure(PhotonSearch search) {
    return search > PhotonSearch::histogram;
}

/// Content of the film.
enum class PhotonShow : int {
    picture,   ///< all of the light
    direct,    ///< directly visible surfaces, lit by direct lighting only
    specular,  ///< directly lit surfaces, seen through specular and narrow glossy bounces
    caustics,  ///< light scattered by specular surfaces alone before it reaches a diffuse one
    indirect,  ///< all other indirect lighting
    density,   ///< photons per m^2 at the gather points
    radius,    ///< search radius at the gather points, m
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

/// Whether it is a map of numbers, shown in false colours.
[[nodiscard]] inline bool is_map(PhotonShow show) {
    return show >= PhotonShow::density;
}

/// Techniques of the vcm mode besides path tracing.
enum class VcmTechniques : int {
    all,
    paths,          ///< none: the path tracer alone
    light_tracing,  ///< light sub-paths are connected to the camera
    connect,  ///< light and camera sub-paths are connected as well: bidirectional path tracing
    merge,    ///< light and camera sub-paths are merged: progressive photon mapping
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
    /// Default of caustic_radius where the photons' density does not choose it.
    static constexpr float kCausticShare = 0.5f;

    PhotonMode mode = PhotonMode::progressive;
    PhotonShow show = PhotonShow::picture;
    VcmTechniques vcm_techniques = VcmTechniques::all;
    int photons = 250'000;
    float radius = 0;
    float caustic_radius = 0;
    float alpha = 2.0f / 3;
    int max_depth = PathLimits::kDefaultDepth;
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
    /// Not a setting: photons end at the first diffuse or rough glossy scattering.
    bool caustics_only = false;

    [[nodiscard]] static const SettingsOf<PhotonConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
    /// caustic_radius for modes that do not choose it by photon density.
    [[nodiscard]] float caustic_share() const {
        return caustic_radius > 0 ? caustic_radius : kCausticShare;
    }
};

}  // namespace tl
