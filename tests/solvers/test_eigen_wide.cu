// Eigenvalues of matrices whose elements span a wider range than their products can. Every mode of
// the device is compared with closed formulas and with well-scaled matrices of the same
// eigenvalues.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "solvers/eigen/matrix_batch.h"
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/solvers/eigen_runs.h"

namespace tl::TL_DEVICE_NAME {
namespace {

/// Real eigenvalues in ascending order.
template <class T>
std::vector<double> ascending(const HostEigen<T>& solved, std::size_t matrix = 0) {
    std::vector<double> values;
    auto n = static_cast<std::size_t>(solved.n);
    for (std::size_t i = 0; i < n; ++i) {
        const T* value = &solved.values[2 * (matrix * n + i)];
        EXPECT_EQ(value[1], T(0)) << "eigenvalue " << i;
        values.push_back(static_cast<double>(value[0]));
    }
    std::sort(values.begin(), values.end());
    return values;
}

struct KnownMatrix {
    std::vector<double> a;
    std::vector<double> values;  ///< ascending
};

// In units of ||B|| eps n for the balanced matrix B, as for matrices of one scale.
constexpr double kMostWide = 10;

/// Solves with all modes and all results.
template <class T>
void expect_values(Stream& stream, const Device& device, const KnownMatrix& known) {
    std::vector<T> a(known.a.begin(), known.a.end());
    const int n = static_cast<int>(known.values.size());
    for (auto& mode : own_modes(device)) {
        SCOPED_TRACE(mode + (sizeof(T) == 8 ? ", double" : ", float"));
        for (auto pairs : {EigenPairs::values, EigenPairs::real, EigenPairs::all}) {
            auto solved = solve_batch(stream, mode, a, n, pairs);
            ASSERT_EQ(solved.status[0], 0);
            auto values = ascending(solved);
            double scale = std::max(std::abs(known.values.front()), std::abs(known.values.back()));
            for (int i = 0; i < n; ++i)
                EXPECT_NEAR(values[i], known.values[i],
                            kMostWide * n * std::numeric_limits<T>::epsilon() * scale);
            auto accuracy = measure_eigen<T>(a, solved);
            EXPECT_LE(accuracy.balanced, kMostWide);
            EXPECT_LE(accuracy.residual, kMostWide);
            EXPECT_LE(accuracy.trace, kMostWide);
            EXPECT_LE(accuracy.determinant, kMostWide);
        }
    }
}

/// D^-1 A D for powers of two that span 2^-`most` to 2^`most`, in no order.
template <class T>
std::vector<T> rescaled(const std::vector<double>& a, int n, int most) {
    std::vector<T> b(a.begin(), a.end());
    auto exponent = [&](int i) { return n > 1 ? 2 * most * ((3 * i) % n) / (n - 1) - most : 0; };
    auto size = static_cast<std::size_t>(n) * static_cast<std::size_t>(n);
    for (std::size_t e = 0; e < b.size(); ++e) {
        int row = static_cast<int>(e % size) / n, column = static_cast<int>(e) % n;
        b[e] = std::ldexp(b[e], exponent(column) - exponent(row));
    }
    return b;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(EigenWide, OffDiagonalElementsWithAPlainProductAreKept) {
    TL_LONG_TEST();
    const double root5 = std::sqrt(5.0);
    for (double x : {1e100, 1e200, 1e300, 1e-200, 1e-300}) {
        SCOPED_TRACE(x);
        expect_values<double>(stream, device, {{1, x, 1 / x, 1}, {0, 2}});
        expect_values<double>(stream, device, {{0, x, 1 / x, 0}, {-1, 1}});
        expect_values<double>(stream, device,
                              {{2, x, 1 / x, 3}, {(5 - root5) / 2, (5 + root5) / 2}});
    }
    for (double x : {1e20, 1e37, 1e-37})
        expect_values<float>(stream, device, {{1, x, 1 / x, 1}, {0, 2}});
}

TL_DEVICE_TEST(EigenWide, TinyAndHugeMatricesAreThatOfOneTimesTheirScale) {
    TL_LONG_TEST();
    for (double x : {1e300, 1e-300, 1e-310})
        expect_values<double>(stream, device, {{3 * x, x, x, 3 * x}, {2 * x, 4 * x}});
    expect_values<double>(stream, device, {{0, 5e-324, 5e-324, 0}, {-5e-324, 5e-324}});
}

TL_DEVICE_TEST(EigenWide, DiagonalScalingChangesNoEigenvalue) {
    TL_LONG_TEST();
    auto run = [&](auto zero, int n, int most) {
        using T = decltype(zero);
        // Symmetric: eigenvalues move by at most the error of the matrix.
        auto plain = make_batch({"symmetric", n, 6, 3}, 0, 6);
        std::vector<T> plain_a(plain.begin(), plain.end());
        auto a = rescaled<T>({plain_a.begin(), plain_a.end()}, n, most);
        double unit = std::numeric_limits<T>::epsilon() * n * n;
        for (auto& mode : own_modes(device)) {
            SCOPED_TRACE(mode + (sizeof(T) == 8 ? ", double, n = " : ", float, n = ") +
                         std::to_string(n));
            auto expected = solve_batch(stream, mode, plain_a, n, EigenPairs::values);
            auto solved = solve_batch(stream, mode, a, n, EigenPairs::all);
            for (std::size_t m = 0; m < 6; ++m) {
                auto values = ascending(solved, m), right = ascending(expected, m);
                for (int i = 0; i < n; ++i) EXPECT_NEAR(values[i], right[i], kMostWide * unit);
            }
            auto accuracy = measure_eigen<T>(a, solved);
            EXPECT_LE(accuracy.balanced, 2 * kMostWide);
            EXPECT_LE(accuracy.trace, kMostWide);
        }
    };
    for (int n : {3, 8, 17}) {
        run(0.0, n, 500);
        run(0.0f, n, 60);
    }
}

TL_DEVICE_TEST(EigenWide, EigenvaluesThatPermutationsIsolateAreExact) {
    TL_LONG_TEST();
    // A triangular matrix with rows and columns in another order, and couplings far above it.
    const int order[] = {2, 0, 3, 1};
    std::vector<double> a(16), diagonal{1e-300, 3, 1e-20, -1e280};
    for (int i = 0; i < 4; ++i) {
        a[order[i] * 4 + order[i]] = diagonal[i];
        for (int j = i + 1; j < 4; ++j) a[order[i] * 4 + order[j]] = 1e300 / (i + j);
    }
    std::sort(diagonal.begin(), diagonal.end());
    for (auto& mode : own_modes(device))
        EXPECT_EQ(ascending(solve_batch(stream, mode, a, 4, EigenPairs::values)), diagonal) << mode;
}

TL_DEVICE_TEST(EigenWide, BlocksOfDifferentScaleKeepTheirEigenvalues) {
    TL_LONG_TEST();
    // [3 1; 1 3] times 1e150, and a coupling to the same times 1e-150.
    std::vector<double> a{3e150, 1e150, 0,      0,      1e150, 3e150,  0,      0,
                          1e200, 0,     3e-150, 1e-150, 0,     1e-200, 1e-150, 3e-150};
    for (auto& mode : own_modes(device)) {
        auto values = ascending(solve_batch(stream, mode, a, 4, EigenPairs::real));
        const double expected[] = {2e-150, 4e-150, 2e150, 4e150};
        for (int i = 0; i < 4; ++i)
            EXPECT_NEAR(values[i] / expected[i], 1, 1e-14) << mode << ", " << i;
    }
}

TL_DEVICE_TEST(EigenWide, WideMatricesChangeNoBitOfTheirNeighbours) {
    TL_LONG_TEST();
    const int n = 5, count = 9;
    for (auto& mode : own_modes(device)) {
        SCOPED_TRACE(mode);
        auto a = make_batch({"random", n, count, 5}, 0, count);
        auto plain = solve_batch(stream, mode, a, n, EigenPairs::all);
        for (int e = 0; e < n * n; ++e)
            a[4 * n * n + e] = std::ldexp(a[4 * n * n + e], 400 * (e % n - e / n) / n);
        auto solved = solve_batch(stream, mode, a, n, EigenPairs::all);
        for (std::size_t m = 0; m < count; ++m) {
            if (m == 4) continue;
            EXPECT_EQ(std::memcmp(&solved.values[m * 2 * n], &plain.values[m * 2 * n],
                                  2 * n * sizeof(double)),
                      0);
            EXPECT_EQ(std::memcmp(&solved.vectors[m * 2 * n * n], &plain.vectors[m * 2 * n * n],
                                  2 * n * n * sizeof(double)),
                      0);
        }
    }
}

TL_DEVICE_TEST(EigenWide, LostElementsShowInTheAccuracy) {
    TL_LONG_TEST();
    // If the smallest element of this matrix became zero, it would have the eigenvalues 1 and 1
    // with the vector (1, 0). Relative to the matrix's norm their residual would be small.
    std::vector<double> a{1, 1e200, 1e-200, 1};
    HostEigen<double> lost{2, 1, EigenPairs::real, {1, 0, 1, 0}, {1, 1, 0, 0}, {0}, {0}};
    auto accuracy = measure_eigen<double>(a, lost);
    EXPECT_LE(accuracy.residual, kMostWide);
    EXPECT_GE(accuracy.balanced, EigenAccuracy::kLost);
    EXPECT_GE(accuracy.determinant, EigenAccuracy::kLost);
    EXPECT_TRUE(accuracy.lost_elements());
    lost.values[0] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(measure_eigen<double>(a, lost).trace));
    EXPECT_TRUE(measure_eigen<double>(a, lost).lost_elements());
    for (auto& mode : own_modes(device)) {
        auto unbalanced = solve_batch(stream, mode, a, 2, EigenPairs::all, 30, false);
        EXPECT_TRUE(measure_eigen<double>(a, unbalanced).lost_elements()) << mode;
    }
}
