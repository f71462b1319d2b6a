#include "renderer/form_factors/patch_areas.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "accel/patch/patch_surface.h"

namespace tl {
namespace {

/// Cells along a patch's side. 16 give the area of a curved patch to about a ten-thousandth. Fewer
/// suffice if there are more patches, since each is then small.
std::size_t cells_of_side(std::size_t n_patches) {
    constexpr std::size_t kMostCells = 1 << 18;
    std::size_t side = 16;
    while (side > 2 && n_patches * side * side > kMostCells) side /= 2;
    return side;
}

/// Clearance of rays above a patch, whose points are accurate to a ten-thousandth of its
/// coordinates' sizes or better.
float clearance_of(const PatchPoints& points) {
    float largest = 0;
    for (auto& axis : points.of_axis)
        for (float at : axis) largest = std::max(largest, std::abs(at));
    return 0x1p-15f * largest;
}

}  // namespace

PatchAreas::PatchAreas(Stream& stream, const SceneView& scene, std::size_t n_patches)
    : side_(cells_of_side(n_patches)), points_(n_patches) {
    auto& device = stream.device();
    auto& patches = scene.tree.patches;
    device.download(stream, points_.data(), patches.points, n_patches * sizeof(PatchPoints));
    if (patches.weights) {
        weights_.resize(n_patches);
        device.download(stream, weights_.data(), patches.weights, n_patches * sizeof(PatchWeights));
    }
    areas_.resize(n_patches * side_ * side_);
    tbb::parallel_for(std::size_t(0), areas_.size(),
                      [this](std::size_t cell) { areas_[cell] = area_of(cell); });
}

vec2 PatchAreas::place(std::size_t cell, float r0, float r1) const {
    std::size_t within = cell % (side_ * side_);
    std::size_t i = within / side_, j = within % side_;
    vec2 first(static_cast<float>(i), static_cast<float>(j));
    return (first + vec2(r0, r1)) / static_cast<float>(side_);
}

float PatchAreas::area_of(std::size_t cell) const {
    const float off = 0.5f / std::sqrt(3.0f);
    float sum = 0;
    for (float r0 : {0.5f - off, 0.5f + off})
        for (float r1 : {0.5f - off, 0.5f + off}) {
            vec2 uv = place(cell, r0, r1);
            vec3 unused;
            auto surface =
                cpu::evaluate_patch(points_[patch_of(cell)], weights_of(cell), uv.x, uv.y, unused);
            sum += glm::length(glm::cross(surface.du, surface.dv));
        }
    float area = sum / static_cast<float>(4 * side_ * side_);
    return std::isfinite(area) ? area : 0;
}

SurfaceSample PatchAreas::sample(std::size_t cell, float r0, float r1) const {
    vec2 uv = place(cell, r0, r1);
    auto surface = cpu::patch_surface_at(points_[patch_of(cell)], weights_of(cell), uv.x, uv.y);
    return {surface.position, 0, surface.normal, clearance_of(points_[patch_of(cell)])};
}

}  // namespace tl
