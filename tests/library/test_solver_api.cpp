// The C interface over batches of eigenproblems and complex matrices.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "library/api/treelight.h"

extern "C" int solve_batch_from_c(const char* device);
extern "C" int solve_complex_from_c(const char* device);

namespace tl::solver_api_tests {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Known eigenvalues: 1 and 3; 2 + i and 2 - i; none.
template <class T>
void solve_known_batch(const char* device, tl_type type, double tolerance) {
    using Complex = std::complex<T>;
    const T matrices[3][2][2] = {{{2, 1}, {1, 2}}, {{2, -1}, {1, 2}}, {{1, T(kNan)}, {0, 1}}};
    Complex values[3][2], vectors[3][2][2], alone[3][2];
    tl_eig_error errors[3] = {TL_EIG_NOT_CONVERGED, TL_EIG_NOT_CONVERGED, TL_EIG_SOLVED};
    ASSERT_EQ(tl_eig_batch(device, type, matrices, 2, 3, values, vectors, errors, nullptr, nullptr),
              TL_OK)
        << tl_last_error();
    EXPECT_EQ(errors[0], TL_EIG_SOLVED);
    EXPECT_EQ(errors[1], TL_EIG_SOLVED);
    EXPECT_EQ(errors[2], TL_EIG_NOT_FINITE);
    EXPECT_NEAR(std::abs(values[0][0] - values[0][1]), 2, tolerance);
    EXPECT_NEAR(std::abs(values[0][0] + values[0][1] - Complex(4)), 0, tolerance);
    EXPECT_NEAR(std::abs(values[1][0] - Complex(2, 1)), 0, tolerance);
    EXPECT_NEAR(std::abs(values[1][1] - Complex(2, -1)), 0, tolerance);
    EXPECT_TRUE(std::isnan(values[2][0].real()) && std::isnan(vectors[2][1][1].real()));
    for (int m = 0; m < 2; ++m)
        for (int t = 0; t < 2; ++t) {
            Complex v[2] = {vectors[m][0][t], vectors[m][1][t]};
            EXPECT_NEAR(std::norm(v[0]) + std::norm(v[1]), 1, tolerance);
            for (int i = 0; i < 2; ++i) {
                Complex product = matrices[m][i][0] * v[0] + matrices[m][i][1] * v[1];
                EXPECT_NEAR(std::abs(product - values[m][t] * v[i]), 0, tolerance);
            }
        }
    EXPECT_EQ(tl_eig_batch(device, type, matrices, 2, 2, alone, nullptr, nullptr, nullptr, nullptr),
              TL_OK);
    EXPECT_NEAR(std::abs(alone[1][0] - values[1][0]), 0, tolerance);
}

TEST(ApiEigOnCpu, WorksFromC) {
    EXPECT_EQ(solve_batch_from_c("cpu"), 0);
}
TEST(ApiEigOnCuda, WorksFromC) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    EXPECT_EQ(solve_batch_from_c("cuda"), 0);
}
TEST(ApiEigOnCpu, BatchesHaveKnownValues) {
    solve_known_batch<double>("cpu", TL_FLOAT64, 1e-14);
    solve_known_batch<float>("cpu", TL_FLOAT32, 1e-6);
}
TEST(ApiEigOnCuda, BatchesHaveKnownValues) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    solve_known_batch<double>("cuda", TL_FLOAT64, 1e-14);
    solve_known_batch<float>("cuda", TL_FLOAT32, 1e-6);
}

TEST(ApiEig, WrongArgumentsAreRefused) {
    const double matrices[2] = {3, kNan};
    double values[4] = {};
    auto solve = [&](const char* device, int type, const void* from, int n, void* to) {
        return tl_eig_batch(device, static_cast<tl_type>(type), from, n, 2, to, nullptr, nullptr,
                            nullptr, nullptr);
    };
    EXPECT_EQ(solve("abacus", TL_FLOAT64, matrices, 1, values), TL_UNKNOWN);
    EXPECT_EQ(solve(nullptr, TL_FLOAT64, matrices, 1, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", 7, matrices, 1, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, nullptr, 1, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, matrices, 1, nullptr), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, matrices, -1, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, matrices, 1025, values), TL_INVALID);
    EXPECT_EQ(solve("cpu", TL_FLOAT64, nullptr, 0, nullptr), TL_OK);
    // The first matrix without results is an error where the caller takes none for each.
    EXPECT_EQ(solve("cpu", TL_FLOAT64, matrices, 1, values), TL_FAILED);
    EXPECT_NE(std::string(tl_last_error()).find("matrix 1, counted from 0, of 2 has an element"),
              std::string::npos)
        << tl_last_error();
    auto cancel = [](void*, const char*, double) { return 1; };
    EXPECT_EQ(
        tl_eig_batch("cpu", TL_FLOAT64, matrices, 1, 1, values, nullptr, nullptr, cancel, nullptr),
        TL_CANCELLED);
}

/// A complex matrix, column by column.
template <class T>
struct Columns {
    int rows, cols;
    std::vector<std::complex<T>> data;

    Columns(int rows, int cols) : rows(rows), cols(cols), data(std::size_t(rows) * cols) {}
    std::complex<T>& operator()(int i, int j) { return data[i + std::size_t(j) * rows]; }
    /// The element in double, for checks.
    std::complex<double> at(int i, int j) const { return data[i + std::size_t(j) * rows]; }
};

/// Parts between -1 and 1, and `diagonal` added to the elements (i, i).
template <class T>
Columns<T> random_columns(int rows, int cols, unsigned seed, T diagonal = 0) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<T> part(-1, 1);
    Columns<T> matrix(rows, cols);
    for (auto& element : matrix.data) {
        T re = part(random);
        element = {re, part(random)};
    }
    for (int i = 0; i < std::min(rows, cols); ++i) matrix(i, i) += diagonal;
    return matrix;
}

/// The largest element of X^H X - I.
template <class T>
double deviation_from_unitary(const Columns<T>& x) {
    double largest = 0;
    for (int i = 0; i < x.cols; ++i)
        for (int j = 0; j < x.cols; ++j) {
            std::complex<double> sum = i == j ? -1 : 0;
            for (int k = 0; k < x.rows; ++k) sum += std::conj(x.at(k, i)) * x.at(k, j);
            largest = std::max(largest, std::abs(sum));
        }
    return largest;
}

/// A V = U S for tall, wide and square matrices, with unitary U and V.
template <class T>
void check_complex_svd(const char* device, tl_type type, double tolerance) {
    for (auto [m, n] : {std::pair(1, 1), std::pair(12, 7), std::pair(7, 12), std::pair(20, 20)}) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
        auto a = random_columns<T>(m, n, 5);
        int k = std::min(m, n);
        Columns<T> u(m, k), v(n, k), v_alone(n, k);
        std::vector<T> values(k), alone(k);
        ASSERT_EQ(tl_complex_svd(device, type, a.data.data(), m, n, u.data.data(), values.data(),
                                 v.data.data()),
                  TL_OK)
            << tl_last_error();
        EXPECT_TRUE(std::ranges::is_sorted(values, std::greater()));
        EXPECT_GT(values[k - 1], 0);
        EXPECT_LT(deviation_from_unitary(u), tolerance);
        EXPECT_LT(deviation_from_unitary(v), tolerance);
        for (int i = 0; i < m; ++i)
            for (int t = 0; t < k; ++t) {
                std::complex<double> rest = -u.at(i, t) * double(values[t]);
                for (int j = 0; j < n; ++j) rest += a.at(i, j) * v.at(j, t);
                EXPECT_LT(std::abs(rest), tolerance);
            }
        ASSERT_EQ(tl_complex_svd(device, type, a.data.data(), m, n, nullptr, alone.data(), nullptr),
                  TL_OK);
        for (int t = 0; t < k; ++t) EXPECT_NEAR(alone[t], values[t], tolerance);
        ASSERT_EQ(tl_complex_svd(device, type, a.data.data(), m, n, nullptr, alone.data(),
                                 v_alone.data.data()),
                  TL_OK);
        EXPECT_LT(deviation_from_unitary(v_alone), tolerance);
    }
}

/// Rows p of A are L U.
template <class T>
void check_complex_lu(const char* device, tl_type type, double tolerance) {
    for (auto [m, n] : {std::pair(1, 1), std::pair(40, 40), std::pair(9, 5), std::pair(5, 9)}) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
        auto a = random_columns<T>(m, n, 6);
        Columns<T> factors(m, n);
        std::vector<int> p(m, -1);
        ASSERT_EQ(tl_complex_lu(device, type, a.data.data(), m, n, factors.data.data(), p.data()),
                  TL_OK)
            << tl_last_error();
        auto order = p;
        std::ranges::sort(order);
        for (int i = 0; i < m; ++i) ASSERT_EQ(order[i], i);
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                std::complex<double> rest = -a.at(p[i], j);
                for (int k = 0; k <= std::min(i, j); ++k)
                    rest += (k == i ? 1.0 : factors.at(i, k)) * factors.at(k, j);
                EXPECT_LT(std::abs(rest), tolerance);
            }
    }
}

/// A X = B, also where X overwrites B.
template <class T>
void check_complex_system(const char* device, tl_type type, double tolerance) {
    int n = 25, sides = 3;
    auto a = random_columns<T>(n, n, 7, 5), b = random_columns<T>(n, sides, 8);
    Columns<T> x(n, sides);
    auto solve = [&](const Columns<T>& right, Columns<T>& to) {
        return tl_complex_solve(device, type, a.data.data(), n, right.data.data(), sides,
                                to.data.data());
    };
    ASSERT_EQ(solve(b, x), TL_OK) << tl_last_error();
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < sides; ++j) {
            std::complex<double> rest = -b.at(i, j);
            for (int k = 0; k < n; ++k) rest += a.at(i, k) * x.at(k, j);
            EXPECT_LT(std::abs(rest), tolerance);
        }
    ASSERT_EQ(solve(b, b), TL_OK);
    for (std::size_t e = 0; e < x.data.size(); ++e)
        EXPECT_LT(std::abs(b.data[e] - x.data[e]), tolerance);
}

/// A v = lambda v for the matrices of a batch, row by row, of which the second is not finite.
template <class T>
void check_complex_batch(const char* device, tl_type type, double tolerance) {
    const int n = 6, count = 3;
    auto columns = random_columns<T>(n, n * count, 9);
    auto& a = columns.data;
    a[n * n + 4].imag(T(kNan));
    std::vector<std::complex<T>> values(count * n), vectors(count * n * n), alone(count * n);
    tl_eig_error errors[count] = {TL_EIG_NOT_CONVERGED, TL_EIG_SOLVED, TL_EIG_NOT_CONVERGED};
    ASSERT_EQ(tl_complex_eig_batch(device, type, a.data(), n, count, values.data(), vectors.data(),
                                   errors, nullptr, nullptr),
              TL_OK)
        << tl_last_error();
    ASSERT_EQ(tl_complex_eig_batch(device, type, a.data(), n, 1, alone.data(), nullptr, nullptr,
                                   nullptr, nullptr),
              TL_OK);
    std::complex<double> sum = 0, sum_alone = 0;
    for (int t = 0; t < n; ++t) {
        sum += values[t];
        sum_alone += alone[t];
    }
    EXPECT_LT(std::abs(sum - sum_alone), tolerance);
    for (int m = 0; m < count; ++m) {
        EXPECT_EQ(errors[m], m == 1 ? TL_EIG_NOT_FINITE : TL_EIG_SOLVED);
        for (int t = 0; t < n; ++t) {
            std::complex<double> value = values[m * n + t];
            EXPECT_EQ(std::isnan(value.real()), m == 1);
            if (m == 1) continue;
            auto vector = [&](int i) { return std::complex<double>(vectors[(m * n + i) * n + t]); };
            double length = 0;
            for (int i = 0; i < n; ++i) {
                length += std::norm(vector(i));
                std::complex<double> rest = -value * vector(i);
                for (int j = 0; j < n; ++j)
                    rest += std::complex<double>(a[(m * n + i) * n + j]) * vector(j);
                EXPECT_LT(std::abs(rest), tolerance);
            }
            EXPECT_NEAR(length, 1, tolerance);
        }
    }
}

void check_complex_matrices(const char* device) {
    constexpr double kDouble = 1e-12, kFloat = 1e-4;
    EXPECT_EQ(solve_complex_from_c(device), 0) << tl_last_error();
    check_complex_svd<double>(device, TL_FLOAT64, kDouble);
    check_complex_svd<float>(device, TL_FLOAT32, kFloat);
    check_complex_lu<double>(device, TL_FLOAT64, kDouble);
    check_complex_lu<float>(device, TL_FLOAT32, kFloat);
    check_complex_system<double>(device, TL_FLOAT64, kDouble);
    check_complex_system<float>(device, TL_FLOAT32, kFloat);
    check_complex_batch<double>(device, TL_FLOAT64, kDouble);
    check_complex_batch<float>(device, TL_FLOAT32, kFloat);
}

TEST(ApiComplexOnCpu, ResultsGiveTheMatrixBack) {
    check_complex_matrices("cpu");
}
TEST(ApiComplexOnCuda, ResultsGiveTheMatrixBack) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    check_complex_matrices("cuda");
}

TEST(ApiComplex, EmptyMatricesHaveEmptyResults) {
    int p[3] = {-1, -1, -1};
    const std::complex<double> a[1] = {1};
    EXPECT_EQ(tl_complex_svd("cpu", TL_FLOAT64, nullptr, 0, 3, nullptr, nullptr, nullptr), TL_OK);
    EXPECT_EQ(tl_complex_solve("cpu", TL_FLOAT64, nullptr, 0, nullptr, 2, nullptr), TL_OK);
    EXPECT_EQ(tl_complex_solve("cpu", TL_FLOAT64, a, 1, nullptr, 0, nullptr), TL_OK);
    EXPECT_EQ(tl_complex_lu("cpu", TL_FLOAT64, nullptr, 3, 0, nullptr, p), TL_OK);
    EXPECT_EQ(std::vector<int>(p, p + 3), (std::vector<int>{0, 1, 2}));
    EXPECT_EQ(tl_complex_eig_batch("cpu", TL_FLOAT64, nullptr, 0, 2, nullptr, nullptr, nullptr,
                                   nullptr, nullptr),
              TL_OK);
}

/// Arguments of the four functions that a test makes wrong.
struct ComplexCall {
    const char* device = "cpu";
    int type = TL_FLOAT64, rows = 2, cols = 2;
    std::vector<std::complex<double>> matrix{1, 2, 3, 5};
    bool without_matrix = false, without_result = false;
};

/// Statuses of the four functions; solve and eig have `rows` alone.
std::vector<tl_status> statuses_of(const ComplexCall& call) {
    std::complex<double> right[2] = {1, 1}, results[4], vectors[4];
    double values[2];
    int p[2];
    auto type = static_cast<tl_type>(call.type);
    const void* a = call.without_matrix ? nullptr : call.matrix.data();
    auto to = [&](void* result) { return call.without_result ? nullptr : result; };
    return {
        tl_complex_svd(call.device, type, a, call.rows, call.cols, vectors, to(values), nullptr),
        tl_complex_lu(call.device, type, a, call.rows, call.cols, to(results), p),
        tl_complex_solve(call.device, type, a, call.rows, right, 1, to(results)),
        tl_complex_eig_batch(call.device, type, a, call.rows, 1, to(results), nullptr, nullptr,
                             nullptr, nullptr)};
}

TEST(ApiComplex, WrongArgumentsAreRefused) {
    const std::vector<tl_status> fine(4, TL_OK), invalid(4, TL_INVALID), unknown(4, TL_UNKNOWN),
        failed(4, TL_FAILED);
    EXPECT_EQ(statuses_of({}), fine) << tl_last_error();
    EXPECT_EQ(statuses_of({.device = "abacus"}), unknown);
    EXPECT_EQ(statuses_of({.device = nullptr}), invalid);
    EXPECT_EQ(statuses_of({.type = 7}), invalid);
    EXPECT_EQ(statuses_of({.rows = -1}), invalid);
    EXPECT_EQ(statuses_of({.rows = std::numeric_limits<int>::max()}), invalid);
    EXPECT_EQ(statuses_of({.without_matrix = true}), invalid);
    EXPECT_EQ(statuses_of({.without_result = true}), invalid);
    // Solvers find elements that are not finite, and singular matrices.
    EXPECT_EQ(statuses_of({.matrix = {1, 2, {0, kNan}, 5}}), failed);
    EXPECT_NE(std::string(tl_last_error()).find("not finite"), std::string::npos);
    EXPECT_EQ(statuses_of({.matrix = {1, {0, 2}, 2, {0, 4}}}),
              (std::vector{TL_OK, TL_OK, TL_FAILED, TL_OK}));
}

TEST(ApiComplex, ErrorsSayWhatIsWrong) {
    using Number = std::complex<double>;
    const Number singular[4] = {1, {0, 2}, 2, {0, 4}}, bad[2] = {1, {kNan, 0}};
    Number x[2] = {1, 1}, factors[2];
    double values[1];
    int p[2];
    auto says = [](const char* words) {
        return std::string(tl_last_error()).find(words) != std::string::npos;
    };
    EXPECT_EQ(tl_complex_solve("cpu", TL_FLOAT64, singular, 2, x, 1, x), TL_FAILED);
    EXPECT_TRUE(says("the matrix is singular: the pivot of column 1")) << tl_last_error();
    EXPECT_EQ(tl_complex_svd("cpu", TL_FLOAT64, bad, 2, 1, nullptr, values, nullptr), TL_FAILED);
    EXPECT_TRUE(says("svd: element (1, 0), counted from 0, is not finite")) << tl_last_error();
    EXPECT_EQ(tl_complex_lu("cpu", TL_FLOAT64, bad, 1, 2, factors, p), TL_FAILED);
    EXPECT_TRUE(says("lu: element (0, 1), counted from 0, is not finite")) << tl_last_error();
    EXPECT_EQ(tl_complex_solve("cpu", TL_FLOAT64, singular, 1, bad + 1, 1, x), TL_FAILED);
    EXPECT_TRUE(says("solve: element (0, 0), counted from 0, is not finite")) << tl_last_error();
    EXPECT_EQ(tl_complex_lu("cpu", TL_FLOAT64, bad, 1, 2, factors, nullptr), TL_INVALID);
    EXPECT_EQ(tl_complex_solve("cpu", TL_FLOAT64, singular, 2, nullptr, 1, x), TL_INVALID);
    EXPECT_EQ(tl_complex_solve("cpu", TL_FLOAT64, singular, 2, x, -1, x), TL_INVALID);
    auto solve_batch = [&](const Number* matrices, int n, tl_progress progress) {
        return tl_complex_eig_batch("cpu", TL_FLOAT64, matrices, n, 2, x, nullptr, nullptr,
                                    progress, nullptr);
    };
    EXPECT_EQ(solve_batch(bad, 1, nullptr), TL_FAILED);
    EXPECT_TRUE(says("matrix 1, counted from 0, of 2 has an element")) << tl_last_error();
    EXPECT_EQ(solve_batch(bad, 1025, nullptr), TL_INVALID);
    auto cancel = [](void*, const char*, double) { return 1; };
    EXPECT_EQ(solve_batch(singular, 1, cancel), TL_CANCELLED);
}

}  // namespace tl::solver_api_tests
