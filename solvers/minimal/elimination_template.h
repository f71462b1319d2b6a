// Elimination templates (Kukelova, Bujnak and Pajdla 2008): the multiples of a system's equations
// that are to be eliminated, found once for all parameters. The result is the matrix of
// multiplication by one unknown, whose eigenvectors are the solutions.
#pragma once

#include <vector>

#include "solvers/minimal/polynomial_system.h"

namespace tl::minimal {

/// An equation times a monomial.
struct TemplateRow {
    int equation;
    Monomial factor;
};

/// A matrix with a row for each multiple and columns for `eliminated`, `reducible` and `basis`.
/// After elimination of the first two, its last rows give each reducible monomial as a combination
/// of the basis.
struct EliminationTemplate {
    int action = 0;                    ///< the unknown whose multiplication is found
    std::vector<Monomial> basis;       ///< one monomial per solution; the last one is 1
    std::vector<Monomial> reducible;   ///< action times the basis, and unknowns, without the basis
    std::vector<Monomial> eliminated;  ///< columns that become pivots before the reducible ones
    std::vector<TemplateRow> rows;     ///< one per eliminated and per reducible monomial
    int degree = 0;                    ///< degree of the highest multiple
};

/// Finds a small template for parameters in general. Throws UserError if the system has no
/// solutions or infinitely many, or if its template would be too large.
[[nodiscard]] EliminationTemplate find_template(const PolynomialSystem& system);

}  // namespace tl::minimal
