#include "solvers/sparse/aggregation.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "solvers/sparse/preconditioner.h"

namespace tl {
namespace {

constexpr int kMostCoarsest = 200, kMostLevels = 30;

/// Calls op(position, column) for the strong couplings of row i, besides its diagonal.
template <class Op>
void for_strong(const HostCsr& a, const std::vector<double>& diagonal, double strength, int i,
                Op op) {
    for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) {
        int j = a.columns[k];
        double least = strength * strength * std::abs(diagonal[i] * diagonal[j]);
        if (j != i && a.values[k] * a.values[k] > least) op(k, j);
    }
}

/// The entries 1 of each row at its aggregate.
HostCsr constant_prolongation(const Aggregates& aggregates) {
    HostCsr p;
    p.rows = static_cast<int>(aggregates.of_row.size());
    p.cols = aggregates.count;
    for (int aggregate : aggregates.of_row) {
        if (aggregate >= 0) {
            p.columns.push_back(aggregate);
            p.values.push_back(1);
        }
        p.starts.push_back(static_cast<int>(p.columns.size()));
    }
    return p;
}

/// I - omega D^-1 F. F has the strong entries of A, and its weak ones added to the diagonal D.
HostCsr prolongation_smoother(const HostCsr& a, const std::vector<double>& diagonal,
                              double strength) {
    constexpr double kOmega = 4.0 / 3;
    HostCsr s;
    s.rows = s.cols = a.rows;
    for (int i = 0; i < a.rows; ++i) {
        double all = 0, strong = 0, magnitude = 0;
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) all += a.values[k];
        for_strong(a, diagonal, strength, i, [&](int k, int) {
            strong += a.values[k];
            magnitude += std::abs(a.values[k]);
        });
        double filtered = all - strong;
        if (!(filtered * diagonal[i] > 0)) filtered = diagonal[i];
        double factor = kOmega / std::copysign(std::abs(filtered) + magnitude, filtered);
        auto add = [&](int column, double value) {
            s.columns.push_back(column);
            s.values.push_back(value);
        };
        bool has_diagonal = false;
        auto add_diagonal = [&] {
            if (!std::exchange(has_diagonal, true)) add(i, 1 - factor * filtered);
        };
        for_strong(a, diagonal, strength, i, [&](int k, int j) {
            if (j > i) add_diagonal();
            add(j, -factor * a.values[k]);
        });
        add_diagonal();
        s.starts.push_back(static_cast<int>(s.columns.size()));
    }
    return s;
}

/// A P of a level with its constant prolongation P, which is smoothed first. It is not if the
/// product would have 1.5 times the entries of A: coarser matrices of random graphs would fill up.
HostCsr smoothed_product(AmgLevel& level, double strength) {
    constexpr double kMostFilled = 1.5;
    auto smoothed = product_of(prolongation_smoother(level.a, diagonal_of(level.a), strength),
                               level.prolongation);
    auto product = product_of(level.a, smoothed);
    if (product.entries() > kMostFilled * level.a.entries())
        return product_of(level.a, level.prolongation);
    level.prolongation = std::move(smoothed);
    return product;
}

/// Factors of Jacobi's smoother: 4/3 over the sum of magnitudes of each row. It converges for every
/// symmetric positive definite matrix, since all eigenvalues of its iteration are below 4/3.
std::vector<double> damping_of(const HostCsr& a) {
    constexpr double kOmega = 4.0 / 3;
    auto inverse = inverse_diagonal(a, "multigrid");
    for (int i = 0; i < a.rows; ++i) {
        double sum = 0;
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) sum += std::abs(a.values[k]);
        inverse[i] = std::copysign(kOmega / sum, inverse[i]);
    }
    return inverse;
}

/// Exchanges row k with the unknown k in a full matrix of n rows (Gauss-Jordan): once this is done
/// for all k, the matrix is its inverse.
void exchange_unknown(std::vector<double>& m, int n, int k) {
    auto row = [&](int i) { return m.data() + static_cast<std::size_t>(i) * n; };
    double pivot = row(k)[k];
    for (int j = 0; j < n; ++j)
        if (j != k) row(k)[j] /= pivot;
    for (int i = 0; i < n; ++i) {
        if (i == k) continue;
        double factor = std::exchange(row(i)[k], 0);
        for (int j = 0; j < n; ++j)
            if (j != k) row(i)[j] -= factor * row(k)[j];
        row(i)[k] = -factor / pivot;
    }
    row(k)[k] = 1 / pivot;
}

/// The inverse of a matrix, with the largest diagonal element as the next pivot. Where all that are
/// left are negligible, as of a singular matrix, their rows and columns become zero.
HostCsr inverse_of(const HostCsr& a, bool symmetric) {
    constexpr double kNegligible = 1e-12;
    int n = a.rows;
    std::vector<double> m(static_cast<std::size_t>(n) * n);
    auto element = [&](int i, int j) -> double& { return m[static_cast<std::size_t>(i) * n + j]; };
    for (int i = 0; i < n; ++i)
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) element(i, a.columns[k]) = a.values[k];
    std::vector<char> done(static_cast<std::size_t>(n));
    double largest = 0;
    for (int step = 0; step < n; ++step) {
        int pivot = -1;
        for (int k = 0; k < n; ++k)
            if (!done[k] &&
                (pivot < 0 || std::abs(element(k, k)) > std::abs(element(pivot, pivot))))
                pivot = k;
        largest = std::max(largest, std::abs(element(pivot, pivot)));
        if (!(std::abs(element(pivot, pivot)) > kNegligible * largest)) break;
        exchange_unknown(m, n, pivot);
        done[pivot] = 1;
    }
    std::vector<SparseEntry> entries;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            if (done[i] && done[j])
                entries.push_back(
                    {i, j, symmetric ? (element(i, j) + element(j, i)) / 2 : element(i, j)});
    return csr_of(n, n, std::move(entries));
}

/// Aggregates of rows none of whose strong neighbours is in one: the row with its neighbours.
void start_aggregates(const HostCsr& a, const std::vector<double>& diagonal, double strength,
                      Aggregates& made) {
    for (int i = 0; i < a.rows; ++i) {
        bool is_free = made.of_row[i] < 0, has_strong = false;
        for_strong(a, diagonal, strength, i, [&](int, int j) {
            has_strong = true;
            is_free = is_free && made.of_row[j] < 0;
        });
        if (!is_free || !has_strong) continue;
        made.of_row[i] = made.count;
        for_strong(a, diagonal, strength, i, [&](int, int j) { made.of_row[j] = made.count; });
        ++made.count;
    }
}

/// Adds other rows to the aggregate of their strongest neighbour, or to one of their own.
void join_aggregates(const HostCsr& a, const std::vector<double>& diagonal, double strength,
                     Aggregates& made) {
    auto started = made.of_row;
    for (int i = 0; i < a.rows; ++i) {
        if (started[i] >= 0) continue;
        double strongest = 0;
        for_strong(a, diagonal, strength, i, [&](int k, int j) {
            if (started[j] < 0 || std::abs(a.values[k]) <= strongest) return;
            strongest = std::abs(a.values[k]);
            made.of_row[i] = started[j];
        });
    }
    for (int i = 0; i < a.rows; ++i) {
        if (made.of_row[i] >= 0) continue;
        int n_joined = 0;
        for_strong(a, diagonal, strength, i, [&](int, int j) {
            if (made.of_row[j] >= 0) return;
            made.of_row[j] = made.count;
            ++n_joined;
        });
        if (n_joined > 0) made.of_row[i] = made.count++;
    }
}

}  // namespace

const SettingsOf<AggregationConfig>& AggregationConfig::declared_settings() {
    static const SettingsOf<AggregationConfig> all{
        {"amg-strength", &AggregationConfig::strength, 0, 1, "",
         "amg: couplings above this part of sqrt(|a_ii a_jj|) join points"},
        {"amg-smoothed", &AggregationConfig::smoothed,
         "amg: smooth the prolongations of symmetric matrices"},
        {"amg-sweeps", &AggregationConfig::sweeps, 1, 10, "",
         "amg: sweeps of Jacobi's smoother before and after each coarser level"},
    };
    return all;
}

double AmgHierarchy::operator_complexity() const {
    double sum = 0;
    for (auto& level : levels) sum += level.a.entries();
    return sum / std::max(levels.front().a.entries(), 1);
}

Aggregates aggregate(const HostCsr& a, double strength) {
    auto diagonal = diagonal_of(a);
    Aggregates made;
    made.of_row.assign(static_cast<std::size_t>(a.rows), -1);
    start_aggregates(a, diagonal, strength, made);
    join_aggregates(a, diagonal, strength, made);
    return made;
}

AmgHierarchy make_hierarchy(const HostCsr& a, const AggregationConfig& config, bool symmetric,
                            const std::function<void()>& check) {
    AmgHierarchy hierarchy;
    double strength = static_cast<double>(config.strength);
    HostCsr current = a;
    while (true) {
        check();
        auto& level = hierarchy.levels.emplace_back();
        level.damping = damping_of(current);
        level.a = std::move(current);
        int n_levels = static_cast<int>(hierarchy.levels.size());
        if (level.a.rows <= kMostCoarsest || n_levels == kMostLevels) break;
        auto aggregates = aggregate(level.a, strength);
        constexpr double kMostKept = 0.9, kMostEntriesKept = 0.8;
        if (aggregates.count == 0 || aggregates.count > kMostKept * level.a.rows) break;
        level.prolongation = constant_prolongation(aggregates);
        auto product = config.smoothed && symmetric ? smoothed_product(level, strength)
                                                    : product_of(level.a, level.prolongation);
        check();
        current = product_of(transposed(level.prolongation), product);
        if (current.rows > kMostCoarsest &&
            current.entries() > kMostEntriesKept * level.a.entries()) {
            level.prolongation = {};  // sweeps cost less than a matrix that has filled up
            break;
        }
        strength /= 2;
    }
    auto& last = hierarchy.levels.back().a;
    if (last.rows <= kMostCoarsest) hierarchy.coarsest_inverse = inverse_of(last, symmetric);
    return hierarchy;
}

}  // namespace tl
