#include "solvers/svd/precise_values.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/device/registry.h"

namespace tl {
namespace {

constexpr Extended kEpsilon = std::numeric_limits<Extended>::epsilon();

/// Extended numbers, column by column, rows >= cols.
struct Tall {
    std::size_t rows, cols;
    std::vector<Extended> data;
    [[nodiscard]] Extended* col(std::size_t j) { return data.data() + j * rows; }
};

Tall tall_copy(const HostMatrix<double>& a) {
    bool wide = a.rows < a.cols;
    Tall tall{static_cast<std::size_t>(wide ? a.cols : a.rows),
              static_cast<std::size_t>(wide ? a.rows : a.cols),
              {}};
    tall.data.resize(tall.rows * tall.cols);
    for (int j = 0; j < a.cols; ++j)
        for (int i = 0; i < a.rows; ++i) {
            if (!std::isfinite(a(i, j)))
                throw UserError("element (" + std::to_string(i) + ", " + std::to_string(j) +
                                "), counted from 0, is not finite");
            (wide ? tall.col(i)[j] : tall.col(j)[i]) = a(i, j);
        }
    return tall;
}

/// Sum of a[i] b[i]; four sums, so that additions need not wait for each other.
Extended dot(const Extended* a, const Extended* b, std::size_t n) {
    Extended sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
    for (; i < n; ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/// Turns x into v so that (I - scale v v^T) x = alpha e_1. A scale of 0 stands for x = 0.
struct Reflection {
    Extended alpha, scale;
};
Reflection reflect(Extended* x, std::size_t n) {
    Extended norm = std::sqrt(dot(x, x, n));
    if (norm == 0) return {0, 0};
    Extended alpha = x[0] > 0 ? -norm : norm;
    // v^T v = 2 alpha (alpha - x_0), without the cancellation of summing it up.
    Extended scale = 1 / (alpha * (alpha - x[0]));
    x[0] -= alpha;
    return {alpha, scale};
}

constexpr std::size_t kColumns = 8, kRows = 256;  // of a task

/// Diagonal d and superdiagonal e of Q^T A P; overwrites A.
void bidiagonalise(Tall& a, std::vector<Extended>& d, std::vector<Extended>& e, SolverRun& run) {
    std::vector<Extended> row(a.cols), sums(a.rows);
    for (std::size_t k = 0; k < a.cols; ++k) {
        // The part that is done grows with the cube of what is left.
        double left = 1 - static_cast<double>(k) / static_cast<double>(a.cols);
        run.report(0.7 * (1 - left * left * left));
        std::size_t below = a.rows - k, beside = a.cols - k - 1;
        Extended* v = a.col(k) + k;
        auto [alpha, scale] = reflect(v, below);
        d[k] = alpha;
        if (beside == 0) continue;
        auto columns = tbb::blocked_range<std::size_t>(k + 1, a.cols, kColumns);
        tbb::parallel_for(columns, [&](const auto& part) {
            for (std::size_t j = part.begin(); j < part.end(); ++j) {
                Extended* x = a.col(j) + k;
                Extended share = scale * dot(v, x, below);
                for (std::size_t i = 0; i < below; ++i) x[i] -= share * v[i];
            }
        });
        for (std::size_t j = 0; j < beside; ++j) row[j] = a.col(k + 1 + j)[k];
        auto right = reflect(row.data(), beside);
        e[k] = right.alpha;
        if (right.scale == 0) continue;
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(k + 1, a.rows, kRows), [&](const auto& part) {
                std::fill(sums.begin() + part.begin(), sums.begin() + part.end(), Extended(0));
                for (std::size_t j = 0; j < beside; ++j)
                    for (std::size_t i = part.begin(); i < part.end(); ++i)
                        sums[i] += row[j] * a.col(k + 1 + j)[i];
            });
        tbb::parallel_for(columns, [&](const auto& part) {
            for (std::size_t j = part.begin(); j < part.end(); ++j) {
                Extended share = right.scale * row[j - k - 1];
                Extended* x = a.col(j);
                for (std::size_t i = k + 1; i < a.rows; ++i) x[i] -= share * sums[i];
            }
        });
    }
}

/// Squares of d_1, e_1, d_2, ..., d_n: off-diagonal elements of the symmetric tridiagonal matrix
/// whose diagonal is zero and whose eigenvalues are the singular values with both signs.
std::vector<Extended> squares_between(const std::vector<Extended>& d,
                                      const std::vector<Extended>& e) {
    std::vector<Extended> squares;
    for (std::size_t k = 0; k < d.size(); ++k) {
        squares.push_back(d[k] * d[k]);
        if (k + 1 < d.size()) squares.push_back(e[k] * e[k]);
    }
    return squares;
}

/// Number of singular values below x > 0: negative pivots of that matrix minus x, but for its n
/// negative eigenvalues.
std::size_t count_below(const std::vector<Extended>& squares, Extended x, Extended least_pivot) {
    std::size_t negative = 1;
    Extended pivot = -x;
    for (Extended square : squares) {
        pivot = -x - square / pivot;
        if (std::abs(pivot) < least_pivot) pivot = -least_pivot;
        negative += pivot < 0;
    }
    return negative - (squares.size() + 1) / 2;
}

/// Values with these numbers, counted from the smallest one, lie between low and high.
struct Bracket {
    Extended low, high;
    std::size_t first, end;
};

/// All values in descending order, by bisection of brackets.
std::vector<Extended> bisect(const std::vector<Extended>& d, const std::vector<Extended>& e,
                             SolverRun& run) {
    Extended bound = 0;
    for (std::size_t k = 0; k < d.size(); ++k)
        bound = std::max({bound, std::abs(d[k]) + std::abs(e[k]),
                          std::abs(d[k]) + (k > 0 ? std::abs(e[k - 1]) : Extended(0))});
    std::vector<Extended> values(d.size());
    if (bound == 0) return values;
    bound *= 1 + 4 * kEpsilon;
    auto squares = squares_between(d, e);
    Extended least_pivot =
        std::numeric_limits<Extended>::min() * std::max(bound * bound, Extended(1));
    // Rounding of the bidiagonal form leaves nothing to be known below this.
    Extended least_width = kEpsilon * bound / 1024;
    std::size_t n_found = 0;
    // A level at a time, so that brackets are independent.
    std::vector<Bracket> open{{0, bound, 0, d.size()}}, next;
    while (!open.empty()) {
        std::vector<std::size_t> counts(open.size());
        auto middle = [](const Bracket& bracket) { return (bracket.low + bracket.high) / 2; };
        tbb::parallel_for(std::size_t(0), open.size(), [&](std::size_t i) {
            counts[i] = count_below(squares, middle(open[i]), least_pivot);
        });
        next.clear();
        for (std::size_t i = 0; i < open.size(); ++i) {
            auto& bracket = open[i];
            Extended at = middle(bracket);
            std::size_t cut = std::clamp(counts[i], bracket.first, bracket.end);
            if (bracket.high - bracket.low <= std::max(kEpsilon * at, least_width)) {
                for (std::size_t k = bracket.first; k < bracket.end; ++k)
                    values[d.size() - 1 - k] = at;
                n_found += bracket.end - bracket.first;
                continue;
            }
            if (cut > bracket.first) next.push_back({bracket.low, at, bracket.first, cut});
            if (cut < bracket.end) next.push_back({at, bracket.high, cut, bracket.end});
        }
        open.swap(next);
        run.report(0.7 + 0.3 * static_cast<double>(n_found) / static_cast<double>(d.size()));
    }
    return values;
}

}  // namespace

std::vector<Extended> precise_singular_values(const HostMatrix<double>& a, SolverRun& run) {
    require_memory(find_device("cpu"), a.data.size() * sizeof(Extended),
                   "a copy of the matrix in extended precision", "choose a smaller matrix");
    auto tall = tall_copy(a);
    std::vector<Extended> d(tall.cols), e(tall.cols);
    bidiagonalise(tall, d, e, run);
    return bisect(d, e, run);
}

}  // namespace tl
