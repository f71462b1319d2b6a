// The settings of the renderer `radiosity`.
#pragma once

#include "accel/fmm/fmm_form.h"
#include "accel/parallel/settings.h"
#include "renderer/paths/path_limits.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// How the light that points send to each other is added up.
enum class RadiosityMode : int {
    direct,        ///< for all pairs of points
    hierarchical,  ///< between groups of points, as if each were one point
    fmm,           ///< between groups of points, by expansions
};
[[nodiscard]] constexpr auto names_of(RadiosityMode) {
    return std::to_array<EnumName<RadiosityMode>>({{RadiosityMode::direct, "direct"},
                                                   {RadiosityMode::hierarchical, "hierarchical"},
                                                   {RadiosityMode::fmm, "fmm"}});
}

/// How pairs of nodes are given to threads when it is found out which see each other; all ways give
/// the same links.
enum class LinkThreads : int {
    pairs,  ///< one for each pair of nodes
    nodes,  ///< one for each node
    teams,  ///< several for each node
};
[[nodiscard]] constexpr auto names_of(LinkThreads) {
    return std::to_array<EnumName<LinkThreads>>({{LinkThreads::pairs, "pairs"},
                                                 {LinkThreads::nodes, "nodes"},
                                                 {LinkThreads::teams, "teams"}});
}

/// How it is found out which points see each other.
enum class PointVisibility : int {
    rays,    ///< by rays through the scene's tree
    points,  ///< by the discs of the points themselves
    none,    ///< nothing is in the way
};
[[nodiscard]] constexpr auto names_of(PointVisibility) {
    return std::to_array<EnumName<PointVisibility>>({{PointVisibility::rays, "rays"},
                                                     {PointVisibility::points, "points"},
                                                     {PointVisibility::none, "none"}});
}

/// What pictures show.
enum class RadiosityView : int {
    picture,  ///< the scene, with light between points looked up between the nearest ones
    cells,    ///< on each surface the light of the nearest point alone
    discs,    ///< the same within the disc of the point's area
};
[[nodiscard]] constexpr auto names_of(RadiosityView) {
    return std::to_array<EnumName<RadiosityView>>({{RadiosityView::picture, "picture"},
                                                   {RadiosityView::cells, "cells"},
                                                   {RadiosityView::discs, "discs"}});
}

/// Which light of a point is shown by itself.
enum class PointLight : int {
    radiosity,   ///< what leaves it
    irradiance,  ///< what arrives there, as a white surface would send it on
};
[[nodiscard]] constexpr auto names_of(PointLight) {
    return std::to_array<EnumName<PointLight>>(
        {{PointLight::radiosity, "radiosity"}, {PointLight::irradiance, "irradiance"}});
}

struct RadiosityConfig {
    static constexpr int kMostPoints = 1 << 24;

    int points = 8000;
    RadiosityMode mode = RadiosityMode::fmm;
    FmmExpansion expansions = FmmExpansion::interpolation;
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
    int max_depth = PathLimits::kUsualDepth;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] static const SettingsOf<RadiosityConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
