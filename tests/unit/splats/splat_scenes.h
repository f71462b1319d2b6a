// Scenes of splats for tests.
#pragma once

#include <cmath>
#include <random>

#include "renderer/scene/scene.h"
#include "renderer/scene/splats/close_surface.h"

namespace tl::test {

inline vec3 random_direction(std::mt19937& engine) {
    std::uniform_real_distribution<float> unit(-1, 1);
    float z = unit(engine), angle = kPi * unit(engine), ring = std::sqrt(1 - z * z);
    return {ring * std::cos(angle), ring * std::sin(angle), z};
}

/// Random points of the sphere of radius 1 about the origin, as splats that cover it.
inline std::vector<Splat> splat_sphere(std::size_t n, std::int32_t material, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::vector<Splat> splats(n);
    for (auto& splat : splats) {
        splat.center = splat.normal = random_direction(engine);
        splat.material = material;
    }
    close_surface(splats);
    return splats;
}

/// Discs of all sizes and directions in a cube of side 2, which form no surface.
inline std::vector<Splat> loose_splats(std::size_t n, float largest, unsigned seed = 2) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> unit(0, 1);
    std::vector<Splat> splats(n);
    for (auto& splat : splats) {
        float x = unit(engine), y = unit(engine), z = unit(engine);
        splat.center = 2.0f * vec3(x, y, z) - 1.0f;
        splat.normal = random_direction(engine);
        splat.radius = largest * std::pow(0.1f, 2 * unit(engine));
    }
    return splats;
}

}  // namespace tl::test
