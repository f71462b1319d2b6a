#include "renderer/scene/loaders/ply/ply_cloud.h"

#include <algorithm>
#include <utility>

namespace tl {
namespace {

using glm::dvec3;

/// Splats of a lower opacity are fog rather than surface: they are left out.
constexpr double kLeastOpacity = 0.2;

/// The colour of a splat from all sides, the first term of its spherical harmonics, as sRGB in
/// parts of 1.
vec3 color_of_splat(const PlyVertex& vertex) {
    constexpr float kHarmonic = 0.28209479f;  // 1 / (2 sqrt(pi))
    vec3 color = 0.5f + kHarmonic * vertex.triple(PlyVertex::kSplatColor);
    for (int k = 0; k < 3; ++k) color[k] = color[k] > 0 ? std::min(color[k], 1.0f) : 0.0f;
    return color;
}

/// An axis of the rotation by a quaternion of any length: a column of its matrix, not normalised.
dvec3 rotated_axis(const double* q, int axis) {
    double w = q[0];
    dvec3 v(q[1], q[2], q[3]), unit(0);
    unit[axis] = 1;
    return (w * w - glm::dot(v, v)) * unit + 2 * v[axis] * v + 2 * w * glm::cross(v, unit);
}

/// An area in square metres; 0 where it is none.
float area_or_none(double area) {
    auto rounded = static_cast<float>(area);
    return std::isfinite(rounded) && rounded > 0 ? rounded : 0.0f;
}

}  // namespace

PlyCloud::PlyCloud(const PlyVertexLayout& layout, std::uint64_t n_points)
    : layout_(layout),
      splats_(has_splats()),
      normals_(layout.has(PlyVertex::kNormal, 3)),
      radii_(layout.has(PlyVertex::kRadius)),
      areas_(layout.has(PlyVertex::kArea)),
      splat_colors_(layout.has(PlyVertex::kSplatColor, 3)),
      colors_(layout.has_colors() || splat_colors_),
      intensities_(!colors_ && layout.has(PlyVertex::kIntensity)),
      emission_(layout.has(PlyVertex::kEmission, 3)),
      grey_emission_(!emission_ && layout.has(PlyVertex::kGreyEmission)),
      radiosity_(layout.has(PlyVertex::kRadiosity, 3)) {
    cloud_.positions.reserve(n_points);
    if (normals_ || splats_) cloud_.normals.reserve(n_points);
    if (areas_ || radii_ || splats_) cloud_.areas.reserve(n_points);
    if (colors_) cloud_.colors.reserve(n_points);
    if (intensities_) cloud_.intensities.reserve(n_points);
    if (emission_ || grey_emission_) cloud_.emission.reserve(n_points);
    if (radiosity_) cloud_.radiosity.reserve(n_points);
}

bool PlyCloud::has_splats() const {
    return layout_.has(PlyVertex::kOpacity) && layout_.has(PlyVertex::kScale, 3) &&
           layout_.has(PlyVertex::kRotation, 4);
}

void PlyCloud::add(const PlyVertex& vertex) {
    if (!vertex.has_place()) {
        ++cloud_.n_lost;
        return;
    }
    if (splats_ && !(1 / (1 + std::exp(-vertex.value[PlyVertex::kOpacity])) >= kLeastOpacity)) {
        ++cloud_.n_clear;
        return;
    }
    cloud_.positions.push_back(vertex.place());
    if (colors_)
        cloud_.colors.push_back(layout_.has_colors() ? layout_.color_of(vertex)
                                                     : color_of_splat(vertex));
    auto intensity = static_cast<float>(vertex.value[PlyVertex::kIntensity]);
    if (intensities_) cloud_.intensities.push_back(std::isfinite(intensity) ? intensity : 0);
    if (emission_) cloud_.emission.push_back(vertex.triple(PlyVertex::kEmission));
    if (grey_emission_)
        cloud_.emission.emplace_back(static_cast<float>(vertex.value[PlyVertex::kGreyEmission]));
    if (radiosity_) cloud_.radiosity.push_back(vertex.triple(PlyVertex::kRadiosity));
    if (splats_) return add_splat(vertex);
    if (normals_) cloud_.normals.push_back(vertex.triple(PlyVertex::kNormal));
    double radius = std::max(vertex.value[PlyVertex::kRadius], 0.0);
    if (areas_)
        cloud_.areas.push_back(area_or_none(vertex.value[PlyVertex::kArea]));
    else if (radii_)
        cloud_.areas.push_back(area_or_none(double{kPi} * radius * radius));
}

void PlyCloud::add_splat(const PlyVertex& vertex) {
    auto* scale = vertex.value + PlyVertex::kScale;
    auto shortest = static_cast<int>(std::min_element(scale, scale + 3) - scale);
    // Sum of the logarithms of both half axes across.
    double sum = scale[(shortest + 1) % 3] + scale[(shortest + 2) % 3];
    cloud_.normals.emplace_back(rotated_axis(vertex.value + PlyVertex::kRotation, shortest));
    cloud_.areas.push_back(area_or_none(double{kPi} * std::exp(sum)));
}

PointCloud PlyCloud::take() {
    layout_.widen(cloud_.colors);
    normalize_normals(cloud_.normals);
    cloud_.up = {0, 1, 0};  // convention of models
    if (std::ranges::all_of(cloud_.areas, [](float area) { return area == 0; }))
        (void)std::exchange(cloud_.areas, {});
    return std::move(cloud_);
}

void show_radiosity(PointCloud& cloud) {
    cloud.emission.resize(cloud.radiosity.size(), vec3(0));
    for (std::size_t i = 0; i < cloud.radiosity.size(); ++i)
        cloud.emission[i] += cloud.radiosity[i] / kPi;
    cloud.colors.assign(cloud.radiosity.size(), vec3(0));
    cloud.intensities.clear();
    (void)std::exchange(cloud.radiosity, {});
}

}  // namespace tl
