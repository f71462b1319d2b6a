#include "solvers/dense/matrix_kinds.h"

#include <algorithm>
#include <cmath>

#include "core/device/registry.h"
#include "solvers/dense/block_reflector.h"
#include "solvers/dense/matrix_kernels.h"

namespace tl {
namespace {

double geometric(int i, int n, double condition) {
    return std::pow(condition, n > 1 ? -static_cast<double>(i) / (n - 1) : 0.0);
}
double linear(int i, int n, double condition) {
    double t = n > 1 ? static_cast<double>(i) / (n - 1) : 0.0;
    return 1 - t * (1 - 1 / condition);
}
double half_rank(int i, int n, double) {
    return i < (n + 1) / 2 ? 1 - static_cast<double>(i) / (n + 1) : 0;
}
double two_clusters(int i, int n, double) {
    return i < (n + 1) / 2 ? 1 : 0.5;
}
double one_large(int i, int, double condition) {
    return i == 0 ? 1 : 1 / condition;
}
double ones(int, int, double) {
    return 1;
}
double zeros(int, int, double) {
    return 0;
}

}  // namespace

const std::vector<MatrixKind>& matrix_kinds() {
    constexpr auto kNone = ElementKind::uniform;
    static const std::vector<MatrixKind> table{
        {"uniform", "independent elements in [-1, 1)", ElementKind::uniform, nullptr},
        {"geometric", "values from 1 down to 1 / cond by equal factors", kNone, geometric, true},
        {"linear", "values from 1 down to 1 / cond by equal steps", kNone, linear, true},
        {"rank-deficient", "half of the values are zero", kNone, half_rank},
        {"clustered", "values 1 and 0.5, each for half of the matrix", kNone, two_clusters},
        {"one-large", "one value 1, all others 1 / cond", kNone, one_large, true},
        {"orthogonal", "all values 1", kNone, ones},
        {"zero", "all values 0", kNone, zeros},
        {"graded", "uniform elements, rows scaled from 1 down to 1 / cond", ElementKind::graded,
         nullptr, true},
        {"hilbert", "1 / (i + j + 1)", ElementKind::hilbert, nullptr},
        {"kahan", "Kahan's nearly rank-deficient triangle", ElementKind::kahan, nullptr},
        {"bidiagonal", "uniform on two diagonals", ElementKind::bidiagonal, nullptr},
        {"toeplitz", "1 / (1 + |i - j|)", ElementKind::toeplitz, nullptr},
    };
    return table;
}

template <class T>
Matrix<T> random_orthonormal(Blas& blas, int rows, int cols, std::uint64_t seed) {
    Stream& stream = blas.stream();
    Matrix<T> q(stream, rows, cols);
    TL_DISPATCH(stream.device(), fill_elements<T>(stream, ElementKind::uniform, 1, seed, q.view()));
    TL_DISPATCH(stream.device(), orthonormalise<T>(blas, q.view()));
    return q;
}

void check_matrix(const MatrixSpec& spec) {
    (void)find_row(matrix_kinds(), spec.kind, "matrix kind");
    if (spec.rows < 1 || spec.cols < 1)
        throw UsageError("a matrix needs at least one row and one column");
    if (!(spec.condition >= 1) || !std::isfinite(spec.condition))
        throw UsageError("a condition number is finite and at least 1");
}

template <class T>
Matrix<T> make_matrix(Blas& blas, const MatrixSpec& spec, std::vector<double>* values) {
    check_matrix(spec);
    auto& kind = find_row(matrix_kinds(), spec.kind, "matrix kind");
    Stream& stream = blas.stream();
    if (values) values->clear();
    Matrix<T> a(stream, spec.rows, spec.cols);
    if (!kind.value) {
        TL_DISPATCH(stream.device(),
                    fill_elements<T>(stream, kind.element, spec.condition, spec.seed, a.view()));
        return a;
    }
    int n = std::min(spec.rows, spec.cols);
    std::vector<T> factors(n);
    for (int i = 0; i < n; ++i) {
        double value = kind.value(i, n, spec.condition);
        factors[i] = static_cast<T>(value);
        if (values) values->push_back(value);
    }
    auto u = random_orthonormal<T>(blas, spec.rows, n, 2 * spec.seed + 1);
    auto v = random_orthonormal<T>(blas, spec.cols, n, 2 * spec.seed + 2);
    DeviceArray<T> device_factors(stream, factors);
    TL_DISPATCH(stream.device(), scale_columns<T>(stream, u.view(), device_factors.view()));
    blas.gemm(Transpose::no, Transpose::yes, T(1), u.view(), v.view(), T(0), a.view());
    return a;
}

template Matrix<float> random_orthonormal(Blas&, int, int, std::uint64_t);
template Matrix<double> random_orthonormal(Blas&, int, int, std::uint64_t);
template Matrix<float> make_matrix(Blas&, const MatrixSpec&, std::vector<double>*);
template Matrix<double> make_matrix(Blas&, const MatrixSpec&, std::vector<double>*);

}  // namespace tl
