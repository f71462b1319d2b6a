// PLU factors in files, as `solve lu` writes them and `solve solve` reads them.
#pragma once

#include <string>
#include <vector>

#include "solvers/dense/matrix.h"

namespace tl {

/// Factors of a square matrix, A[p][:, q] = L U.
template <class T>
struct StoredFactors {
    Matrix<T> lu;        ///< U on and above the diagonal, L below it
    std::vector<int> p;  ///< the order of rows
    std::vector<int> q;  ///< the order of columns; empty where they stay
};

/// Endings of all files that factors may have: "_LU.npy", "_L.npy", ...
[[nodiscard]] const std::vector<std::string>& factor_endings();

/// Reads PREFIX_LU.npy, or else PREFIX_L.npy and PREFIX_U.npy, with PREFIX_p.npy and, if it exists,
/// PREFIX_q.npy. Throws UserError where one is missing, is faulty or does not fit the others.
template <class T>
[[nodiscard]] StoredFactors<T> read_factors(Stream& stream, const std::string& prefix);
template <>
StoredFactors<float> read_factors(Stream& stream, const std::string& prefix);
template <>
StoredFactors<double> read_factors(Stream& stream, const std::string& prefix);

}  // namespace tl
