// Matrices of polynomials in a system's unknowns, the values of the expressions of its text.
#pragma once

#include <string>
#include <vector>

#include "solvers/minimal/polynomial_system.h"

namespace tl::minimal {

/// A number is a matrix of 1 x 1.
struct PolynomialMatrix {
    int rows = 1, columns = 1;
    std::vector<Polynomial> elements = std::vector<Polynomial>(1);  ///< row by row

    PolynomialMatrix() = default;  ///< zero
    PolynomialMatrix(int n_rows, int n_columns)
        : rows(n_rows),
          columns(n_columns),
          elements(static_cast<std::size_t>(n_rows) * static_cast<std::size_t>(n_columns)) {}
    [[nodiscard]] bool is_number() const { return rows == 1 && columns == 1; }
    [[nodiscard]] std::string shape() const {
        return std::to_string(rows) + " x " + std::to_string(columns);
    }
    Polynomial& at(int row, int column) {
        return elements[static_cast<std::size_t>(row * columns + column)];
    }
    [[nodiscard]] const Polynomial& at(int row, int column) const {
        return elements[static_cast<std::size_t>(row * columns + column)];
    }
};

/// Computes with such matrices. Functions throw UserError where shapes do not fit, a degree is
/// above kMostDegree, or all that was computed so far is above kMostSteps.
class PolynomialAlgebra {
  public:
    static constexpr int kMostDegree = 20;
    /// Limit of terms and elements of all results together: a hundred times the need of the systems
    /// of solvers/minimal/problems, about a second, and 200 MB.
    static constexpr std::size_t kMostSteps = 500'000;
    using Matrix = PolynomialMatrix;

    /// Products of coefficients go into `pool`.
    explicit PolynomialAlgebra(CoefficientPool& pool) : pool_(pool) {}

    /// Counts a matrix that was copied or made as work done.
    void count(const Matrix& matrix);

    [[nodiscard]] Matrix identity(int n);
    [[nodiscard]] Matrix transposed(const Matrix& a);
    /// a + scale * b
    [[nodiscard]] Matrix added(const Matrix& a, const Matrix& b, const Rational& scale);
    /// Matrix product. If one operand is 1 x 1, every element of the other is multiplied by it.
    [[nodiscard]] Matrix multiplied(const Matrix& a, const Matrix& b);
    [[nodiscard]] Matrix scaled(Matrix a, const Rational& by);
    [[nodiscard]] Matrix power(const Matrix& base, int exponent);
    /// `by` has to be a number without parameters and unknowns, and not zero.
    [[nodiscard]] Matrix divided(const Matrix& a, const Matrix& by);
    [[nodiscard]] Matrix determinant(const Matrix& a);  ///< up to 5 x 5
    [[nodiscard]] Matrix trace(const Matrix& a);
    [[nodiscard]] Matrix diagonal(const std::vector<Matrix>& numbers);
    [[nodiscard]] Matrix cross(const std::vector<Matrix>& vectors);  ///< two vectors

  private:
    void count(std::size_t n_steps);
    void count(const Polynomial& polynomial);
    [[nodiscard]] Polynomial added(Polynomial a, const Polynomial& b, const Rational& scale);
    [[nodiscard]] Polynomial multiplied(const Polynomial& a, const Polynomial& b);
    [[nodiscard]] Polynomial minor_expansion(const Matrix& a);

    CoefficientPool& pool_;
    std::size_t n_steps_ = 0;
};

}  // namespace tl::minimal
