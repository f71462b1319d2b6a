// Settings of the renderer `radiosity`.
#pragma once

#include "accel/fmm/fmm_form.h"
#include "accel/parallel/settings.h"
#include "renderer/scene/live/scene_view.h"

namespace tl {

/// Algorithm that sums the light between points.
enum class RadiosityMode : int {
    direct,        ///< all pairs of points
    hierarchical,  ///< hierarchical radiosity: groups of points, each replaced by one point
    fmm,           ///< fast multipole method: groups of points, by expansions
};

/// Mapping of pairs of nodes to threads in the visibility search. All give the same links.
enum class LinkThreads : int {
    pairs,  ///< one thread per pair of nodes
    nodes,  ///< one thread per node
    teams,  ///< several threads per node
};

/// Visibility test between points.
enum class PointVisibility : int {
    rays,    ///< rays through the scene's tree
    points,  ///< discs of the points themselves as occluders
    none,    ///< no occlusion
};

/// Content of pictures.
enum class RadiosityView : int {
    picture,  ///< the scene, with light interpolated between the nearest points
    cells,    ///< the light of the nearest point alone at each position
    discs,    ///< as `cells`, but only within a disc of the point's area
};

/// Quantity of a point that the views `cells` and `discs` show.
enum class PointLight : int {
    radiosity,   ///< light that leaves the point
    irradiance,  ///< light that arrives, as if reflected by a white surface
};

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
    int max_depth = 12;
    bool smooth_terminator = true;
    TextureFilter texture_filter = TextureFilter::mip;

    [[nodiscard]] Settings settings();
};

}  // namespace tl
