// Batched eigenvalue problems: every mode of the device on matrices that are easy and hard, against
// the definition of an eigenpair, LAPACK, and itself.
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "solvers/eigen/matrix_batch.h"
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/solvers/eigen_runs.h"

namespace tl::TL_DEVICE_NAME {
namespace {

// Limit of residuals in units of ||A|| eps n. Most residuals are below 8; those of n = 2 and 3 may
// reach 10. Balancing makes the small eigenvalues of graded and companion matrices more accurate,
// but their residuals grow by a factor and reach 14 (Watkins 2006).
constexpr double kMostResidual = 10, kMostBalanced = 20;

// An eigenvalue is off by the backward error, up to kMostResidual, times its condition number. The
// norms of random matrices are about n / sqrt(3). The error is 10 * 18 * 2.2e-16 * 32, or 1.3e-12,
// for n = 32, and 6e-14 for n = 7. Condition numbers of a few tens are common among some hundred
// eigenvalues.
constexpr double kMostOffTo32 = 1e-10, kMostOffTo7 = 1e-12;

template <class T>
std::vector<T> batch_of(const BatchSpec& spec) {
    auto a = make_batch(spec, 0, spec.count);
    return {a.begin(), a.end()};
}

/// Solves with all pairs, real pairs and values alone, and checks all.
template <class T>
void expect_eigenpairs(Stream& stream, const std::string& mode, const std::vector<T>& a, int n,
                       double most_residual = kMostResidual) {
    SCOPED_TRACE(mode + (sizeof(T) == 8 ? ", double, n = " : ", float, n = ") + std::to_string(n));
    auto all = solve_batch(stream, mode, a, n, EigenPairs::all);
    auto real = solve_batch(stream, mode, a, n, EigenPairs::real);
    auto values = solve_batch(stream, mode, a, n, EigenPairs::values);
    for (int status : all.status) ASSERT_EQ(status, 0);
    for (auto* result : {&all, &real}) {
        auto accuracy = measure_eigen<T>(a, *result);
        EXPECT_LE(accuracy.residual, most_residual);
        EXPECT_LE(accuracy.balanced, kMostBalanced);
        EXPECT_LE(accuracy.trace, kMostResidual);
        EXPECT_LE(accuracy.determinant, kMostResidual);
        EXPECT_LE(accuracy.length, 20 * std::numeric_limits<T>::epsilon());
    }
    EXPECT_EQ(measure_eigen<T>(a, all).n_vectors, all.count * static_cast<std::size_t>(n));
    EXPECT_EQ(all.values, real.values);
    EXPECT_EQ(all.values, values.values);
    EXPECT_TRUE(values.vectors.empty());
}

/// Largest distance from an eigenvalue of one list to its partner in the other, each used once.
template <class T>
double distance_of_spectra(const T* a, const T* b, int n) {
    std::vector<std::complex<double>> rest;
    for (int i = 0; i < n; ++i) rest.emplace_back(b[2 * i], b[2 * i + 1]);
    double largest = 0;
    for (int i = 0; i < n; ++i) {
        std::complex<double> value(a[2 * i], a[2 * i + 1]);
        auto nearest = std::min_element(rest.begin(), rest.end(), [&](auto x, auto y) {
            return std::abs(x - value) < std::abs(y - value);
        });
        largest = std::max(largest, std::abs(*nearest - value));
        rest.erase(nearest);
    }
    return largest;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Eigen, PairsSatisfyTheirDefinitionForEverySizeAndKind) {
    TL_LONG_TEST();
    for (auto& mode : own_modes(device))
        for (auto& kind : batch_kinds()) {
            SCOPED_TRACE(kind.id);
            bool reshaped = kind.id == "graded" || kind.id == "companion";
            double most = reshaped ? kMostBalanced : kMostResidual;
            for (int n = 1; n <= 32; n += n < 12 ? 1 : 4) {
                expect_eigenpairs(stream, mode, batch_of<double>({kind.id, n, 11, 5}), n, most);
                expect_eigenpairs(stream, mode, batch_of<float>({kind.id, n, 11, 5}), n, most);
            }
        }
}

TL_DEVICE_TEST(Eigen, ResidualsOfGradedMatricesAreSmallestWithoutBalancing) {
    for (auto& mode : own_modes(device)) {
        for (auto* kind : {"graded", "companion"})
            for (int n : {4, 9, 16}) {
                auto a = batch_of<double>({kind, n, 11, 5});
                auto solved = solve_batch(stream, mode, a, n, EigenPairs::all, 30, false);
                EXPECT_LE(measure_eigen<double>(a, solved).residual, kMostResidual) << mode << kind;
            }
    }
}

TL_DEVICE_TEST(Eigen, LargerMatricesHaveOnlyTheirOwnPairs) {
    for (int n : {47, 96, 150}) {
        expect_eigenpairs(stream, "auto", batch_of<double>({"random", n, 3, 1}), n);
        expect_eigenpairs(stream, "auto", batch_of<float>({"random", n, 3, 1}), n);
    }
}

TL_DEVICE_TEST(Eigen, ValuesAreThoseOfLapack) {
    auto cpu_stream = find_device("cpu").create_stream();
    for (auto& mode : own_modes(device))
        for (int n = 2; n <= 32; ++n) {
            SCOPED_TRACE(mode + ", n = " + std::to_string(n));
            auto a = batch_of<double>({"random", n, 9, 2});
            auto ours = solve_batch(stream, mode, a, n, EigenPairs::values);
            auto theirs = solve_batch(*cpu_stream, "lapack", a, n, EigenPairs::values);
            for (int m = 0; m < 9; ++m)
                EXPECT_LE(
                    distance_of_spectra(&ours.values[m * 2 * n], &theirs.values[m * 2 * n], n),
                    kMostOffTo32)
                    << "matrix " << m;
        }
}

TL_DEVICE_TEST(Eigen, MatricesOfKnownSpectraHaveThemAndTheirSymmetry) {
    for (auto* kind : {"real-spectrum", "symmetric-spectrum"})
        for (int n : {2, 5, 10, 32}) {
            SCOPED_TRACE(kind + (", n = " + std::to_string(n)));
            auto a = batch_of<double>({kind, n, 7, 4});
            auto solved = solve_batch(stream, "auto", a, n, EigenPairs::values);
            for (int m = 0; m < 7; ++m) {
                std::vector<double> real;
                for (int i = 0; i < n; ++i) {
                    real.push_back(solved.values[2 * (m * n + i)]);
                    EXPECT_EQ(solved.values[2 * (m * n + i) + 1], 0) << "imaginary part";
                }
                std::sort(real.begin(), real.end());
                for (int i = 0; i < n; ++i) EXPECT_NEAR(real[i] * n, i + 1, 0.5 + 1e-12 * n);
                double off = 0;
                for (int e = 0; e < n * n; ++e)
                    off = std::max(off,
                                   std::abs(a[m * n * n + e] - a[m * n * n + e % n * n + e / n]));
                if (kind == std::string("real-spectrum"))
                    EXPECT_GT(off, 1e-3);
                else
                    EXPECT_LT(off, 1e-14);
            }
        }
}

TL_DEVICE_TEST(Eigen, AMatrixAndItsPlaceInTheBatchDetermineEveryBit) {
    for (auto& mode : own_modes(device))
        for (int n : {3, 10, 17}) {
            SCOPED_TRACE(mode + ", n = " + std::to_string(n));
            auto a = batch_of<double>({"random", n, 70, 3});
            auto whole = solve_batch(stream, mode, a, n, EigenPairs::all);
            for (auto [first, count] : {std::pair{0, 1}, {5, 1}, {13, 7}, {1, 69}, {69, 1}}) {
                std::vector<double> part(a.begin() + first * n * n,
                                         a.begin() + (first + count) * n * n);
                auto solved = solve_batch(stream, mode, part, n, EigenPairs::all);
                EXPECT_EQ(std::memcmp(solved.values.data(), &whole.values[first * n * 2],
                                      solved.values.size() * sizeof(double)),
                          0)
                    << first << ", " << count;
                EXPECT_EQ(std::memcmp(solved.vectors.data(), &whole.vectors[first * n * n * 2],
                                      solved.vectors.size() * sizeof(double)),
                          0)
                    << first << ", " << count;
            }
        }
}

TL_DEVICE_TEST(Eigen, ScaleChangesNothingButTheValuesScale) {
    const int n = 6;
    for (auto& mode : own_modes(device)) {
        auto a = batch_of<double>({"random", n, 8, 4});
        auto plain = solve_batch(stream, mode, a, n, EigenPairs::all);
        for (int exponent : {500, -500, 1000, -1000}) {
            SCOPED_TRACE(mode + ", 2^" + std::to_string(exponent));
            auto scaled = a;
            for (double& x : scaled) x = std::ldexp(x, exponent);
            auto solved = solve_batch(stream, mode, scaled, n, EigenPairs::all);
            EXPECT_EQ(solved.vectors, plain.vectors);
            for (std::size_t i = 0; i < plain.values.size(); ++i)
                EXPECT_EQ(solved.values[i], std::ldexp(plain.values[i], exponent));
        }
    }
}

TL_DEVICE_TEST(Eigen, RangesFarApartAreBalanced) {
    // D^-1 A D with factors over 300 decades.
    const int n = 7;
    for (auto& mode : own_modes(device)) {
        auto a = batch_of<double>({"random", n, 4, 6});
        auto plain = solve_batch(stream, mode, a, n, EigenPairs::values);
        for (std::size_t e = 0; e < a.size(); ++e) {
            int row = static_cast<int>(e) % (n * n) / n, col = static_cast<int>(e) % n;
            a[e] = std::ldexp(a[e], 80 * (row - col));
        }
        auto skewed = solve_batch(stream, mode, a, n, EigenPairs::values);
        for (int m = 0; m < 4; ++m)
            EXPECT_LE(distance_of_spectra(&plain.values[m * 2 * n], &skewed.values[m * 2 * n], n),
                      kMostOffTo7)
                << mode << ", matrix " << m;
    }
}

TL_DEVICE_TEST(Eigen, WhatIsNotFiniteIsFlaggedAndLeavesOthersAlone) {
    const int n = 5, count = 12;
    for (auto& mode : own_modes(device))
        for (auto pairs : {EigenPairs::all, EigenPairs::real}) {
            SCOPED_TRACE(mode);
            auto a = batch_of<double>({"random", n, count, 7});
            auto good = solve_batch(stream, mode, a, n, pairs);
            a[2 * n * n + 3] = std::numeric_limits<double>::quiet_NaN();
            a[6 * n * n + 24] = -std::numeric_limits<double>::infinity();
            auto solved = solve_batch(stream, mode, a, n, pairs);
            std::size_t per_matrix = solved.vectors.size() / count;
            for (std::size_t m = 0; m < count; ++m) {
                bool bad = m == 2 || m == 6;
                ASSERT_EQ(solved.status[m], bad ? static_cast<int>(EigenStatus::not_finite) : 0);
                for (std::size_t i = 0; i < 2 * n; ++i) {
                    double value = solved.values[m * 2 * n + i];
                    EXPECT_TRUE(bad ? std::isnan(value) : value == good.values[m * 2 * n + i]);
                }
                for (std::size_t i = 0; i < per_matrix; ++i) {
                    double x = solved.vectors[m * per_matrix + i];
                    double before = good.vectors[m * per_matrix + i];
                    EXPECT_TRUE(bad ? std::isnan(x) : x == before || std::isnan(before));
                }
            }
        }
}

TL_DEVICE_TEST(Eigen, MatricesThatReachTheLimitOfSweepsAreReported) {
    const int n = 12, count = 40;
    auto a = batch_of<double>({"random", n, count, 8});
    for (auto& mode : own_modes(device)) {
        auto solved = solve_batch(stream, mode, a, n, EigenPairs::all, 1);
        int n_failed = 0;
        for (int m = 0; m < count; ++m) {
            EXPECT_LE(solved.sweeps[m], n);
            if (solved.status[m] != static_cast<int>(EigenStatus::not_converged)) continue;
            ++n_failed;
            EXPECT_TRUE(std::isnan(solved.values[static_cast<std::size_t>(m) * 2 * n]));
            EXPECT_TRUE(std::isnan(solved.vectors[static_cast<std::size_t>(m) * 2 * n * n]));
        }
        EXPECT_GT(n_failed, count / 2) << mode;
        EXPECT_LE(measure_eigen<double>(a, solved).residual, kMostResidual);
    }
}

TL_DEVICE_TEST(Eigen, VectorsOfTheIdentityAreIndependent) {
    const int n = 5;
    for (auto& mode : own_modes(device)) {
        auto solved =
            solve_batch(stream, mode, batch_of<double>({"identity", n, 1, 0}), n, EigenPairs::real);
        // Columns are those of a triangular matrix without zeros on its diagonal.
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                double x = solved.vectors[static_cast<std::size_t>(i * n + j)];
                EXPECT_TRUE(i > j ? x == 0 : i < j || std::abs(x) > 0.01) << mode << i << j;
            }
    }
}

TL_DEVICE_TEST(Eigen, ARunCanBeCancelledAndRefusesWrongSizes) {
    for (auto& mode : own_modes(device)) {
        auto solver = make_eigen_solver(mode, device);
        DeviceArray<float> a(stream, 9);
        a.fill_zero(stream);
        SolverRun run;
        run.cancel();
        EXPECT_THROW((void)solver->solve(stream, {a.view(), 3, 1}, {}, run), Cancelled);
        SolverRun other;
        EXPECT_THROW((void)solver->solve(stream, {a.view(), 1025, 0}, {}, other), UserError);
    }
}
