// Where rays meet a bicubic patch, by subdivision alone in long double: slow, and with nothing in
// common with how the program finds it but the definition of a patch.
#pragma once

#include <vector>

#include "accel/patch/patches.h"
#include "accel/primitives.h"

namespace tl::test {

/// A place where a ray meets a patch; `spread` is by how much the cells that are left of it differ
/// in their parameters, which is large where the ray touches the patch along its way.
struct OracleRoot {
    double t, u, v;
    double spread;
};

class PatchOracle {
  public:
    /// `weights` may be null.
    PatchOracle(const PatchPoints& points, const PatchWeights* weights);

    /// All of them with t above 0, nearest first: cells of 1e-12 of the patch that cannot be ruled
    /// out, those that touch being one root.
    [[nodiscard]] std::vector<OracleRoot> roots(const Ray& ray) const;
    /// Distance from the ray's line of the surface at (u, v).
    [[nodiscard]] double residual(const Ray& ray, double u, double v) const;
    /// Diagonal of the control points' box.
    [[nodiscard]] double size() const { return size_; }

  private:
    PatchPoints points_;
    PatchWeights weights_;
    double size_;
};

}  // namespace tl::test
