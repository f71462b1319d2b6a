// Polynomials in the unknowns of a system and the columns of a measurement, as numbers times
// monomials.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "solvers/minimal/polynomial_system.h"

namespace tl::minimal {

/// Polynomial in the unknowns alone.
class UnknownPolynomial {
  public:
    void add(const Monomial& monomial, double scale) { terms_[monomial] += scale; }
    [[nodiscard]] double value(const double* u) const;
    /// Derivative by the unknown of that number.
    [[nodiscard]] double derivative(const double* u, int unknown) const;

  private:
    friend class MeasuredPolynomial;
    std::map<Monomial, double> terms_;
};

/// Power of each column. Not bytes, whose comparison makes g++ 12 warn about memcmp().
using ColumnPowers = std::vector<std::uint16_t>;

/// Sum of monomials of the columns, each times a polynomial in the unknowns.
class MeasuredPolynomial {
  public:
    /// Writes a polynomial of a system without its pool. Throws UserError for more than 20,000
    /// terms, or a degree above 20 in the columns.
    MeasuredPolynomial(const PolynomialSystem& system, const Polynomial& polynomial);

    [[nodiscard]] MeasuredPolynomial derivative_by_column(std::size_t column) const;
    [[nodiscard]] const std::map<ColumnPowers, UnknownPolynomial>& terms() const { return terms_; }

  private:
    MeasuredPolynomial() = default;
    std::map<ColumnPowers, UnknownPolynomial> terms_;
};

/// A polynomial without columns.
[[nodiscard]] UnknownPolynomial unknown_polynomial(const PolynomialSystem& system,
                                                   const Polynomial& polynomial);

}  // namespace tl::minimal
