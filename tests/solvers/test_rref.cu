// Reduced row echelon forms, on every device, against exact arithmetic.
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "solvers/dense/matrix_kinds.h"
#include "solvers/dense/rref/rref.h"
#include "tests/solvers/svd_checks.h"

namespace tl::TL_DEVICE_NAME {
namespace test_rref_tests {

using namespace tl::test;

/// A fraction in lowest terms with a positive denominator.
struct Fraction {
    __int128 over = 0, under = 1;

    Fraction(__int128 over = 0, __int128 under = 1) : over(over), under(under) {
        __int128 a = over < 0 ? -over : over, b = under;
        while (b != 0) a = std::exchange(b, a % b);
        if (a > 1) this->over /= a, this->under /= a;
        if (this->under < 0) this->over = -this->over, this->under = -this->under;
    }
    [[nodiscard]] bool zero() const { return over == 0; }
    friend Fraction operator*(Fraction a, Fraction b) {
        return {a.over * b.over, a.under * b.under};
    }
    friend Fraction operator/(Fraction a, Fraction b) {
        return b.over < 0 ? Fraction{-a.over * b.under, -(a.under * b.over)}
                          : Fraction{a.over * b.under, a.under * b.over};
    }
    friend Fraction operator-(Fraction a, Fraction b) {
        return {a.over * b.under - b.over * a.under, a.under * b.under};
    }
};

struct ExactForm {
    HostMatrix<double> r;
    std::vector<int> pivots;
};

ExactForm exact_form(const HostMatrix<double>& a) {
    int m = a.rows, n = a.cols, rank = 0;
    std::vector<Fraction> f(a.data.size());
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = Fraction(std::llround(a.data[i]));
    auto at = [&](int i, int j) -> Fraction& { return f[i + static_cast<std::size_t>(j) * m]; };
    ExactForm form{HostMatrix<double>(m, n), {}};
    for (int j = 0; j < n && rank < m; ++j) {
        int row = rank;
        while (row < m && at(row, j).zero()) ++row;
        if (row == m) continue;
        for (int c = 0; c < n; ++c) std::swap(at(row, c), at(rank, c));
        Fraction pivot = at(rank, j);
        for (int c = 0; c < n; ++c) at(rank, c) = at(rank, c) / pivot;
        for (int i = 0; i < m; ++i) {
            Fraction factor = at(i, j);
            if (i == rank || factor.zero()) continue;
            for (int c = 0; c < n; ++c) at(i, c) = at(i, c) - factor * at(rank, c);
        }
        form.pivots.push_back(j);
        ++rank;
    }
    for (std::size_t i = 0; i < f.size(); ++i)
        form.r.data[i] = static_cast<double>(f[i].over) / static_cast<double>(f[i].under);
    return form;
}

template <class T>
Rref<T> reduced(Stream& stream, const HostMatrix<T>& host, double tolerance = -1,
                const std::string& mode = "blocked") {
    Matrix<T> a(stream, host.rows, host.cols);
    a.upload(stream, host.data);
    SolverRun run;
    return reduce_rows<T>(stream, a.view(), tolerance, run, mode);
}

/// The rank of a product of integers up to 3 that has the inner extent k, all exact in T.
template <class T>
std::size_t rank_of_product(Stream& stream, int m, int n, int k, unsigned seed) {
    std::mt19937 random(seed);
    auto integers = [&](int rows, int cols) {
        HostMatrix<T> matrix(rows, cols);
        for (auto& x : matrix.data) x = static_cast<T>(static_cast<int>(random() % 7) - 3);
        return matrix;
    };
    auto left = integers(m, k), right = integers(k, n);
    HostMatrix<T> product(m, n);
    for (int j = 0; j < n; ++j)
        for (int l = 0; l < k; ++l)
            for (int i = 0; i < m; ++i) product(i, j) += left(i, l) * right(l, j);
    return reduced(stream, product).pivots.size();
}

}  // namespace test_rref_tests
using namespace test_rref_tests;

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Rref, CompletePivotingReducesColumnsInTheirOrder) {
    auto blas = make_blas(stream);
    SolverRun run;
    for (auto [m, n, k] : {std::tuple{6, 9, 4}, {9, 6, 3}, {40, 40, 17}, {80, 30, 30}, {5, 5, 0}}) {
        SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + " of rank " + std::to_string(k));
        auto left = make_matrix<double>(*blas, {"uniform", m, std::max(k, 1), 1, 21});
        auto mixed = make_matrix<double>(*blas, {"uniform", std::max(k, 1), n, 1, 22});
        Matrix<double> a(stream, m, n + 1);
        auto whole = a.view().columns(0, n);
        blas->gemm(Transpose::no, Transpose::no, k > 0 ? 1.0 : 0.0, left.view(), mixed.view(), 0.0,
                   whole);
        auto host = to_host(stream, a);
        for (int i = 0; i < m; ++i) {
            host(i, n) = 0;
            for (int j = 0; j < n; ++j) host(i, n) += host(i, j);
        }
        a.upload(stream, host.data);
        auto form = reduce_rows_completely<double>(stream, a.view(), 1, -1, run);
        ASSERT_EQ(form.pivots.size(), static_cast<std::size_t>(k));
        auto r = to_host(stream, form.r);
        // A[:, q] = A[:, q of pivots] R, and the right side is a sum of the same columns.
        EXPECT_EQ(form.order[n], n);
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i < m; ++i) {
                double sum = 0;
                for (int t = 0; t < k; ++t) sum += host(i, form.order[t]) * r(t, j);
                ASSERT_NEAR(sum, host(i, form.order[j]), 1e-10);
            }
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i < m; ++i)
                if (j < k || (i >= k && j < n)) {
                    ASSERT_EQ(r(i, j), i == j && i < k ? 1 : 0);
                }
        for (int i = k; i < m; ++i) ASSERT_NEAR(r(i, n), 0, 1e-10);
    }
}

TL_DEVICE_TEST(Rref, SmallIntegersAgreeWithExactArithmetic) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        int m = 1 + static_cast<int>(random() % 6), n = 1 + static_cast<int>(random() % 8);
        HostMatrix<double> a(m, n);
        for (auto& x : a.data) x = static_cast<int>(random() % 7) - 3;
        // Every other matrix has rows that are sums of others.
        if (round % 2 == 0)
            for (int i = 2; i < m; i += 2)
                for (int j = 0; j < n; ++j) a(i, j) = a(i - 1, j) - 2 * a(i - 2, j);
        auto exact = exact_form(a);
        for (const char* mode : {"blocked", "pairs", "pairs-geometric"}) {
            auto own = reduced(stream, a, -1, mode);
            ASSERT_EQ(own.pivots, exact.pivots) << mode << round;
            auto r = to_host(stream, own.r);
            // Six rows of integers up to 3 lose at most a few digits.
            for (std::size_t i = 0; i < r.data.size(); ++i)
                ASSERT_NEAR(r.data[i], exact.r.data[i], 1e-11 * (1 + std::abs(exact.r.data[i])))
                    << mode << round;
        }
    }
}

// [A b] with b = A x reduces to [I x]. Pairs of rows are chosen in panels and across their borders.
TL_DEVICE_TEST(Rref, PairsOfRowsSolveSystems) {
    auto blas = make_blas(stream);
    for (int n : {1, 2, 5, 33, 150}) {
        auto a = make_matrix<double>(*blas, {"uniform", n, n, 1, 8});
        auto host = to_host(stream, a);
        HostMatrix<double> wide(n, n + 1);
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) {
                wide(i, j) = host(i, j);
                wide(i, n) += host(i, j) * (1 + j % 3);
            }
        for (const char* mode : {"pairs", "pairs-geometric"}) {
            SCOPED_TRACE(mode + std::to_string(n));
            auto form = reduced(stream, wide, -1, mode);
            EXPECT_TRUE(form.full_rank);
            ASSERT_EQ(form.pivots.size(), static_cast<std::size_t>(n));
            auto r = to_host(stream, form.r);
            for (int i = 0; i < n; ++i) ASSERT_NEAR(r(i, n), 1 + i % 3, 1e-9);
        }
    }
}

TL_DEVICE_TEST(Rref, BlocksOfDeficientColumnsAreFound) {
    auto blas = make_blas(stream);
    // Wide, tall and square products of thin matrices: the rank is the inner extent, and the first
    // columns have the pivots.
    for (auto [m, n, k] : {std::tuple{90, 140, 37}, {140, 90, 64}, {100, 100, 99}, {70, 70, 1}}) {
        SCOPED_TRACE(k);
        auto left = make_matrix<double>(*blas, {"uniform", m, k, 1, 3});
        auto right = make_matrix<double>(*blas, {"uniform", k, n, 1, 4});
        Matrix<double> a(stream, m, n);
        blas->gemm(Transpose::no, Transpose::no, 1.0, left.view(), right.view(), 0.0, a.view());
        SolverRun run;
        auto form = reduce_rows<double>(stream, a.view(), 1e-10, run);
        std::vector<int> first(static_cast<std::size_t>(k));
        std::iota(first.begin(), first.end(), 0);
        EXPECT_EQ(form.pivots, first);
        EXPECT_FALSE(form.full_rank);
        // A = A[:, pivots] R.
        Matrix<double> difference(stream, m, n);
        device.copy(stream, difference.view().data, a.view().data, std::size_t(8) * m * n);
        blas->gemm(Transpose::no, Transpose::no, -1.0, a.view().columns(0, k),
                   form.r.view().block(0, 0, k, n), 1.0, difference.view());
        for (double x : difference.download(stream)) ASSERT_NEAR(x, 0, 1e-9);
        auto r = to_host(stream, form.r);
        for (int j = 0; j < n; ++j)
            for (int i = 0; i < m; ++i)
                if (j < k || i >= k) {
                    ASSERT_EQ(r(i, j), i == j && j < k ? 1 : 0);
                }
    }
}

// Random thin factors have full rank in all likelihood, and the product has theirs.
TL_DEVICE_TEST(Rref, TheDefaultToleranceFindsTheRankInBothPrecisions) {
    for (auto [m, n, k] : {std::tuple{12, 12, 1},
                           {40, 40, 20},
                           {60, 60, 59},
                           {200, 200, 100},
                           {200, 200, 199},
                           {300, 40, 25},
                           {40, 300, 39},
                           {400, 400, 200}})
        for (unsigned seed : {1u, 2u}) {
            SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + " " + std::to_string(k));
            EXPECT_EQ(rank_of_product<float>(stream, m, n, k, seed), static_cast<std::size_t>(k));
            EXPECT_EQ(rank_of_product<double>(stream, m, n, k, seed), static_cast<std::size_t>(k));
        }
}

// The tolerance has to stay below the pivots of large matrices of floats: the smallest is about a
// tenth of the largest element there.
TL_DEVICE_TEST(Rref, LargeMatricesOfFloatsHaveFullRank) {
    auto blas = make_blas(stream);
    auto a = make_matrix<float>(*blas, {"uniform", 1000, 1000, 1, 6});
    SolverRun run;
    auto form = reduce_rows<float>(stream, a.view(), -1, run);
    EXPECT_TRUE(form.full_rank);
    EXPECT_LT(form.tolerance, 0.02);
}

TL_DEVICE_TEST(Rref, SkippedColumnsMayBeAnywhere) {
    // Columns of zeros, and columns that repeat their neighbour, in several blocks of columns.
    std::mt19937 random(9);
    HostMatrix<double> a(80, 120);
    for (auto& x : a.data) x = static_cast<double>(random()) / 4294967296.0 - 0.5;
    std::vector<int> expected;
    for (int j = 0; j < 120; ++j) {
        bool skipped = j % 5 == 2 || j % 7 == 3;
        for (int i = 0; i < 80; ++i)
            if (skipped) a(i, j) = j % 5 == 2 ? 0 : a(i, j - 1);
        if (!skipped && expected.size() < 80) expected.push_back(j);
    }
    auto form = reduced(stream, a, 1e-9);
    EXPECT_EQ(form.pivots, expected);
    auto r = to_host(stream, form.r);
    for (std::size_t p = 0; p < expected.size(); ++p)
        for (int i = 0; i < 80; ++i) ASSERT_EQ(r(i, expected[p]), i == static_cast<int>(p) ? 1 : 0);
    // 80 rows of a random matrix: condition about 1e4.
    for (int j = 0; j < 120; ++j)
        if (j % 7 == 3 && j % 5 != 2) {
            for (int i = 0; i < 80; ++i) ASSERT_NEAR(r(i, j), r(i, j - 1), 1e-9);
        }
}

TL_DEVICE_TEST(Rref, FullRankIsTheSameByColumns) {
    auto blas = make_blas(stream);
    auto a = to_host(stream, make_matrix<double>(*blas, {"uniform", 60, 90, 1, 5}));
    auto fast = reduced(stream, a);
    EXPECT_TRUE(fast.full_rank);
    // A column of zeros in front has no pivot, and all else is as before.
    HostMatrix<double> wider(60, 91);
    std::copy(a.data.begin(), a.data.end(), wider.data.begin() + 60);
    auto slow = reduced(stream, wider);
    EXPECT_FALSE(slow.full_rank);
    auto r = to_host(stream, fast.r), s = to_host(stream, slow.r);
    for (int j = 0; j < 90; ++j)
        for (int i = 0; i < 60; ++i)
            ASSERT_NEAR(r(i, j), s(i, j + 1), 1e-10 * (1 + std::abs(r(i, j))));
}

TL_DEVICE_TEST(Rref, ExtremesAreReduced) {
    EXPECT_TRUE(reduced(stream, HostMatrix<double>(0, 0)).pivots.empty());
    EXPECT_TRUE(reduced(stream, HostMatrix<double>(0, 3)).pivots.empty());
    EXPECT_TRUE(reduced(stream, HostMatrix<double>(33, 40)).pivots.empty());
    HostMatrix<float> one(1, 1);
    one.data[0] = -4;
    EXPECT_EQ(to_host(stream, reduced(stream, one).r).data[0], 1);
    HostMatrix<double> tiny(2, 3);
    tiny.data = {1e-300, 3e-300, 2e-300, 4e-300, 5e-300, 1e-300};
    EXPECT_EQ(reduced(stream, tiny).pivots, (std::vector<int>{0, 1}));
    for (auto& x : tiny.data) x *= 1e300, x *= 1e307;
    EXPECT_EQ(reduced(stream, tiny).pivots, (std::vector<int>{0, 1}));
    HostMatrix<double> bad(3, 3);
    bad(1, 2) = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THROW((void)reduced(stream, bad), UserError);
}

TL_DEVICE_TEST(Rref, RunsRepeatToTheBit) {
    auto blas = make_blas(stream);
    auto a = to_host(stream, make_matrix<double>(*blas, {"rank-deficient", 120, 120, 1, 5}));
    auto first = reduced(stream, a), second = reduced(stream, a);
    EXPECT_EQ(first.pivots, second.pivots);
    EXPECT_EQ(first.pivots.size(), 60u);
    EXPECT_EQ(first.r.download(stream), second.r.download(stream));
}
