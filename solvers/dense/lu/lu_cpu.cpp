#include "solvers/dense/lu/lu_cpu.h"

#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/dense/matmul/packed_product.h"

namespace tl {
namespace {

/// Columns that are factorised one by one.
constexpr int kNarrow = 8;
/// Columns of the trailing matrix per task.
constexpr int kStrip = 96;

template <class T>
int largest_of(const T* column, int first, int rows) {
    T most = std::abs(column[first]);
    for (int i = first + 1; i < rows; ++i) most = std::max(most, std::abs(column[i]));
    for (int i = first; i < rows; ++i)
        if (std::abs(column[i]) == most) return i;
    return first;
}

template <class T>
void factorise_narrow(MatrixView<T> a, std::span<int> swaps) {
    int steps = std::min(a.rows, a.cols);
    for (int k = 0; k < steps; ++k) {
        int p = largest_of(a.col(k), k, a.rows);
        swaps[k] = p;
        T pivot = a(p, k);
        if (p != k)
            for (int j = 0; j < a.cols; ++j) std::swap(a(k, j), a(p, j));
        if (pivot == T(0)) continue;
        T* l = a.col(k);
        divide_column(l, k + 1, a.rows, pivot);
        for (int j = k + 1; j < a.cols; ++j) {
            T factor = a(k, j);
            T* to = a.col(j);
            for (int i = k + 1; i < a.rows; ++i) to[i] -= l[i] * factor;
        }
    }
}

template <class T>
void factorise_panel(MatrixView<T> a, std::span<int> swaps) {
    if (a.cols <= kNarrow || a.rows <= kNarrow) return factorise_narrow(a, swaps);
    int half = (std::min(a.rows, a.cols) / 2 + kNarrow - 1) / kNarrow * kNarrow;
    auto left = a.columns(0, half), right = a.columns(half, a.cols - half);
    factorise_panel(left, swaps.first(half));
    swap_rows<T>(right, swaps.first(half));
    auto top = right.block(0, 0, half, right.cols);
    auto bottom = right.block(half, 0, a.rows - half, right.cols);
    solve_unit_lower<T>(left.block(0, 0, half, half), top);
    multiply_here<T>(Transpose::no, Transpose::no, T(-1), left.block(half, 0, a.rows - half, half),
                     top, T(1), bottom);
    auto rest = swaps.subspan(half);
    factorise_panel(bottom, rest);
    swap_rows<T>(left.block(half, 0, a.rows - half, half), rest);
    for (int& row : rest) row += half;
}

/// Width of the panel at column `first` of `steps`: narrower towards the end, where a panel would
/// take longer than the concurrent update.
int panel_width(int first, int steps, int block) {
    int left = steps - first;
    int width = std::clamp((left / 8 + 15) / 16 * 16, std::min(32, block), block);
    return std::min(width, left);
}

}  // namespace

template <class T>
void divide_column(T* column, int first, int end, T pivot) {
    // A reciprocal of a smaller number could be infinite.
    if (std::abs(pivot) >= std::numeric_limits<T>::min() * 4) {
        T factor = 1 / pivot;
        for (int i = first; i < end; ++i) column[i] *= factor;
    } else {
        for (int i = first; i < end; ++i) column[i] /= pivot;
    }
}

template <class T>
void solve_unit_lower(MatrixView<const T> l, MatrixView<T> b) {
    int n = b.rows;
    if (n <= 16) {
        for (int j = 0; j < b.cols; ++j) {
            T* x = b.col(j);
            for (int k = 0; k < n; ++k)
                for (int i = k + 1; i < n; ++i) x[i] -= l(i, k) * x[k];
        }
        return;
    }
    int half = (n / 2 + 7) / 8 * 8;
    auto top = b.block(0, 0, half, b.cols), bottom = b.block(half, 0, n - half, b.cols);
    solve_unit_lower<T>(l.block(0, 0, half, half), top);
    multiply_here<T>(Transpose::no, Transpose::no, T(-1), l.block(half, 0, n - half, half), top,
                     T(1), bottom);
    solve_unit_lower<T>(l.block(half, half, n - half, n - half), bottom);
}

template <class T>
void swap_rows(MatrixView<T> a, std::span<const int> swaps) {
    // Column by column, so that the exchanged elements are close together in memory.
    for (int j = 0; j < a.cols; ++j) {
        T* column = a.col(j);
        for (std::size_t k = 0; k < swaps.size(); ++k) std::swap(column[k], column[swaps[k]]);
    }
}

template <class T>
void factorise_on_cpu(MatrixView<T> a, std::span<int> swaps, int block,
                      const std::function<void(double)>& progress) {
    int steps = std::min(a.rows, a.cols);
    if (steps == 0) return;
    PackedLeft<T> below;
    int width = panel_width(0, steps, block);
    factorise_panel(a.columns(0, width), swaps.first(width));
    std::vector<int> firsts;
    for (int first = 0; first < steps;) {
        firsts.push_back(first);
        int next = first + width, n_below = a.rows - next;
        int next_width = next < steps ? panel_width(next, steps, block) : 0;
        auto panel_swaps = swaps.subspan(first, width);
        below.resize(n_below, width);
        const T* l21 = a.data + next + static_cast<std::size_t>(first) * a.stride;
        constexpr int kPackedAtOnce = 16 * ProductTile<T>::kRows;
        tbb::parallel_for(0, (n_below + kPackedAtOnce - 1) / kPackedAtOnce, [&](int part) {
            int begin = part * kPackedAtOnce;
            below.pack(l21, 1, static_cast<std::size_t>(a.stride), begin,
                       std::min(begin + kPackedAtOnce, n_below));
        });
        auto update = [&](int col, int count) {
            thread_local PackedRight<T> beside;
            auto rows = a.block(first, col, a.rows - first, count);
            swap_rows<T>(rows, panel_swaps);
            auto top = rows.block(0, 0, width, count);
            solve_unit_lower<T>(a.block(first, first, width, width), top);
            beside.resize(count, width);
            beside.pack(top.data, static_cast<std::size_t>(a.stride), 1, 0, count);
            multiply_packed<T>(T(-1), below, 0, beside, 0, T(1),
                               a.block(next, col, n_below, count));
        };
        tbb::task_group look_ahead;
        if (next_width > 0)
            look_ahead.run([&] {
                update(next, next_width);
                auto next_swaps = swaps.subspan(next, next_width);
                factorise_panel(a.block(next, next, n_below, next_width), next_swaps);
            });
        int begin = next + next_width, n_strips = (a.cols - begin + kStrip - 1) / kStrip;
        tbb::parallel_for(0, n_strips, [&](int strip) {
            int col = begin + strip * kStrip;
            update(col, std::min(kStrip, a.cols - col));
        });
        look_ahead.wait();
        for (int& row : panel_swaps) row += first;
        double left = 1 - static_cast<double>(next) / steps;
        progress(1 - left * left * left);
        first = next;
        width = next_width;
    }
    // The exchanges of later panels move the rows of earlier ones.
    tbb::parallel_for(std::size_t(0), firsts.size(), [&](std::size_t p) {
        int end = p + 1 < firsts.size() ? firsts[p + 1] : steps;
        for (int j = firsts[p]; j < end; ++j) {
            T* column = a.col(j);
            for (int k = end; k < steps; ++k) std::swap(column[k], column[swaps[k]]);
        }
    });
}

template void divide_column(float*, int, int, float);
template void divide_column(double*, int, int, double);
template void solve_unit_lower(MatrixView<const float>, MatrixView<float>);
template void solve_unit_lower(MatrixView<const double>, MatrixView<double>);
template void swap_rows(MatrixView<float>, std::span<const int>);
template void swap_rows(MatrixView<double>, std::span<const int>);
template void factorise_on_cpu(MatrixView<float>, std::span<int>, int,
                               const std::function<void(double)>&);
template void factorise_on_cpu(MatrixView<double>, std::span<int>, int,
                               const std::function<void(double)>&);

}  // namespace tl
