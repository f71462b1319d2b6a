// Checks of singular value decompositions, and test matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/dense/matrix_kinds.h"
#include "solvers/svd/svd.h"
#include "tests/device_test.h"

namespace tl::test {

/// Upper bound of residual and orthogonality errors, divided by sqrt(n): 1e-14 in double, 1e-5 in
/// float for all tested sizes.
template <class T>
double tolerance(int rows, int cols) {
    double root = std::sqrt(static_cast<double>(std::max(rows, cols)));
    return std::min(sizeof(T) == 8 ? 1e-14 * root : 1e-5,
                    40 * std::numeric_limits<T>::epsilon() * (root + 4));
}

template <class T>
SvdResult<T> solve(Stream& stream, const std::string& mode, MatrixView<const T> a,
                   const SvdRequest& request = {}) {
    SolverRun run;
    auto result = make_svd_solver(mode, stream.device())->solve(stream, a, request, run);
    EXPECT_EQ(run.progress(), 1.0f);
    return result;
}

/// Checks residual, orthogonality, order and sign of a decomposition with all triplets.
template <class T>
void expect_decomposition(Blas& blas, MatrixView<const T> a, const SvdResult<T>& result) {
    ASSERT_EQ(static_cast<int>(result.values.size()), std::min(a.rows, a.cols));
    ASSERT_EQ(result.u.rows(), a.rows);
    ASSERT_EQ(result.v.rows(), a.cols);
    auto accuracy = measure_svd(blas, a, result);
    double limit = tolerance<T>(a.rows, a.cols);
    EXPECT_LE(accuracy.residual, limit);
    EXPECT_LE(accuracy.orthogonality_u, limit);
    EXPECT_LE(accuracy.orthogonality_v, limit);
    EXPECT_TRUE(std::is_sorted(result.values.rbegin(), result.values.rend()));
    EXPECT_GE(result.values.back(), 0);
}

/// Largest difference of the values, relative to the largest value.
inline double value_error(const std::vector<double>& a, const std::vector<double>& b) {
    EXPECT_EQ(a.size(), b.size());
    double error = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        error = std::max(error, std::abs(a[i] - b[i]));
    return b.empty() || b[0] == 0 ? error : error / b[0];
}

/// Singular values computed by LAPACK on the CPU.
template <class T>
std::vector<double> lapack_values(const HostMatrix<T>& a) {
    auto stream = find_device("cpu").create_stream();
    Matrix<T> matrix(*stream, a.rows, a.cols);
    matrix.upload(*stream, a.data);
    return solve<T>(*stream, "lapack-gesdd", matrix.view(), {SvdVectors::none}).values;
}

template <class T>
HostMatrix<T> to_host(Stream& stream, const Matrix<T>& a) {
    HostMatrix<T> host(a.rows(), a.cols());
    host.data = a.download(stream);
    return host;
}

}  // namespace tl::test
