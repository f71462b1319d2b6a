#include "solvers/sparse/triangular_solve.h"

#include <algorithm>
#include <numeric>

#include "solvers/sparse/preconditioner.h"

namespace tl {
namespace {

/// Whether a column of row i is beside the diagonal in the triangle.
bool is_beside(TriangleKind kind, int i, int j) {
    return kind == TriangleKind::unit_lower ? j < i : j > i;
}

/// Level of each row: one more than the largest of the rows that it depends on.
std::vector<int> levels_of(const HostCsr& a, TriangleKind kind) {
    std::vector<int> levels(static_cast<std::size_t>(a.rows));
    bool is_lower = kind == TriangleKind::unit_lower;
    for (int step = 0; step < a.rows; ++step) {
        int i = is_lower ? step : a.rows - 1 - step;
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k)
            if (is_beside(kind, i, a.columns[k]))
                levels[i] = std::max(levels[i], levels[a.columns[k]] + 1);
    }
    return levels;
}

/// More rows than this make a level wide.
constexpr int kFewRows = 1024;

/// Joins successive levels of few rows.
std::vector<LevelRun> runs_of(const std::vector<int>& level_starts) {
    std::vector<LevelRun> runs;
    for (int level = 0; level + 1 < static_cast<int>(level_starts.size()); ++level) {
        bool wide = level_starts[level + 1] - level_starts[level] > kFewRows;
        if (!wide && !runs.empty() && !runs.back().wide)
            runs.back().end = level + 1;
        else
            runs.push_back({level, level + 1, wide});
    }
    return runs;
}

/// Whether most rows are in levels of few rows.
bool is_narrow(const std::vector<int>& level_starts) {
    int n_wide = 0;
    for (std::size_t l = 0; l + 1 < level_starts.size(); ++l)
        if (int size = level_starts[l + 1] - level_starts[l]; size > kFewRows) n_wide += size;
    return 2 * n_wide < level_starts.back();
}

}  // namespace

template <class T>
SparseTriangle<T>::SparseTriangle(Stream& stream, const HostCsr& a, TriangleKind kind) {
    auto levels = levels_of(a, kind);
    n_levels_ = a.rows > 0 ? *std::ranges::max_element(levels) + 1 : 0;
    auto& level_starts = host_level_starts_;
    level_starts.assign(static_cast<std::size_t>(n_levels_) + 1, 0);
    for (int level : levels) ++level_starts[level + 1];
    for (int l = 0; l < n_levels_; ++l) level_starts[l + 1] += level_starts[l];
    std::vector<int> rows(levels.size()), next(level_starts);
    if (stream.device().kind() == DeviceKind::cpu && is_narrow(level_starts)) {
        std::iota(rows.begin(), rows.end(), 0);
        if (kind == TriangleKind::upper) std::ranges::reverse(rows);
        level_starts = {0, a.rows};
        runs_ = {{0, 1, false}};
    } else {
        for (int i = 0; i < a.rows; ++i) rows[next[levels[i]]++] = i;
        runs_ = runs_of(level_starts);
    }
    upload_rows(stream, a, kind, rows);
}

template <class T>
void SparseTriangle<T>::upload_rows(Stream& stream, const HostCsr& a, TriangleKind kind,
                                    const std::vector<int>& rows) {
    std::vector<int> starts{0}, columns;
    std::vector<T> values;
    std::vector<double> inverse(rows.size());
    for (int i : rows) {
        for (int k = a.starts[i]; k < a.starts[i + 1]; ++k) {
            if (a.columns[k] == i) inverse[i] = 1 / a.values[k];
            if (!is_beside(kind, i, a.columns[k])) continue;
            columns.push_back(a.columns[k]);
            values.push_back(static_cast<T>(a.values[k]));
        }
        starts.push_back(static_cast<int>(columns.size()));
    }
    rows_.assign(stream, rows);
    level_starts_.assign(stream, host_level_starts_);
    starts_.assign(stream, starts);
    columns_.assign(stream, columns);
    values_.assign(stream, values);
    if (kind == TriangleKind::upper) inverse_.assign(stream, converted<T>(inverse));
}

template <class T>
TriangleView<T> SparseTriangle<T>::view() const {
    return {rows_.data(),    level_starts_.data(), starts_.data(),
            columns_.data(), values_.data(),       inverse_.data()};
}

template <class T>
void SparseTriangle<T>::solve(Stream& stream, View<T> x) const {
    auto triangle = view();
    for (auto levels : runs_) {
        int first = host_level_starts_[levels.first];
        int n_rows = host_level_starts_[levels.first + 1] - first;
        if (levels.wide)
            TL_DISPATCH(stream.device(), solve_level<T>(stream, triangle, first, n_rows, x));
        else
            TL_DISPATCH(stream.device(), solve_levels<T>(stream, triangle, levels, x));
    }
}

template <class T>
std::size_t SparseTriangle<T>::bytes() const {
    return rows_.bytes() + level_starts_.bytes() + starts_.bytes() + columns_.bytes() +
           values_.bytes() + inverse_.bytes();
}

template class SparseTriangle<float>;
template class SparseTriangle<double>;

}  // namespace tl
