// Intersections of rays and a bicubic patch, by subdivision alone in long double: slow, and
// independent of the program's methods except for the definition of a patch.
#pragma once

#include <vector>

#include "accel/patch/patches.h"
#include "accel/primitives.h"

namespace tl::test {

/// An intersection of ray and patch. `spread`: extent of the remaining cells in parameter space,
/// which is large where the ray is tangent to the patch.
struct OracleRoot {
    double t, u, v;
    double spread;
};

class PatchOracle {
  public:
    /// `weights` may be null.
    PatchOracle(const PatchPoints& points, const PatchWeights* weights);

    /// All intersections with t > 0, nearest first: cells of 1e-12 of the patch that cannot be
    /// excluded; adjacent cells are merged to one root.
    [[nodiscard]] std::vector<OracleRoot> roots(const Ray& ray) const;
    /// Distance between the surface at (u, v) and the ray's line.
    [[nodiscard]] double residual(const Ray& ray, double u, double v) const;
    /// Diagonal of the control points' box.
    [[nodiscard]] double size() const { return size_; }

  private:
    PatchPoints points_;
    PatchWeights weights_;
    double size_;
};

}  // namespace tl::test
