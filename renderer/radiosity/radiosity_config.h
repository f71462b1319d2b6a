// Settings of the renderer `radiosity`.
#pragma once

#include "accel/fmm/fmm_expansion.h"
#include "accel/octree/octree.h"
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

/// Order in which the visibility of pairs of nodes is found.
enum class LinkSearch : int {
    top_down,    ///< rays between nodes, then between children of those that see each other in part
    leaf_table,  ///< rays between all pairs of leaves, whose results nodes query
};
[[nodiscard]] constexpr auto names_of(LinkSearch) {
    return std::to_array<EnumName<LinkSearch>>(
        {{LinkSearch::top_down, "top-down"}, {LinkSearch::leaf_table, "leaf-table"}});
}
/// Most leaves of LinkSearch::leaf_table, whose table has 8 bytes for each pair.
inline constexpr std::uint32_t kMostTableLeaves = 8192;

/// Mapping of pairs of nodes to threads in the visibility search. All give the same links.
enum class LinkThreads : int {
    pairs,       ///< one thread per pair of nodes
    pair_teams,  ///< several threads per pair of nodes, which share its rays
    nodes,       ///< one thread per node
    teams,       ///< several threads per node
};
[[nodiscard]] constexpr auto names_of(LinkThreads) {
    return std::to_array<EnumName<LinkThreads>>({{LinkThreads::pairs, "pairs"},
                                                 {LinkThreads::pair_teams, "pair-teams"},
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
    radiosity,     ///< light that leaves the point
    irradiance,    ///< light that arrives, as if reflected by a white surface
    seen,          ///< visibility from a chosen point, as the transport takes it
    seen_exactly,  ///< visibility from a chosen point, tested for each pair of points
};
[[nodiscard]] constexpr auto names_of(PointLight) {
    return std::to_array<EnumName<PointLight>>({{PointLight::radiosity, "radiosity"},
                                                {PointLight::irradiance, "irradiance"},
                                                {PointLight::seen, "seen"},
                                                {PointLight::seen_exactly, "seen-exactly"}});
}
/// Whether points are shown by their visibility from a chosen point.
[[nodiscard]] constexpr bool is_seen(PointLight light) {
    return light == PointLight::seen || light == PointLight::seen_exactly;
}

/// Builder of the octree over the points. All make the same tree; the names are ids of
/// octree_builders().
enum class PointOctree : int { modern, direct, bottom_up, top_down };
[[nodiscard]] constexpr auto names_of(PointOctree) {
    return std::to_array<EnumName<PointOctree>>({{PointOctree::modern, "modern"},
                                                 {PointOctree::direct, "direct"},
                                                 {PointOctree::bottom_up, "bottom-up"},
                                                 {PointOctree::top_down, "top-down"}});
}

/// Settings of the octree over the points.
struct PointOctreeConfig {
    PointOctree builder = PointOctree::modern;
    int leaf_size = 16;                  ///< maximum points of a leaf above the last level
    int levels = OctreeHeader::kLevels;  ///< maximum number of levels below the root

    bool operator==(const PointOctreeConfig&) const = default;
};

struct RadiosityConfig {
    static constexpr int kMostPoints = 1 << 24;
    /// Largest coordinate of a chosen point, m.
    static constexpr float kFarthest = 1e9f;

    int points = 8000;
    RadiosityMode mode = RadiosityMode::fmm;
    FmmBasis expansions = FmmBasis::interpolation;
    float error = 0.01f;
    PointVisibility visibility = PointVisibility::rays;
    LinkSearch link_search = LinkSearch::top_down;
    LinkThreads link_threads = LinkThreads::pair_teams;
    int link_rays = 16;
    bool link_memory = true;
    int check_points = 0;
    int bounces = 8;
    int caustic_photons = 50'000;
    int light_samples = 64;
    RadiosityView view = RadiosityView::picture;
    PointLight point_light = PointLight::radiosity;
    float seen_from_x = 0, seen_from_y = 0, seen_from_z = 0;  ///< see seen_from()
    PointOctreeConfig octree;
    int max_depth = PathLimits::kDefaultDepth;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] static const SettingsOf<RadiosityConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }

    bool operator==(const RadiosityConfig&) const = default;

    /// Position whose nearest point is the chosen one, in the scene's coordinates, m.
    [[nodiscard]] vec3 seen_from() const { return {seen_from_x, seen_from_y, seen_from_z}; }
    /// The same settings, with defaults for those that only choose what is shown of the points.
    [[nodiscard]] RadiosityConfig of_light() const {
        RadiosityConfig all = *this;
        all.view = {};
        all.point_light = {};
        all.seen_from_x = all.seen_from_y = all.seen_from_z = 0;
        return all;
    }
};

}  // namespace tl
