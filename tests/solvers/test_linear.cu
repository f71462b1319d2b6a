// Linear systems and products of matrices, on every device.
#include <cmath>
#include <limits>

#include "core/device/registry.h"
#include "solvers/dense/linear/linear.h"
#include "solvers/dense/matmul/matmul.h"
#include "solvers/dense/matrix_kinds.h"
#include "solvers/dense/matrix_norms.h"
#include "tests/solvers/svd_checks.h"

namespace tl::TL_DEVICE_NAME {
namespace test_linear_tests {

using namespace tl::test;

#if defined(__CUDACC__)
constexpr auto kKind = DeviceKind::cuda;
#else
constexpr auto kKind = DeviceKind::cpu;
#endif

LinearSolution<double> solved(Stream& stream, const std::string& mode, const Matrix<double>& a,
                              const Matrix<double>& b) {
    SolverRun run;
    return make_linear_solver(mode, stream.device())->solve(stream, a.view(), b.view(), run);
}

std::string error_of(Stream& stream, const std::string& mode, const Matrix<double>& a,
                     const Matrix<double>& b) {
    try {
        (void)solved(stream, mode, a, b);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

/// alpha op(A) op(B) + beta C in long double.
template <class T>
HostMatrix<T> exact_product(Transpose op_a, Transpose op_b, T alpha, const HostMatrix<T>& a,
                            const HostMatrix<T>& b, T beta, const HostMatrix<T>& c) {
    HostMatrix<T> result(c.rows, c.cols);
    int depth = op_a == Transpose::yes ? a.rows : a.cols;
    for (int j = 0; j < c.cols; ++j)
        for (int i = 0; i < c.rows; ++i) {
            long double sum = 0;
            for (int k = 0; k < depth; ++k)
                sum += static_cast<long double>(op_a == Transpose::yes ? a(k, i) : a(i, k)) *
                       (op_b == Transpose::yes ? b(j, k) : b(k, j));
            result(i, j) = static_cast<T>(alpha * sum + (beta == 0 ? 0 : beta * c(i, j)));
        }
    return result;
}

/// `skipped` rows before each matrix, so that views have strides and odd alignment.
template <class T>
void check_product(Stream& stream, const MultiplierRow& row, int m, int n, int depth,
                   Transpose op_a, Transpose op_b, T beta, int skipped) {
    SCOPED_TRACE(row.id + " " + std::to_string(m) + "x" + std::to_string(n) + "x" +
                 std::to_string(depth) + (op_a == Transpose::yes ? " A^T" : "") +
                 (op_b == Transpose::yes ? " B^T" : "") + " skipped " + std::to_string(skipped));
    auto blas = make_blas(stream);
    auto make = [&](int rows, int cols, std::uint64_t seed) {
        return make_matrix<T>(*blas,
                              {"uniform", std::max(rows + skipped, 1), std::max(cols, 1), 1, seed});
    };
    bool ta = op_a == Transpose::yes, tb = op_b == Transpose::yes;
    auto a = make(ta ? depth : m, ta ? m : depth, 1), b = make(tb ? n : depth, tb ? depth : n, 2);
    auto c = make(m, n, 3);
    auto part = [&](const HostMatrix<T>& from, int rows, int cols) {
        HostMatrix<T> matrix(rows, cols);
        for (int j = 0; j < cols; ++j)
            for (int i = 0; i < rows; ++i) matrix(i, j) = from(i + skipped, j);
        return matrix;
    };
    auto before = to_host(stream, c);
    auto expected = exact_product<T>(
        op_a, op_b, T(2), part(to_host(stream, a), ta ? depth : m, ta ? m : depth),
        part(to_host(stream, b), tb ? n : depth, tb ? depth : n), beta, part(before, m, n));
    auto multiplier = row.make_cpu;
    if (kKind == DeviceKind::cuda) multiplier = row.make_cuda;
    multiplier()->multiply(stream, op_a, op_b, T(2),
                           a.view().block(skipped, 0, ta ? depth : m, ta ? m : depth),
                           b.view().block(skipped, 0, tb ? n : depth, tb ? depth : n), beta,
                           c.view().block(skipped, 0, m, n));
    auto after = to_host(stream, c);
    // Every term is at most 2; TF32 rounds each factor to 2^-11.
    double rounding = row.tf32 ? 1e-3 : static_cast<double>(std::numeric_limits<T>::epsilon());
    double limit = 2 * rounding * (depth + 2);
    for (int j = 0; j < n; ++j) {
        for (int i = 0; i < m; ++i)
            ASSERT_NEAR(after(i + skipped, j), expected(i, j), limit) << i << ", " << j;
        for (int i = 0; i < skipped; ++i) ASSERT_EQ(after(i, j), before(i, j));
    }
}

}  // namespace test_linear_tests
using namespace test_linear_tests;

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Linear, EveryModeSolvesToFullAccuracy) {
    auto blas = make_blas(stream);
    for (auto& mode : ids_on(kKind, linear_solvers()))
        for (auto [n, sides] : {std::pair{1, 1}, {2, 5}, {65, 1}, {150, 40}}) {
            SCOPED_TRACE(mode + " " + std::to_string(n));
            auto a = make_matrix<double>(*blas, {"geometric", n, n, 100, 3});
            auto b = make_matrix<double>(*blas, {"uniform", n, sides, 1, 4});
            auto solution = solved(stream, mode, a, b);
            // Partial pivoting's growth is small here: a few roundings of every element.
            EXPECT_LE(backward_error<double>(*blas, a.view(), solution.x.view(), b.view()),
                      std::numeric_limits<double>::epsilon() * (n + 10));
            EXPECT_EQ(solution.note, "");
        }
}

TL_DEVICE_TEST(Linear, RefinementFallsBackToDoubleAndSaysSo) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"geometric", 100, 100, 1e12, 3});
    auto b = make_matrix<double>(*blas, {"uniform", 100, 2, 1, 4});
    auto solution = solved(stream, "refined", a, b);
    EXPECT_NE(solution.note.find("solved in double, since"), std::string::npos);
    EXPECT_LE(backward_error<double>(*blas, a.view(), solution.x.view(), b.view()), 1e-14);
}

TL_DEVICE_TEST(Linear, RefinementTakesElementsThatNoFloatHolds) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"geometric", 60, 60, 100, 3});
    auto b = make_matrix<double>(*blas, {"uniform", 60, 2, 1, 4});
    Matrix<double> scaled(stream, 60, 60);
    for (int exponent : {-700, 700}) {
        scale_by_power<double>(stream, a.view(), exponent, scaled.view());
        auto solution = solved(stream, "refined", scaled, b);
        EXPECT_EQ(solution.note, "");
        EXPECT_LE(backward_error<double>(*blas, scaled.view(), solution.x.view(), b.view()), 1e-14);
    }
}

TL_DEVICE_TEST(Linear, SystemsOfAnySizeAreSolvedByEveryOwnMode) {
    auto blas = make_blas(stream);
    struct Known {
        std::vector<double> a, b, x;  ///< A by columns
    };
    const std::vector<Known> systems{
        {{2e-295, 1e-295, 1e-295, 3e-295}, {3e-295, 4e-295}, {1, 1}},
        {{2e295, 1e295, 1e295, 3e295}, {3e295, 4e295}, {1, 1}},
        {{2e-295, 1e-295, 1e-295, 3e-295}, {3, 4}, {1e295, 1e295}},
        {{2e160, 1e160, 1e160, 3e160}, {3e-148, 4e-148}, {1e-308, 1e-308}},
        {{1, 0, 0, 1e-40}, {1, 1}, {1, 1e40}},
        {{1e-200, 0, 0, 1e200}, {1, 1}, {1e200, 1e-200}},
        {{1e300, 0, 0, 1e-300}, {1e300, 1e-300}, {1, 1}},
        {{1e200, 1e-200, 1e200, 0}, {3e200, 1e-200}, {1, 2}},  // a pivot underflows
        {{1e-310, 0, 0, 1e-310}, {1e-310, 2e-310}, {1, 2}},
    };
    for (auto& mode : ids_on(kKind, linear_solvers())) {
        if (find_row(linear_solvers(), mode, "solve mode").peer) continue;
        for (auto& system : systems) {
            SCOPED_TRACE(mode + ", " + std::to_string(&system - systems.data()));
            Matrix<double> a(stream, 2, 2), b(stream, 2, 1);
            a.upload(stream, system.a);
            b.upload(stream, system.b);
            auto solution = solved(stream, mode, a, b);
            auto x = solution.x.download(stream);
            // Condition numbers are small once rows and columns are scaled; 1e-310 has 11 digits.
            double digits = system.a[0] < 1e-307 ? 1e-10 : 1e-14;
            for (int i = 0; i < 2; ++i) EXPECT_NEAR(x[i] / system.x[i], 1, digits);
            EXPECT_LE(backward_error<double>(*blas, a.view(), solution.x.view(), b.view()), digits);
        }
    }
}

TL_DEVICE_TEST(Linear, RefinementOfSystemsThatNoFloatSolvesFallsBackAndSaysSo) {
    // x[n - 1] = 1000 and x[i] = 1000 (1 - x[i + 1]): to 1e120, beyond the range of float.
    constexpr int n = 40;
    std::vector<double> elements(n * n);
    for (int i = 0; i < n; ++i) {
        elements[i * n + i] = 1e-3;
        if (i > 0) elements[i * n + i - 1] = 1;
    }
    auto blas = make_blas(stream);
    Matrix<double> a(stream, n, n), b(stream, n, 1);
    a.upload(stream, elements);
    b.upload(stream, std::vector<double>(n, 1.0));
    auto refined = solved(stream, "refined", a, b), direct = solved(stream, "lu", a, b);
    EXPECT_NE(refined.note.find("solved in double, since"), std::string::npos) << refined.note;
    EXPECT_EQ(refined.x.download(stream), direct.x.download(stream));
    EXPECT_LE(backward_error<double>(*blas, a.view(), refined.x.view(), b.view()), 1e-14);
    EXPECT_GT(std::abs(refined.x.download(stream)[0]), 1e110);
}

TL_DEVICE_TEST(Linear, WhatIsNotFiniteNeverPasses) {
    auto blas = make_blas(stream);
    Matrix<double> a(stream, 2, 2), b(stream, 2, 1), x(stream, 2, 1), c(stream, 2, 2);
    a.upload(stream, std::vector<double>{1, 0, 0, 1});
    b.upload(stream, std::vector<double>{1, 1});
    for (double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
        x.upload(stream, std::vector<double>{bad, 1});
        c.upload(stream, std::vector<double>{1, bad, 0, 1});
        EXPECT_TRUE(std::isnan(backward_error<double>(*blas, a.view(), x.view(), b.view())));
        EXPECT_FALSE(product_error<double>(stream, a.view(), a.view(), c.view()) < 1e300);
        EXPECT_TRUE(std::isnan(frobenius_norm<double>(stream, c.view())));
        EXPECT_FALSE(all_finite<double>(stream, c.view()));
    }
    // The solution is beyond the range of a double.
    a.upload(stream, std::vector<double>{1e-300, 0, 0, 1e-300});
    b.upload(stream, std::vector<double>{1e10, 1});
    for (auto& mode : ids_on(kKind, linear_solvers()))
        EXPECT_NE(error_of(stream, mode, a, b).find("beyond the range"), std::string::npos) << mode;
}

TL_DEVICE_TEST(Linear, BackwardErrorsNeitherOverflowNorUnderflow) {
    auto blas = make_blas(stream);
    // Rows of 1e150 and 1e-150, whose inverse has columns of 1e-150 and 1e150.
    Matrix<double> a(stream, 2, 2), inverse(stream, 2, 2), identity(stream, 2, 2);
    a.upload(stream, std::vector<double>{2e150, 1e-150, 1e150, 1e-150});
    identity.upload(stream, std::vector<double>{1, 0, 0, 1});
    inverse.upload(stream, std::vector<double>{1e-150, -1e-150, -1e150, 2e150});
    EXPECT_LE(backward_error<double>(*blas, a.view(), inverse.view(), identity.view()), 1e-15);
    // A relative error of 1e-3 in one element shows in its column.
    inverse.upload(stream, std::vector<double>{1.001e-150, -1e-150, -1e150, 2e150});
    EXPECT_NEAR(backward_error<double>(*blas, a.view(), inverse.view(), identity.view()), 5e-4,
                1e-4);
    for (double scale : {1e-290, 1e290}) {
        Matrix<double> x(stream, 2, 1), b(stream, 2, 1);
        a.upload(stream, std::vector<double>{2 * scale, scale, scale, 3 * scale});
        b.upload(stream, std::vector<double>{3 * scale, 4 * scale});
        x.upload(stream, std::vector<double>{1, 1});
        EXPECT_LE(backward_error<double>(*blas, a.view(), x.view(), b.view()), 1e-15);
        x.upload(stream, std::vector<double>{1, 1.01});
        EXPECT_NEAR(backward_error<double>(*blas, a.view(), x.view(), b.view()), 4e-3, 2e-3);
        EXPECT_NEAR(frobenius_norm<double>(stream, a.view()) / scale, std::sqrt(15.0), 1e-14);
    }
}

TL_DEVICE_TEST(Linear, RunsRepeatToTheBit) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 211, 211, 1, 3});
    auto b = make_matrix<double>(*blas, {"uniform", 211, 17, 1, 4});
    for (auto& mode : {"lu", "refined"}) {
        auto first = solved(stream, mode, a, b), second = solved(stream, mode, a, b);
        EXPECT_EQ(first.x.download(stream), second.x.download(stream)) << mode;
    }
}

TL_DEVICE_TEST(Linear, BadSystemsAreOneClearError) {
    auto blas = make_blas(stream);
    auto square = make_matrix<double>(*blas, {"uniform", 5, 5, 1, 1});
    auto wide = make_matrix<double>(*blas, {"uniform", 4, 5, 1, 1});
    Matrix<double> zero(stream, 5, 5);
    zero.fill_zero(stream);
    for (auto& mode : ids_on(kKind, linear_solvers())) {
        SCOPED_TRACE(mode);
        EXPECT_NE(error_of(stream, mode, wide, square).find("4x5"), std::string::npos);
        EXPECT_NE(error_of(stream, mode, square, wide).find("5 rows"), std::string::npos);
        // The library's refinement does not report singular matrices.
        if (mode == "cusolver-irs") continue;
        EXPECT_NE(error_of(stream, mode, zero, square).find("singular"), std::string::npos);
    }
}

TL_DEVICE_TEST(Matmul, EverySizeStrideAndTransposeIsRight) {
    for (auto& row : multipliers()) {
        if (!(kKind == DeviceKind::cuda ? row.make_cuda : row.make_cpu)) continue;
        for (auto [m, n, depth] : {std::tuple{1, 1, 1},
                                   {3, 2, 0},
                                   {7, 5, 3},
                                   {16, 16, 16},
                                   {33, 65, 17},
                                   {128, 128, 32},
                                   {130, 129, 40},
                                   {1, 200, 300},
                                   {200, 1, 300},
                                   {257, 70, 263},
                                   {301, 519, 100},
                                   {513, 600, 9}})
            for (auto op_a : {Transpose::no, Transpose::yes})
                for (auto op_b : {Transpose::no, Transpose::yes}) {
                    if (!row.tf32) {
                        check_product<double>(stream, row, m, n, depth, op_a, op_b, 0, 0);
                        check_product<double>(stream, row, m, n, depth, op_a, op_b, 0.5, 1);
                    }
                    check_product<float>(stream, row, m, n, depth, op_a, op_b, 0, 0);
                    check_product<float>(stream, row, m, n, depth, op_a, op_b, 0.5f, 3);
                }
    }
}

TL_DEVICE_TEST(Matmul, RunsRepeatToTheBit) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 333, 301, 1, 11});
    auto b = make_matrix<double>(*blas, {"uniform", 301, 257, 1, 12});
    auto product = [&](const std::string& mode) {
        Matrix<double> c(stream, 333, 257);
        make_multiplier(mode, device)
            ->multiply(stream, Transpose::no, Transpose::no, 1.0, a.view(), b.view(), 0.0,
                       c.view());
        return c.download(stream);
    };
    for (auto& row : multipliers())
        if (!row.tf32 && (kKind == DeviceKind::cuda ? row.make_cuda : row.make_cpu)) {
            EXPECT_EQ(product(row.id), product(row.id)) << row.id;
        }
}

TL_DEVICE_TEST(Matmul, WithoutBetaTheResultIsNotRead) {
    for (auto& row : multipliers()) {
        if (row.tf32 || !(kKind == DeviceKind::cuda ? row.make_cuda : row.make_cpu)) continue;
        auto blas = make_blas(stream);
        auto a = make_matrix<double>(*blas, {"uniform", 20, 20, 1, 1});
        Matrix<double> c(stream, 20, 20);
        std::vector<double> bad(400, std::numeric_limits<double>::quiet_NaN());
        c.upload(stream, bad);
        make_multiplier(row.id, device)
            ->multiply(stream, Transpose::no, Transpose::no, 1.0, a.view(), a.view(), 0.0,
                       c.view());
        for (double x : c.download(stream)) ASSERT_TRUE(std::isfinite(x)) << row.id;
    }
}
