// Sparse products and systems, on every device, against direct sums, known solutions and LAPACK.
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "core/device/registry.h"
#include "solvers/dense/linear/linear.h"
#include "solvers/sparse/ilu0.h"
#include "solvers/sparse/sparse_kinds.h"
#include "solvers/sparse/sparse_solver.h"
#include "solvers/sparse/triangular_solve.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace test_sparse_tests {

constexpr auto kOnCuda =
#if defined(__CUDACC__)
    true;
#else
    false;
#endif

std::vector<double> random_vector(int n, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<double> v(static_cast<std::size_t>(n));
    for (double& x : v) x = static_cast<double>(random() >> 11) * 0x1p-52 - 1;
    return v;
}

/// A matrix of these full rows, without their zeros.
HostCsr csr_of_rows(const std::vector<std::vector<double>>& rows) {
    std::vector<SparseEntry> entries;
    for (int i = 0; i < static_cast<int>(rows.size()); ++i)
        for (int j = 0; j < static_cast<int>(rows[0].size()); ++j)
            if (rows[i][j] != 0) entries.push_back({i, j, rows[i][j]});
    return csr_of(static_cast<int>(rows.size()), static_cast<int>(rows[0].size()),
                  std::move(entries));
}

/// y = 2 A x - c by make_sparse_matrix(), against sums in long double.
template <class T>
void check_product(Stream& stream, const HostCsr& a, SparseFormat format) {
    SCOPED_TRACE(std::string(name_of(format)) + " " + std::to_string(a.rows) + "x" +
                 std::to_string(a.cols) + (sizeof(T) == 4 ? " float" : " double"));
    auto x = converted<T>(random_vector(a.cols, 1)), c = converted<T>(random_vector(a.rows, 2));
    auto matrix = make_sparse_matrix<T>(stream, a, format);
    DeviceArray<T> on_device(stream, x), result(stream, c);
    matrix->multiply(stream, {T(2), on_device.view(), T(-1), result.view()}, result.view());
    auto y = result.download(stream);
    for (int i = 0; i < a.rows; ++i) {
        long double sum = 0, magnitude = 1;
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) {
            long double term = static_cast<long double>(static_cast<T>(a.values[k])) *
                               static_cast<long double>(x[a.columns[k]]);
            sum += term;
            magnitude += std::abs(term);
        }
        // Roundings of n additions add up as random numbers do, to about sqrt(n) of them.
        auto limit = (8 + std::sqrt(a.row_size(i))) * std::numeric_limits<T>::epsilon() *
                     static_cast<double>(magnitude);
        ASSERT_NEAR(static_cast<double>(y[i]), static_cast<double>(2 * sum - c[i]), limit) << i;
    }
}

SparseConfig config_of(KrylovMethod method, PreconditionerKind preconditioner) {
    SparseConfig config;
    config.method = method;
    config.preconditioner = preconditioner;
    return config;
}

template <class T>
SparseSolution<T> solved(Stream& stream, const HostCsr& a, const SparseConfig& config,
                         const std::vector<T>& b) {
    SolverRun run;
    SparseSystem<T> system(stream, a, config, run);
    return system.solve(stream, b, run);
}

/// The sums of rows: a right side whose solution is 1.
std::vector<double> row_sums(const HostCsr& a) {
    std::vector<double> b(static_cast<std::size_t>(a.rows));
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) b[i] += a.values[k];
    return b;
}

double largest_error(const std::vector<double>& x) {
    double largest = 0;
    for (double value : x) largest = std::max(largest, std::abs(value - 1));
    return largest;
}

/// The message of the error that a set-up or solve throws, or the fault of the solution.
std::string fault_of(Stream& stream, const HostCsr& a, const SparseConfig& config) {
    try {
        return solved<double>(stream, a, config, row_sums(a)).fault;
    } catch (const UserError& error) {
        return error.what();
    }
}

/// The dense matrix, column by column.
std::vector<double> dense_of(const HostCsr& a) {
    std::vector<double> dense(static_cast<std::size_t>(a.rows) * a.cols);
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k)
            dense[static_cast<std::size_t>(a.columns[k]) * a.rows + i] = a.values[k];
    return dense;
}

int iterations_of(Stream& stream, const HostCsr& a, PreconditionerKind kind) {
    auto config = config_of(KrylovMethod::automatic, kind);
    auto solution = solved<double>(stream, a, config, random_vector(a.rows, 9));
    EXPECT_EQ(solution.fault, "") << name_of(kind);
    return solution.iterations;
}

}  // namespace test_sparse_tests
using namespace test_sparse_tests;

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Sparse, ProductsAgreeWithDirectSums) {
    for (auto& kind : sparse_kinds())
        for (int rows : {1, 7, 3000}) {
            SCOPED_TRACE(kind.id);
            auto a = kind.make(rows, 3);
            check_product<double>(stream, a, SparseFormat::automatic);
            check_product<double>(stream, a, SparseFormat::csr);
            check_product<float>(stream, a, SparseFormat::csr);
            check_product<double>(stream, transposed(a), SparseFormat::csr);
        }
    auto banded = make_csr({"banded", 5000, 1});
    check_product<double>(stream, banded, SparseFormat::dia);
    check_product<float>(stream, banded, SparseFormat::dia);
    EXPECT_EQ(make_sparse_matrix<double>(stream, banded)->format(), SparseFormat::dia);
}

TL_DEVICE_TEST(Sparse, RowsLongerThanABlockAreSharedByBlocks) {
    // A row of 30000 entries among rows of one or none, in a matrix that is not square.
    std::vector<SparseEntry> entries;
    for (int j = 0; j < 30000; ++j) entries.push_back({17, j, 1.0 / (j + 1)});
    for (int i = 0; i < 5000; i += 2) entries.push_back({i, (i * 7) % 40000, -2});
    auto a = csr_of(5000, 40000, std::move(entries));
    EXPECT_EQ(longest_row(a), 30000);
    check_product<double>(stream, a, SparseFormat::csr);
    check_product<float>(stream, a, SparseFormat::csr);
    check_product<double>(stream, transposed(a), SparseFormat::csr);
    auto power_law = make_csr({"power-law", 20000, 1});
    EXPECT_GT(longest_row(power_law), 2 * kChunkEntries);
    check_product<double>(stream, power_law, SparseFormat::automatic);
}

TL_DEVICE_TEST(Sparse, EveryPreconditionerFindsTheKnownSolution) {
    for (auto& kind : sparse_kinds())
        for (auto preconditioner : {PreconditionerKind::none, PreconditionerKind::jacobi,
                                    PreconditionerKind::ilu0, PreconditionerKind::amg})
            for (auto method : {KrylovMethod::cg, KrylovMethod::bicgstab}) {
                if (method == KrylovMethod::cg && !kind.symmetric) continue;
                SCOPED_TRACE(kind.id + " " + name_of(preconditioner) + " " + name_of(method));
                auto a = kind.make(900, 5);
                auto config = config_of(method, preconditioner);
                config.tolerance = 1e-10f;
                auto solution = solved<double>(stream, a, config, row_sums(a));
                EXPECT_EQ(solution.fault, "");
                EXPECT_LE(solution.residual, 1.01e-10);
                // The condition numbers are below 1e4.
                EXPECT_LT(largest_error(solution.x), 1e-6);
            }
}

TL_DEVICE_TEST(Sparse, SolutionsAgreeWithLapack) {
    for (const char* kind : {"convection", "power-law", "random-spd"}) {
        SCOPED_TRACE(kind);
        auto a = make_csr({kind, 144, 7});
        auto b = random_vector(a.rows, 8);
        auto cpu = test::device_or_null("cpu")->create_stream();
        Matrix<double> dense(*cpu, a.rows, a.cols), right(*cpu, a.rows, 1);
        dense.upload(*cpu, dense_of(a));
        right.upload(*cpu, b);
        SolverRun run;
        auto exact = make_linear_solver("lapack-gesv", cpu->device())
                         ->solve(*cpu, dense.view(), right.view(), run)
                         .x.download(*cpu);
        SparseConfig config;
        config.tolerance = 1e-12f;
        auto x = solved<double>(stream, a, config, b).x;
        for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], exact[i], 1e-9) << i;
    }
}

TL_DEVICE_TEST(Sparse, FloatsReachTheirOwnTolerance) {
    auto a = make_csr({"poisson3d", 4096, 0});
    for (auto kind : {PreconditionerKind::jacobi, PreconditionerKind::amg}) {
        auto solution = solved<float>(stream, a, config_of(KrylovMethod::automatic, kind),
                                      converted<float>(row_sums(a)));
        EXPECT_EQ(solution.fault, "");
        EXPECT_LE(solution.residual, 1.01e-5);
    }
    // Far below what floats can hold.
    SparseConfig config;
    config.tolerance = 1e-12f;
    auto solution = solved<float>(stream, a, config, converted<float>(random_vector(a.rows, 1)));
    EXPECT_NE(solution.fault.find("solve in double"), std::string::npos) << solution.fault;
    EXPECT_LT(solution.residual, 1e-4);
}

TL_DEVICE_TEST(Sparse, MultigridNeedsAboutAsManyIterationsOnFinerGrids) {
    using enum PreconditionerKind;
    auto coarse = make_csr({"poisson2d", 32 * 32, 0}), fine = make_csr({"poisson2d", 96 * 96, 0});
    int few = iterations_of(stream, coarse, amg), more = iterations_of(stream, fine, amg);
    EXPECT_LE(more, few + 6);
    EXPECT_LT(3 * more, iterations_of(stream, fine, jacobi));
    EXPECT_LT(3 * iterations_of(stream, fine, ilu0), 2 * iterations_of(stream, fine, jacobi));
}

TL_DEVICE_TEST(Sparse, IncompleteFactorsOfABandWithoutFillAreExact) {
    // Elimination of a tridiagonal matrix has no fill, so the factors are those of LU.
    auto a = csr_of_rows({{4, 1, 0, 0}, {-1, 3, 2, 0}, {0, 1, 5, 1}, {0, 0, 2, 4}});
    EXPECT_EQ(iterations_of(stream, a, PreconditionerKind::ilu0), 1);
    auto made = make_ilu0<double>(stream, a, false);
    DeviceArray<double> r(stream, row_sums(a)), z(stream, 4);
    made->apply(stream, r.view(), z.view());
    for (double value : z.download(stream)) EXPECT_NEAR(value, 1, 1e-14);
}

TL_DEVICE_TEST(Sparse, TrianglesAreSolvedByWideAndByNarrowLevels) {
    // Row 0 is in all others, which are one wide level; below them a chain of levels of one row.
    std::vector<SparseEntry> entries;
    constexpr int kWide = 3000, kRows = kWide + 50;
    for (int i = 0; i < kRows; ++i) {
        entries.push_back({i, i, 2});
        if (i > 0) entries.push_back({i, i < kWide ? 0 : i - 1, 0.5});
    }
    auto a = csr_of(kRows, kRows, std::move(entries));
    for (bool is_lower : {true, false}) {
        auto matrix = is_lower ? a : transposed(a);
        SparseTriangle<double> triangle(stream, matrix,
                                        is_lower ? TriangleKind::unit_lower : TriangleKind::upper);
        EXPECT_EQ(triangle.levels(), is_lower ? 52 : 52);
        auto x = random_vector(kRows, 4);
        auto b = x;
        for (int i = 0; i < kRows; ++i) {
            if (!is_lower) b[i] = 2 * x[i];
            for (int k = matrix.starts[i]; k < matrix.starts[i + 1]; ++k)
                if (matrix.columns[k] != i) b[i] += 0.5 * x[matrix.columns[k]];
        }
        DeviceArray<double> on_device(stream, b);
        triangle.solve(stream, on_device.view());
        auto found = on_device.download(stream);
        for (int i = 0; i < kRows; ++i) ASSERT_NEAR(found[i], x[i], 1e-12) << i;
    }
}

TL_DEVICE_TEST(Sparse, IndefiniteMatricesAreNamedOrSolvedByBicgstab) {
    // Eigenvalues 3 and -1, with a positive diagonal.
    auto a = csr_of_rows({{1, 2, 0}, {2, 1, 0}, {0, 0, 4}});
    auto fault = fault_of(stream, a, config_of(KrylovMethod::cg, PreconditionerKind::none));
    // The sums of rows are an eigenvector of 3, so another right side is needed.
    EXPECT_EQ(fault, "");
    SolverRun run;
    SparseSystem<double> with_cg(stream, a, config_of(KrylovMethod::cg, PreconditionerKind::none),
                                 run);
    auto failed = with_cg.solve(stream, std::vector<double>{1, -2, 1}, run);
    EXPECT_FALSE(failed.converged);
    EXPECT_NE(failed.fault.find("not positive definite"), std::string::npos) << failed.fault;
    SparseSystem<double> automatic(stream, a, {}, run);
    auto solution = automatic.solve(stream, std::vector<double>{1, -2, 1}, run);
    EXPECT_EQ(solution.fault, "");
    EXPECT_NE(automatic.note().find("bicgstab"), std::string::npos);
    EXPECT_NEAR(solution.x[0], -5.0 / 3, 1e-7);
    EXPECT_NEAR(solution.x[1], 4.0 / 3, 1e-7);
    EXPECT_NEAR(solution.x[2], 0.25, 1e-7);
}

TL_DEVICE_TEST(Sparse, ErrorsSayWhatToDo) {
    using enum PreconditionerKind;
    auto contains = [](const std::string& text, const std::string& part) {
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    auto general = csr_of_rows({{1, 2}, {3, 4}}), hollow = csr_of_rows({{1, 2}, {2, 0}});
    contains(fault_of(stream, general, config_of(KrylovMethod::cg, none)), "not symmetric");
    contains(fault_of(stream, csr_of_rows({{1, 2, 3}}), {}), "square");
    for (auto kind : {jacobi, ilu0, amg})
        contains(fault_of(stream, hollow, config_of(KrylovMethod::bicgstab, kind)),
                 "diagonal element of row 1");
    // Without a preconditioner it can be solved, and automatic choices do so.
    EXPECT_EQ(fault_of(stream, hollow, {}), "");
    auto poisson = make_csr({"poisson2d", 2500, 0});
    auto few = config_of(KrylovMethod::cg, none);
    few.most_iterations = 3;
    contains(fault_of(stream, poisson, few), "no convergence after 3 iterations");
    SolverRun run;
    SparseSystem<double> system(stream, poisson, {}, run);
    std::vector<double> b(2500);
    b[7] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW((void)system.solve(stream, b, run), UserError);
    b.pop_back();
    EXPECT_THROW((void)system.solve(stream, b, run), UserError);
    // Singular: the sums of columns are 0, and those of the right side are not.
    auto singular = csr_of_rows({{1, -1}, {-1, 1}});
    EXPECT_FALSE(
        solved<double>(stream, singular, config_of(KrylovMethod::cg, none), {1.0, 1.0}).converged);
    auto dia = SparseConfig{};
    dia.format = SparseFormat::dia;
    contains(fault_of(stream, make_csr({"random-spd", 500, 1}), dia), "not banded");
}

TL_DEVICE_TEST(Sparse, ZeroRightSidesHaveZeroSolutions) {
    auto a = make_csr({"poisson2d", 100, 0});
    auto solution = solved<double>(stream, a, {}, std::vector<double>(100));
    EXPECT_TRUE(solution.converged);
    EXPECT_EQ(solution.iterations, 0);
    EXPECT_EQ(solution.x, std::vector<double>(100));
}

TL_DEVICE_TEST(Sparse, CancelledSolvesEnd) {
    auto a = make_csr({"poisson2d", 2500, 0});
    SolverRun run;
    SparseSystem<double> system(stream, a, {}, run);
    run.cancel();
    EXPECT_THROW((void)system.solve(stream, row_sums(a), run), Cancelled);
    EXPECT_THROW(SparseSystem<double>(stream, a, {}, run), Cancelled);
}

TL_DEVICE_TEST(Sparse, SolutionsAreTheSameBitsInEveryRun) {
    for (const char* kind : {"poisson2d", "power-law"}) {
        auto a = make_csr({kind, 10000, 2});
        auto b = random_vector(a.rows, 3);
        EXPECT_EQ(solved<double>(stream, a, {}, b).x, solved<double>(stream, a, {}, b).x) << kind;
    }
}

TL_DEVICE_TEST(Sparse, CusparseMultipliesAsWellOrIsNamedAsMissing) {
    auto a = make_csr({"power-law", 3000, 2});
    if (kOnCuda) {
        check_product<double>(stream, a, SparseFormat::cusparse);
        check_product<float>(stream, a, SparseFormat::cusparse);
    } else {
        EXPECT_THROW((void)make_sparse_matrix<double>(stream, a, SparseFormat::cusparse),
                     UserError);
    }
}
