// Areas of a scene's Bezier patches, and points on them: a patch is cut into cells of its
// parameters, whose areas are integrated.
#pragma once

#include <vector>

#include "accel/patch/patches.h"
#include "renderer/form_factors/surface_samples.h"

namespace tl {

class PatchAreas {
  public:
    /// Of the scene's first `n_patches`, where they are now. Waits for the stream.
    PatchAreas(Stream& stream, const SceneView& scene, std::size_t n_patches);

    /// m^2 of every cell; by Gauss's formula of two by two points, rounding apart exact where the
    /// surface is flat and its parameters even.
    [[nodiscard]] const std::vector<float>& areas() const { return areas_; }
    /// A point of the cell, spread by its parameters, with the surface's own normal. r0 and r1 are
    /// of [0, 1).
    [[nodiscard]] SurfaceSample sample(std::size_t cell, float r0, float r1) const;

  private:
    [[nodiscard]] float area_of(std::size_t cell) const;
    /// The place of the cell that (r0, r1) of the unit square stands for.
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
