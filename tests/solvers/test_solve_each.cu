// Many small systems at once, on every device.
#include <cmath>
#include <limits>

#include "core/base/random.h"
#include "solvers/dense/linear/solve_each.h"
#include "solvers/dense/linear/tridiagonal_matrices.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace test_solve_each_tests {

/// Elements from -1 to 1; those on the diagonals are 0, so that rows have to be exchanged.
template <class T>
HostMatrix<T> random_systems(int n, int n_systems, std::uint64_t seed) {
    HostMatrix<T> a(n, n * n_systems);
    RandomStream random(seed, 0, 0);
    for (T& element : a.data) element = static_cast<T>(random.next_uint() * 0x1p-31 - 1);
    for (int j = 0; n > 1 && j < a.cols; ++j) a(j % n, j) = 0;
    return a;
}

template <class T>
Matrix<T> on_device(Stream& stream, const HostMatrix<T>& host) {
    Matrix<T> matrix(stream, host.rows, host.cols);
    matrix.upload(stream, host.data);
    return matrix;
}

template <class T>
HostMatrix<T> solved(Stream& stream, const HostMatrix<T>& a, const HostMatrix<T>& b) {
    SolverRun run;
    auto left = on_device(stream, a), right = on_device(stream, b);
    HostMatrix<T> x(b.rows, b.cols);
    x.data = solve_each<T>(stream, left.view(), right.view(), run).download(stream);
    return x;
}

/// Residuals are below n roundings of the sizes of their sums, as for any stable elimination whose
/// elements grow little (Higham 2002, theorem 9.4).
template <class T>
void expect_small_residuals(const HostMatrix<T>& a, const HostMatrix<T>& x,
                            const HostMatrix<T>& b) {
    int n = a.rows, sides = b.cols / (a.cols / n);
    for (int j = 0; j < b.cols; ++j) {
        double size = 0, rows = 0, largest = 0;
        for (int i = 0; i < n; ++i) size = std::max(size, std::abs(double(x(i, j))));
        for (int i = 0; i < n; ++i) {
            double sum = double(b(i, j)), row = 0;
            for (int k = 0; k < n; ++k) {
                double element = double(a(i, j / sides * n + k));
                sum -= element * double(x(k, j));
                row += std::abs(element);
            }
            largest = std::max(largest, std::abs(sum));
            rows = std::max(rows, row);
        }
        EXPECT_LE(largest, n * double(std::numeric_limits<T>::epsilon()) * rows * size)
            << "column " << j << " of systems of " << n << " rows";
    }
}

template <class T>
void check_systems(Stream& stream, int n, int n_systems, int sides) {
    auto a = random_systems<T>(n, n_systems, static_cast<std::uint64_t>(n));
    HostMatrix<T> b(n, n_systems * sides);
    RandomStream random(7, 0, 0);
    for (T& element : b.data) element = static_cast<T>(random.next_uint() * 0x1p-31 - 1);
    expect_small_residuals(a, solved(stream, a, b), b);
}

/// Matrices of tridiagonal_matrices() and, element by element, those that its header describes.
void check_tridiagonals(Stream& stream, int n, int count) {
    HostMatrix<double> diagonals(n, count), beside(n, count), expected(n, n * count);
    RandomStream random(static_cast<std::uint64_t>(n), 0, 0);
    for (auto* numbers : {&diagonals, &beside})
        for (double& number : numbers->data) number = random.next_uint() * 0x1p-32;
    std::ranges::fill(expected.data, 0.0);
    for (int t = 0; t < count; ++t)
        for (int i = 0; i < n; ++i) {
            expected(i, t * n + i) = diagonals(i, t);
            int next = (i + 1) % n;
            if (next == i) continue;
            expected(next, t * n + i) += beside(i, t);
            expected(i, t * n + next) += beside(i, t);
        }
    auto d = on_device(stream, diagonals), e = on_device(stream, beside);
    auto a = tridiagonal_matrices<double>(stream, std::as_const(d).view(), std::as_const(e).view());
    EXPECT_EQ(a.download(stream), expected.data) << n << " rows";
}

std::string error_of(Stream& stream, const HostMatrix<double>& a, const HostMatrix<double>& b) {
    try {
        (void)solved(stream, a, b);
    } catch (const UserError& error) {
        return error.what();
    }
    return "";
}

}  // namespace test_solve_each_tests
}  // namespace tl::TL_DEVICE_NAME

using namespace tl::TL_DEVICE_NAME::test_solve_each_tests;

TL_DEVICE_TEST(SolveEach, ResidualsAreRoundings) {
    // Extents below, at and above whole panels of 8 columns, and warps of 32 rows.
    for (int n : {1, 2, 7, 8, 9, 31, 33, 64, 121})
        for (int sides : {1, 3}) {
            check_systems<float>(stream, n, 5, sides);
            check_systems<double>(stream, n, 5, sides);
        }
    check_systems<double>(stream, kMostRowsOfEach, 2, 1);
    check_systems<float>(stream, 20, 300, 1);
}

TL_DEVICE_TEST(SolveEach, SystemsDoNotDependOnTheirNeighbours) {
    auto all = random_systems<float>(50, 40, 3);
    HostMatrix<float> b(50, 40);
    for (std::size_t i = 0; i < b.data.size(); ++i) b.data[i] = static_cast<float>(i % 17);
    auto together = solved(stream, all, b);
    HostMatrix<float> one(50, 50), side(50, 1);
    std::copy_n(all.data.begin() + 23 * 2500, 2500, one.data.begin());
    std::copy_n(b.data.begin() + 23 * 50, 50, side.data.begin());
    auto alone = solved(stream, one, side);
    for (int i = 0; i < 50; ++i) EXPECT_EQ(alone(i, 0), together(i, 23));
}

TL_DEVICE_TEST(SolveEach, SystemsWithoutASolutionAreNamed) {
    auto a = random_systems<double>(20, 4, 5);
    HostMatrix<double> b(20, 4);
    std::ranges::fill(b.data, 1.0);
    EXPECT_EQ(error_of(stream, a, b), "");
    auto infinite = a;
    infinite(3, 45) = HUGE_VAL;
    EXPECT_NE(error_of(stream, infinite, b).find("system 2, counted from 0, has no finite"),
              std::string::npos);
    for (int i = 0; i < 20; ++i) a(i, 27) = 0;
    EXPECT_NE(error_of(stream, a, b)
                  .find("system 1, counted from 0, is singular: the pivot of "
                        "column 7"),
              std::string::npos);
    EXPECT_NE(error_of(stream, HostMatrix<double>(20, 30), b).find("20x30"), std::string::npos);
    EXPECT_NE(error_of(stream, a, HostMatrix<double>(20, 3)).find("20x3"), std::string::npos);
    int n = kMostRowsOfEach + 1;
    EXPECT_NE(
        error_of(stream, HostMatrix<double>(n, n), HostMatrix<double>(n, 1)).find("one after"),
        std::string::npos);
}

TL_DEVICE_TEST(TridiagonalMatrices, HaveTheirElementsOnBothSides) {
    for (int n : {1, 2, 3, 4, 33, 121}) check_tridiagonals(stream, n, 5);
    check_tridiagonals(stream, 2, 1000);
    Matrix<double> d(stream, 3, 2), e(stream, 2, 3);
    EXPECT_THROW((void)tridiagonal_matrices<double>(stream, std::as_const(d).view(),
                                                    std::as_const(e).view()),
                 UserError);
}
