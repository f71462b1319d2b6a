// Three-dimensional Gaussians as primitives of a tree, and the light along a ray through many of
// them (Kerbl et al. 2023, "3D Gaussian splatting for real-time radiance field rendering"; traced
// by rays as in Moenne-Loccoz et al. 2024, "3D Gaussian ray tracing").
#pragma once

#include "accel/bvh/layouts/bvh2.h"
#include "accel/primitives.h"

namespace tl {

/// Opacity at the rim of a Gaussian's ellipsoid, below which it is ignored.
inline constexpr float kFaintest = 1.0f / 255;
/// Largest opacity of one Gaussian.
inline constexpr float kMostOpaque = 0.99f;

/// The precision matrix of a Gaussian, the inverse of its covariance: symmetric, in 1/m^2.
struct GaussianShape {
    float xx, xy, xz, yy, yz, zz;

    /// v^T A w.
    [[nodiscard]] TL_HD float product(vec3 v, vec3 w) const {
        vec3 a(fmaf(xx, w.x, fmaf(xy, w.y, xz * w.z)), fmaf(xy, w.x, fmaf(yy, w.y, yz * w.z)),
               fmaf(xz, w.x, fmaf(yz, w.y, zz * w.z)));
        return fused_dot(v, a);
    }
};

/// Data that the Gaussians of one set have in common.
struct GaussianSetData {
    std::uint32_t first;   ///< number of its first Gaussian
    std::uint32_t degree;  ///< degree of the spherical harmonics, 0 to 3
    std::uint64_t first_coefficient;
    vec3 to_own[3];  ///< rows of the matrix that turns directions into those of its harmonics
    float shadowed;  ///< fraction of their light that a full shadow of surfaces removes
};
static_assert(sizeof(GaussianSetData) == 56);

/// All Gaussians of a scene on a device, with their tree. Primitive::id is a Gaussian's number.
struct GaussiansView {
    Bvh2View tree;
    const Primitive* primitives = nullptr;
    const GaussianSetData* sets = nullptr;
    std::uint32_t n_sets = 0;
    /// Coefficients of the spherical harmonics of each Gaussian, as half floats: those of red, then
    /// of green and of blue. The colours that they give are sRGB.
    const std::uint16_t* harmonics = nullptr;
    float* lit = nullptr;  ///< for each Gaussian: the unoccluded fraction of the emitters' light
};

/// The primitive of a Gaussian: its centre in `vertex`, its shape in `edge1` and `edge2`, its
/// opacity at the centre in `slack`.
TL_HD inline Primitive gaussian_primitive(std::uint32_t id, vec3 center, const GaussianShape& shape,
                                          float opacity) {
    Primitive p{};
    p.id = id;
    p.kind = Primitive::kGaussian;
    p.vertex = center;
    p.edge1 = {shape.xx, shape.xy, shape.xz};
    p.edge2 = {shape.yy, shape.yz, shape.zz};
    p.slack = opacity;
    return p;
}

/// The point of a ray where a Gaussian is most opaque, and its opacity there.
struct GaussianPeak {
    float t, opacity;
};

/// Distances are taken from the ray's nearest point to the centre, so that small and far Gaussians
/// keep their digits.
TL_HD inline GaussianPeak gaussian_peak(const Primitive& p, const Ray& ray) {
    const GaussianShape shape{p.edge1.x, p.edge1.y, p.edge1.z, p.edge2.x, p.edge2.y, p.edge2.z};
    vec3 to_center = p.vertex - ray.origin;
    float nearest = fused_dot(to_center, ray.direction) / fused_dot(ray.direction, ray.direction);
    vec3 from_center = fused(nearest, ray.direction, -to_center);
    float along = shape.product(ray.direction, ray.direction);
    float across = shape.product(ray.direction, from_center);
    float rest = shape.product(from_center, from_center) - across * across / along;
    return {nearest - across / along, p.slack * expf(-0.5f * maximum(rest, 0.0f))};
}

}  // namespace tl
