// Action variables, by whose multiplication matrix solutions are told apart. A combination of the
// unknowns does so where its values at all solutions differ (Bujnak 2012; Cvrcek 2016, equation
// 3.1).
#pragma once

#include "solvers/minimal/quotient_ring.h"

namespace tl::minimal {

/// Two random instances of a system, whose solutions are counted.
class ActionChoice {
  public:
    /// Throws UserError if the number of solutions is not the same for both, or none or infinite.
    ActionChoice(const PolynomialSystem& system, Effort& effort);

    [[nodiscard]] const std::vector<Monomial>& basis() const { return rings_[0].basis; }
    /// Number of solutions, each counted once. Smaller than that of the basis where solutions are
    /// multiple for all parameters.
    [[nodiscard]] std::size_t n_distinct() const { return generic_[0].n_values; }
    /// Number of values that the combination has at the solutions of an instance.
    [[nodiscard]] std::size_t n_values(const LinearForm& form) const;
    /// Whether the multiplication matrix of the combination has an eigenvalue for each distinct
    /// solution, and no more eigenvectors than need be.
    [[nodiscard]] bool separates(const LinearForm& form) const;
    /// Combinations of `n_parts` unknowns that separate solutions: single unknowns, or one for each
    /// subset of the unknowns, with random scales from 10 to 99.
    [[nodiscard]] std::vector<LinearForm> of(int n_parts) const;

  private:
    [[nodiscard]] Spectrum spectrum(const QuotientRing& ring, const LinearForm& form) const;

    std::size_t n_unknowns_;
    Effort& effort_;
    std::vector<QuotientRing> rings_;
    std::vector<Spectrum> generic_;  ///< of multiplication by a combination with random residues
};

}  // namespace tl::minimal
