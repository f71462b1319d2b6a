// Complex singular vectors from the pairs of real ones that a matrix [Re A, -Im A; Im A, Re A] has.
#pragma once

#include <vector>

#include "solvers/dense/complex.h"
#include "solvers/dense/matrix.h"

namespace tl {

/// Real singular vectors [Re x; Im x] read as complex ones, twice as many as are wanted. Columns 2
/// i and 2 i + 1 belong to value i of A, or to one that is as large up to rounding. Full matrices
/// have more columns, which belong to 0.
struct VectorPairs {
    HostMatrix<Complex<double>> u, v;
    std::vector<double>
        values;  ///< of the real matrix, descending: 2 i and 2 i + 1 are value i of A
};

/// Half of the vectors, as combinations of length 1 of the given ones.
struct ChosenVectors {
    HostMatrix<Complex<double>> u, v;
};

/// Chooses vectors that are independent over the complex numbers. Values that differ from the next
/// one by at most `tolerance` form a group, whose vectors span one space. In v these are made
/// orthonormal by Gram-Schmidt, always with the longest remainder next, until half of them are
/// found; u gets the same combinations. A links no vectors of values up to `tolerance`: those in u
/// and in v are made orthonormal separately. Vectors of different groups are orthogonal only as far
/// as the given ones are.
[[nodiscard]] ChosenVectors choose_vectors(const VectorPairs& pairs, double tolerance);

}  // namespace tl
