#include "solvers/complex/vector_pairs.h"

#include <algorithm>
#include <cmath>

namespace tl {
namespace {

using PairNumber = Complex<double>;

double squared(PairNumber a) {
    return a.re * a.re + a.im * a.im;
}

double squared_norm(const PairNumber* x, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += squared(x[i]);
    return sum;
}

/// x^H y.
PairNumber inner_product_of(const PairNumber* x, const PairNumber* y, int n) {
    PairNumber sum(0);
    for (int i = 0; i < n; ++i) sum += conjugate(x[i]) * y[i];
    return sum;
}

PairNumber* column_of(HostMatrix<PairNumber>& a, int j) {
    return a.data.data() + static_cast<std::size_t>(j) * a.rows;
}

void subtract_multiple(PairNumber* from, PairNumber factor, const PairNumber* x, int n) {
    for (int i = 0; i < n; ++i) from[i] -= factor * x[i];
}

void divide_column(PairNumber* x, double by, int n) {
    for (int i = 0; i < n; ++i) x[i] = x[i] * (1 / by);
}

/// Columns [first, first + 2 count) of two matrices, of which `count` become orthonormal in `led`.
/// The same operations are made on `follower`, if given.
struct VectorGroup {
    HostMatrix<PairNumber>& led;
    HostMatrix<PairNumber>* follower;
    int first, count;

    /// Gram-Schmidt, twice (Kahan), with the longest remainder next. The chosen columns come first.
    void orthonormalise() {
        int n = 2 * count;
        for (int k = 0; k < count; ++k) {
            int longest = k;
            double most = -1;
            for (int j = k; j < n; ++j) {
                double size = squared_norm(column_of(led, first + j), led.rows);
                if (size > most) {
                    most = size;
                    longest = j;
                }
            }
            exchange(k, longest);
            for (int j = 0; j < k; ++j) remove(j, k);
            double length = std::sqrt(squared_norm(column_of(led, first + k), led.rows));
            if (length == 0) continue;
            divide_column(column_of(led, first + k), length, led.rows);
            if (follower) divide_column(column_of(*follower, first + k), length, follower->rows);
            for (int j = k + 1; j < n; ++j) remove(k, j);
        }
    }

  private:
    void exchange(int j, int k) {
        if (j == k) return;
        for (auto* matrix : {&led, follower})
            if (matrix)
                std::swap_ranges(column_of(*matrix, first + j),
                                 column_of(*matrix, first + j) + matrix->rows,
                                 column_of(*matrix, first + k));
    }
    /// Removes from column k what lies along column j.
    void remove(int j, int k) {
        PairNumber along =
            inner_product_of(column_of(led, first + j), column_of(led, first + k), led.rows);
        subtract_multiple(column_of(led, first + k), along, column_of(led, first + j), led.rows);
        if (follower)
            subtract_multiple(column_of(*follower, first + k), along,
                              column_of(*follower, first + j), follower->rows);
    }
};

void keep_columns(const HostMatrix<PairNumber>& from, int first, int count,
                  HostMatrix<PairNumber>& to, int& at) {
    std::copy_n(from.data.begin() + static_cast<std::ptrdiff_t>(first) * from.rows,
                static_cast<std::ptrdiff_t>(count) * from.rows,
                to.data.begin() + static_cast<std::ptrdiff_t>(at) * from.rows);
    at += count;
}

}  // namespace

ChosenVectors choose_vectors(const VectorPairs& pairs, double tolerance) {
    auto u = pairs.u, v = pairs.v;
    ChosenVectors chosen{{u.rows, u.cols / 2}, {v.rows, v.cols / 2}};
    auto& values = pairs.values;
    int n_values = static_cast<int>(values.size()) / 2, at_u = 0, at_v = 0, begin = 0;
    auto larger = [&](int i) { return values[2 * static_cast<std::size_t>(i)]; };
    auto smaller = [&](int i) { return values[2 * static_cast<std::size_t>(i) + 1]; };
    while (begin < n_values && smaller(begin) > tolerance) {
        int end = begin + 1;
        while (end < n_values && smaller(end) > tolerance &&
               smaller(end - 1) - larger(end) <= tolerance)
            ++end;
        VectorGroup{v, &u, 2 * begin, end - begin}.orthonormalise();
        keep_columns(u, 2 * begin, end - begin, chosen.u, at_u);
        keep_columns(v, 2 * begin, end - begin, chosen.v, at_v);
        begin = end;
    }
    for (auto [from, to, at] : {std::tuple(&u, &chosen.u, &at_u), {&v, &chosen.v, &at_v}}) {
        int count = to->cols - *at;
        VectorGroup{*from, nullptr, 2 * begin, count}.orthonormalise();
        keep_columns(*from, 2 * begin, count, *to, *at);
    }
    return chosen;
}

}  // namespace tl
