// Radiance and transmittance of 3D Gaussians along a ray, blended front to back.
#pragma once

#include "accel/bvh/traversal/nearest_gaussians.h"
#include "renderer/images/srgb.h"

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#else
#include <glm/gtc/packing.hpp>
#endif

TL_DEVICE_BEGIN

TL_D inline float float_of_half(std::uint16_t half) {
#if defined(__CUDACC__)
    return __half2float(__ushort_as_half(half));
#else
    return glm::unpackHalf1x16(half);
#endif
}

/// Real spherical harmonics of degrees 0 to 3 in a unit direction, in the order and with the signs
/// of 3D Gaussian splatting.
struct Harmonics {
    float value[16];

    TL_D Harmonics(vec3 d, std::uint32_t degree) {
        value[0] = 0.28209479f;
        if (degree < 1) return;
        value[1] = -0.48860251f * d.y;
        value[2] = 0.48860251f * d.z;
        value[3] = -0.48860251f * d.x;
        if (degree < 2) return;
        float xx = d.x * d.x, yy = d.y * d.y, zz = d.z * d.z;
        value[4] = 1.0925484f * d.x * d.y;
        value[5] = -1.0925484f * d.y * d.z;
        value[6] = 0.31539157f * (2 * zz - xx - yy);
        value[7] = -1.0925484f * d.x * d.z;
        value[8] = 0.54627422f * (xx - yy);
        if (degree < 3) return;
        value[9] = -0.59004359f * d.y * (3 * xx - yy);
        value[10] = 2.8906114f * d.x * d.y * d.z;
        value[11] = -0.45704580f * d.y * (4 * zz - xx - yy);
        value[12] = 0.37317633f * d.z * (2 * zz - 3 * xx - 3 * yy);
        value[13] = -0.45704580f * d.x * (4 * zz - xx - yy);
        value[14] = 1.4453057f * d.z * (xx - yy);
        value[15] = -0.59004359f * d.x * (xx - 3 * yy);
    }
};

/// Radiance of a Gaussian along the direction of a ray that hits it. The harmonics give sRGB
/// colours, which are converted to linear ones.
TL_D inline vec3 gaussian_color(const GaussiansView& gaussians, std::uint32_t number,
                                vec3 direction) {
    const GaussianSetData* set = gaussians.sets;
    for (std::uint32_t k = 1; k < gaussians.n_sets && gaussians.sets[k].first <= number; ++k)
        set = &gaussians.sets[k];
    vec3 own = glm::normalize(vec3(fused_dot(set->to_own[0], direction),
                                   fused_dot(set->to_own[1], direction),
                                   fused_dot(set->to_own[2], direction)));
    const Harmonics harmonics(own, set->degree);
    std::uint32_t n = (set->degree + 1) * (set->degree + 1);
    const std::uint16_t* at =
        gaussians.harmonics + set->first_coefficient + std::uint64_t(number - set->first) * 3 * n;
    vec3 color;
    for (int c = 0; c < 3; ++c) {
        float shown = 0.5f;
        for (std::uint32_t k = 0; k < n; ++k)
            shown = fmaf(harmonics.value[k],
                         float_of_half(at[static_cast<std::uint32_t>(c) * n + k]), shown);
        color[c] = linear_from_srgb(maximum(shown, 0.0f));
    }
    return color * (1 - set->shadowed * (1 - gaussians.lit[number]));
}

/// Radiance and transmittance of the Gaussians along a ray segment.
struct GaussianLight {
    vec3 radiance{0};
    float left = 1;  ///< transmittance
};

/// Transmittance below which the background counts as hidden: it is set to 0.
inline constexpr float kHidden = 1e-3f;

/// Blends the Gaussians between t_min and t_max of the ray, front to back.
TL_D inline GaussianLight gaussian_light(const GaussiansView& gaussians, const Ray& ray) {
    GaussianLight light;
    for_each_gaussian(gaussians, ray, [&](std::uint32_t number, float opacity) {
        opacity = minimum(opacity, kMostOpaque);
        light.radiance += light.left * opacity * gaussian_color(gaussians, number, ray.direction);
        light.left *= 1 - opacity;
        if (light.left < kHidden) light.left = 0;
        return light.left > 0;
    });
    return light;
}

/// Transmittance of the Gaussians between t_min and t_max of the ray.
TL_D inline float light_past_gaussians(const GaussiansView& gaussians, const Ray& ray) {
    float left = 1;
    for_each_gaussian(gaussians, ray, [&](std::uint32_t, float opacity) {
        left *= 1 - minimum(opacity, kMostOpaque);
        if (left < kHidden) left = 0;
        return left > 0;
    });
    return left;
}

TL_DEVICE_END
