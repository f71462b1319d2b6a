// Incomplete LU factors without fill (Meijerink & van der Vorst 1977; Saad 2003, algorithm 10.4).
// Of symmetric matrices they are those of incomplete Cholesky, as L D L^T.
#pragma once

#include "solvers/sparse/preconditioner.h"

namespace tl {

/// Incomplete factors in one matrix: U on and above the diagonal, L below it, whose diagonal is 1.
struct Ilu0Factors {
    HostCsr lu;
    double shift = 0;  ///< the part of the diagonal by which it was enlarged before
};

/// The factors of a square matrix. With `definite`, pivots have to be positive: the diagonal is
/// enlarged until they are (Manteuffel 1980). Throws UserError naming the row of a zero pivot, or
/// of a diagonal element that is not positive.
[[nodiscard]] Ilu0Factors factorise_ilu0(const HostCsr& a, bool definite);

/// The preconditioner of these factors, as triangular solves by levels. Throws what
/// factorise_ilu0() does.
template <class T>
[[nodiscard]] std::unique_ptr<Preconditioner<T>> make_ilu0(Stream& stream, const HostCsr& a,
                                                           bool definite);

}  // namespace tl
