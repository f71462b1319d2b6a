// Panels of a PLU factorisation over ranks: columns whose rows are spread over the ranks of a
// column of the grid, factorised by recursion (Toledo 1997) in host memory. One message between
// these ranks for each column finds the pivot and exchanges the rows (Petitet, Whaley, Dongarra &
// Cleary, HPL).
#pragma once

#include <span>

#include "solvers/dense/ranks/rank_grid.h"
#include "solvers/dense/ranks/staged.h"

namespace tl {

/// One rank's rows of a panel, with the exchanges of rows: what its row of the grid receives.
template <class T>
class RankPanel {
  public:
    /// The panel of columns [first, first + width), for rows from `first` on. `width` is at most
    /// a block, in which the panel begins.
    void resize(Stream& stream, const CyclicAxis& rows, int first, int width);

    [[nodiscard]] int first() const { return first_; }
    [[nodiscard]] int width() const { return width_; }
    /// Whether this rank has the rows of U: [first, first + width).
    [[nodiscard]] bool has_top() const { return n_top_ > 0; }
    /// Rows of U, at the start of the panel's rows; 0 elsewhere.
    [[nodiscard]] int n_top() const { return n_top_; }
    [[nodiscard]] int n_below() const { return n_rows_ - n_top_; }
    [[nodiscard]] MatrixView<T> host() { return view(memory_.host()); }
    [[nodiscard]] MatrixView<T> device() { return view(memory_.device()); }
    /// Row first + k was exchanged with global row swaps()[k]; kNoPivot: it has none.
    [[nodiscard]] std::span<int> swaps() { return {swaps_, static_cast<std::size_t>(width_)}; }
    static constexpr int kNoPivot = -1;

    /// Starts to send it to this rank's row of the grid, from column `root`. The swaps travel
    /// behind the elements.
    [[nodiscard]] RankRequest start_broadcast(RankGroup& in_row, int root);
    void to_host(Stream& stream) { memory_.to_host(stream); }
    void to_device(Stream& stream) { memory_.to_device(stream); }

  private:
    [[nodiscard]] MatrixView<T> view(T* data) {
        return {data, n_rows_, width_, n_rows_ > 0 ? n_rows_ : 1};
    }
    Staged<T> memory_;
    int* swaps_ = nullptr;  ///< in host memory, after the elements
    int first_ = 0, width_ = 0, n_top_ = 0, n_rows_ = 0;
};

/// Factorises a panel in host memory. Collective in the column of the grid. Pivots are the largest
/// elements of whole columns; the uppermost of equals.
template <class T>
void factorise_panel(RankPanel<T>& panel, const CyclicAxis& rows, RankGroup& in_column);

/// The same with pivots from the rows of the rank that has U alone, so that no row moves between
/// ranks (Brodtkorb 2007, appendix A.3.1). A column whose candidates are all zero has kNoPivot.
template <class T>
void factorise_panel_locally(RankPanel<T>& panel, const CyclicAxis& rows, RankGroup& in_column);

}  // namespace tl
