// PLU factorisations over the ranks of a job, against LAPACK. Started by mpirun (see
// test_ranks.sh): all ranks run all tests, each on every grid that has as many ranks.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>

#include "core/base/error.h"
#include "core/device/registry.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/matrix_files.h"
#include "solvers/dense/openblas.h"
#include "solvers/dense/ranks/rank_files.h"
#include "solvers/dense/ranks/rank_lu.h"
#include "solvers/dense/ranks/rank_solve.h"
#include "solvers/dense/ranks/row_exchange.h"
#include "tests/device_test.h"

namespace tl::rank_lu_tests {
namespace {

std::unique_ptr<Ranks> job;

/// The job of all tests; it ends after them.
class Job : public testing::Environment {
  public:
    void SetUp() override {
        job = Ranks::open("rank tests", std::chrono::seconds(60));
        ASSERT_TRUE(job) << "start this program by tests/ranks/test_ranks.sh";
    }
    void TearDown() override { job.reset(); }
};
const auto* const kJob = testing::AddGlobalTestEnvironment(new Job);

/// Tests on the device whose id is the parameter.
class OnDevice : public testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        Device* device = test::device_or_null(GetParam());
        if (!device) GTEST_SKIP() << cuda_absence();
        stream = device->create_stream();
    }
    std::unique_ptr<Stream> stream;
};
class RankLu : public OnDevice {};
class RankFiles : public OnDevice {};
INSTANTIATE_TEST_SUITE_P(OnCpu, RankLu, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, RankLu, testing::Values("cuda"));
INSTANTIATE_TEST_SUITE_P(OnCpu, RankFiles, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, RankFiles, testing::Values("cuda"));

/// Calls `check` with each grid of all ranks, and with a grid of this rank alone.
template <class Check>
void on_all_grids(const Check& check) {
    int size = job->all().size();
    for (int rows = 1; rows <= size; ++rows) {
        if (size % rows != 0) continue;
        SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(size / rows));
        auto grid = make_rank_grid(job->all(), rows, size / rows);
        check(grid);
    }
    SCOPED_TRACE("1x1");
    auto alone = job->all().split(job->all().rank(), 0);
    auto grid = make_rank_grid(alone, 1, 1);
    check(grid);
}

/// Elements in [-1, 1), the same at all ranks.
template <class T>
HostMatrix<T> random_whole(int rows, int cols, std::uint64_t seed) {
    HostMatrix<T> a(rows, cols);
    std::uint64_t state = seed * 2 + 1;
    for (T& x : a.data) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x = static_cast<T>(static_cast<double>(state >> 33) * 0x1p-30 - 1);
    }
    return a;
}

template <class T>
CyclicMatrix<T> spread(Stream& stream, const RankGrid& grid, const HostMatrix<T>& whole,
                       int block) {
    CyclicMatrix<T> a(stream, grid, whole.rows, whole.cols, block);
    HostMatrix<T> own(a.local.rows(), a.local.cols());
    for (int j = 0; j < own.cols; ++j)
        for (int i = 0; i < own.rows; ++i) own(i, j) = whole(a.rows.global(i), a.cols.global(j));
    a.local.upload(stream, own.data);
    return a;
}

/// The largest difference between a rank's part and the whole matrix.
template <class T>
double largest_difference(Stream& stream, const CyclicMatrix<T>& a, const HostMatrix<T>& whole) {
    HostMatrix<T> own(a.local.rows(), a.local.cols());
    own.data = a.local.download(stream);
    double largest = 0;
    for (int j = 0; j < own.cols; ++j)
        for (int i = 0; i < own.rows; ++i)
            largest = std::max(
                largest,
                std::abs(double(own(i, j)) - double(whole(a.rows.global(i), a.cols.global(j)))));
    return largest;
}

/// Replaces A by LAPACK's factors; returns the exchanges of rows, counted from 0.
template <class T>
std::vector<int> factorise_by_lapack(HostMatrix<T>& a, int* info = nullptr) {
    std::vector<int> swaps(static_cast<std::size_t>(std::min(a.rows, a.cols)));
    int failed = 0;
    if constexpr (sizeof(T) == 8)
        late::dgetrf_(&a.rows, &a.cols, a.data.data(), &a.rows, swaps.data(), &failed);
    else
        late::sgetrf_(&a.rows, &a.cols, a.data.data(), &a.rows, swaps.data(), &failed);
    if (info) *info = failed;
    for (int& row : swaps) --row;
    return swaps;
}

struct Extents {
    int rows, cols, block;
};
constexpr Extents kExtents[] = {{64, 64, 16}, {61, 61, 7},  {40, 75, 9}, {83, 38, 12},
                                {5, 5, 16},   {90, 90, 32}, {1, 7, 2},   {23, 23, 1}};

template <class T>
void expect_lapacks_factors(Stream* stream) {
    on_all_grids([&](RankGrid& grid) {
        for (auto [rows, cols, block] : kExtents) {
            SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(cols));
            auto whole = random_whole<T>(rows, cols, 7);
            auto a = spread(*stream, grid, whole, block);
            auto swaps = factorise_over_ranks(*stream, grid, a, {});
            auto expected = factorise_by_lapack(whole);
            EXPECT_EQ(swaps, expected);
            // Elements of the factors are below 10, and rounding grows with the steps.
            double eps = std::numeric_limits<T>::epsilon();
            EXPECT_LT(largest_difference(*stream, a, whole), 1000 * rows * eps);
        }
    });
}
TEST_P(RankLu, HasLapacksPivotsAndFactors) {
    expect_lapacks_factors<double>(stream.get());
}
TEST_P(RankLu, HasLapacksPivotsAndFactorsOfFloats) {
    expect_lapacks_factors<float>(stream.get());
}

/// The largest element of A[p] - L U at the root, of factors that are spread; 0 elsewhere.
double residual_at_root(Stream& stream, RankGrid& grid, CyclicMatrix<double>& lu,
                        const std::vector<int>& swaps, const HostMatrix<double>& a) {
    HostMatrix<double> whole(a.rows, a.cols);
    std::size_t filled = 0;
    for_each_block_column<double>(stream, grid, lu, [&](std::span<const double> columns) {
        std::ranges::copy(columns, whole.data.begin() + static_cast<std::ptrdiff_t>(filled));
        filled += columns.size();
    });
    if (!grid.all.is_root()) return 0;
    EXPECT_EQ(filled, whole.data.size());
    auto p = order_of(swaps, a.rows);
    double largest = 0;
    for (int j = 0; j < a.cols; ++j)
        for (int i = 0; i < a.rows; ++i) {
            double sum = i <= j ? whole(i, j) : 0;
            for (int k = 0; k < std::min({i, j + 1, std::min(a.rows, a.cols)}); ++k)
                sum += whole(i, k) * whole(k, j);
            largest = std::max(largest, std::abs(sum - a(p[static_cast<std::size_t>(i)], j)));
        }
    return largest;
}

TEST_P(RankLu, ThesisModeTakesPivotsFromOneRank) {
    on_all_grids([&](RankGrid& grid) {
        for (auto [rows, cols, block] : kExtents) {
            SCOPED_TRACE(std::to_string(rows) + "x" + std::to_string(cols));
            auto whole = random_whole<double>(rows, cols, 11);
            auto a = spread(*stream, grid, whole, block);
            auto swaps = factorise_over_ranks(*stream, grid, a, {RankLuMode::thesis});
            for (std::size_t k = 0; k < swaps.size(); ++k)
                EXPECT_EQ(a.rows.owner(swaps[k]), a.rows.owner(static_cast<int>(k)));
            // Restricted pivots let elements grow by more than partial pivoting does.
            EXPECT_LT(residual_at_root(*stream, grid, a, swaps, whole), 1e-9);
        }
    });
}

TEST_P(RankLu, ThesisModeReportsAColumnWithoutPivot) {
    int size = job->all().size();
    auto grid = make_rank_grid(job->all(), size, 1);
    // The first rank's rows are zero in the first column.
    auto whole = random_whole<double>(4 * size, 4 * size, 3);
    for (int i = 0; i < 4; ++i) whole(i, 0) = 0;
    auto a = spread(*stream, grid, whole, 4);
    EXPECT_THROW((void)factorise_over_ranks(*stream, grid, a, {RankLuMode::thesis}), RankError);
    auto b = spread(*stream, grid, whole, 4);
    auto swaps = factorise_over_ranks(*stream, grid, b, {});
    EXPECT_EQ(swaps, factorise_by_lapack(whole));
}

TEST_P(RankLu, SingularMatricesHaveLapacksFirstZeroPivot) {
    on_all_grids([&](RankGrid& grid) {
        for (int zero : {0, 13, 36}) {
            auto whole = random_whole<double>(37, 37, 5);
            for (int i = 0; i < 37; ++i) whole(i, zero) = 0;
            auto a = spread(*stream, grid, whole, 5);
            auto swaps = factorise_over_ranks(*stream, grid, a, {});
            int info = 0;
            factorise_by_lapack(whole, &info);
            EXPECT_EQ(first_zero_pivot_over_ranks(*stream, grid, a), info - 1);
            EXPECT_LT(largest_difference(*stream, a, whole), 1e-11);
        }
        auto regular = spread(*stream, grid, random_whole<double>(9, 9, 5), 2);
        (void)factorise_over_ranks(*stream, grid, regular, {});
        EXPECT_EQ(first_zero_pivot_over_ranks(*stream, grid, regular), -1);
    });
}

TEST_P(RankLu, AllRanksReportAnElementThatIsNotFinite) {
    on_all_grids([&](RankGrid& grid) {
        auto whole = random_whole<double>(30, 30, 1);
        whole(17, 22) = std::numeric_limits<double>::infinity();
        auto a = spread(*stream, grid, whole, 4);
        try {
            (void)factorise_over_ranks(*stream, grid, a, {});
            ADD_FAILURE() << "an infinite element was accepted";
        } catch (const RankError& error) {
            EXPECT_NE(std::string(error.what()).find("(17, 22)"), std::string::npos)
                << error.what();
        }
    });
}

TEST_P(RankLu, SolutionsAreThoseOfLapack) {
    on_all_grids([&](RankGrid& grid) {
        for (auto mode : {RankLuMode::look_ahead, RankLuMode::thesis}) {
            int n = 71, sides = 3, info = 0;
            auto whole = random_whole<double>(n, n, 9), b = random_whole<double>(n, sides, 10);
            auto a = spread(*stream, grid, whole, 8);
            auto swaps = factorise_over_ranks(*stream, grid, a, {mode});
            auto x = solve_over_ranks(*stream, grid, a, swaps, b);
            auto matrix = spread(*stream, grid, whole, 8);
            EXPECT_LT(backward_error_over_ranks(*stream, grid, matrix, x, b), 1e-12);
            auto far = x;
            far(n - 1, 1) += 1;
            EXPECT_GT(backward_error_over_ranks(*stream, grid, matrix, far, b), 1e-3);
            auto expected = b;
            std::vector<int> pivots(static_cast<std::size_t>(n));
            late::dgesv_(&n, &sides, whole.data.data(), &n, pivots.data(), expected.data.data(), &n,
                         &info);
            for (std::size_t i = 0; i < x.data.size(); ++i)
                EXPECT_NEAR(x.data[i], expected.data[i], 1e-9);
        }
    });
}

TEST(PanelMoves, AreTheExchangesOfThePanel) {
    constexpr int kFirst = 3, kRows = 12;
    const std::vector<int> swaps{7, 7, 5, 11};
    std::vector<int> rows(kRows), moved(kRows);
    for (int i = 0; i < kRows; ++i) rows[static_cast<std::size_t>(i)] = i;
    moved = rows;
    for (std::size_t k = 0; k < swaps.size(); ++k)
        std::swap(rows[kFirst + k], rows[static_cast<std::size_t>(swaps[k])]);
    auto moves = moves_of_panel(kFirst, swaps);
    for (std::size_t i = 0; i < moves.sources.size(); ++i) moved[kFirst + i] = moves.sources[i];
    for (auto [to, from] : moves.down) {
        EXPECT_LT(from, kFirst + 4);
        moved[static_cast<std::size_t>(to)] = from;
    }
    EXPECT_EQ(moved, rows);
}

TEST_P(RankFiles, GeneratedPartsAreThoseOfTheWholeMatrix) {
    auto blas = make_blas(*stream);
    on_all_grids([&](RankGrid& grid) {
        for (const char* kind : {"uniform", "graded", "hilbert"}) {
            MatrixSpec spec{kind, 33, 29, 1e3, 4};
            HostMatrix<double> whole(33, 29);
            whole.data = make_matrix<double>(*blas, spec).download(*stream);
            CyclicMatrix<double> a(*stream, grid, 33, 29, 5);
            generate_part(*stream, spec, a);
            EXPECT_EQ(largest_difference(*stream, a, whole), 0) << kind;
        }
    });
}

TEST_P(RankFiles, PartsOfFilesInEitherOrderAreThoseOfTheMatrix) {
    const char* folder = std::getenv("TREELIGHT_RANK_TESTS");
    ASSERT_TRUE(folder) << "start this program by tests/ranks/test_ranks.sh";
    auto by_columns = std::string(folder) + "/columns.npy",
         by_rows = std::string(folder) + "/rows.npy";
    auto whole = random_whole<double>(26, 19, 2);
    if (job->all().is_root()) {
        write_npy<double>(by_columns, 26, 19, whole.data);
        FileWriter file(by_rows);
        const std::size_t shape[] = {26, 19};
        write_npy_header(file, "<f8", shape);
        for (int i = 0; i < 26; ++i)
            for (int j = 0; j < 19; ++j)
                file.write({reinterpret_cast<const char*>(&whole(i, j)), sizeof(double)});
        file.finish();
    }
    job->agree("");
    on_all_grids([&](RankGrid& grid) {
        for (auto& path : {by_columns, by_rows}) {
            CyclicMatrix<double> a(*stream, grid, 26, 19, 4);
            read_part(*stream, path, a);
            EXPECT_EQ(largest_difference(*stream, a, whole), 0) << path;
        }
    });
    job->agree("");
}

}  // namespace
}  // namespace tl::rank_lu_tests
