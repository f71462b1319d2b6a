// GLM is the vector type on both devices. nvcc needs <cuda.h> before it.
#pragma once

#if defined(__CUDACC__)
#include <cuda.h>
#define GLM_FORCE_CUDA
#endif
#include <cstdint>
#include <glm/glm.hpp>
#include <limits>

namespace tl {

using glm::mat4;
using glm::uvec2;
using glm::vec2;
using glm::vec3;
using glm::vec4;

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kPi = 3.14159265358979323846f;

/// Width and height of an image, pixels.
struct Extent {
    int width = 0;
    int height = 0;
    [[nodiscard]] constexpr int pixels() const { return width * height; }
    constexpr bool operator==(const Extent&) const = default;
};

}  // namespace tl
