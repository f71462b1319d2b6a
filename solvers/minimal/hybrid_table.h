// Instances of a polynomial system by both processors (Cvrcek 2016, chapter 6.7 and figure 6.5).
#pragma once

#include "solvers/minimal/table_route.h"

namespace tl::minimal {

/// The CPU's threads reduce the templates to multiplication matrices in pinned memory, the
/// device finds their real eigenvectors, and the CPU turns these into solutions. Instances with
/// complex eigenvalues that are nearly real, and those whose eigenvalues do not converge, are
/// solved by the CPU, so that results are those of TableSolver.
[[nodiscard]] std::unique_ptr<TableRoute> make_hybrid_table(const SolverFunctions& functions,
                                                            Device& device);

}  // namespace tl::minimal
