// The Gaussians of a PLY as programs for 3D Gaussian splatting write it (Kerbl et al. 2023).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "renderer/scene/loaders/ply/ply_header.h"
#include "renderer/scene/scene.h"

namespace tl {

/// Collects the Gaussians of an element's rows.
class PlyGaussians {
  public:
    /// The properties of Gaussians: x, y, z; f_dc_0 to 2; opacity; scale_0 to 2; rot_0 to 3.
    [[nodiscard]] static std::span<const std::string_view> names();
    /// Whether the element has all of names().
    [[nodiscard]] static bool are_in(const PlyElement& element);

    /// Throws UserError where the harmonics f_rest_0, f_rest_1 ... are not those of a degree up to
    /// 3, or are not counted from 0 on.
    PlyGaussians(const PlyElement& element, const std::string& file);

    /// Index of a property in `values` of add(); -1: it is not used.
    [[nodiscard]] int target(std::size_t property) const { return targets_[property]; }
    /// Count of the numbers of a row that are used.
    [[nodiscard]] std::size_t n_values() const { return n_values_; }
    /// Adds the Gaussian of a row. Leaves out those with numbers that are not finite, and those
    /// that are too faint to be seen. An opacity may be infinite, and the logarithm of a size -inf.
    void add(const std::vector<double>& values);
    /// Appends the set to the scene, recentred where it needs it (recentre.h). Throws UserError
    /// where none is left.
    void add_to(Scene& scene);

  private:
    std::string file_;
    std::vector<int> targets_;
    std::size_t n_values_ = 0, n_rest_ = 0;
    std::vector<glm::dvec3> centers_;
    GaussianSet set_;
    std::uint64_t n_lost_ = 0, n_faint_ = 0;
};

}  // namespace tl
