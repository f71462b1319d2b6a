#include "solvers/solver.h"

namespace tl {

const std::vector<SolverFamily>& solver_families() {
    static const std::vector<SolverFamily> table{
        {"svd", "Singular values", "Singular value decomposition A = U S V^T"},
        {"eig", "Eigenvalues", "Eigenvalues and eigenvectors of batches of nonsymmetric matrices"},
    };
    return table;
}

}  // namespace tl
