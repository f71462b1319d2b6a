// Least squares and pseudo-inverses, on every device, against LAPACK's gelsd and the conditions
// that define them.
#include <cmath>
#include <limits>

#include "core/device/registry.h"
#include "solvers/dense/matrix_kinds.h"
#include "solvers/dense/matrix_norms.h"
#include "solvers/least_squares/least_squares.h"
#include "tests/solvers/svd_checks.h"

namespace tl::TL_DEVICE_NAME {
namespace test_least_squares_tests {

using namespace tl::test;

template <class T>
Matrix<T> device_copy(Stream& stream, const HostMatrix<T>& host) {
    Matrix<T> matrix(stream, host.rows, host.cols);
    matrix.upload(stream, host.data);
    return matrix;
}

/// The modes of the device that runs the test.
std::vector<std::string> least_squares_modes() {
#if defined(__CUDACC__)
    return ids_on(DeviceKind::cuda, least_squares_solvers());
#else
    return ids_on(DeviceKind::cpu, least_squares_solvers());
#endif
}

template <class T>
LeastSquares<T> solved(Stream& stream, const std::string& mode, MatrixView<const T> a,
                       MatrixView<const T> b, double rcond = -1) {
    SolverRun run;
    return make_least_squares_solver(mode, stream.device())->solve(stream, a, b, rcond, run);
}

/// An m x n matrix of rank k with singular values of about one size.
Matrix<double> of_rank(Blas& blas, int m, int n, int k) {
    auto left = make_matrix<double>(blas, {"uniform", m, k, 1, 31});
    auto right = make_matrix<double>(blas, {"uniform", k, n, 1, 32});
    Matrix<double> a(blas.stream(), m, n);
    blas.gemm(Transpose::no, Transpose::no, 1.0, left.view(), right.view(), 0.0, a.view());
    return a;
}

Matrix<double> product(Blas& blas, const Matrix<double>& a, const Matrix<double>& b) {
    Matrix<double> c(blas.stream(), a.rows(), b.cols());
    blas.gemm(Transpose::no, Transpose::no, 1.0, a.view(), b.view(), 0.0, c.view());
    return c;
}

void expect_near(Stream& stream, const Matrix<double>& a, const Matrix<double>& b,
                 double tolerance) {
    auto x = a.download(stream), y = b.download(stream);
    ASSERT_EQ(x.size(), y.size());
    double largest = 0;
    for (double value : y) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], tolerance * largest);
}

void expect_symmetric(Stream& stream, const Matrix<double>& a, double tolerance) {
    auto host = to_host(stream, a);
    for (int j = 0; j < host.cols; ++j)
        for (int i = 0; i < j; ++i) ASSERT_NEAR(host(i, j), host(j, i), tolerance);
}

}  // namespace test_least_squares_tests
using namespace test_least_squares_tests;

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(LeastSquares, SolutionsAreThoseOfLapack) {
    auto blas = make_blas(stream);
    auto cpu_stream = find_device("cpu").create_stream();
    for (auto [m, n, k] : {std::tuple{1, 1, 1},
                           {50, 20, 20},
                           {20, 50, 20},
                           {64, 64, 64},
                           {300, 70, 70},
                           {70, 300, 70},
                           {60, 40, 13},
                           {40, 60, 1},
                           {33, 33, 32}}) {
        auto a = of_rank(*blas, m, n, k);
        auto b = make_matrix<double>(*blas, {"uniform", m, 3, 1, 33});
        auto on_cpu = device_copy(*cpu_stream, to_host(stream, a)),
             sides = device_copy(*cpu_stream, to_host(stream, b));
        auto theirs = solved<double>(*cpu_stream, "lapack-gelsd", on_cpu.view(), sides.view());
        ASSERT_EQ(theirs.rank, k);
        auto expected = device_copy(stream, to_host(*cpu_stream, theirs.x));
        for (auto& mode : least_squares_modes()) {
            SCOPED_TRACE(mode + " " + std::to_string(m) + "x" + std::to_string(n) + " of rank " +
                         std::to_string(k));
            auto own = solved<double>(stream, mode, a.view(), b.view());
            EXPECT_EQ(own.rank, k);
            expect_near(stream, own.x, expected, 1e-9);
            EXPECT_LE(gradient_error<double>(*blas, a.view(), own.x.view(), b.view()), 1e-14);
            if (mode == "qr") {
                EXPECT_EQ(own.note.empty(), k == std::min(m, n));
            }
        }
    }
}

TL_DEVICE_TEST(LeastSquares, FloatsReachTheirPrecision) {
    auto blas = make_blas(stream);
    for (auto [m, n] : {std::pair{200, 90}, {90, 200}}) {
        auto a = make_matrix<float>(*blas, {"uniform", m, n, 1, 34});
        auto b = make_matrix<float>(*blas, {"uniform", m, 5, 1, 35});
        for (auto& mode : least_squares_modes()) {
            SCOPED_TRACE(mode);
            auto own = solved<float>(stream, mode, a.view(), b.view());
            EXPECT_EQ(own.rank, 90);
            EXPECT_LE(gradient_error<float>(*blas, a.view(), own.x.view(), b.view()), 1e-6);
        }
    }
}

// The values 4, 2, 1 and 1e-20 of a diagonal matrix: the ratio decides how many count.
TL_DEVICE_TEST(LeastSquares, TheRatioDecidesTheRank) {
    HostMatrix<double> host(5, 4), right(5, 1);
    host(0, 0) = 4, host(1, 1) = 2, host(2, 2) = 1, host(3, 3) = 1e-20;
    right.data = {4, 4, 4, 4, 4};
    auto a = device_copy(stream, host), b = device_copy(stream, right);
    for (auto& mode : least_squares_modes())
        for (auto [rcond, rank] : {std::pair{-1.0, 3}, {0.3, 2}, {0.6, 1}, {0.0, 4}, {1.0, 0}}) {
            // LAPACK keeps the largest value.
            if (rcond == 1.0 && mode == "lapack-gelsd") continue;
            SCOPED_TRACE(mode + " " + std::to_string(rcond));
            auto own = solved<double>(stream, mode, a.view(), b.view(), rcond);
            EXPECT_EQ(own.rank, rank);
            auto x = own.x.download(stream);
            const double all[] = {1, 2, 4, 4e20};
            for (int i = 0; i < 4; ++i) EXPECT_NEAR(x[i], i < rank ? all[i] : 0, 1e-12 * all[i]);
        }
}

TL_DEVICE_TEST(LeastSquares, ExtremeScalesCancel) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 40, 20, 1, 36});
    auto b = make_matrix<double>(*blas, {"uniform", 40, 2, 1, 37});
    Matrix<double> scaled_a(stream, 40, 20), scaled_b(stream, 40, 2), scaled_x(stream, 20, 2);
    for (auto& mode : least_squares_modes())
        for (int exponent : {-1000, 1000}) {
            SCOPED_TRACE(mode);
            auto plain = solved<double>(stream, mode, a.view(), b.view());
            scale_by_power<double>(stream, a.view(), exponent, scaled_a.view());
            scale_by_power<double>(stream, b.view(), exponent, scaled_b.view());
            auto own = solved<double>(stream, mode, scaled_a.view(), scaled_b.view());
            EXPECT_EQ(own.x.download(stream), plain.x.download(stream));
        }
}

TL_DEVICE_TEST(LeastSquares, PseudoInversesMeetPenrosesConditions) {
    auto blas = make_blas(stream);
    SolverRun run;
    for (auto [m, n, k] : {std::tuple{30, 20, 20}, {20, 30, 20}, {40, 40, 11}, {25, 90, 7}}) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
        auto a = of_rank(*blas, m, n, k);
        auto inverse = pseudo_inverse<double>(stream, a.view(), -1, run);
        EXPECT_EQ(inverse.rank, k);
        auto ax = product(*blas, a, inverse.x), xa = product(*blas, inverse.x, a);
        expect_near(stream, product(*blas, ax, a), a, 1e-12);
        expect_near(stream, product(*blas, xa, inverse.x), inverse.x, 1e-12);
        expect_symmetric(stream, ax, 1e-12);
        expect_symmetric(stream, xa, 1e-12);
    }
    Matrix<double> zero(stream, 4, 3);
    zero.fill_zero(stream);
    auto inverse = pseudo_inverse<double>(stream, zero.view(), -1, run);
    EXPECT_EQ(inverse.rank, 0);
    EXPECT_EQ(inverse.x.download(stream), std::vector<double>(12, 0.0));
}

TL_DEVICE_TEST(LeastSquares, WhatCannotBeSolvedIsRefused) {
    HostMatrix<double> host(3, 2), right(3, 1);
    auto a = device_copy(stream, host);
    Matrix<double> short_side(stream, 2, 1);
    short_side.fill_zero(stream);
    right(2, 0) = std::numeric_limits<double>::quiet_NaN();
    auto b = device_copy(stream, right);
    for (auto& mode : least_squares_modes()) {
        EXPECT_THROW((void)solved<double>(stream, mode, a.view(), short_side.view()), UserError);
        EXPECT_THROW((void)solved<double>(stream, mode, a.view(), b.view()), UserError);
        Matrix<double> none(stream, 0, 2), no_side(stream, 0, 1);
        EXPECT_EQ(solved<double>(stream, mode, none.view(), no_side.view()).x.download(stream),
                  std::vector<double>(2, 0.0));
    }
}
