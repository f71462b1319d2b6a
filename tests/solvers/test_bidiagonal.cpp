// Unit tests of the host's parts of the SVD by way of a bidiagonal matrix: reflectors, phases of
// complex matrices, QR sweeps, the plans of joins, and values in extended precision.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "solvers/dense/reflector.h"
#include "solvers/svd/bidiagonal_phases.h"
#include "solvers/svd/bidiagonal_qr.h"
#include "solvers/svd/merge_plan.h"
#include "solvers/svd/precise_values.h"

namespace tl::test {
namespace {

struct Bidiagonal {
    std::vector<double> d, e;
};

Bidiagonal random_bidiagonal(int n, int n_e, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> even(-1, 1);
    Bidiagonal b{std::vector<double>(n), std::vector<double>(n_e)};
    for (auto& value : b.d) value = even(random);
    for (auto& value : b.e) value = even(random);
    return b;
}

/// Largest element of B - U diag(d) V^T and of U^T U - I and V^T V - I.
double error_of(const Bidiagonal& b, const std::vector<double>& d, const std::vector<double>& u,
                const std::vector<double>& v) {
    int n = static_cast<int>(b.d.size()),
        m = static_cast<int>(std::lround(std::sqrt(double(v.size()))));
    double error = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j) {
            double sum = i == j ? b.d[i] : j == i + 1 ? b.e[i] : 0;
            for (int k = 0; k < n; ++k) sum -= u[i + k * n] * d[k] * v[j + k * m];
            error = std::max(error, std::abs(sum));
        }
    auto orthogonal = [&](const std::vector<double>& q, int size) {
        for (int i = 0; i < size; ++i)
            for (int j = 0; j < size; ++j) {
                double sum = i == j ? -1 : 0;
                for (int k = 0; k < size; ++k) sum += q[k + i * size] * q[k + j * size];
                error = std::max(error, std::abs(sum));
            }
    };
    orthogonal(u, n);
    orthogonal(v, m);
    return error;
}

void check(const Bidiagonal& b, bool extra_column) {
    int n = static_cast<int>(b.d.size()), m = n + (extra_column ? 1 : 0);
    auto d = b.d, e = b.e;
    std::vector<double> u(n * n), v(m * m);
    small_bidiagonal_svd(d, e, extra_column, 1.1e-16, u.data(), v.data());
    for (double value : d) EXPECT_GE(value, 0);
    double largest = 1;
    for (double value : d) largest = std::max(largest, value);
    EXPECT_LE(error_of(b, d, u, v), largest * (1e-14 * std::sqrt(n) + 2e-15)) << "n " << n;
}

using Number = Complex<double>;

/// The largest element of H x - beta e_1 for a column x, and the difference of |beta| from the norm
/// of x; the larger one over that norm.
double reflector_error(const std::vector<Number>& x) {
    double squares = 0;
    for (std::size_t i = 1; i < x.size(); ++i) squares += squared_magnitude(x[i]);
    auto h = Reflector<Number>::of(x[0], squares);
    std::vector<Number> v{Number(h.tau != 0 ? 1 : 0)};
    for (std::size_t i = 1; i < x.size(); ++i) v.push_back(x[i] * h.scale);
    Number along(0);
    for (std::size_t i = 0; i < x.size(); ++i) along += conjugate(v[i]) * x[i];
    double norm = std::hypot(x[0].re, x[0].im, std::sqrt(squares));
    double error = std::abs(std::hypot(h.beta.re, h.beta.im) - norm);
    for (std::size_t i = 0; i < x.size(); ++i) {
        auto left = x[i] - v[i] * along * h.tau - (i == 0 ? h.beta : Number(0));
        error = std::max(error, std::hypot(left.re, left.im));
    }
    return error / norm;
}

}  // namespace

TEST(Reflectors, TurnComplexColumnsOfAnySizeToTheFirstAxis) {
    for (Number first : {Number(0.3, -0.7), Number(0, 1), Number(-1, 0), Number(0, 0)})
        for (double size : {1.0, 1e-130, 1e-160, 1e-310})
            for (double others : {1.0, 1e-130}) {
                SCOPED_TRACE(testing::Message() << first.re << ' ' << size << ' ' << others);
                EXPECT_LE(reflector_error({first * size, Number(0.5, 0.25) * others,
                                           Number(-0.125, 1) * others}),
                          1e-15);
            }
    // Nothing is to be done: beta is the element itself.
    auto none = Reflector<Number>::of(Number(3, -4), 0);
    EXPECT_EQ(none.tau, 0);
    EXPECT_EQ(none.beta, Number(3, -4));
}

TEST(BidiagonalPhases, AreThoseOfAComplexMatrix) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> even(-1, 1);
    const std::size_t n = 2000;
    std::vector<Number> d, e;
    for (std::size_t k = 0; k < n; ++k) {
        d.emplace_back(even(random), even(random));
        e.emplace_back(even(random), even(random));
    }
    // Zeros have no phase, and the smallest numbers keep theirs.
    d[3] = e[7] = d[11] = e[11] = e[n - 1] = Number(0);
    d[20] = {3e-310, -4e-310};
    auto b = phases_of(d, e);
    auto number = [](Number z) { return std::complex<double>(z.re, z.im); };
    for (std::size_t k = 0; k < n; ++k) {
        EXPECT_NEAR(std::abs(b.left[k]), 1, 1e-15);
        EXPECT_NEAR(std::abs(b.right[k]), 1, 1e-15);
        EXPECT_GE(b.d[k], 0);
        EXPECT_GE(b.e[k], 0);
        EXPECT_LE(std::abs(b.left[k] * b.d[k] * std::conj(b.right[k]) - number(d[k])), 1e-15);
        if (k + 1 < n) {
            auto above = b.left[k] * b.e[k] * std::conj(b.right[k + 1]);
            EXPECT_LE(std::abs(above - number(e[k])), 1e-15);
        }
    }
}

TEST(BidiagonalQr, EverySizeWithAndWithoutAnExtraColumn) {
    for (int n = 1; n <= 70; ++n) {
        check(random_bidiagonal(n, n - 1, n), false);
        check(random_bidiagonal(n, n, n), true);
    }
}

TEST(BidiagonalQr, ZerosOnEitherDiagonal) {
    for (int zero = 0; zero < 9; ++zero) {
        auto b = random_bidiagonal(9, 8, 3);
        b.d[zero] = 0;
        check(b, false);
        auto c = random_bidiagonal(9, 9, 3);
        c.e[zero] = 0;
        c.d[8 - zero] = 0;
        check(c, true);
    }
    check({std::vector<double>(6, 0.0), std::vector<double>(5, 0.0)}, false);
    check({std::vector<double>(6, 0.0), std::vector<double>(5, 1.0)}, false);
}

TEST(BidiagonalQr, SmallValuesKeepTheirDigits) {
    // Small singular values of a bidiagonal matrix are determined to full relative precision
    // (Demmel & Kahan 1990); the product of all values equals the product of the diagonal.
    const int n = 12;
    Bidiagonal b{std::vector<double>(n), std::vector<double>(n - 1)};
    for (int i = 0; i < n; ++i) b.d[i] = std::pow(10.0, -i);
    for (int i = 0; i + 1 < n; ++i) b.e[i] = std::pow(10.0, -i);
    auto d = b.d, e = b.e;
    ASSERT_TRUE(bidiagonal_qr(d, e, 1.1e-16, {}));
    double logarithm = 0, expected = 0;
    for (int i = 0; i < n; ++i) {
        logarithm += std::log(std::abs(d[i]));
        expected += std::log(b.d[i]);
    }
    EXPECT_NEAR(logarithm, expected, 1e-11);
}

TEST(BidiagonalQr, SweepsGoFromTheLargerEnd) {
    for (bool growing : {false, true}) {
        Bidiagonal b{std::vector<double>(20), std::vector<double>(19, 0.3)};
        for (int i = 0; i < 20; ++i) b.d[i] = growing ? i + 1 : 20 - i;
        auto first = b;
        std::vector<bool> directions;
        ASSERT_TRUE(bidiagonal_qr(b.d, b.e, 1.1e-16, [&](const RotationSweep& sweep) {
            directions.push_back(sweep.forward);
        }));
        ASSERT_FALSE(directions.empty());
        EXPECT_EQ(directions[0], !growing);
        check(first, false);
    }
}

TEST(BidiagonalQr, StopsWhenTold) {
    auto b = random_bidiagonal(30, 29, 1);
    EXPECT_FALSE(bidiagonal_qr(b.d, b.e, 1.1e-16, {}, [](int, int) { return false; }));
}

TEST(MergePlan, PartsCoverTheMatrixAndLeaveOneRowToJoin) {
    for (int n : {1, 2, 32, 33, 100, 1000}) {
        auto parts = split_bidiagonal(n, 32);
        std::vector<int> covered(n, 0);
        for (auto& part : parts) {
            EXPECT_TRUE(part.cols == part.rows || part.cols == part.rows + 1);
            EXPECT_EQ(part.cols > part.rows, part.row + part.rows < n);
            if (part.left >= 0) {
                ++covered[part.middle];
                EXPECT_EQ(parts[part.left].rows + 1 + parts[part.right].rows, part.rows);
                EXPECT_EQ(parts[part.right].row, part.middle + 1);
            } else {
                EXPECT_LE(part.rows, 32);
                EXPECT_GE(part.rows, 1);
                for (int i = 0; i < part.rows; ++i) ++covered[part.row + i];
            }
        }
        EXPECT_EQ(covered, std::vector<int>(n, 1));
    }
}

TEST(MergePlan, SmallWeightsAndEqualPolesAreLeftOut) {
    Part part{0, 7, 7, 3, 1, 2, 0};
    std::vector<double> values{1, 2, 3, 0, 2, 4, 5}, z{.5, .5, 1e-20, .5, .5, .5, .5};
    std::vector<double> poles(7), weights(7);
    std::vector<int> place(7), order(7);
    auto plan = plan_merge(part, 1, 1, 1.1e-16, {values, z, poles, weights, place, order});
    // Poles 1 2 3 | 0 | 2 4 5: the 3 has no weight, and the two 2s are merged.
    EXPECT_EQ(plan.count, 5);
    ASSERT_EQ(plan.rotations.size(), 1u);
    EXPECT_EQ(plan.rotations[0].a, 1);
    EXPECT_EQ(plan.rotations[0].b, 4);
    EXPECT_EQ(std::vector<double>(poles.begin(), poles.begin() + 5),
              (std::vector<double>{0, 1, 2, 4, 5}));
    EXPECT_NEAR(weights[2], std::sqrt(.5), 1e-15);
    // Columns reach only the top rows, both (the pole at zero, the merged one), or only the bottom.
    EXPECT_EQ(plan.first_bottom, 1);
    EXPECT_EQ(plan.n_top, 3);
    EXPECT_EQ(order, (std::vector<int>{0, 3, 4, 5, 6, 1, 2}));
    EXPECT_EQ(values[5], 2);
    EXPECT_EQ(values[6], 3);
}

/// The matrix of min(i, j), counted from 1, whose values are 1 / (4 sin^2 ((2 k - 1) pi / (4 n +
/// 2))), with further rows or columns of zeros.
HostMatrix<double> matrix_of_minima(int n, int rows, int cols) {
    HostMatrix<double> a(rows, cols);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) a(i, j) = std::min(i, j) + 1;
    return a;
}

TEST(PreciseValues, HaveMoreDigitsThanDouble) {
    SolverRun run;
    for (auto [n, rows, cols] :
         {std::array{1, 1, 1}, {2, 2, 2}, {100, 100, 100}, {50, 90, 50}, {50, 50, 90}}) {
        auto found = precise_singular_values(matrix_of_minima(n, rows, cols), run);
        ASSERT_EQ(found.size(), static_cast<std::size_t>(n));
        for (int k = 1; k <= n; ++k) {
            Extended sine = std::sin((2 * k - 1) * std::numbers::pi_v<Extended> / (4 * n + 2));
            Extended exact = 1 / (4 * sine * sine), error = std::abs(found[k - 1] - exact);
            EXPECT_LE(error, 16 * std::numeric_limits<Extended>::epsilon() * found[0])
                << "value " << k << " of " << n;
        }
    }
    EXPECT_EQ(run.progress(), 1.0f);
}

TEST(PreciseValues, ZerosAndExtremesAreKept) {
    SolverRun run;
    HostMatrix<double> a(4, 3);
    EXPECT_EQ(precise_singular_values(a, run), std::vector<Extended>(3));
    // The squares of these elements are no doubles.
    a(0, 0) = 3e-200;
    a(2, 0) = 4e-200;
    a(1, 1) = -7e250;
    auto values = precise_singular_values(a, run);
    EXPECT_NEAR(static_cast<double>(values[0] / 7e250L), 1, 1e-16);
    EXPECT_LE(values[1], 1e-19L * values[0]);
    a(1, 1) = 0;
    EXPECT_NEAR(static_cast<double>(precise_singular_values(a, run)[0] / 5e-200L), 1, 1e-15);
    a(3, 2) = std::nan("");
    EXPECT_THROW((void)precise_singular_values(a, run), UserError);
}

}  // namespace tl::test
