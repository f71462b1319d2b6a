#include "renderer/scene/gaussians.h"

#include <algorithm>
#include <cmath>

namespace tl {
namespace {

GaussianCovariance covariance_from(const glm::dmat3& m) {
    return {float(m[0][0]), float(m[1][0]), float(m[2][0]),
            float(m[1][1]), float(m[2][1]), float(m[2][2])};
}

glm::dmat3 matrix_of(const GaussianCovariance& c) {
    return {c.xx, c.xy, c.xz, c.xy, c.yy, c.yz, c.xz, c.yz, c.zz};
}

}  // namespace

GaussianCovariance GaussianCovariance::of(vec3 deviations, const vec4& quaternion) {
    constexpr double kThinnest = 1e-3;
    glm::dvec4 q = glm::normalize(glm::dvec4(quaternion));
    double w = q[0], x = q[1], y = q[2], z = q[3];
    // Column-major.
    glm::dmat3 turn(1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y),
                    2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
                    2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y));
    double largest = double(std::max({deviations.x, deviations.y, deviations.z}));
    for (int axis = 0; axis < 3; ++axis)
        turn[axis] *= std::max(double(deviations[axis]), kThinnest * largest);
    return covariance_from(turn * glm::transpose(turn));
}

GaussianCovariance GaussianCovariance::mapped(const glm::mat3& map) const {
    glm::dmat3 m(map);
    return covariance_from(m * matrix_of(*this) * glm::transpose(m));
}

GaussianShape GaussianCovariance::shape() const {
    glm::dmat3 m = matrix_of(*this);
    if (!(glm::determinant(m) > 0)) return {};
    auto [a, b, c, d, e, f] = covariance_from(glm::inverse(m));
    return {a, b, c, d, e, f};
}

Box GaussianSet::box(std::size_t i) const {
    const auto& c = covariances[i];
    float reach = std::sqrt(2 * std::log(std::max(opacities[i] / kFaintest, 1.0f)));
    vec3 half = reach * vec3(std::sqrt(c.xx), std::sqrt(c.yy), std::sqrt(c.zz));
    return {centers[i] - half, centers[i] + half};
}

}  // namespace tl
