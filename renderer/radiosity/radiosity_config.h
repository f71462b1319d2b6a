// Settings of the renderer `radiosity`.
#pragma once

#include "accel/fmm/fmm_expansion.h"
#include "core/base/settings.h"
#include "renderer/path/path_limits.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Algorithm that sums the light between points.
enum class RadiosityMode : int {
    direct,        ///< all pairs of points
    hierarchical,  ///< hierarchical radiosity: groups of points, each replaced by one point
    fmm,           ///< fast multipole method: groups of points, by expansions
};
[[nodiscard]] constexpr auto names_of(RadiosityMode) {
    return std::to_array<EnumName<RadiosityMode>>({{RadiosityMode::direct, "direct"},
                                                   {RadiosityMode::hierarchical, "hierarchical"},
                                                   {RadiosityMode::fmm, "fmm"}});
}

/// Mapping of pairs of nodes to threads in the visibility search. All give the same links.
enum class LinkThreads : int {
    pairs,  ///< one thread per pair of nodes
    nodes,  ///< one thread per node
    teams,  ///< several threads per node
};
[[nodiscard]] constexpr auto names_of(LinkThreads) {
    return std::to_array<EnumName<LinkThreads>>({{LinkThreads::pairs, "pairs"},
                                                 {LinkThreads::nodes, "nodes"},
                                                 {LinkThreads::teams, "teams"}});
}

/// Visibility test between points.
enum class PointVisibility : int {
    rays,    ///< rays through the scene's tree
    points,  ///< discs of the points themselves as occluders
    none,    ///< no occlusion
};
[[nodiscard]] constexpr auto names_of(PointVisibility) {
    return std::to_array<EnumName<PointVisibility>>({{PointVisibility::rays, "rays"},
                                                     {PointVisibility::points, "points"},
                                                     {PointVisibility::none, "none"}});
}

/// Content of pictures.
enum class RadiosityView : int {
    picture,  ///< the scene, with light interpolated between the nearest points
    cells,    ///< the light of the nearest point alone at each position
    discs,    ///< as `cells`, but only within a disc of the point's area
};
[[nodiscard]] constexpr auto names_of(RadiosityView) {
    return std::to_array<EnumName<RadiosityView>>({{RadiosityView::picture, "picture"},
                                                   {RadiosityView::cells, "cells"},
                                                   {RadiosityView::discs, "discs"}});
}

/// Quantity of a point that the views `cells` and `discs` show.
enum class PointLight : int {
    radiosity,   ///< light that leaves the point
    irradiance,  ///< light that arrives, as if reflected by a white surface
};
[[nodiscard]] constexpr auto names_of(PointLight) {
    return std::to_array<EnumName<PointLight>>(
        {{PointLight::radiosity, "radiosity"}, {PointLight::irradiance, "irradiance"}});
}

struct RadiosityConfig {
    static constexpr int kMostPoints = 1 << 24;

    int points = 8000;
    RadiosityMode mode = RadiosityMode::fmm;
    FmmBasis expansions = FmmBasis::interpolation;
    float error = 0.01f;
    PointVisibility visibility = PointVisibility::rays;
    LinkThreads link_threads = LinkThreads::pairs;
    int link_rays = 16;
    bool link_memory = true;
    int check_points = 0;
    int bounces = 8;
    int caustic_photons = 50'000;
    int light_samples = 64;
    RadiosityView view = RadiosityView::picture;
    PointLight point_light = PointLight::radiosity;
    int max_depth = PathLimits::kDefaultDepth;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] static const SettingsOf<RadiosityConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
