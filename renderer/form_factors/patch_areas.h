// Areas of a scene's Bezier patches, and points on them: a patch is divided into cells in parameter
// space, whose areas are integrated numerically.
#pragma once

#include <vector>

#include "accel/patch/patches.h"
#include "renderer/form_factors/surface_samples.h"

namespace tl {

class PatchAreas {
  public:
    /// Computes areas of the scene's first `n_patches` patches at their current positions. Waits
    /// for the stream.
    PatchAreas(Stream& stream, const SceneView& scene, std::size_t n_patches);

    /// Area of every cell, m^2, by 2 x 2 Gauss quadrature, which is exact up to rounding for flat
    /// surfaces with a uniform parametrisation.
    [[nodiscard]] const std::vector<float>& areas() const { return areas_; }
    /// A point in the cell at relative parameters (r0, r1) in [0, 1)^2, with the surface's normal
    /// there.
    [[nodiscard]] SurfaceSample sample(std::size_t cell, float r0, float r1) const;

  private:
    [[nodiscard]] float area_of(std::size_t cell) const;
    /// The patch parameters of point (r0, r1) in the cell's unit square.
    [[nodiscard]] vec2 place(std::size_t cell, float r0, float r1) const;
    [[nodiscard]] std::size_t patch_of(std::size_t cell) const { return cell / (side_ * side_); }
    [[nodiscard]] const PatchWeights* weights_of(std::size_t cell) const {
        return weights_.empty() ? nullptr : &weights_[patch_of(cell)];
    }

    std::size_t side_ = 1;  ///< cells along a side of a patch
    std::vector<PatchPoints> points_;
    std::vector<PatchWeights> weights_;
    std::vector<float> areas_;
};

}  // namespace tl
