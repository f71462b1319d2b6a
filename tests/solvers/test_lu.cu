// PLU factorisations, on every device.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/device/registry.h"
#include "solvers/dense/lu/lu_blocked.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_out_of_core.h"
#include "solvers/dense/matrix_kinds.h"
#include "solvers/dense/matrix_norms.h"
#include "tests/solvers/svd_checks.h"

namespace tl::TL_DEVICE_NAME {
namespace test_lu_tests {

using namespace tl::test;

template <class T>
Matrix<T> uploaded(Stream& stream, const HostMatrix<T>& host) {
    Matrix<T> matrix(stream, host.rows, host.cols);
    matrix.upload(stream, host.data);
    return matrix;
}

/// The modes of the device that runs the test.
std::vector<std::string> modes() {
#if defined(__CUDACC__)
    return ids_on(DeviceKind::cuda, lu_solvers());
#else
    return ids_on(DeviceKind::cpu, lu_solvers());
#endif
}

template <class T>
LuFactors<T> factorised(Stream& stream, const std::string& mode, MatrixView<const T> a) {
    SolverRun run;
    return make_lu_solver(mode, stream.device())->factorise(stream, a, run);
}

/// The residual in units of n eps ||A||, which is far below 1 for any sound elimination whose
/// elements do not grow.
template <class T>
void expect_factors(Blas& blas, const std::string& mode, MatrixView<const T> a,
                    double growth = 1e3) {
    auto factors = factorised<T>(blas.stream(), mode, a);
    EXPECT_EQ(factors.mode, mode);
    auto accuracy = measure_lu(blas, a, factors);
    // A geometric mean accepts a small pivot beside a large one.
    bool grows = mode == "pairs-geometric";
    EXPECT_LE(accuracy.residual, grows ? 4 : 1);
    EXPECT_LE(accuracy.growth, grows ? 100 * growth : growth);
}

/// Wilkinson's matrix, whose last column doubles with every step of partial pivoting.
HostMatrix<double> doubling_matrix(int n) {
    HostMatrix<double> a(n, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) a(i, j) = i == j || j == n - 1 ? 1 : i > j ? -1 : 0;
    return a;
}

/// Complete pivoting on the host, element by element.
LuFactors<double> plain_elimination(HostMatrix<double>& a) {
    LuFactors<double> made;
    for (int k = 0; k < std::min(a.rows, a.cols); ++k) {
        int row = k, col = k;
        for (int j = k; j < a.cols; ++j)
            for (int i = k; i < a.rows; ++i)
                if (std::abs(a(i, j)) > std::abs(a(row, col))) row = i, col = j;
        for (int j = 0; j < a.cols; ++j) std::swap(a(k, j), a(row, j));
        for (int i = 0; i < a.rows; ++i) std::swap(a(i, k), a(i, col));
        made.swaps.push_back(row);
        made.column_swaps.push_back(col);
        for (int i = k + 1; i < a.rows; ++i) a(i, k) /= a(k, k);
        for (int j = k + 1; j < a.cols; ++j)
            for (int i = k + 1; i < a.rows; ++i) a(i, j) -= a(i, k) * a(k, j);
    }
    return made;
}

}  // namespace test_lu_tests
using namespace test_lu_tests;

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Lu, FactorsMultiplyToEveryKindOfMatrix) {
    auto blas = make_blas(stream);
    for (auto& mode : modes())
        for (auto& kind : matrix_kinds()) {
            SCOPED_TRACE(mode + " " + kind.id);
            auto a = make_matrix<double>(*blas, {kind.id, 90, 90, 1e12, 3});
            expect_factors<double>(*blas, mode, a.view());
            auto b = make_matrix<float>(*blas, {kind.id, 70, 70, 1e4, 4});
            expect_factors<float>(*blas, mode, b.view());
        }
}

TL_DEVICE_TEST(Lu, AnyShapeHasFactors) {
    auto blas = make_blas(stream);
    for (auto& mode : modes())
        for (auto [m, n] : {std::pair{1, 1},
                            {1, 9},
                            {9, 1},
                            {2, 3},
                            {3, 2},
                            {31, 33},
                            {64, 64},
                            {65, 129},
                            {130, 65},
                            {257, 300},
                            {300, 200},
                            {520, 40},
                            {40, 520}}) {
            SCOPED_TRACE(mode + " " + std::to_string(m) + "x" + std::to_string(n));
            auto a = make_matrix<double>(*blas, {"uniform", m, n, 1, 5});
            expect_factors<double>(*blas, mode, a.view());
        }
}

TL_DEVICE_TEST(Lu, EmptyMatricesHaveEmptyFactors) {
    for (auto& mode : modes())
        for (auto [m, n] : {std::pair{0, 0}, {0, 4}, {4, 0}}) {
            Matrix<double> a(stream, m, n);
            auto factors = factorised<double>(stream, mode, a.view());
            EXPECT_TRUE(factors.swaps.empty());
            EXPECT_EQ(order_of(factors.swaps, m).size(), static_cast<std::size_t>(m));
        }
}

TL_DEVICE_TEST(Lu, EveryWidthOfPanelsGivesFactors) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 150, 170, 1, 6});
    for (auto pivoting : {Pivoting::partial, Pivoting::pairs, Pivoting::geometric_pairs})
        for (auto [leaf, block] :
             {std::pair{2, 2}, {16, 16}, {16, 48}, {32, 64}, {64, 128}, {128, 128}})
            for (bool look_ahead : {false, true}) {
                SCOPED_TRACE(std::to_string(leaf) + " " + std::to_string(block) +
                             (look_ahead ? " ahead" : ""));
                LuFactors<double> factors;
                factors.lu = Matrix<double>(stream, 150, 170);
                device.copy(stream, factors.lu.view().data, a.view().data, 150 * 170 * 8);
                DeviceArray<int> swaps(stream, 150);
                factorise_by_blocks<double>(stream, factors.lu.view(), swaps.view(),
                                            {leaf, block, look_ahead, pivoting, false},
                                            [](double) {});
                factors.swaps = swaps.download(stream);
                auto accuracy = measure_lu<double>(*blas, a.view(), factors);
                EXPECT_LE(accuracy.residual, 1);
                EXPECT_LE(accuracy.growth, pivoting == Pivoting::geometric_pairs ? 1e4 : 100);
            }
}

TL_DEVICE_TEST(Lu, MultipliersOfPartialPivotingAreAtMostOne) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 200, 180, 1, 7});
    for (auto& mode : modes()) {
        if (mode.starts_with("pairs")) continue;
        SCOPED_TRACE(mode);
        auto lu = to_host(stream, factorised<double>(stream, mode, a.view()).lu);
        for (int j = 0; j < 180; ++j)
            for (int i = j + 1; i < 200; ++i) ASSERT_LE(std::abs(lu(i, j)), 1);
    }
}

TL_DEVICE_TEST(Lu, ElementsOfWilkinsonsMatrixDouble) {
    auto blas = make_blas(stream);
    const int n = 50;
    auto a = uploaded(stream, doubling_matrix(n));
    for (auto& mode : modes()) {
        if (mode.starts_with("pairs") || mode == "complete") continue;
        SCOPED_TRACE(mode);
        auto factors = factorised<double>(stream, mode, a.view());
        // All numbers are integers below 2^53, so nothing is rounded.
        auto accuracy = measure_lu<double>(*blas, a.view(), factors);
        EXPECT_EQ(accuracy.growth, std::ldexp(1.0, n - 1));
        EXPECT_EQ(accuracy.residual, 0);
        auto determinant = determinant_of(stream, factors);
        EXPECT_EQ(std::abs(determinant.mantissa), 0.5);
        EXPECT_EQ(determinant.exponent, n);
    }
}

TL_DEVICE_TEST(Lu, SingularMatricesHaveAZeroPivot) {
    auto blas = make_blas(stream);
    HostMatrix<double> host(40, 40);
    for (int j = 0; j < 40; ++j)
        for (int i = 0; i < 40; ++i) host(i, j) = j == 20 ? 0 : 1.0 / (1 + (i * 7 + j * 3) % 11);
    auto a = uploaded(stream, host);
    Matrix<double> zero(stream, 33, 33);
    zero.fill_zero(stream);
    for (auto& mode : modes()) {
        SCOPED_TRACE(mode);
        expect_factors<double>(*blas, mode, a.view());
        auto factors = factorised<double>(stream, mode, zero.view());
        EXPECT_EQ(first_zero_pivot(stream, factors), 0);
        EXPECT_EQ(determinant_of(stream, factors).mantissa, 0);
        EXPECT_EQ(condition_of(*blas, factors, 1), std::numeric_limits<double>::infinity());
    }
}

TL_DEVICE_TEST(Lu, ExtremeScalesKeepTheirAccuracy) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 80, 80, 1, 8});
    Matrix<double> scaled(stream, 80, 80);
    for (auto& mode : modes())
        for (int exponent : {-990, 990}) {
            SCOPED_TRACE(mode + " 2^" + std::to_string(exponent));
            scale_by_power<double>(stream, a.view(), exponent, scaled.view());
            expect_factors<double>(*blas, mode, scaled.view());
            auto factors = factorised<double>(stream, mode, scaled.view());
            auto plain = factorised<double>(stream, mode, a.view());
            auto large = determinant_of(stream, factors), small = determinant_of(stream, plain);
            EXPECT_NEAR(large.mantissa, small.mantissa, 1e-10);
            EXPECT_EQ(large.exponent, small.exponent + 80 * exponent);
        }
}

TL_DEVICE_TEST(Lu, SystemsInversesAndConditionsAgreeWithTheMatrix) {
    auto blas = make_blas(stream);
    const int n = 120;
    // Condition 1e3: the solution may lose three of sixteen digits.
    auto a = make_matrix<double>(*blas, {"geometric", n, n, 1e3, 9});
    auto x = make_matrix<double>(*blas, {"uniform", n, 7, 1, 10});
    for (auto& mode : modes()) {
        SCOPED_TRACE(mode);
        auto factors = factorised<double>(stream, mode, a.view());
        auto inverse = inverse_of(*blas, factors);
        for (auto op : {Transpose::no, Transpose::yes}) {
            Matrix<double> b(stream, n, 7);
            blas->gemm(op, Transpose::no, 1.0, a.view(), x.view(), 0.0, b.view());
            solve_with(*blas, factors, op, b.view());
            auto solved = to_host(stream, b), expected = to_host(stream, x);
            for (std::size_t i = 0; i < solved.data.size(); ++i)
                ASSERT_NEAR(solved.data[i], expected.data[i], 1e-10);
        }
        double norm = one_norm<double>(stream, a.view());
        double exact = norm * one_norm<double>(stream, inverse.view());
        double estimate = condition_of(*blas, factors, norm);
        EXPECT_LE(estimate, exact * 1.001);
        EXPECT_GE(estimate, exact / 3);
    }
}

TL_DEVICE_TEST(Lu, RunsRepeatToTheBit) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 333, 301, 1, 11});
    for (auto& mode : modes()) {
        SCOPED_TRACE(mode);
        auto first = factorised<double>(stream, mode, a.view());
        auto second = factorised<double>(stream, mode, a.view());
        EXPECT_EQ(first.swaps, second.swaps);
        EXPECT_EQ(first.lu.download(stream), second.lu.download(stream));
    }
}

TL_DEVICE_TEST(Lu, CompletePivotingTakesTheLargestElement) {
    auto blas = make_blas(stream);
    for (auto [m, n] :
         {std::pair{1, 1}, {2, 3}, {70, 33}, {33, 70}, {64, 64}, {300, 45}, {9, 600}}) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
        auto a = make_matrix<double>(*blas, {"uniform", m, n, 1, 15});
        auto expected = to_host(stream, a);
        auto plain = plain_elimination(expected);
        auto own = factorised<double>(stream, "complete", a.view());
        EXPECT_EQ(own.swaps, plain.swaps);
        EXPECT_EQ(own.column_swaps, plain.column_swaps);
        auto lu = to_host(stream, own.lu);
        for (std::size_t i = 0; i < lu.data.size(); ++i)
            ASSERT_NEAR(lu.data[i], expected.data[i], 1e-12);
    }
    auto doubling = uploaded(stream, doubling_matrix(50));
    auto factors = factorised<double>(stream, "complete", doubling.view());
    EXPECT_LE(measure_lu<double>(*blas, doubling.view(), factors).growth, 2);
}

// Pairs with the pivots 1 and 100, and 3 and 3: 100/101 and 3/2 in harmonic sums, 10 and 3 in
// geometric means.
TL_DEVICE_TEST(Lu, NormsOfPairsDiffer) {
    HostMatrix<double> host(4, 2);
    host.data = {1, 0, 3, 0, 0, 100, 0, 3};
    auto a = uploaded(stream, host);
    EXPECT_EQ(factorised<double>(stream, "pairs", a.view()).swaps, (std::vector{2, 3}));
    EXPECT_EQ(factorised<double>(stream, "pairs-geometric", a.view()).swaps, (std::vector{0, 1}));
}

TL_DEVICE_TEST(Lu, OrdersThatAreNoneAreRefused) {
    EXPECT_NO_THROW(require_order({2, 0, 1}, "p"));
    EXPECT_THROW(require_order({0, 0, 1}, "p"), UserError);
    EXPECT_THROW(require_order({0, 3, 1}, "p"), UserError);
    EXPECT_THROW(require_order({0, -1, 1}, "p"), UserError);
}

TL_DEVICE_TEST(Lu, PivotsAreThoseOfLapack) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 300, 260, 1, 12});
    auto own = factorised<double>(stream, "blocked", a.view());
    auto cpu_stream = find_device("cpu").create_stream();
    auto on_cpu = uploaded(*cpu_stream, to_host(stream, a));
    auto theirs = factorised<double>(*cpu_stream, "lapack-getrf", on_cpu.view());
    EXPECT_EQ(own.swaps, theirs.swaps);
}

// On a GPU the height decides where a panel's rows lie, and how many a thread has.
TL_DEVICE_TEST(Lu, PanelsOfAnyHeightHaveLapacksPivots) {
    auto blas = make_blas(stream);
    auto cpu_stream = find_device("cpu").create_stream();
    for (auto [m, n] :
         {std::pair{130, 100}, {1500, 150}, {5000, 70}, {9000, 40}, {17000, 20}, {40000, 10}}) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
        auto a = make_matrix<double>(*blas, {"uniform", m, n, 1, 13});
        auto own = factorised<double>(stream, "blocked", a.view());
        auto on_cpu = uploaded(*cpu_stream, to_host(stream, a));
        auto theirs = factorised<double>(*cpu_stream, "lapack-getrf", on_cpu.view());
        EXPECT_EQ(own.swaps, theirs.swaps);
        EXPECT_LE(measure_lu<double>(*blas, a.view(), own).residual, 1);
        auto again = factorised<double>(stream, "blocked", a.view());
        EXPECT_EQ(own.lu.download(stream), again.lu.download(stream));
        auto b = make_matrix<float>(*blas, {"uniform", m, n, 1, 14});
        expect_factors<float>(*blas, "blocked", b.view());
    }
}

TL_DEVICE_TEST(Lu, ElementsThatAreNotFiniteAreNamed) {
    HostMatrix<double> host(5, 5);
    for (double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        host(3, 2) = bad;
        auto a = uploaded(stream, host);
        for (auto& mode : modes()) {
            try {
                (void)factorised<double>(stream, mode, a.view());
                ADD_FAILURE() << mode;
            } catch (const UserError& error) {
                EXPECT_NE(std::string(error.what()).find("(3, 2)"), std::string::npos);
            }
        }
    }
}

TL_DEVICE_TEST(LuOutOfCore, HasTheFactorsOfAMatrixThatTheDeviceHolds) {
    auto blas = make_blas(stream);
    const OutOfCoreWidths widths{128, 64};
    for (auto [m, n] : {std::pair{500, 500}, {300, 700}, {700, 300}, {100, 100}, {1, 5}, {129, 1}})
        for (const char* kind : {"uniform", "graded"}) {
            SCOPED_TRACE(std::string(kind) + " " + std::to_string(m) + "x" + std::to_string(n));
            auto a = make_matrix<double>(*blas, {kind, m, n, 1e6, 5});
            auto elements = a.download(stream);
            PinnedMatrix<double> host(device, m, n);
            std::copy(elements.begin(), elements.end(), host.view().data);
            SolverRun run;
            auto made = factorise_out_of_core<double>(stream, host.view(), widths, run);
            EXPECT_EQ(made.n_panels, (n + 127) / 128);
            EXPECT_FLOAT_EQ(run.progress(), 1);
            LuFactors<double> factors;
            factors.lu = Matrix<double>(stream, m, n);
            factors.lu.upload(stream, std::span<const double>(host.view().data, elements.size()));
            factors.swaps = made.swaps;
            auto accuracy = measure_lu<double>(*blas, a.view(), factors);
            EXPECT_LE(accuracy.residual, 1);
            // Partial pivoting: no element of L is beyond 1.
            for (int j = 0; j < std::min(m, n); ++j)
                for (int i = j + 1; i < m; ++i) ASSERT_LE(std::abs(host.view()(i, j)), 1);
        }
}

TL_DEVICE_TEST(LuOutOfCore, EndsByCancellingAndByElementsThatAreNotFinite) {
    PinnedMatrix<float> host(device, 400, 400);
    auto a = host.view();
    for (int j = 0; j < 400; ++j)
        for (int i = 0; i < 400; ++i) a(i, j) = i == j ? 2.0f : 1.0f / float(1 + i + j);
    {
        SolverRun run;
        run.cancel();
        EXPECT_THROW((void)factorise_out_of_core<float>(stream, a, {128, 64}, run), Cancelled);
    }
    a(7, 300) = std::numeric_limits<float>::infinity();
    SolverRun run;
    try {
        (void)factorise_out_of_core<float>(stream, a, {128, 64}, run);
        FAIL();
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("element (7, 300)"), std::string::npos)
            << error.what();
    }
}

TL_DEVICE_TEST(LuOutOfCore, PanelsAreAsWideAsTheMemoryHolds) {
    const std::uint64_t column = 1000 * sizeof(double);
    auto widths = out_of_core_widths(1000, 100000, sizeof(double), 5000 * column);
    EXPECT_EQ(widths.panel % 128, 0);
    EXPECT_LE(widths.panel + 2 * widths.block, 5000);
    EXPECT_GT(widths.panel + 2 * widths.block, 4800);
    EXPECT_EQ(out_of_core_widths(1000, 300, sizeof(double), 5000 * column).panel, 300);
    EXPECT_THROW((void)out_of_core_widths(1000, 100000, sizeof(double), 200 * column), UserError);
}
