// Models that satisfy equations without parameters, as a surface in the space of the unknowns.
#pragma once

#include <span>

#include "solvers/ransac/model_test.h"

namespace tl::minimal {

class ConstraintSurface {
  public:
    /// The surface of the test's constraints through a model that satisfies them. Constraints may
    /// depend on each other: their rank is that at the model.
    ConstraintSurface(const ModelTest& test, const double* model);

    [[nodiscard]] std::size_t dimension() const { return test_.n_unknowns - rank_; }
    /// Orthonormal tangents at a point of the surface: dimension() rows of n_unknowns numbers.
    [[nodiscard]] std::vector<double> tangents(const double* model) const;
    /// Moves a model near the surface to it, by Newton's steps of least length. Returns whether
    /// they have converged.
    [[nodiscard]] bool project(std::span<double> model) const;

  private:
    /// Values of the constraints, and eigenvectors of J'J of their Jacobian J in falling order.
    struct Linearised {
        std::vector<double> values, jacobian, eigenvalues, eigenvectors;
    };
    [[nodiscard]] Linearised at(const double* model) const;

    const ModelTest& test_;
    std::size_t rank_ = 0;
};

/// Eigenvalues of a symmetric matrix of n x n, in falling order, and its eigenvectors as rows, by
/// Jacobi's cyclic rotations (1846).
void symmetric_eigen(std::size_t n, std::vector<double> matrix, std::vector<double>& values,
                     std::vector<double>& vectors);

}  // namespace tl::minimal
