// Settings of paths from the camera: depth limits, Russian roulette, light sampling, splitting.
// Several renderers declare their setting of the maximum depth by path_depth_setting().
#pragma once

#include "core/base/settings.h"

namespace tl {

/// Sampling technique for direct lighting from lamps, emissive surfaces and the environment.
enum class DirectLighting : int {
    both,    ///< MIS of the other two, by the power heuristic
    lights,  ///< light sampling; BSDF sampling for light that it cannot sample
    /// BSDF sampling; light sampling for lights without extent (delta lights), which no ray hits.
    surfaces,
};
[[nodiscard]] constexpr auto names_of(DirectLighting) {
    return std::to_array<EnumName<DirectLighting>>({{DirectLighting::both, "both"},
                                                    {DirectLighting::lights, "lights"},
                                                    {DirectLighting::surfaces, "surfaces"}});
}

/// Limits of a path and techniques of its lighting.
struct PathLimits {
    static constexpr int kMaxDepth = 64;      ///< upper bound of max_depth and of other depths
    static constexpr int kDefaultDepth = 12;  ///< default of max_depth

    int max_depth = kDefaultDepth;     ///< maximum number of bounces of a path, 0 to kMaxDepth
    int max_bsdf_bounces = kMaxDepth;  ///< maximum number of bounces not at mirrors or smooth glass
    int roulette_from = 3;             ///< Russian roulette spares paths of at most this depth
    DirectLighting direct_lighting = DirectLighting::both;  ///< technique of direct lighting
    /// Maximum of the largest channel of each indirect contribution to a pixel, W/(sr m^2). A
    /// contribution is a light sample, or emission or background radiance along a ray. 0: no limit.
    float biased_clamp = 0;
    bool smooth_terminator = true;  ///< corrects the shadow terminator of facets (terminator.h)
};

/// Splitting of paths at smooth glass, for renderers that gather light (follow_path.h).
struct PathSplitting {
    /// Number of path slots of a pixel, each for one path at a time; at least 1. A path splits
    /// while it has more than one slot.
    int n_path_slots = 1;
    /// Throughput from which on paths survive Russian roulette; the default exempts no path.
    float roulette_below = 1e30f;
};

/// Returns the declaration of Config::max_depth as setting `max-depth`.
template <class Config>
[[nodiscard]] SettingEntry<Config> path_depth_setting() {
    return {
        "max-depth",
        &Config::max_depth,
        0,
        PathLimits::kMaxDepth,
        "bounces",
        "largest number of bounces between light and camera: 0 shows emission only, 1 adds direct "
        "light"};
}

}  // namespace tl
