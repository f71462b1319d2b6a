// Exchanges of rows between ranks by the pivots of a panel, and the block row of U that follows.
#pragma once

#include <array>

#include "solvers/dense/blas.h"
#include "solvers/dense/ranks/rank_panel.h"

namespace tl {

/// Moves of rows that are the same as exchanging rows first + k and swaps[k] for each k.
struct PanelMoves {
    /// Row first + i receives the row that was at sources[i].
    std::vector<int> sources;
    /// Rows below the panel's, each with the row of the panel that it receives.
    std::vector<std::array<int, 2>> down;
};
[[nodiscard]] PanelMoves moves_of_panel(int first, std::span<const int> swaps);

/// Rows of a rank's part of a matrix in their new order, panel by panel. Each rank of a column of
/// the grid exchanges messages with the one that has the rows of U alone.
template <class T>
class RowExchange {
  public:
    /// All must outlive it.
    RowExchange(Blas& blas, RankGrid& grid, CyclicMatrix<T>& a) : blas_(blas), grid_(grid), a_(a) {}

    /// Moves the rows of all columns but the panel's, whose rows have moved, and sets U of the
    /// columns at its right. Collective in the column of the grid. The panel is on the device.
    void run(RankPanel<T>& panel);
    /// U of the panel's rows and the local columns at its right, on the device of every rank.
    [[nodiscard]] MatrixView<const T> u() { return right(u_.device()); }
    /// Local index of the first column at the right of the panel.
    [[nodiscard]] int first_right() const { return end_left_ + n_own_; }
    [[nodiscard]] int n_right() const { return a_.local.cols() - first_right(); }

  private:
    struct Packet {
        int partner = 0;             ///< row of the grid
        std::vector<int> rows;       ///< local rows of the matrix
        std::vector<int> positions;  ///< positions among the rows of U, in packets to its rank
        Staged<T> memory;
        RankRequest request;
    };

    void exchange_with_partners(RankPanel<T>& panel, const PanelMoves& moves);
    void exchange_with_top(const PanelMoves& moves, int top);
    void take_own_rows(const PanelMoves& moves);
    void finish_top(RankPanel<T>& panel);
    [[nodiscard]] std::vector<Packet> incoming(const PanelMoves& moves) const;
    [[nodiscard]] std::vector<Packet> outgoing(const PanelMoves& moves) const;
    void start_send(Packet& packet);
    void start_receive(Packet& packet);
    void receive(Packet& packet);

    [[nodiscard]] int n_moved() const { return end_left_ + n_right(); }
    [[nodiscard]] MatrixView<T> buffer(T* data, int rows) const {
        return {data, rows, n_moved(), rows > 0 ? rows : 1};
    }
    [[nodiscard]] MatrixView<T> right(T* data) const {
        return buffer(data, width_).columns(end_left_, n_right());
    }
    /// Rows `rows` of the matrix, all moved columns, to rows `positions` of a buffer, or back.
    void gather(const std::vector<int>& rows, MatrixView<T> to, const std::vector<int>& positions);
    void scatter(MatrixView<T> from, const std::vector<int>& positions,
                 const std::vector<int>& rows);

    Blas& blas_;
    RankGrid& grid_;
    CyclicMatrix<T>& a_;
    Staged<T> u_;  ///< rows of U of all moved columns
    int first_ = 0, width_ = 0, end_left_ = 0, n_own_ = 0;
};

}  // namespace tl
