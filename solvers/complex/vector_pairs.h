// Complex singular vectors from the pairs of real ones that a matrix [Re A, -Im A; Im A, Re A] has.
#pragma once

#include <vector>

#include "solvers/dense/complex.h"
#include "solvers/dense/matrix.h"

namespace tl {

/// Real singular vectors [Re x; Im x] read as complex ones, twice as many as are wanted, in the
/// order of their values: columns 2 i and 2 i + 1 belong to value i, or to one that is as large.
/// Those after the last value (of full matrices) belong to the value 0.
struct VectorPairs {
    HostMatrix<Complex<double>> u, v;
    std::vector<double> values;  ///< of the real matrix, two of each
};

struct ChosenVectors {
    HostMatrix<Complex<double>> u, v;
};

/// Chooses half of the vectors, of unit length, which are independent over the complex numbers:
/// within each group of values that differ by at most `tolerance` from the next by elimination with
/// column pivoting, in v, with the same combinations in u. Vectors of values up to `tolerance` are
/// chosen in u and v apart, since A does not link them.
[[nodiscard]] ChosenVectors choose_vectors(const VectorPairs& pairs, double tolerance);

}  // namespace tl
