// Sparse matrices in host memory: files, generated kinds, transposes and products.
#include <algorithm>
#include <cmath>

#include "core/base/files.h"
#include "solvers/dense/mtx_file.h"
#include "solvers/sparse/aggregation.h"
#include "solvers/sparse/csr_file.h"
#include "solvers/sparse/ilu0.h"
#include "solvers/sparse/sparse_kinds.h"
#include "tests/unit/temp_folder.h"

namespace tl::test {
namespace test_sparse_files {

HostMatrix<double> dense_of(const HostCsr& a) {
    HostMatrix<double> dense(a.rows, a.cols);
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) dense(i, a.columns[k]) = a.values[k];
    return dense;
}

void expect_refused(const std::string& text, const std::string& words) {
    TempFolder folder;
    auto path = folder.path("a.mtx");
    write_file(path, text);
    try {
        (void)read_csr(path);
        FAIL() << text;
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    }
}

void expect_ascending(const HostCsr& a) {
    ASSERT_EQ(a.starts.size(), static_cast<std::size_t>(a.rows) + 1);
    for (int i = 0; i < a.rows; ++i)
        for (int k = a.starts[i] + 1; k < a.starts[i + 1]; ++k)
            ASSERT_LT(a.columns[k - 1], a.columns[k]) << i;
}

}  // namespace test_sparse_files
using namespace test_sparse_files;

TEST(SparseFiles, CoordinatesAreThoseOfTheDenseReader) {
    TempFolder folder;
    auto path = folder.path("a.mtx");
    const std::string head = "%%MatrixMarket matrix coordinate ";
    for (const std::string& text :
         {head + "real general\n% twice\n2 3 4\n1 3 2.5\n2 1 -1d1\n1 3 0.5\n\n2 2 7\n",
          head + "integer symmetric\n3 3 3\n2 1 4\n3 3 5\n3 1 -6\n",
          head + "real skew-symmetric\n3 3 2\n2 1 4\n3 1 -6\n",
          head + "pattern general\n2 2 3\n1 1\n2 1\n2 2\n",
          std::string("%%MatrixMarket matrix array real general\n2 2\n1\n0\n0\n4\n")}) {
        write_file(path, text);
        auto a = read_csr(path);
        expect_ascending(a);
        EXPECT_EQ(dense_of(a).data, read_mtx(path).data) << text;
    }
    write_file(path, head + "real general\n2 2 2\n1 1 1\n1 1 2\n");
    EXPECT_EQ(read_csr(path).entries(), 1);
    auto extents = sparse_extents(path);
    EXPECT_EQ(extents.rows, 2);
    EXPECT_EQ(extents.entries, 2);
    EXPECT_EQ(sparse_extents(folder.path("a.npy")).rows, 0);
    write_file(path, head + "complex general\n2 2 1\n1 1 1 2\n");
    EXPECT_EQ(sparse_extents(path).rows, 0);
}

TEST(SparseFiles, LargeMatricesNeedNoZeros) {
    TempFolder folder;
    auto path = folder.path("a.mtx");
    write_file(path,
               "%%MatrixMarket matrix coordinate real general\n60000 2000000 2\n1 2000000 3\n"
               "60000 1 4\n");
    auto a = read_csr(path);
    EXPECT_EQ(a.entries(), 2);
    EXPECT_EQ(a.row_size(0), 1);
    EXPECT_EQ(a.values[1], 4);
}

TEST(SparseFiles, DamagedFilesAreRefusedWithTheLine) {
    const std::string head = "%%MatrixMarket matrix coordinate real general\n";
    expect_refused(head + "2 2 2\n1 1 1\n", "a.mtx:4: the file ends early");
    expect_refused(head + "2 2 1\n3 1 1\n", "a.mtx:3: entry (3, 1) lies outside");
    expect_refused(head + "2 2 1\n1 1 x\n", "a.mtx:3: number expected");
    expect_refused(head + "2 2 1\n1 1 1\n2 2 2\n", "a.mtx:4: there are more entries");
    expect_refused(head + "2 2 1\n1 1 nan\n", "a.mtx:3: element (0, 0)");
    expect_refused(head + "2 2 2\n1 1 1e308\n1 1 1e308\n",
                   "element (0, 0), counted from 0, is inf");
    expect_refused(head + "0 2 0\n", "empty");
    expect_refused(head + "3000000000 2 0\n", "too large");
    expect_refused(head + "2000000000 2000000000 1\n1 1 1\n", "a.mtx:2: 2000000000 rows are more");
    expect_refused(head + "2 2 900000000\n", "a.mtx:2: the file is too short");
    expect_refused("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n",
                   "a.mtx:1: the numbers are complex: sparse solvers take real numbers");
}

TEST(SparseFiles, KindsAreWhatTheTableSays) {
    for (auto& kind : sparse_kinds())
        for (int rows : {1, 2, 500}) {
            SCOPED_TRACE(kind.id + " " + std::to_string(rows));
            auto a = kind.make(rows, 9);
            expect_ascending(a);
            EXPECT_EQ(a.rows, a.cols);
            EXPECT_TRUE(std::ranges::all_of(diagonal_of(a), [](double d) { return d > 0; }));
            if (rows == 500) {
                EXPECT_EQ(is_symmetric(a), kind.symmetric);
            }
        }
    EXPECT_EQ(make_csr({"poisson3d", 1000, 0}).rows, 1000);
    EXPECT_EQ(make_csr({"poisson3d", 1000, 0}).entries(), 7 * 1000 - 6 * 100);
    EXPECT_THROW((void)make_csr({"nope", 10, 0}), UsageError);
    EXPECT_THROW((void)make_csr({"banded", 0, 0}), UsageError);
    EXPECT_THROW((void)make_csr({"banded", 2000000000, 0}), UserError);
}

TEST(SparseFiles, TransposesAndProductsAreThoseOfDenseMatrices) {
    auto a = make_csr({"power-law", 60, 4}), b = make_csr({"banded", 60, 5});
    auto dense_a = dense_of(a), dense_b = dense_of(b), product = dense_of(product_of(a, b));
    auto turned = dense_of(transposed(a));
    for (int i = 0; i < 60; ++i)
        for (int j = 0; j < 60; ++j) {
            EXPECT_EQ(turned(j, i), dense_a(i, j));
            double sum = 0;
            for (int k = 0; k < 60; ++k) sum += dense_a(i, k) * dense_b(k, j);
            EXPECT_NEAR(product(i, j), sum, 1e-11 * (1 + std::abs(sum)));
        }
    expect_ascending(product_of(a, b));
    EXPECT_FALSE(is_symmetric(a));
    EXPECT_TRUE(is_symmetric(product_of(transposed(b), b)));
}

TEST(SparseFiles, IncompleteFactorsAgreeWithTheMatrixOnItsPattern) {
    for (const char* kind : {"poisson2d", "convection", "power-law"}) {
        auto a = make_csr({kind, 100, 6});
        auto factors = factorise_ilu0(a, false);
        EXPECT_EQ(factors.shift, 0);
        auto lu = dense_of(factors.lu);
        for (int i = 0; i < a.rows; ++i)
            for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) {
                int j = a.columns[k];
                double sum = j >= i ? lu(i, j) : 0;  // the 1 of L
                for (int m = 0; m < std::min(i, j + 1); ++m) sum += lu(i, m) * lu(m, j);
                EXPECT_NEAR(sum, a.values[k], 1e-11 * std::abs(a.values[k])) << kind;
            }
    }
    // Positive definite, yet with a negative pivot of the incomplete factors (Kershaw 1978).
    std::vector<SparseEntry> entries;
    const double rows[4][4] = {{3, -2, 0, 2}, {-2, 3, -2, 0}, {0, -2, 3, -2}, {2, 0, -2, 3}};
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
            if (rows[i][j] != 0) entries.push_back({i, j, rows[i][j]});
    auto kershaw = csr_of(4, 4, std::move(entries));
    EXPECT_LT(std::ranges::min(diagonal_of(factorise_ilu0(kershaw, false).lu)), 0);
    auto shifted = factorise_ilu0(kershaw, true);
    EXPECT_GT(shifted.shift, 0);
    EXPECT_GT(std::ranges::min(diagonal_of(shifted.lu)), 0);
}

TEST(SparseFiles, AggregatesCoverEveryCoupledRow) {
    auto a = make_csr({"poisson2d", 900, 0});
    auto made = aggregate(a, 0.08);
    EXPECT_LT(made.count, 900 / 3);
    std::vector<int> sizes(static_cast<std::size_t>(made.count));
    for (int of : made.of_row) {
        ASSERT_GE(of, 0);
        ++sizes[of];
    }
    EXPECT_GT(std::ranges::min(sizes), 0);
    // Along the strong direction alone: every row's aggregate lies in its line of 30 points.
    auto lines = aggregate(make_csr({"anisotropic", 900, 0}), 0.08);
    for (int i = 0; i < 900; ++i)
        for (int j = 0; j < 900; ++j)
            if (lines.of_row[i] == lines.of_row[j]) {
                EXPECT_EQ(i / 30, j / 30);
            }
    std::vector<SparseEntry> diagonal{{0, 0, 1}, {1, 1, 2}};
    auto alone = aggregate(csr_of(2, 2, std::move(diagonal)), 0.08);
    EXPECT_EQ(alone.count, 0);
    EXPECT_EQ(alone.of_row, (std::vector<int>{-1, -1}));
}

TEST(SparseFiles, CoarserMatricesDoNotFillUp) {
    for (const char* kind : {"poisson2d", "poisson3d", "anisotropic", "banded"}) {
        SCOPED_TRACE(kind);
        auto made = make_hierarchy(make_csr({kind, 4000, 3}), {}, true, [] {});
        EXPECT_GE(made.levels.size(), 2u);
        EXPECT_LT(made.operator_complexity(), 2.5);
        auto& last = made.levels.back().a;
        ASSERT_LE(last.rows, 200);
        EXPECT_TRUE(is_symmetric(made.coarsest_inverse));
        auto one = dense_of(product_of(made.coarsest_inverse, last));
        for (int i = 0; i < last.rows; ++i)
            for (int j = 0; j < last.rows; ++j) ASSERT_NEAR(one(i, j), i == j ? 1 : 0, 1e-9);
    }
    auto random = make_hierarchy(make_csr({"random-spd", 4000, 3}), {}, true, [] {});
    EXPECT_LT(random.operator_complexity(), 2.5);
    // A cycle of points without borders: singular, and all but one of its points have an inverse.
    std::vector<SparseEntry> entries;
    for (int i = 0; i < 6; ++i)
        for (int j : {i, (i + 1) % 6, (i + 5) % 6}) entries.push_back({i, j, i == j ? 2.0 : -1.0});
    auto cycle = make_hierarchy(csr_of(6, 6, std::move(entries)), {}, true, [] {});
    auto a = dense_of(cycle.levels[0].a);
    auto back = dense_of(
        product_of(product_of(cycle.levels[0].a, cycle.coarsest_inverse), cycle.levels[0].a));
    for (int i = 0; i < 36; ++i) EXPECT_NEAR(back.data[i], a.data[i], 1e-12);
}

}  // namespace tl::test
