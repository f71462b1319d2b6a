#include "solvers/eigen/matrix_batch.h"

#include <cmath>

#include "core/base/random.h"
#include "core/device/registry.h"

namespace tl {
namespace {

/// Fills one matrix of n x n, row by row.
using Fill = void (*)(RandomStream& random, int n, double* a);

/// Uniform in [-1, 1).
double even(RandomStream& random) {
    return random.next_uint() * 0x1p-31 - 1;
}

void fill_random(RandomStream& random, int n, double* a) {
    for (int e = 0; e < n * n; ++e) a[e] = even(random);
}
/// The companion matrix of a polynomial with these coefficients.
void fill_companion(RandomStream& random, int n, double* a) {
    for (int j = 0; j < n; ++j) a[j] = even(random);
    for (int i = 1; i < n; ++i) a[i * n + i - 1] = 1;
}
/// In place: B = (I - 2 u u^T / u^T u) A (I - 2 u u^T / u^T u), with a random u.
void reflect(RandomStream& random, int n, double* a) {
    std::vector<double> u(static_cast<std::size_t>(n));
    double squares = 0;
    for (double& x : u) {
        x = even(random);
        squares += x * x;
    }
    for (int side = 0; side < 2; ++side)
        for (int i = 0; i < n; ++i) {
            auto at = [&](int j) -> double& { return side == 0 ? a[i * n + j] : a[j * n + i]; };
            double dot = 0;
            for (int j = 0; j < n; ++j) dot += at(j) * u[j];
            for (int j = 0; j < n; ++j) at(j) -= 2 / squares * dot * u[j];
        }
}
/// One Jordan block of one eigenvalue, in a random orthogonal basis.
void fill_defective(RandomStream& random, int n, double* a) {
    double value = even(random);
    for (int i = 0; i < n; ++i) {
        a[i * n + i] = value;
        if (i + 1 < n) a[i * n + i + 1] = 1;
    }
    reflect(random, n, a);
}
/// The same, with eigenvalues that differ by 1e-10.
void fill_near_defective(RandomStream& random, int n, double* a) {
    double value = even(random);
    for (int i = 0; i < n; ++i) {
        a[i * n + i] = value + 1e-10 * i;
        if (i + 1 < n) a[i * n + i + 1] = 1;
    }
    reflect(random, n, a);
}
/// Rows that fall by six decades.
void fill_graded(RandomStream& random, int n, double* a) {
    for (int i = 0; i < n; ++i) {
        double scale = std::pow(10.0, n > 1 ? -6.0 * i / (n - 1) : 0.0);
        for (int j = 0; j < n; ++j) a[i * n + j] = even(random) * scale;
    }
}
void fill_symmetric(RandomStream& random, int n, double* a) {
    for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) a[i * n + j] = a[j * n + i] = even(random);
}
/// A rotation's generator: all eigenvalues are imaginary.
void fill_skew(RandomStream& random, int n, double* a) {
    for (int i = 0; i < n; ++i)
        for (int j = i + 1; j < n; ++j) {
            a[i * n + j] = even(random);
            a[j * n + i] = -a[i * n + j];
        }
}
/// A triangular matrix with rows and columns in random order.
void fill_permuted_triangular(RandomStream& random, int n, double* a) {
    std::vector<int> order(static_cast<std::size_t>(n));
    for (int i = 0; i < n; ++i) order[i] = i;
    for (int i = n - 1; i > 0; --i) {
        auto other = random.next_uint() % static_cast<std::uint32_t>(i + 1);
        std::swap(order[i], order[other]);
    }
    for (int i = 0; i < n; ++i)
        for (int j = i; j < n; ++j) a[order[i] * n + order[j]] = even(random);
}
void fill_identity(RandomStream& /*random*/, int n, double* a) {
    for (int i = 0; i < n; ++i) a[i * n + i] = 1;
}
void fill_zero(RandomStream& /*random*/, int /*n*/, double* /*a*/) {}

/// Q D Q^T with distinct eigenvalues D, 0.5 / n to 1 + 0.5 / n, and a random orthogonal Q.
void fill_symmetric_spectrum(RandomStream& random, int n, double* a) {
    for (int i = 0; i < n; ++i) a[i * n + i] = (i + 1 + 0.5 * even(random)) / n;
    for (int turn = 0; turn < n; ++turn) reflect(random, n, a);
}
/// X D X^-1 with the same D and X = P S Q, where P and Q are random orthogonal matrices and S is a
/// diagonal of 1/2 to 2: X has a condition of at most 4, and its inverse needs no elimination.
/// Unsymmetric and nonderogatory, as the matrices of Cvrcek 2016 (5.1, 7.2.1).
void fill_real_spectrum(RandomStream& random, int n, double* a) {
    fill_symmetric_spectrum(random, n, a);
    for (int i = 0; i < n; ++i) {
        double scale = std::exp2(even(random));
        for (int j = 0; j < n; ++j) a[i * n + j] *= scale;
        for (int j = 0; j < n; ++j) a[j * n + i] /= scale;
    }
    for (int turn = 0; turn < n; ++turn) reflect(random, n, a);
}

struct KindRow {
    BatchKind kind;
    Fill fill;
};
const std::vector<KindRow>& rows() {
    static const std::vector<KindRow> table{
        {{"random", "Random", "independent elements, uniform in [-1, 1)"}, fill_random},
        {{"companion", "Companion", "companion matrices of random polynomials"}, fill_companion},
        {{"defective", "Defective", "one Jordan block each"}, fill_defective},
        {{"near-defective", "Nearly defective", "Jordan blocks whose eigenvalues differ by 1e-10"},
         fill_near_defective},
        {{"graded", "Graded", "random rows that fall by six decades"}, fill_graded},
        {{"symmetric", "Symmetric", "symmetric, elements uniform in [-1, 1)"}, fill_symmetric},
        {{"skew", "Skew-symmetric", "all eigenvalues are imaginary"}, fill_skew},
        {{"permuted-triangular", "Permuted triangular",
          "triangular, with rows and columns in random order"},
         fill_permuted_triangular},
        {{"real-spectrum", "Real spectrum",
          "unsymmetric, distinct real eigenvalues in a random basis (Cvrcek 2016, 7.2.1)"},
         fill_real_spectrum},
        {{"symmetric-spectrum", "Symmetric spectrum",
          "symmetric, distinct real eigenvalues in a random orthogonal basis"},
         fill_symmetric_spectrum},
        {{"identity", "Identity", "the identity"}, fill_identity},
        {{"zero", "Zero", "nothing but zeros"}, fill_zero},
    };
    return table;
}

}  // namespace

const std::vector<BatchKind>& batch_kinds() {
    static const std::vector<BatchKind> kinds = [] {
        std::vector<BatchKind> list;
        for (auto& row : rows()) list.push_back(row.kind);
        return list;
    }();
    return kinds;
}

std::vector<double> make_batch(const BatchSpec& spec, std::size_t first, std::size_t count) {
    auto& kind = find_row(batch_kinds(), spec.kind, "kind of matrices");
    Fill fill = rows()[static_cast<std::size_t>(&kind - batch_kinds().data())].fill;
    auto size = static_cast<std::size_t>(spec.n) * spec.n;
    std::vector<double> batch(count * size);
    for (std::size_t m = 0; m < count; ++m) {
        RandomStream random(spec.seed, static_cast<std::uint32_t>(first + m),
                            static_cast<std::uint32_t>(spec.n));
        fill(random, spec.n, batch.data() + m * size);
    }
    return batch;
}

}  // namespace tl
