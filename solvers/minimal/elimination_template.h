// Elimination templates (Kukelova, Bujnak and Pajdla 2008): the multiples of a system's equations
// that are to be eliminated, found once for all parameters. The result is the matrix of
// multiplication by one unknown, whose eigenvectors are the solutions.
#pragma once

#include <vector>

#include "solvers/minimal/field_instance.h"

namespace tl::minimal {

/// A matrix with a row for each multiple and columns for `eliminated`, `reducible` and `basis`.
/// After elimination of the first two, its last rows give each reducible monomial as a combination
/// of the basis.
struct EliminationTemplate {
    LinearForm action;                 ///< the combination whose multiplication is found
    std::vector<Monomial> basis;       ///< one monomial per solution; the last one is 1
    std::size_t n_distinct = 0;        ///< solutions, where multiple ones count once
    std::vector<Monomial> reducible;   ///< products of the basis with the action's unknowns, and
                                       ///< the unknowns themselves, without the basis
    std::vector<Monomial> eliminated;  ///< columns that become pivots before the reducible ones
    std::vector<TemplateRow> rows;     ///< one per eliminated and per reducible monomial
    int degree = 0;                    ///< degree of the highest multiple
};

/// Finds a small template for parameters in general: of a single unknown whose values at all
/// solutions differ, else of a random combination of as few unknowns as need be. Throws UserError
/// if the system has no solutions or infinitely many, if its template would be too large, or if the
/// action that it names would lose solutions. `poll` is called with the fraction 0.
[[nodiscard]] EliminationTemplate find_template(const PolynomialSystem& system,
                                                const ProgressPoll& poll = {});

}  // namespace tl::minimal
