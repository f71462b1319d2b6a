// GLM provides the vector types on both devices; kernels need only some of its headers, which every
// CUDA file compiles three times. nvcc needs <cuda.h> before them.
#pragma once

#if defined(__CUDACC__)
#include <cuda.h>
#define GLM_FORCE_CUDA
#endif
#include <cstdint>
#include <cstring>
#include <glm/common.hpp>
#include <glm/exponential.hpp>
#include <glm/geometric.hpp>
#include <glm/mat3x3.hpp>
#include <glm/mat4x4.hpp>
#include <glm/trigonometric.hpp>
#include <glm/vec2.hpp>
#include <glm/vec3.hpp>
#include <glm/vec4.hpp>
#include <glm/vector_relational.hpp>
#include <limits>

#include "core/base/macros.h"

namespace tl {

using glm::mat4;
using glm::uvec2;
using glm::vec2;
using glm::vec3;
using glm::vec4;

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kPi = 3.14159265358979323846f;

/// Minimum and maximum in one instruction on both devices (the host's fminf is a library call
/// because of NaN). If either argument is NaN, the host returns `b`, CUDA the other number.
TL_HD inline float minimum(float a, float b) {
#if defined(__CUDA_ARCH__)
    return fminf(a, b);
#else
    return a < b ? a : b;
#endif
}
TL_HD inline float maximum(float a, float b) {
#if defined(__CUDA_ARCH__)
    return fmaxf(a, b);
#else
    return a > b ? a : b;
#endif
}
/// A float's bits, which have its order if it is not negative.
TL_HD inline std::uint32_t bits_of_float(float value) {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
TL_HD inline float float_of_bits(std::uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
TL_HD inline float largest(vec3 v) {
    return maximum(v.x, maximum(v.y, v.z));
}

/// Width and height of an image in pixels.
struct Extent {
    int width = 0;
    int height = 0;
    [[nodiscard]] constexpr int pixels() const { return width * height; }
    constexpr bool operator==(const Extent&) const = default;
};

}  // namespace tl
