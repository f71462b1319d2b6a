// Clouds of Gaussians, as 3D Gaussian splatting fits them to photographs (Kerbl et al. 2023).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "accel/box.h"
#include "accel/gaussians/gaussians.h"

namespace tl {

/// A symmetric matrix, m^2.
struct GaussianCovariance {
    float xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

    /// Covariance of a Gaussian with these standard deviations along its axes (m, not negative),
    /// rotated by a quaternion (w, x, y, z; not zero). The smallest deviations are raised to a
    /// thousandth of the largest, so that the matrix has an inverse.
    [[nodiscard]] static GaussianCovariance of(vec3 deviations, const vec4& quaternion);
    /// Covariance of the Gaussian after a linear map.
    [[nodiscard]] GaussianCovariance mapped(const glm::mat3& map) const;
    /// The inverse. All zeros where there is none, as after a map to a plane.
    [[nodiscard]] GaussianShape shape() const;
};

/// Gaussians of one file. All lists are as long as `centers`, except `harmonics`.
struct GaussianSet {
    static constexpr int kMostDegree = 3;
    std::string name;
    std::vector<vec3> centers;
    std::vector<GaussianCovariance> covariances;
    std::vector<float> opacities;  ///< opacity at the centre, in (kFaintest, 1]
    int degree = 0;                ///< degree of the harmonics, 0 to kMostDegree
    /// See GaussiansView::harmonics.
    std::vector<std::uint16_t> harmonics;
    /// Fraction of their radiance due to direct lighting, which shadows of the scene's surfaces
    /// remove; in [0, 1].
    float shadowed = 0.5f;
    glm::mat3 to_own{1};  ///< turns directions into those that the harmonics are of

    [[nodiscard]] std::size_t size() const { return centers.size(); }
    /// Bounds of Gaussian `i`, out to the distance at which its opacity is kFaintest.
    [[nodiscard]] Box box(std::size_t i) const;
};

}  // namespace tl
