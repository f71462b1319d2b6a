#include "solvers/solver.h"

namespace tl {

const std::vector<SolverFamily>& solver_families() {
    static const std::vector<SolverFamily> table{
        {"svd", "Singular values", "Singular value decomposition A = U S V^T"},
    };
    return table;
}

}  // namespace tl
