// Weighted least-squares plane through points. Its normal is the eigenvector of the smallest
// eigenvalue of their covariance.
#pragma once

#include "core/base/math.h"

namespace tl {

/// The eigenvalues of a symmetric matrix in ascending order, and its eigenvectors as columns.
struct SymmetricEigen {
    glm::dvec3 values{0};
    glm::dmat3 vectors{1};
};

/// Eigendecomposition by Jacobi's cyclic rotations (1846), in double. It is exact to rounding also
/// where eigenvalues are equal or far apart.
[[nodiscard]] SymmetricEigen symmetric_eigen(const glm::dmat3& matrix);

/// Accumulates weighted points near an origin and fits a plane to them.
class PlaneFit {
  public:
    void add(const glm::dvec3& offset, double weight) {
        const glm::dvec3 weighted = weight * offset;
        weight_ += weight;
        first_ += weighted;
        squares_ += weighted * offset;
        products_ += weighted * glm::dvec3(offset.y, offset.z, offset.x);
    }

    /// A plane, and the standard deviations of the points from it and along it.
    struct Plane {
        glm::dvec3 normal{0};  ///< unit length
        glm::dvec3 middle{0};  ///< the points' mean
        double thickness = 0;  ///< standard deviation from the plane
        double width = 0;      ///< standard deviation along the plane, the smaller one
        double length = 0;     ///< standard deviation along the plane, the larger one

        /// Whether the points coincide or are collinear, so that they have no plane.
        [[nodiscard]] bool is_line() const {
            // Coordinates are floats. Collinear points are off their line by at least this fraction
            // of the distance to the origin.
            constexpr double kLeast = 1e-6;
            return !(width > kLeast * length) || !(length > 0);
        }
    };
    [[nodiscard]] Plane plane() const;

  private:
    double weight_ = 0;
    glm::dvec3 first_{0};
    glm::dvec3 squares_{0}, products_{0};  ///< xx, yy and zz; xy, yz and zx
};

}  // namespace tl
