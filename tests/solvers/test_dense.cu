// Reflectors, QR, the bidiagonalisation and small kernels, on every device.
#include "solvers/complex/complex_matrix.h"
#include "solvers/dense/block_reflector.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/random_matrix.h"
#include "solvers/svd/bidiagonalise.h"
#include "solvers/svd/rotation_sweeps.h"
#include "tests/solvers/svd_checks.h"

namespace tl::TL_DEVICE_NAME {

using namespace tl::test;

template <class T>
double largest_difference(const HostMatrix<T>& a, const HostMatrix<T>& b) {
    double error = 0;
    for (std::size_t i = 0; i < a.data.size(); ++i)
        error = std::max(error, std::sqrt(squared_magnitude(a.data[i] - b.data[i])));
    return error;
}

template <class T>
HostMatrix<T> product(const HostMatrix<T>& a, const HostMatrix<T>& b) {
    HostMatrix<T> c(a.rows, b.cols);
    for (int j = 0; j < b.cols; ++j)
        for (int k = 0; k < a.cols; ++k)
            for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
    return c;
}

/// Elements uniform in [-1, 1), as both parts of complex ones are.
template <class T>
Matrix<T> uniform_matrix(Blas& blas, int rows, int cols, std::uint64_t seed) {
    MatrixSpec spec{"uniform", rows, cols, 1, seed};
    if constexpr (kIsComplex<T>)
        return make_complex_matrix<RealOf<T>>(blas, spec);
    else
        return make_matrix<T>(blas, spec);
}

/// The unitary matrix of a set of reflectors, from applying them to the identity.
template <class T>
HostMatrix<T> explicit_factor(Stream& stream, Blas& blas, Matrix<T>& reflectors, int n,
                              int first_row) {
    Matrix<T> q(stream, n, n);
    set_identity<T>(stream, q.view());
    auto v = reflectors.view().block(first_row, 0, n - first_row,
                                     std::min(reflectors.cols(), n - first_row));
    apply_reflectors<T>(blas, Transpose::no, v, q.view().block(first_row, 0, n - first_row, n), 16);
    return to_host(stream, q);
}

template <class T>
void check_bidiagonalisation(Stream& stream, int m, int n, int block) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + " block " + std::to_string(block));
    auto blas = make_blas(stream);
    auto a = uniform_matrix<T>(*blas, m, n, static_cast<std::uint64_t>(m + n));
    auto before = to_host(stream, a);
    Matrix<T> p(stream, n, n);
    DeviceArray<T> d(stream, n), e(stream, n);
    ASSERT_TRUE(bidiagonalise<T>(*blas, a.view(), p.view(), d.view(), e.view(), block, {}));
    auto q_host = explicit_factor(stream, *blas, a, m, 0);
    auto p_host = explicit_factor(stream, *blas, p, n, n > 1 ? 1 : 0);
    auto d_host = d.download(stream), e_host = e.download(stream);
    // Q B P^H, with B written out.
    HostMatrix<T> b(m, n), p_transposed(n, n);
    for (int i = 0; i < n; ++i) {
        b(i, i) = d_host[i];
        if (i + 1 < n) b(i, i + 1) = e_host[i];
        for (int j = 0; j < n; ++j) p_transposed(i, j) = conjugate(p_host(j, i));
    }
    EXPECT_EQ(e_host[n - 1], T(0));
    EXPECT_LE(largest_difference(product(product(q_host, b), p_transposed), before), 1e-14 * m);
}

template <class T>
void check_bidiagonalisations(Stream& stream, int most) {
    for (int n = 1; n <= most; ++n) check_bidiagonalisation<T>(stream, n, n, 8);
    for (int block : {1, 3, 16, 32, 64}) {
        check_bidiagonalisation<T>(stream, 70, 70, block);
        check_bidiagonalisation<T>(stream, 300, 67, block);
    }
}

template <class T>
void check_qr(Stream& stream, int m, int n) {
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n));
    auto blas = make_blas(stream);
    auto a = uniform_matrix<T>(*blas, m, n, 4);
    auto before = to_host(stream, a);
    Matrix<T> r(stream, n, n);
    qr_factorise<T>(*blas, a.view(), r.view());
    auto q = explicit_factor(stream, *blas, a, m, 0);
    auto r_host = to_host(stream, r);
    HostMatrix<T> tall(m, n);
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            tall(i, j) = r_host(i, j);
            EXPECT_TRUE(i <= j || r_host(i, j) == T(0));
        }
    EXPECT_LE(largest_difference(product(q, tall), before), 1e-14 * std::sqrt(m) * 4);
}

template <class T>
void check_reflectors(Stream& stream) {
    auto blas = make_blas(stream);
    auto v = uniform_matrix<T>(*blas, 90, 50, 4);
    Matrix<T> r(stream, 50, 50);
    qr_factorise<T>(*blas, v.view(), r.view());
    auto c = uniform_matrix<T>(*blas, 90, 20, 5);
    auto before = to_host(stream, c);
    for (int block : {1, 16, 64}) {
        apply_reflectors<T>(*blas, Transpose::no, v.view(), c.view(), block);
        EXPECT_GT(largest_difference(to_host(stream, c), before), 0.1);
        apply_reflectors<T>(*blas, Transpose::yes, v.view(), c.view(), block);
        EXPECT_LE(largest_difference(to_host(stream, c), before), 1e-13);
    }
}

}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Bidiagonalise, TheBidiagonalIsOrthogonallyEquivalent) {
    check_bidiagonalisations<double>(stream, 40);
}
TL_DEVICE_TEST(Bidiagonalise, TheComplexBidiagonalIsUnitarilyEquivalent) {
    check_bidiagonalisations<Complex<double>>(stream, 20);
}

TL_DEVICE_TEST(QrFactorise, TheFactorsMultiplyToTheMatrix) {
    for (auto [m, n] : {std::pair{1, 1}, {5, 5}, {40, 33}, {300, 64}, {700, 70}, {65, 1}}) {
        check_qr<double>(stream, m, n);
        if (m < 700) check_qr<Complex<double>>(stream, m, n);
    }
}

TL_DEVICE_TEST(Reflectors, TransposedTheyUndoThemselves) {
    check_reflectors<double>(stream);
    check_reflectors<Complex<double>>(stream);
}

TL_DEVICE_TEST(RotationSweeps, AWaveIsSweepAfterSweep) {
    const int n = 40, first = 3, last = 30;
    auto blas = make_blas(stream);
    for (bool forward : {true, false}) {
        auto x = make_matrix<double>(*blas, {"uniform", 70, n, 1, 6});
        auto y = make_matrix<double>(*blas, {"uniform", 9, n, 1, 7});
        HostMatrix<double> expected[2] = {to_host(stream, x), to_host(stream, y)};
        std::vector<RotationPair<double>> rotations[2];
        for (int side = 0; side < 2; ++side) {
            rotations[side].resize(static_cast<std::size_t>(last - first) * kSweepsPerPass);
            for (std::size_t k = 0; k < rotations[side].size(); ++k) {
                double angle = 0.1 * static_cast<double>(k % 61) + side;
                rotations[side][k] = {std::cos(angle), std::sin(angle)};
            }
            auto& a = expected[side];
            for (int s = 0; s < kSweepsPerPass; ++s)
                for (int k = 0; k < last - first; ++k) {
                    int j = forward ? first + k : last - 1 - k;
                    auto r = rotations[side][(j - first) * kSweepsPerPass + s];
                    for (int i = 0; i < a.rows; ++i) {
                        double p = a(i, j), q = a(i, j + 1);
                        a(i, j) = r.c * p + r.s * q;
                        a(i, j + 1) = r.c * q - r.s * p;
                    }
                }
        }
        DeviceArray<RotationPair<double>> of_x(stream,
                                               std::span<const RotationPair<double>>(rotations[0]));
        DeviceArray<RotationPair<double>> of_y(stream,
                                               std::span<const RotationPair<double>>(rotations[1]));
        apply_sweeps<double>(stream, x.view(), of_x.view(), y.view(), of_y.view(), first, last,
                             forward);
        EXPECT_LE(largest_difference(to_host(stream, x), expected[0]), 1e-14);
        EXPECT_LE(largest_difference(to_host(stream, y), expected[1]), 1e-14);
    }
}

TL_DEVICE_TEST(MatrixKinds, KnownSpectraAreThere) {
    auto blas = make_blas(stream);
    for (const char* kind : {"geometric", "linear", "rank-deficient", "clustered", "one-large"}) {
        std::vector<double> known;
        auto a = make_matrix<double>(*blas, {kind, 60, 45, 1e10, 3}, &known);
        ASSERT_EQ(known.size(), 45u);
        EXPECT_LE(value_error(lapack_values(to_host(stream, a)), known), 1e-14) << kind;
    }
    EXPECT_THROW((void)make_matrix<double>(*blas, {"nope", 3, 3, 1, 0}), UsageError);
    EXPECT_THROW((void)make_matrix<double>(*blas, {"uniform", 0, 3, 1, 0}), UsageError);
    EXPECT_THROW((void)make_matrix<double>(*blas, {"geometric", 3, 3, 0.5, 0}), UsageError);
}

TL_DEVICE_TEST(MatrixKinds, RandomElementsAreTheSameOnEveryDevice) {
    auto cpu_stream = find_device("cpu").create_stream();
    auto cpu_blas = make_blas(*cpu_stream), blas = make_blas(stream);
    MatrixSpec spec{"uniform", 50, 31, 1, 9};
    auto here = to_host(stream, make_matrix<double>(*blas, spec));
    EXPECT_EQ(here.data, to_host(*cpu_stream, make_matrix<double>(*cpu_blas, spec)).data);
    spec.seed = 10;
    EXPECT_NE(here.data, to_host(stream, make_matrix<double>(*blas, spec)).data);
    double sum = 0;
    for (double value : here.data) {
        EXPECT_LT(std::abs(value), 1.0000001);
        sum += value;
    }
    // Mean 0; its standard deviation is 1 / sqrt(3 * 1550) = 0.015.
    EXPECT_NEAR(sum / static_cast<double>(here.data.size()), 0, 0.06);
}

TL_DEVICE_TEST(MatrixKernels, TransposeAndPermute) {
    auto blas = make_blas(stream);
    auto a = make_matrix<double>(*blas, {"uniform", 77, 45, 1, 2});
    Matrix<double> b(stream, 45, 77), c(stream, 77, 45);
    transpose_matrix<double>(stream, a.view(), b.view());
    std::vector<int> order(45);
    for (int j = 0; j < 45; ++j) order[j] = (j * 7) % 45;
    DeviceArray<int> device_order(stream, std::span<const int>(order));
    permute_columns<double>(stream, a.view(), device_order.view(), c.view());
    auto a_host = to_host(stream, a), b_host = to_host(stream, b), c_host = to_host(stream, c);
    for (int j = 0; j < 45; ++j)
        for (int i = 0; i < 77; ++i) {
            ASSERT_EQ(b_host(j, i), a_host(i, j));
            ASSERT_EQ(c_host(i, j), a_host(i, order[j]));
        }
    auto complex = uniform_matrix<Complex<float>>(*blas, 40, 70, 2);
    Matrix<Complex<float>> turned(stream, 70, 40);
    transpose_matrix<Complex<float>>(stream, complex.view(), turned.view());
    auto before = to_host(stream, complex), after = to_host(stream, turned);
    for (int j = 0; j < 70; ++j)
        for (int i = 0; i < 40; ++i) ASSERT_EQ(after(j, i), conjugate(before(i, j)));
}
