// Errors of singular vectors and of the product, on matrices whose decomposition is known and
// against one-sided Jacobi rotations.
#include "solvers/svd/vector_errors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "core/base/error.h"

namespace tl::vector_errors_tests {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

HostMatrix<double> diagonal(int rows, int cols, const std::vector<double>& values) {
    HostMatrix<double> a(rows, cols);
    for (int i = 0; i < static_cast<int>(values.size()); ++i) a(i, i) = values[i];
    return a;
}

/// The decomposition of diagonal(n, n, values).
HostTriplets axes(const std::vector<double>& values) {
    auto n = static_cast<int>(values.size());
    auto identity = diagonal(n, n, std::vector<double>(n, 1.0));
    return {identity, identity, values};
}

std::vector<bool> compared(const HostMatrix<double>& a, double epsilon = kEpsilon) {
    SolverRun run;
    return VectorReference(a, epsilon, run).compared();
}

TEST(VectorErrors, AreThoseOfEntriesThatWereChanged) {
    std::vector<double> values{4, 2, 1};
    SolverRun run;
    VectorReference reference(diagonal(3, 3, values), kEpsilon, run);
    auto found = axes(values);
    found.u(2, 1) = 0.25;
    found.v(0, 2) = -0.5;
    auto errors = reference.errors_of(found);
    EXPECT_EQ(errors.u[0].most, 0);
    EXPECT_DOUBLE_EQ(errors.u[1].most, 0.25);
    EXPECT_DOUBLE_EQ(errors.u[1].mean, 0.25 / 3);
    EXPECT_EQ(errors.v[1].most, 0);
    EXPECT_DOUBLE_EQ(errors.v[2].most, 0.5);
    EXPECT_DOUBLE_EQ(errors.v[2].mean, 0.5 / 3);
    // U S V^T has 0.25 * 2 at (2, 1) and -0.5 * 1 at (2, 0).
    EXPECT_DOUBLE_EQ(errors.product.most, 0.5);
    EXPECT_DOUBLE_EQ(errors.product.mean, 1.0 / 9);
    EXPECT_DOUBLE_EQ(errors.residual, std::sqrt(0.5 / 21));
}

TEST(VectorErrors, APairMayHaveEitherSignButNotOneOfItsVectors) {
    std::vector<double> values{4, 2, 1};
    SolverRun run;
    VectorReference reference(diagonal(3, 3, values), kEpsilon, run);
    auto found = axes(values);
    found.u(0, 0) = found.v(0, 0) = -1;
    found.v(1, 1) = -1;
    auto errors = reference.errors_of(found);
    EXPECT_EQ(errors.u[0].most, 0);
    EXPECT_EQ(errors.v[0].most, 0);
    EXPECT_EQ(std::max(errors.u[1].most, errors.v[1].most), 2);
    EXPECT_DOUBLE_EQ(errors.product.most, 4);
}

TEST(VectorErrors, PairsWhoseValuesAreCloseToOthersOrToZeroAreLeftOut) {
    using Flags = std::vector<bool>;
    EXPECT_EQ(compared(diagonal(4, 4, {4, 2, 2, 1})), (Flags{true, false, false, true}));
    EXPECT_EQ(compared(diagonal(3, 3, {4, 2, 0})), (Flags{true, true, false}));
    EXPECT_EQ(compared(diagonal(2, 2, {0, 0})), (Flags{false, false}));
    // Values 1e-4 of the largest apart are distinct in double, not where rounding is as large.
    auto near = diagonal(3, 3, {1, 0.5001, 0.5});
    EXPECT_EQ(compared(near), (Flags{true, true, true}));
    EXPECT_EQ(compared(near, 1e-4), (Flags{true, false, false}));
    SolverRun run;
    VectorReference reference(near, 1e-4, run);
    auto errors = reference.errors_of(axes({1, 0.5001, 0.5}));
    EXPECT_EQ(errors.u[0].most, 0);
    for (auto& range : {errors.u[1], errors.v[2]}) {
        EXPECT_EQ(range.mean, -1);
        EXPECT_EQ(range.most, -1);
    }
}

double dot_of(const HostMatrix<double>& a, int i, int j) {
    double sum = 0;
    for (int k = 0; k < a.rows; ++k) sum += a(k, i) * a(k, j);
    return sum;
}

/// The decomposition of a matrix with rows >= cols by one-sided Jacobi rotations (Hestenes 1958):
/// columns of A V become orthogonal, and are then U times the values.
HostTriplets by_rotations(HostMatrix<double> a) {
    auto v = diagonal(a.cols, a.cols, std::vector<double>(a.cols, 1.0));
    for (int sweep = 0; sweep < 30; ++sweep)
        for (int i = 0; i < a.cols; ++i)
            for (int j = i + 1; j < a.cols; ++j) {
                double angle =
                    0.5 * std::atan2(2 * dot_of(a, i, j), dot_of(a, i, i) - dot_of(a, j, j));
                double c = std::cos(angle), s = std::sin(angle);
                for (auto* matrix : {&a, &v})
                    for (int k = 0; k < matrix->rows; ++k) {
                        double x = (*matrix)(k, i), y = (*matrix)(k, j);
                        (*matrix)(k, i) = c * x + s * y;
                        (*matrix)(k, j) = c * y - s * x;
                    }
            }
    std::vector<int> order(a.cols);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int i, int j) { return dot_of(a, i, i) > dot_of(a, j, j); });
    HostTriplets sorted{a, v, {}};
    for (int i = 0; i < a.cols; ++i) {
        double value = std::sqrt(dot_of(a, order[i], order[i]));
        sorted.values.push_back(value);
        for (int k = 0; k < a.rows; ++k) sorted.u(k, i) = a(k, order[i]) / value;
        for (int k = 0; k < v.rows; ++k) sorted.v(k, i) = v(k, order[i]);
    }
    return sorted;
}

TEST(VectorErrors, OfADecompositionByRotationsAreRoundings) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> entry(-1, 1);
    for (auto [rows, cols] : {std::pair{20, 20}, {24, 9}}) {
        HostMatrix<double> a(rows, cols);
        for (auto& element : a.data) element = entry(random);
        SolverRun run;
        VectorReference reference(a, kEpsilon, run);
        auto found = by_rotations(a);
        auto all = found.values;
        // A truncated decomposition is compared with the first triplets.
        for (int rank : {cols, 5}) {
            found.values.assign(all.begin(), all.begin() + rank);
            auto errors = reference.errors_of(found);
            for (int i = 0; i < rank; ++i)
                for (auto& range : {errors.u[i], errors.v[i]}) {
                    EXPECT_LT(range.most, 1e-12) << rows << "x" << cols << ", vector " << i;
                    EXPECT_GT(range.most, 0) << rows << "x" << cols << ", vector " << i;
                }
            // A truncated product lacks the norm of the values left out.
            auto squares = [](auto first, auto last) {
                return std::inner_product(first, last, first, 0.0);
            };
            EXPECT_NEAR(
                errors.residual,
                std::sqrt(squares(all.begin() + rank, all.end()) / squares(all.begin(), all.end())),
                1e-14);
        }
    }
}

TEST(VectorErrors, AMatrixThatIsNotFiniteIsRefused) {
    SolverRun run;
    EXPECT_THROW(VectorReference(diagonal(2, 2, {1, HUGE_VAL}), kEpsilon, run), UserError);
}

}  // namespace
}  // namespace tl::vector_errors_tests
