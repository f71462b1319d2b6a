// Complex matrices: decompositions, factors and systems, on every device.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/device/registry.h"
#include "solvers/complex/complex_lu.h"
#include "solvers/complex/complex_matrix.h"
#include "tests/solvers/complex_matrices.h"
#include "tests/solvers/svd_checks.h"

namespace tl::TL_DEVICE_NAME {
namespace test_complex_tests {

using namespace tl::test;

#if defined(__CUDACC__)
constexpr auto kKind = DeviceKind::cuda;
#else
constexpr auto kKind = DeviceKind::cpu;
#endif

template <class T>
Matrix<Complex<T>> product(Stream& stream, Transpose op_b, const Matrix<Complex<T>>& a,
                           const Matrix<Complex<T>>& b) {
    auto blas = make_blas(stream);
    Matrix<Complex<T>> c(stream, a.rows(), op_b == Transpose::yes ? b.rows() : b.cols());
    blas->gemm(Transpose::no, op_b, Complex<T>(1), a.view(), b.view(), Complex<T>(0), c.view());
    return c;
}

/// Modes on this device that need no rank: own ones, or those of libraries.
std::vector<std::string> svd_modes(bool peers) {
    std::vector<std::string> modes;
    for (auto& row : svd_solvers())
        if (row.peer == peers && row.id != "randomised" &&
            (kKind == DeviceKind::cuda ? row.make_cuda : row.make_cpu))
            modes.push_back(row.id);
    return modes;
}

template <class T>
SvdResult<Complex<T>> decomposed(Stream& stream, const Matrix<Complex<T>>& a,
                                 const std::string& mode, SvdRequest request = {}) {
    return test::solve<Complex<T>>(stream, mode, a.view(), request);
}

template <class T>
void check_svd(Stream& stream, const Matrix<Complex<T>>& a, const std::string& mode,
               SvdVectors vectors = SvdVectors::thin) {
    SCOPED_TRACE(mode + " " + std::to_string(a.rows()) + "x" + std::to_string(a.cols()));
    auto result = decomposed(stream, a, mode, {vectors});
    auto blas = make_blas(stream);
    auto accuracy = measure_svd<Complex<T>>(*blas, a.view(), result);
    int m = a.rows(), n = a.cols(), least = std::min(m, n);
    // Real matrices of twice the extents, which have as many numbers in a column, have this one.
    double bound = test::tolerance<T>(2 * m, 2 * n);
    // Jacobi's sweeps end at a tolerance of the library's own.
    if (mode == "cusolver-gesvdj") bound *= 4;
    EXPECT_LE(accuracy.residual, bound);
    EXPECT_LE(accuracy.orthogonality_u, bound);
    EXPECT_LE(accuracy.orthogonality_v, bound);
    EXPECT_EQ(result.u.cols(), vectors == SvdVectors::full ? m : least);
    EXPECT_EQ(result.v.cols(), vectors == SvdVectors::full ? n : least);
    ASSERT_EQ(result.values.size(), static_cast<std::size_t>(least));
    EXPECT_TRUE(std::ranges::is_sorted(result.values, std::greater()));
    // LAPACK's values, on the CPU.
    auto cpu = find_device("cpu").create_stream();
    auto copy = on_device<T>(*cpu, host_of(stream, a));
    auto reference = decomposed(*cpu, copy, "lapack-gesdd", {SvdVectors::none});
    for (int i = 0; i < least; ++i)
        EXPECT_NEAR(result.values[i], reference.values[i], bound * reference.values[0]);
}

template <class T>
void check_library_svds(Stream& stream) {
    for (auto& mode : svd_modes(true)) {
        for (auto [m, n] : {std::pair{33, 33}, {40, 17}, {17, 40}})
            check_svd(stream, random_matrix<T>(stream, m, n), mode);
        check_svd(stream, random_matrix<T>(stream, 20, 6), mode, SvdVectors::full);
        auto a = random_matrix<T>(stream, 25, 30);
        auto all = decomposed(stream, a, mode);
        auto few = decomposed(stream, a, mode, {SvdVectors::thin, 4});
        EXPECT_EQ(few.u.cols(), 4);
        EXPECT_EQ(few.v.cols(), 4);
        auto none = decomposed(stream, a, mode, {SvdVectors::none});
        EXPECT_EQ(none.u.cols(), 0);
        EXPECT_LE(test::value_error(none.values, all.values), test::tolerance<T>(25, 30));
        all.values.resize(4);
        EXPECT_LE(test::value_error(few.values, all.values), test::tolerance<T>(25, 30));
    }
}

template <class T>
void check_all_svds(Stream& stream) {
    for (auto& mode : svd_modes(false)) {
        const std::pair<int, int> extents[] = {{1, 1},   {1, 5},   {5, 1},  {7, 7},
                                               {40, 17}, {17, 40}, {64, 64}};
        for (auto [m, n] : extents) check_svd(stream, random_matrix<T>(stream, m, n), mode);
        check_svd(stream, random_matrix<T>(stream, 20, 6), mode, SvdVectors::full);
        check_svd(stream, random_matrix<T>(stream, 6, 20), mode, SvdVectors::full);
    }
}

template <class T>
void check_repeated_values(Stream& stream) {
    for (auto& mode : svd_modes(false)) {
        // All are 1.
        check_svd(stream, on_device<T>(stream, fourier<T>(24)), mode);
        // Three of 5, ten of 2, one of 2 + 4 eps, the rest 0.
        int n = 30;
        HostMatrix<Complex<T>> diagonal(n, n);
        for (int i = 0; i < 3; ++i) diagonal(i, i) = {3, 4};
        for (int i = 3; i < 13; ++i) diagonal(i, i) = {0, -2};
        diagonal(13, 13) = Complex<T>(T(2 + 4 * kEps<T>));
        auto d = on_device<T>(stream, diagonal);
        auto left = on_device<T>(stream, fourier<T>(n));
        auto u = decomposed(stream, random_matrix<T>(stream, n, n), "auto").u;
        auto a = product(stream, Transpose::yes, product(stream, Transpose::no, left, d), u);
        check_svd(stream, a, mode);
        check_svd(stream, a, mode, SvdVectors::full);
        // Rank 4, taller and wider than that.
        auto low = product(stream, Transpose::no, random_matrix<T>(stream, 35, 4, 2),
                           random_matrix<T>(stream, 4, 12, 3));
        check_svd(stream, low, mode);
        check_svd(stream, low, mode, SvdVectors::full);
        auto wide = product(stream, Transpose::no, random_matrix<T>(stream, 9, 2, 4),
                            random_matrix<T>(stream, 2, 31, 5));
        check_svd(stream, wide, mode, SvdVectors::full);
        check_svd(stream, on_device<T>(stream, HostMatrix<Complex<T>>(6, 4)), mode);
    }
}

template <class T>
LuFactors<Complex<T>> factorised(Stream& stream, const Matrix<Complex<T>>& a,
                                 const std::string& mode = "blocked") {
    SolverRun run;
    return factorise_complex<T>(stream, a.view(), mode, run);
}

template <class T>
void check_factors(Stream& stream, int m, int n) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
    auto a = random_matrix<T>(stream, m, n);
    auto factors = factorised(stream, a);
    auto blas = make_blas(stream);
    EXPECT_LT(measure_lu<T>(*blas, a.view(), factors).residual, 1);
    auto cpu = find_device("cpu").create_stream();
    auto reference = factorised(*cpu, on_device<T>(*cpu, host_of(stream, a)), "lapack-getrf");
    EXPECT_EQ(factors.swaps, reference.swaps);
}

template <class T>
void check_system(Stream& stream, int n, int sides, const std::string& mode) {
    SCOPED_TRACE(mode + " " + std::to_string(n));
    auto a = random_matrix<T>(stream, n, n), b = random_matrix<T>(stream, n, sides, 9);
    SolverRun run;
    auto solution = solve_complex<T>(stream, a.view(), b.view(), mode, run);
    auto blas = make_blas(stream);
    EXPECT_LE(backward_error<T>(*blas, a.view(), solution.x.view(), b.view()), (4 + n) * kEps<T>);
}

std::string refusal_of(Stream& stream, const HostMatrix<Complex<double>>& a,
                       const HostMatrix<Complex<double>>& b, const std::string& mode = "lu") {
    auto on_a = on_device<double>(stream, a), on_b = on_device<double>(stream, b);
    SolverRun run;
    try {
        (void)solve_complex<double>(stream, on_a.view(), on_b.view(), mode, run);
    } catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

/// A copy whose elements are multiplied by a power of two.
Matrix<Complex<double>> scaled(Stream& stream, const Matrix<Complex<double>>& a, int exponent) {
    auto host = host_of(stream, a);
    for (auto& x : host.data) x = {std::ldexp(x.re, exponent), std::ldexp(x.im, exponent)};
    return on_device<double>(stream, host);
}

}  // namespace test_complex_tests

using namespace test_complex_tests;

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(ComplexSvd, HasSmallErrorsAndTheValuesOfLapack) {
    check_all_svds<double>(stream);
    check_all_svds<float>(stream);
}

TL_DEVICE_TEST(ComplexSvd, LibrariesHaveSmallErrors) {
    check_library_svds<double>(stream);
    check_library_svds<float>(stream);
}

TL_DEVICE_TEST(ComplexSvd, ASampleHoldsAMatrixOfLowRank) {
    for (auto [m, n] : {std::pair{300, 200}, {200, 300}}) {
        auto a = product(stream, Transpose::no, random_matrix<double>(stream, m, 12, 2),
                         random_matrix<double>(stream, 12, n, 3));
        auto all = decomposed(stream, a, "divide-conquer");
        auto found = decomposed(stream, a, "randomised", {SvdVectors::thin, 12});
        auto blas = make_blas(stream);
        auto accuracy = measure_svd<Complex<double>>(*blas, a.view(), found);
        EXPECT_LE(accuracy.residual, 1e-13);
        EXPECT_LE(accuracy.orthogonality_u, 1e-13);
        EXPECT_LE(accuracy.orthogonality_v, 1e-13);
        all.values.resize(12);
        EXPECT_LE(test::value_error(found.values, all.values), 1e-13);
    }
}

TL_DEVICE_TEST(ComplexSvd, IsTheRealOneOfRealMatrices) {
    // Times i: the same values, and a phase in one side's vectors.
    auto blas = make_blas(stream);
    auto real = make_matrix<double>(*blas, {"geometric", 50, 30, 1e8, 5});
    HostMatrix<Complex<double>> turned(50, 30);
    auto elements = real.download(stream);
    for (std::size_t i = 0; i < elements.size(); ++i) turned.data[i] = {0, elements[i]};
    auto a = on_device<double>(stream, turned);
    for (auto& mode : svd_modes(false)) {
        check_svd(stream, a, mode);
        auto expected = test::solve<double>(stream, mode, real.view());
        EXPECT_LE(test::value_error(decomposed(stream, a, mode).values, expected.values), 1e-14);
    }
}

TL_DEVICE_TEST(ComplexSvd, VectorsOfEqualValuesAreUnitary) {
    check_repeated_values<double>(stream);
    check_repeated_values<float>(stream);
}

TL_DEVICE_TEST(ComplexSvd, TakesElementsOfAnySize) {
    for (int exponent : {900, -900})
        check_svd(stream, scaled(stream, random_matrix<double>(stream, 20, 13), exponent), "auto");
}

TL_DEVICE_TEST(ComplexSvd, PanelsJoinsAndTallMatricesOfManyColumns) {
    // More columns than a panel and than a tile of rows, with and without a QR factorisation first.
    for (auto [m, n] : {std::pair{170, 150}, {600, 90}, {90, 600}, {300, 290}})
        check_svd(stream, random_matrix<double>(stream, m, n), "divide-conquer");
    check_svd(stream, random_matrix<float>(stream, 280, 270), "golub-reinsch");
}

TL_DEVICE_TEST(ComplexSvd, TakesTheLargestTriplets) {
    auto a = random_matrix<double>(stream, 60, 45);
    auto all = decomposed(stream, a, "auto");
    auto largest = decomposed(stream, a, "auto", {SvdVectors::thin, 7});
    ASSERT_EQ(largest.values.size(), 7u);
    ASSERT_EQ(largest.u.cols(), 7);
    for (int i = 0; i < 7; ++i) EXPECT_NEAR(largest.values[i], all.values[i], 1e-13 * 60);
    auto blas = make_blas(stream);
    auto accuracy = measure_svd<Complex<double>>(*blas, a.view(), largest);
    EXPECT_LT(accuracy.orthogonality_u, 1e-13);
    // The residual is the norm of the other values.
    double squares = 0, left = 0;
    for (std::size_t i = 0; i < all.values.size(); ++i) {
        squares += all.values[i] * all.values[i];
        if (i >= 7) left += all.values[i] * all.values[i];
    }
    EXPECT_NEAR(accuracy.residual, std::sqrt(left / squares), 1e-12);
    auto none = decomposed(stream, a, "auto", {SvdVectors::none});
    EXPECT_EQ(none.u.cols(), 0);
    for (int i = 0; i < 45; ++i) EXPECT_NEAR(none.values[i], all.values[i], 1e-12);
}

TL_DEVICE_TEST(ComplexSvd, RefusesWhatIsNotFinite) {
    HostMatrix<Complex<double>> bad(3, 2);
    bad(2, 1) = {0, std::numeric_limits<double>::infinity()};
    auto a = on_device<double>(stream, bad);
    try {
        (void)decomposed(stream, a, "auto");
        FAIL();
    } catch (const UserError& error) {
        EXPECT_NE(std::string(error.what()).find("svd: element (2, 1)"), std::string::npos);
    }
}

TL_DEVICE_TEST(ComplexLu, HasThePivotsOfLapack) {
    const std::pair<int, int> extents[] = {{1, 1},    {2, 2},     {31, 31},  {32, 32},   {33, 33},
                                           {65, 129}, {200, 130}, {300, 20}, {600, 600}, {5, 700}};
    for (auto [m, n] : extents) {
        check_factors<double>(stream, m, n);
        check_factors<float>(stream, m, n);
    }
}

TL_DEVICE_TEST(ComplexLu, TakesElementsOfAnySize) {
    auto a = random_matrix<double>(stream, 70, 70);
    auto blas = make_blas(stream);
    for (int exponent : {900, -900}) {
        auto b = scaled(stream, a, exponent);
        auto factors = factorised(stream, b);
        EXPECT_EQ(factors.swaps, factorised(stream, a).swaps);
        EXPECT_LT(measure_lu<double>(*blas, b.view(), factors).residual, 1);
    }
}

TL_DEVICE_TEST(ComplexLu, SingularMatricesHaveFactors) {
    auto low = product(stream, Transpose::no, random_matrix<double>(stream, 50, 3, 2),
                       random_matrix<double>(stream, 3, 50, 3));
    auto blas = make_blas(stream);
    EXPECT_LT(measure_lu<double>(*blas, low.view(), factorised(stream, low)).residual, 1);
    HostMatrix<Complex<double>> zero_column(4, 4);
    for (int i = 0; i < 4; ++i) zero_column(i, i) = {0, i == 2 ? 0.0 : 1.0};
    auto factors = factorised(stream, on_device<double>(stream, zero_column));
    EXPECT_EQ(first_zero_pivot(stream, factors), 2);
    EXPECT_EQ(determinant_of<double>(stream, factors).mantissa, Complex<double>(0));
}

TL_DEVICE_TEST(ComplexLu, FindsDeterminants) {
    // The product of the diagonal, -1 times for one exchange: (2 + i) (3 i) 4 = -12 + 24 i.
    HostMatrix<Complex<double>> a(3, 3);
    a(1, 0) = {2, 1};
    a(0, 1) = {0, 3};
    a(2, 2) = {4, 0};
    auto found = determinant_of<double>(stream, factorised(stream, on_device<double>(stream, a)));
    double power = std::ldexp(1.0, static_cast<int>(found.exponent));
    EXPECT_NEAR(found.mantissa.re * power, 12, 1e-12);
    EXPECT_NEAR(found.mantissa.im * power, -24, 1e-12);
    EXPECT_NEAR(found.log_magnitude(), std::log(std::hypot(12, 24)), 1e-12);
    // Far beyond the range of doubles.
    int n = 400;
    HostMatrix<Complex<double>> large(n, n);
    for (int i = 0; i < n; ++i) large(i, i) = {0, 1e10};
    auto huge =
        determinant_of<double>(stream, factorised(stream, on_device<double>(stream, large)));
    EXPECT_NEAR(huge.log_magnitude(), n * std::log(1e10), 1e-9);
    EXPECT_NEAR(std::abs(huge.mantissa.im / huge.mantissa.re), 0, 1e-9);
}

TL_DEVICE_TEST(ComplexSystem, IsSolvedByAllModes) {
    for (auto& mode : complex_system_modes(kKind))
        for (int n : {1, 2, 33, 64, 150}) {
            check_system<double>(stream, n, 3, mode);
            if (!mode.starts_with("refined")) check_system<float>(stream, n, 1, mode);
        }
}

TL_DEVICE_TEST(ComplexSystem, IsScaledWherePivotsUnderflow) {
    // Rows of about 1e-300 and columns of about 1e300.
    int n = 8;
    auto host = host_of(stream, random_matrix<double>(stream, n, n));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double scale = std::ldexp(1.0, (i % 2 == 0 ? -1000 : 0) + (j % 3 == 0 ? 900 : -70));
            host(i, j) = host(i, j) * scale;
        }
    HostMatrix<Complex<double>> ones(n, 1);
    for (auto& x : ones.data) x = {1, -1};
    auto a = on_device<double>(stream, host), x = on_device<double>(stream, ones);
    auto b = product(stream, Transpose::no, a, x);
    SolverRun run;
    auto solution = solve_complex<double>(stream, a.view(), b.view(), "lu", run);
    auto blas = make_blas(stream);
    EXPECT_LT(backward_error<double>(*blas, a.view(), solution.x.view(), b.view()), 1e-14);
}

TL_DEVICE_TEST(ComplexSystem, RefusesWhatHasNoSolution) {
    HostMatrix<Complex<double>> singular(3, 3), b(3, 1);
    singular(0, 0) = {1, 1};
    singular(1, 1) = {0, 2};
    EXPECT_NE(refusal_of(stream, singular, b).find("the pivot of column 2"), std::string::npos);
    EXPECT_NE(refusal_of(stream, HostMatrix<Complex<double>>(2, 3), b).find("only square"),
              std::string::npos);
    EXPECT_NE(refusal_of(stream, singular, HostMatrix<Complex<double>>(2, 1)).find("3 rows"),
              std::string::npos);
    EXPECT_NE(refusal_of(stream, singular, b, "best").find("no mode 'best'"), std::string::npos);
}
