// Instances of a system, with random parameters modulo the prime, and the multiples of their
// equations as the rows of matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "solvers/minimal/polynomial_system.h"

namespace tl::minimal {

inline constexpr int kMostDegreesMore = 8;               ///< degrees above that of the equations
inline constexpr std::size_t kMostElements = 2'000'000;  ///< elements of a matrix
inline constexpr std::uint64_t kLookUp = 20;             ///< cost of a monomial's lookup, in steps

using FieldEquations = std::vector<std::map<Monomial, Residue, std::greater<>>>;
using FieldRow = std::vector<Residue>;

/// An equation times a monomial.
struct TemplateRow {
    int equation;
    Monomial factor;
};

/// Counts the steps spent on a system, and throws UserError when they exceed the limit.
class Effort {
  public:
    /// Polls some fifty times a second, each time with the fraction 0.
    explicit Effort(const ProgressPoll& poll = {}) : poll_(poll) {}

    void spend(std::uint64_t n_steps);
    [[nodiscard]] bool allows_shrinking() const;

  private:
    ProgressPoll poll_;
    std::uint64_t n_steps_ = 0, next_poll_ = 0;
};

/// Throws UserError: a matrix of so many rows is too large.
[[noreturn]] void fail_size(std::size_t n_rows);

[[nodiscard]] FieldEquations random_instance(const PolynomialSystem& system, std::uint64_t seed);

[[nodiscard]] int degree_of(const FieldEquations& equations);

/// All multiples of the equations up to a degree, those of low degree first.
[[nodiscard]] std::vector<TemplateRow> multiples(const FieldEquations& equations, int degree,
                                                 int n_unknowns);

/// Multiples of equations as rows over the given columns.
[[nodiscard]] std::vector<FieldRow> matrix_of(const FieldEquations& equations,
                                              const std::vector<TemplateRow>& rows,
                                              const std::vector<Monomial>& columns, Effort& effort);

/// Brings rows to echelon form, from the first to the last column. Returns each row's pivot column,
/// in rising order; rows of zeros are removed.
std::vector<std::size_t> eliminate(std::vector<FieldRow>& rows, std::size_t n_columns,
                                   Effort& effort);

}  // namespace tl::minimal
