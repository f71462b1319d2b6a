#include "solvers/solver.h"

namespace tl {

const std::vector<SolverFamily>& solver_families() {
    static const std::vector<SolverFamily> table{
        {"svd", "Singular values", "Singular value decomposition A = U S V^T"},
        {"eig", "Eigenvalues", "Eigenvalues and eigenvectors of batches of nonsymmetric matrices"},
        {"lu", "PLU factorisation", "PLU factorisation A[p] = L U, determinant and condition"},
        {"rref", "Row echelon form", "Reduced row echelon form (Gauss-Jordan) and rank"},
        {"solve", "Linear systems", "Linear systems A X = B with any number of right sides"},
        {"inverse", "Inverse", "Inverse of a square matrix"},
        {"lstsq", "Least squares", "Least squares min ||A X - B|| for any shape and rank"},
        {"pinv", "Pseudo-inverse", "Pseudo-inverse (Moore-Penrose) and numerical rank"},
        {"matmul", "Products", "Product A B of two matrices of any shape"},
        {"sparse", "Sparse systems", "Sparse linear systems A x = b by Krylov methods"},
        {"water", "Shallow water", "Shallow water in motion over a bed (Casulli 1990)"},
        {"pose", "Poses", "Pose between two views, or of a view of known points, by RANSAC"},
    };
    return table;
}

}  // namespace tl
