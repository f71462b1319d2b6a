// Eigenvalues and eigenvectors of complex matrices, on every device.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "core/device/registry.h"
#include "solvers/complex/complex_eigen.h"
#include "tests/device_test.h"
#include "tests/solvers/complex_matrices.h"

namespace tl::TL_DEVICE_NAME {
namespace test_complex_eigen_tests {

using namespace tl::test;

/// Removes from `rest` the number nearest to `value`; returns its distance.
double remove_nearest(std::vector<std::complex<double>>& rest, std::complex<double> value) {
    auto nearest = std::ranges::min_element(
        rest, {}, [&](std::complex<double> other) { return std::abs(other - value); });
    double distance = std::abs(*nearest - value);
    rest.erase(nearest);
    return distance;
}

/// Matrices of n x n, one after the other, row by row.
template <class T>
HostEigen<T> eigen_of(Stream& stream, int n, const std::vector<Complex<T>>& a,
                      EigenPairs pairs = EigenPairs::all, const std::string& mode = "auto") {
    DeviceArray<Complex<T>> on_stream(stream, a);
    SolverRun run;
    auto size = static_cast<std::size_t>(n) * n;
    return downloaded(stream, solve_complex_eigen<T>(stream, {on_stream.view(), n, a.size() / size},
                                                     pairs, mode, {}, run));
}

template <class T>
std::vector<std::complex<double>> values_of(const HostEigen<T>& eigen, std::size_t matrix) {
    std::vector<std::complex<double>> values;
    for (std::size_t i = matrix * eigen.n; i < (matrix + 1) * eigen.n; ++i)
        values.emplace_back(eigen.values[2 * i], eigen.values[2 * i + 1]);
    return values;
}

template <class T>
void check_eigen(Stream& stream, int n, const std::vector<Complex<T>>& a, double value_bound) {
    SCOPED_TRACE(n);
    auto found = eigen_of(stream, n, a);
    auto accuracy = measure_eigen<T>(std::span<const Complex<T>>(a), found);
    EXPECT_LT(accuracy.residual, 10);
    EXPECT_LT(accuracy.balanced, 10);
    EXPECT_LT(accuracy.trace, 10);
    EXPECT_LT(accuracy.length, 50 * kEps<T>);
    for (int status : found.status) EXPECT_EQ(status, 0);
    auto cpu = find_device("cpu").create_stream();
    auto reference = eigen_of(*cpu, n, a, EigenPairs::values, "lapack");
    auto alone = eigen_of(stream, n, a, EigenPairs::values);
    for (std::size_t m = 0; m < found.count; ++m) {
        auto left = values_of(reference, m), again = left;
        for (auto value : values_of(found, m))
            EXPECT_LT(remove_nearest(left, value), value_bound * kEps<T>);
        for (auto value : values_of(alone, m))
            EXPECT_LT(remove_nearest(again, value), value_bound * kEps<T>);
    }
}

template <class T>
std::vector<Complex<T>> random_batch(Stream& stream, int n, int count) {
    return random_matrix<T>(stream, n, n * count, 7).download(stream);
}

}  // namespace test_complex_eigen_tests

using namespace test_complex_eigen_tests;

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(ComplexEigen, HasSmallErrorsAndTheValuesOfLapack) {
    for (int n : {1, 2, 3, 5, 10, 33, 100}) {
        int count = n < 20 ? 40 : 3;
        // Roundings change an eigenvalue by about n eps times its condition number, here tens.
        check_eigen(stream, n, random_batch<double>(stream, n, count), 1e2 * n);
        check_eigen(stream, n, random_batch<float>(stream, n, count), 1e2 * n);
    }
}

TL_DEVICE_TEST(ComplexEigen, TakesHermitianUnitaryAndTriangularMatrices) {
    int n = 40;
    std::vector<Complex<double>> hermitian(n * n), triangular(n * n);
    auto random = random_batch<double>(stream, n, 1);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            hermitian[i * n + j] = random[i * n + j] + conjugate(random[j * n + i]);
            triangular[i * n + j] = i <= j ? random[i * n + j] : Complex<double>(0);
        }
    check_eigen(stream, n, hermitian, 1e3);
    for (auto value : values_of(eigen_of(stream, n, hermitian), 0))
        EXPECT_NEAR(value.imag(), 0, 1e-12);
    check_eigen(stream, n, fourier<double>(n).data, 1e3);
    auto found = values_of(eigen_of(stream, n, triangular), 0);
    for (int i = 0; i < n; ++i) {
        auto expected = triangular[i * n + i];
        EXPECT_LT(remove_nearest(found, {expected.re, expected.im}), 1e-13);
    }
    // All zero, and a multiple of the identity.
    check_eigen(stream, 6, std::vector<Complex<double>>(36), 1);
    std::vector<Complex<double>> same(36);
    for (int i = 0; i < 6; ++i) same[i * 7] = {2, -3};
    check_eigen(stream, 6, same, 10);
}

TL_DEVICE_TEST(ComplexEigen, FindsTheRootsOfPolynomials) {
    // The companion matrix of (x - 1) (x - i) (x + 2) (x - 3 + i) (x + 1 + 2 i).
    using Number = std::complex<double>;
    const std::vector<Number> roots{{1, 0}, {0, 1}, {-2, 0}, {3, -1}, {-1, -2}};
    std::vector<Number> polynomial{1};
    for (auto root : roots) {
        polynomial.emplace_back(0);
        for (std::size_t k = polynomial.size() - 1; k > 0; --k)
            polynomial[k] -= root * polynomial[k - 1];
    }
    int n = static_cast<int>(roots.size());
    std::vector<Complex<double>> companion(n * n);
    for (int j = 0; j < n; ++j)
        companion[j] = {-polynomial[j + 1].real(), -polynomial[j + 1].imag()};
    for (int i = 1; i < n; ++i) companion[i * n + i - 1] = Complex<double>(1);
    auto left = roots;
    for (auto value : values_of(eigen_of(stream, n, companion), 0))
        EXPECT_LT(remove_nearest(left, value), 1e-13);
    // A nilpotent matrix has the eigenvalue 0 alone, which is as badly conditioned as one can be.
    std::vector<Complex<double>> nilpotent(n * n);
    for (int i = 1; i < n; ++i) nilpotent[(i - 1) * n + i] = {0, 1};
    for (auto value : values_of(eigen_of(stream, n, nilpotent), 0))
        EXPECT_LT(std::abs(value), 2 * std::pow(kEps<double>, 1.0 / n));
}

TL_DEVICE_TEST(ComplexEigen, BalancesAndScales) {
    // D^-1 A D with powers of two has the eigenvalues of A; so have multiples, times their factor.
    int n = 12;
    auto a = random_batch<double>(stream, n, 1);
    auto expected = values_of(eigen_of(stream, n, a), 0);
    for (double factor : {1.0, 0x1p900, 0x1p-900}) {
        auto scaled = a;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                scaled[i * n + j] = scaled[i * n + j] * std::ldexp(factor, 5 * (j - i));
        auto eigen = eigen_of(stream, n, scaled);
        EXPECT_LT(measure_eigen<double>(std::span<const Complex<double>>(scaled), eigen).balanced,
                  10);
        auto left = expected;
        for (auto value : values_of(eigen, 0))
            EXPECT_LT(remove_nearest(left, value / factor), 1e-12);
    }
}

TL_DEVICE_TEST(ComplexEigen, MarksMatricesThatAreNotFinite) {
    auto batch = random_batch<float>(stream, 4, 3);
    batch[16 + 5].im = std::numeric_limits<float>::quiet_NaN();
    auto eigen = eigen_of(stream, 4, batch);
    EXPECT_EQ(eigen.status, (std::vector<int>{0, static_cast<int>(EigenStatus::not_finite), 0}));
    for (std::size_t i = 0; i < eigen.values.size(); ++i)
        EXPECT_EQ(std::isnan(eigen.values[i]), i / 8 == 1);
    for (std::size_t i = 0; i < eigen.vectors.size(); ++i)
        EXPECT_EQ(std::isnan(eigen.vectors[i]), i / 32 == 1);
    DeviceArray<Complex<float>> on_stream(stream, batch);
    SolverRun run;
    EXPECT_THROW((void)solve_complex_eigen<float>(stream, {on_stream.view(), 4, 3},
                                                  EigenPairs::real, "auto", {}, run),
                 UsageError);
}
