// The environment map: radiance of rays that leave the scene, and a light sampled in proportion to
// its radiance. First a row of texels is sampled, then a texel in it (Pharr, Jakob & Humphreys
// 2016, "Physically based rendering", 14.2.4). Directions are uniform in solid angle within a
// texel, so that the poles need no special case.
#pragma once

#include "renderer/optics/directions.h"
#include "renderer/scene/live/scene_view.h"

TL_DEVICE_BEGIN

/// Map coordinates of unit `direction`, both in [0, 1): u from left to right, v from the top down.
TL_HD inline vec2 environment_place(const EnvironmentData& map, vec3 direction) {
    constexpr float kBelowOne = 1 - 0x1p-24f;
    float u = 0.5f + atan2f(direction.x, -direction.z) / (2 * kPi) + map.turn;
    float v = acosf(minimum(maximum(direction.y, -1.0f), 1.0f)) / kPi;
    return {minimum(u - floorf(u), kBelowOne), minimum(v, kBelowOne)};
}

/// The map's radiance in `direction`, bilinear; the top and bottom rows extend to the poles.
TL_HD inline vec3 environment_radiance(const EnvironmentData& map, vec3 direction) {
    vec2 place = environment_place(map, direction);
    float x = place.x * static_cast<float>(map.width) - 0.5f;
    float y = place.y * static_cast<float>(map.height) - 0.5f;
    float x0 = floorf(x), y0 = floorf(y), wx = x - x0, wy = y - y0;
    int left = static_cast<int>(x0), above = static_cast<int>(y0);
    int right = left + 1 < map.width ? left + 1 : 0;
    int below = above + 1 < map.height ? above + 1 : above;
    if (left < 0) left = map.width - 1;
    if (above < 0) above = 0;
    const vec3* upper = map.texels + static_cast<std::size_t>(above) * map.width;
    const vec3* lower = map.texels + static_cast<std::size_t>(below) * map.width;
    return glm::mix(glm::mix(upper[left], upper[right], wx),
                    glm::mix(lower[left], lower[right], wx), wy);
}

/// Cosines of the angles from +y at which a row of texels starts and ends.
TL_HD inline vec2 environment_row_cosines(const EnvironmentData& map, int row) {
    float step = 1 / static_cast<float>(map.height);
    return {point_of_circle(step * static_cast<float>(row)).x,
            point_of_circle(step * static_cast<float>(row + 1)).x};
}

/// The sampling density of directions within a texel, 1/sr.
TL_HD inline float environment_texel_density(const EnvironmentData& map, int column, int row) {
    const float* columns = map.column_cdf + static_cast<std::size_t>(row) * (map.width + 1);
    float probability =
        (map.row_cdf[row + 1] - map.row_cdf[row]) * (columns[column + 1] - columns[column]);
    vec2 cosines = environment_row_cosines(map, row);
    return probability * static_cast<float>(map.width) / (2 * kPi * (cosines.x - cosines.y));
}

/// Density of sample_environment for unit `direction`, 1/sr.
TL_HD inline float environment_density(const EnvironmentData& map, vec3 direction) {
    vec2 place = environment_place(map, direction);
    int column = static_cast<int>(place.x * static_cast<float>(map.width));
    int row = static_cast<int>(place.y * static_cast<float>(map.height));
    return environment_texel_density(map, column, row);
}

/// Samples a CDF: returns the interval of cdf[0..n] that contains `r` in [0, 1), never an empty
/// one. `r` becomes its relative position in the interval.
TL_HD inline int sample_cdf(const float* cdf, int n, float& r) {
    int low = 0, high = n;  // cdf[low] <= r < cdf[high]
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (cdf[middle] <= r)
            low = middle;
        else
            high = middle;
    }
    r = (r - cdf[low]) / (cdf[low + 1] - cdf[low]);
    return low;
}

/// Samples a direction from two numbers in [0, 1), and returns its density, 1/sr.
TL_HD inline vec3 sample_environment(const EnvironmentData& map, float r1, float r2,
                                     float& density) {
    int row = sample_cdf(map.row_cdf, map.height, r2);
    const float* columns = map.column_cdf + static_cast<std::size_t>(row) * (map.width + 1);
    int column = sample_cdf(columns, map.width, r1);
    density = environment_texel_density(map, column, row);
    vec2 cosines = environment_row_cosines(map, row);
    float y = glm::mix(cosines.x, cosines.y, r2);
    float ring = sqrtf(maximum(1 - y * y, 0.0f));
    float u = (static_cast<float>(column) + r1) / static_cast<float>(map.width);
    vec2 on = ring * point_of_circle(2 * (u - 0.5f - map.turn));
    return {on.y, y, -on.x};
}

/// Whether the background has the same radiance in every direction.
TL_HD inline bool misses_look_alike(const SceneView& scene) {
    return !scene.environment;
}

/// Radiance, W/(sr m^2), of a ray along unit `direction` that hits nothing.
TL_HD inline vec3 background_radiance(const SceneView& scene, vec3 direction) {
    return scene.environment ? environment_radiance(*scene.environment, direction)
                             : scene.background;
}

TL_DEVICE_END
