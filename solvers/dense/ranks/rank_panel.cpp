#include "solvers/dense/ranks/rank_panel.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstring>

#include "solvers/dense/lu/lu_cpu.h"
#include "solvers/dense/matmul/packed_product.h"

namespace tl {
namespace {

/// Columns that are factorised one by one.
constexpr int kNarrowPanel = 8;

/// The first row in [first, end) with the largest magnitude; NaN counts as the largest.
template <class T>
int largest_row(const T* column, int first, int end) {
    T most = -1;
    bool has_nan = false;
    for (int i = first; i < end; ++i) {
        most = std::max(most, std::abs(column[i]));
        has_nan |= column[i] != column[i];
    }
    for (int i = first; i < end; ++i)
        if (has_nan ? column[i] != column[i] : std::abs(column[i]) == most) return i;
    return first;
}

/// A candidate for the pivot as a message: the candidate's row of the panel, and the row that it
/// would replace, from the rank that has it.
template <class T>
class Candidate {
  public:
    explicit Candidate(int width)
        : width_(static_cast<std::size_t>(width)), bytes_(sizeof(MpiCandidate) + 2 * row_bytes()) {}

    MpiCandidate head{};
    void put(int part, MatrixView<const T> panel, int row) {
        auto* to = this->row(part);
        for (std::size_t j = 0; j < width_; ++j) to[j] = panel(row, static_cast<int>(j));
    }
    void get(int part, MatrixView<T> panel, int row) {
        auto* from = this->row(part);
        for (std::size_t j = 0; j < width_; ++j) panel(row, static_cast<int>(j)) = from[j];
    }
    /// Collective: the candidate of all ranks.
    void choose(RankGroup& ranks) {
        std::memcpy(bytes_.data(), &head, sizeof head);
        ranks.choose_largest(bytes_.data(), bytes_.size());
        std::memcpy(&head, bytes_.data(), sizeof head);
    }

  private:
    [[nodiscard]] std::size_t row_bytes() const { return width_ * sizeof(T); }
    [[nodiscard]] T* row(int part) {
        auto at = sizeof(MpiCandidate) + static_cast<std::size_t>(part) * row_bytes();
        return reinterpret_cast<T*>(bytes_.data() + at);
    }
    std::size_t width_;
    std::vector<std::byte> bytes_;
};

template <class T>
class PanelFactorisation {
  public:
    /// `in_column`: null where pivots are of this rank alone.
    PanelFactorisation(RankPanel<T>& panel, const CyclicAxis& rows, RankGroup* in_column)
        : panel_(panel),
          p_(panel.host()),
          rows_(rows),
          in_column_(in_column),
          first_row_(rows.count_before(panel.first())),
          top_(panel.width(), panel.width()),
          candidate_(panel.width()) {}

    void run() {
        factorise(0, panel_.width());
        auto top = top_view();
        if (!panel_.has_top()) return;
        for (int j = 0; j < top.cols; ++j) std::copy_n(top.col(j), top.rows, p_.col(j));
    }
    /// L and U of the uppermost rows, which every rank has.
    [[nodiscard]] MatrixView<T> top_view() {
        return {top_.data.data(), top_.rows, top_.cols, top_.rows};
    }

  private:
    /// The first row that is no row of U yet when `n_done` of them are.
    [[nodiscard]] int begin(int n_done) const { return panel_.has_top() ? n_done : 0; }

    void factorise(int first, int width) {
        if (width <= kNarrowPanel) {
            for (int k = first; k < first + width; ++k) eliminate(k, first + width);
            return;
        }
        int half = (width / 2 + kNarrowPanel - 1) / kNarrowPanel * kNarrowPanel,
            next = first + half;
        int rest = width - half;
        factorise(first, half);
        auto top = top_view();
        auto u = top.block(first, next, half, rest);
        solve_unit_lower<T>(top.block(first, first, half, half), u);
        int row = begin(next);
        multiply_here<T>(Transpose::no, Transpose::no, T(-1),
                         p_.block(row, first, p_.rows - row, half), u, T(1),
                         p_.block(row, next, p_.rows - row, rest));
        factorise(next, rest);
    }

    /// Chooses the pivot of column k, and eliminates the column from those before `end`.
    void eliminate(int k, int end) {
        exchange_rows(k);
        auto top = top_view();
        T pivot = top(k, k);
        if (pivot == T(0)) return;
        int row = begin(k + 1);
        T* l = p_.col(k);
        divide_column(l, row, p_.rows, pivot);
        for (int j = k + 1; j < end; ++j) {
            T factor = top(k, j);
            T* to = p_.col(j);
            for (int i = row; i < p_.rows; ++i) to[i] -= l[i] * factor;
        }
    }

    void exchange_rows(int k) {
        auto& head = candidate_.head;
        head = {-1, INT_MAX, 0};
        if (int row = begin(k); row < p_.rows) {
            int best = largest_row(p_.col(k), row, p_.rows);
            auto size = std::abs(static_cast<double>(p_(best, k)));
            // NaN, from an overflow, is chosen at once.
            head = {size == size ? size : HUGE_VAL, rows_.global(first_row_ + best), 0};
            candidate_.put(0, p_, best);
        }
        if (panel_.has_top()) {
            head.owns_second = 1;
            candidate_.put(1, p_, k);
        }
        if (in_column_) candidate_.choose(*in_column_);
        int row = head.index;
        candidate_.get(0, top_view(), k);
        panel_.swaps()[static_cast<std::size_t>(k)] = row;
        bool is_own = !in_column_ || rows_.owns(row);
        if (is_own && row != panel_.first() + k)
            candidate_.get(1, p_, rows_.count_before(row) - first_row_);
    }

    RankPanel<T>& panel_;
    MatrixView<T> p_;
    CyclicAxis rows_;
    RankGroup* in_column_;
    int first_row_;  ///< local index of the panel's first row
    HostMatrix<T> top_;
    Candidate<T> candidate_;
};

/// Replaces A by A U^-1; U has no zero on its diagonal.
template <class T>
void solve_from_right(MatrixView<const T> u, MatrixView<T> a) {
    int n = a.cols;
    if (n <= kNarrowPanel) {
        for (int j = 0; j < n; ++j) {
            T* x = a.col(j);
            for (int k = 0; k < j; ++k)
                for (int i = 0; i < a.rows; ++i) x[i] -= a(i, k) * u(k, j);
            divide_column(x, 0, a.rows, u(j, j));
        }
        return;
    }
    int half = n / 2;
    auto left = a.columns(0, half), right = a.columns(half, n - half);
    solve_from_right<T>(u.block(0, 0, half, half), left);
    multiply_here<T>(Transpose::no, Transpose::no, T(-1), left, u.block(0, half, half, n - half),
                     T(1), right);
    solve_from_right<T>(u.block(half, half, n - half, n - half), right);
}

}  // namespace

template <class T>
void RankPanel<T>::resize(Stream& stream, const CyclicAxis& rows, int first, int width) {
    first_ = first;
    width_ = width;
    n_rows_ = rows.count() - rows.count_before(first);
    n_top_ = rows.owns(first) ? width : 0;
    auto n_elements = static_cast<std::size_t>(n_rows_) * static_cast<std::size_t>(width);
    auto n_behind = (static_cast<std::size_t>(width) * sizeof(int) + sizeof(T) - 1) / sizeof(T);
    memory_.resize_discard(stream, n_elements + n_behind);
    swaps_ = reinterpret_cast<int*>(memory_.host() + n_elements);
}

template <class T>
RankRequest RankPanel<T>::start_broadcast(RankGroup& in_row, int root) {
    if (in_row.size() == 1) return {};
    return in_row.start_broadcast(memory_.host(), memory_.bytes(), root);
}

template <class T>
void factorise_panel(RankPanel<T>& panel, const CyclicAxis& rows, RankGroup& in_column) {
    PanelFactorisation<T>(panel, rows, &in_column).run();
}

template <class T>
void factorise_panel_locally(RankPanel<T>& panel, const CyclicAxis& rows, RankGroup& in_column) {
    auto width = static_cast<std::size_t>(panel.width());
    std::vector<T> top(width * width);
    std::span<int> swaps = panel.swaps();
    int n = panel.width(), root = rows.owner(panel.first());
    if (panel.has_top()) {
        PanelFactorisation<T> factorisation(panel, rows, nullptr);
        factorisation.run();
        std::copy_n(factorisation.top_view().data, top.size(), top.data());
        for (std::size_t k = 0; k < width; ++k)
            if (top[k * width + k] == T(0)) swaps[k] = RankPanel<T>::kNoPivot;
    }
    in_column.broadcast(top.data(), top.size() * sizeof(T), root);
    in_column.broadcast(swaps.data(), swaps.size_bytes(), root);
    bool has_pivots = std::ranges::find(swaps, RankPanel<T>::kNoPivot) == swaps.end();
    if (!panel.has_top() && has_pivots)
        solve_from_right<T>(MatrixView<const T>(top.data(), n, n, n), panel.host());
}

#define TL_INSTANTIATE(T)                                                        \
    template class RankPanel<T>;                                                 \
    template void factorise_panel(RankPanel<T>&, const CyclicAxis&, RankGroup&); \
    template void factorise_panel_locally(RankPanel<T>&, const CyclicAxis&, RankGroup&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
