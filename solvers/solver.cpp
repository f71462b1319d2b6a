#include "solvers/solver.h"

namespace tl {

const std::vector<SolverFamily>& solver_families() {
    static const std::vector<SolverFamily> table{
        {"svd", "Singular values", "Singular value decomposition A = U S V^T"},
        {"eig", "Eigenvalues", "Eigenvalues and eigenvectors of batches of nonsymmetric matrices"},
        {"pose", "Poses", "Pose between two views, or of a view of known points, by RANSAC"},
    };
    return table;
}

}  // namespace tl
