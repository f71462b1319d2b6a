// The QR algorithm for complex matrices, a block of threads for each.
#pragma once

#include "solvers/dense/complex.h"
#include "solvers/eigen/eigen.h"

namespace tl {

/// Matrices to solve, one after the other, each row by row, and where their results go. All
/// pointers are to device memory.
template <class T>
struct ComplexEigenTask {
    const Complex<T>* a;
    int n;
    int count;
    bool vectors, balance;
    int sweep_limit;     ///< for each eigenvalue
    Complex<T>* memory;  ///< complex_eigen_memory() numbers for each matrix
    Complex<T>* values;  ///< n for each
    Complex<T>*
        vectors_to;  ///< n x n for each, row by row, vectors in columns; null without vectors
    int* sweeps;     ///< one for each
    int* status;     ///< an EigenStatus for each
};

/// Complex numbers of working memory for a matrix.
[[nodiscard]] constexpr std::size_t complex_eigen_memory(int n, bool vectors) {
    auto rows = static_cast<std::size_t>(n);
    return (vectors ? 3 : 1) * rows * rows + 2 * rows;
}

}  // namespace tl

TL_FOR_DEVICES(template <class T>
               void solve_complex_blocks(Stream& stream, const ComplexEigenTask<T>& task);)
