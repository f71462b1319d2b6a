// Complex matrices: decompositions, factors, systems and eigenvalues, on every device.
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>

#include "core/device/registry.h"
#include "solvers/complex/complex_eigen.h"
#include "solvers/complex/complex_lu.h"
#include "solvers/complex/complex_matrix.h"
#include "tests/solvers/svd_checks.h"

namespace tl::TL_DEVICE_NAME {
namespace test_complex_tests {

#if defined(__CUDACC__)
constexpr auto kKind = DeviceKind::cuda;
#else
constexpr auto kKind = DeviceKind::cpu;
#endif

template <class T>
constexpr double kEps = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
Matrix<Complex<T>> random_matrix(Stream& stream, int rows, int cols, std::uint64_t seed = 1) {
    auto blas = make_blas(stream);
    return make_complex_matrix<T>(*blas, {"uniform", rows, cols, 1, 2 * seed});
}

template <class T>
Matrix<Complex<T>> on_device(Stream& stream, const HostMatrix<Complex<T>>& host) {
    Matrix<Complex<T>> matrix(stream, host.rows, host.cols);
    matrix.upload(stream, host.data);
    return matrix;
}

template <class T>
HostMatrix<Complex<T>> host_of(Stream& stream, const Matrix<Complex<T>>& matrix) {
    HostMatrix<Complex<T>> host;
    host.rows = matrix.rows();
    host.cols = matrix.cols();
    host.data = matrix.download(stream);
    return host;
}

template <class T>
Matrix<Complex<T>> product(Stream& stream, Transpose op_b, const Matrix<Complex<T>>& a,
                           const Matrix<Complex<T>>& b) {
    auto blas = make_blas(stream);
    Matrix<Complex<T>> c(stream, a.rows(), op_b == Transpose::yes ? b.rows() : b.cols());
    blas->gemm(Transpose::no, op_b, Complex<T>(1), a.view(), b.view(), Complex<T>(0), c.view());
    return c;
}

/// The discrete Fourier transform, which is unitary: all of its singular values are 1.
template <class T>
HostMatrix<Complex<T>> fourier(int n) {
    HostMatrix<Complex<T>> a(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double angle = -2 * std::numbers::pi * ((i * j) % n) / n, size = 1 / std::sqrt(n);
            a(i, j) = {static_cast<T>(size * std::cos(angle)),
                       static_cast<T>(size * std::sin(angle))};
        }
    return a;
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

/// Removes from `rest` the number nearest to `value`; returns its distance.
double remove_nearest(std::vector<std::complex<double>>& rest, std::complex<double> value) {
    auto nearest = std::ranges::min_element(
        rest, {}, [&](std::complex<double> other) { return std::abs(other - value); });
    double distance = std::abs(*nearest - value);
    rest.erase(nearest);
    return distance;
}

/// Matrices of n x n, one after the other, row by row.
template <class T>
HostEigen<T> eigen_of(Stream& stream, int n, const std::vector<Complex<T>>& a,
                      EigenPairs pairs = EigenPairs::all, const std::string& mode = "auto") {
    DeviceArray<Complex<T>> on_stream(stream, a);
    SolverRun run;
    auto size = static_cast<std::size_t>(n) * n;
    return downloaded(stream, solve_complex_eigen<T>(stream, {on_stream.view(), n, a.size() / size},
                                                     pairs, mode, {}, run));
}

template <class T>
std::vector<std::complex<double>> values_of(const HostEigen<T>& eigen, std::size_t matrix) {
    std::vector<std::complex<double>> values;
    for (std::size_t i = matrix * eigen.n; i < (matrix + 1) * eigen.n; ++i)
        values.emplace_back(eigen.values[2 * i], eigen.values[2 * i + 1]);
    return values;
}

template <class T>
void check_eigen(Stream& stream, int n, const std::vector<Complex<T>>& a, double value_bound) {
    SCOPED_TRACE(n);
    auto found = eigen_of(stream, n, a);
    auto accuracy = measure_eigen<T>(std::span<const Complex<T>>(a), found);
    EXPECT_LT(accuracy.residual, 10);
    EXPECT_LT(accuracy.balanced, 10);
    EXPECT_LT(accuracy.trace, 10);
    EXPECT_LT(accuracy.length, 50 * kEps<T>);
    for (int status : found.status) EXPECT_EQ(status, 0);
    auto cpu = find_device("cpu").create_stream();
    auto reference = eigen_of(*cpu, n, a, EigenPairs::values, "lapack");
    auto alone = eigen_of(stream, n, a, EigenPairs::values);
    for (std::size_t m = 0; m < found.count; ++m) {
        auto left = values_of(reference, m), again = left;
        for (auto value : values_of(found, m))
            EXPECT_LT(remove_nearest(left, value), value_bound * kEps<T>);
        for (auto value : values_of(alone, m))
            EXPECT_LT(remove_nearest(again, value), value_bound * kEps<T>);
    }
}

template <class T>
std::vector<Complex<T>> random_batch(Stream& stream, int n, int count) {
    return random_matrix<T>(stream, n, n * count, 7).download(stream);
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

TL_DEVICE_TEST(ComplexEigen, HasSmallErrorsAndTheValuesOfLapack) {
    for (int n : {1, 2, 3, 5, 10, 33, 100}) {
        int count = n < 20 ? 40 : 3;
        // Roundings change an eigenvalue by about n eps times its condition number, here tens.
        check_eigen(stream, n, random_batch<double>(stream, n, count), 1e2 * n);
        check_eigen(stream, n, random_batch<float>(stream, n, count), 1e2 * n);
    }
}

TL_DEVICE_TEST(ComplexEigen, TakesHermitianUnitaryAndTriangularMatrices) {
    int n = 40;
    std::vector<Complex<double>> hermitian(n * n), triangular(n * n);
    auto random = random_batch<double>(stream, n, 1);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            hermitian[i * n + j] = random[i * n + j] + conjugate(random[j * n + i]);
            triangular[i * n + j] = i <= j ? random[i * n + j] : Complex<double>(0);
        }
    check_eigen(stream, n, hermitian, 1e3);
    for (auto value : values_of(eigen_of(stream, n, hermitian), 0))
        EXPECT_NEAR(value.imag(), 0, 1e-12);
    check_eigen(stream, n, fourier<double>(n).data, 1e3);
    auto found = values_of(eigen_of(stream, n, triangular), 0);
    for (int i = 0; i < n; ++i) {
        auto expected = triangular[i * n + i];
        EXPECT_LT(remove_nearest(found, {expected.re, expected.im}), 1e-13);
    }
    // All zero, and a multiple of the identity.
    check_eigen(stream, 6, std::vector<Complex<double>>(36), 1);
    std::vector<Complex<double>> same(36);
    for (int i = 0; i < 6; ++i) same[i * 7] = {2, -3};
    check_eigen(stream, 6, same, 10);
}

TL_DEVICE_TEST(ComplexEigen, FindsTheRootsOfPolynomials) {
    // The companion matrix of (x - 1) (x - i) (x + 2) (x - 3 + i) (x + 1 + 2 i).
    using Number = std::complex<double>;
    const std::vector<Number> roots{{1, 0}, {0, 1}, {-2, 0}, {3, -1}, {-1, -2}};
    std::vector<Number> polynomial{1};
    for (auto root : roots) {
        polynomial.emplace_back(0);
        for (std::size_t k = polynomial.size() - 1; k > 0; --k)
            polynomial[k] -= root * polynomial[k - 1];
    }
    int n = static_cast<int>(roots.size());
    std::vector<Complex<double>> companion(n * n);
    for (int j = 0; j < n; ++j)
        companion[j] = {-polynomial[j + 1].real(), -polynomial[j + 1].imag()};
    for (int i = 1; i < n; ++i) companion[i * n + i - 1] = Complex<double>(1);
    auto left = roots;
    for (auto value : values_of(eigen_of(stream, n, companion), 0))
        EXPECT_LT(remove_nearest(left, value), 1e-13);
    // A nilpotent matrix has the eigenvalue 0 alone, which is as badly conditioned as one can be.
    std::vector<Complex<double>> nilpotent(n * n);
    for (int i = 1; i < n; ++i) nilpotent[(i - 1) * n + i] = {0, 1};
    for (auto value : values_of(eigen_of(stream, n, nilpotent), 0))
        EXPECT_LT(std::abs(value), 2 * std::pow(kEps<double>, 1.0 / n));
}

TL_DEVICE_TEST(ComplexEigen, BalancesAndScales) {
    // D^-1 A D with powers of two has the eigenvalues of A; so have multiples, times their factor.
    int n = 12;
    auto a = random_batch<double>(stream, n, 1);
    auto expected = values_of(eigen_of(stream, n, a), 0);
    for (double factor : {1.0, 0x1p900, 0x1p-900}) {
        auto scaled = a;
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                scaled[i * n + j] = scaled[i * n + j] * std::ldexp(factor, 5 * (j - i));
        auto eigen = eigen_of(stream, n, scaled);
        EXPECT_LT(measure_eigen<double>(std::span<const Complex<double>>(scaled), eigen).balanced,
                  10);
        auto left = expected;
        for (auto value : values_of(eigen, 0))
            EXPECT_LT(remove_nearest(left, value / factor), 1e-12);
    }
}

TL_DEVICE_TEST(ComplexEigen, MarksMatricesThatAreNotFinite) {
    auto batch = random_batch<float>(stream, 4, 3);
    batch[16 + 5].im = std::numeric_limits<float>::quiet_NaN();
    auto eigen = eigen_of(stream, 4, batch);
    EXPECT_EQ(eigen.status, (std::vector<int>{0, static_cast<int>(EigenStatus::not_finite), 0}));
    for (std::size_t i = 0; i < eigen.values.size(); ++i)
        EXPECT_EQ(std::isnan(eigen.values[i]), i / 8 == 1);
    for (std::size_t i = 0; i < eigen.vectors.size(); ++i)
        EXPECT_EQ(std::isnan(eigen.vectors[i]), i / 32 == 1);
    DeviceArray<Complex<float>> on_stream(stream, batch);
    SolverRun run;
    EXPECT_THROW((void)solve_complex_eigen<float>(stream, {on_stream.view(), 4, 3},
                                                  EigenPairs::real, "auto", {}, run),
                 UsageError);
}
