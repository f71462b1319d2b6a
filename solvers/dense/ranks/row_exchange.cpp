#include "solvers/dense/ranks/row_exchange.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "solvers/dense/lu/lu_cpu.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/ranks/rank_kernels.h"

namespace tl {
namespace {

constexpr int kRowsTag = 1;

std::vector<int> first_numbers(std::size_t count) {
    std::vector<int> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
}

/// B = L^-1 B on the stream's device.
template <class T>
void solve_lower(Blas& blas, MatrixView<const T> l, MatrixView<T> b) {
    if (blas.stream().device().kind() != DeviceKind::cpu)
        return blas.solve(Triangle::unit_lower, Transpose::no, l, b);
    constexpr int kStrip = 96;
    tbb::parallel_for(0, (b.cols + kStrip - 1) / kStrip, [&](int strip) {
        int first = strip * kStrip;
        solve_unit_lower<T>(l, b.columns(first, std::min(kStrip, b.cols - first)));
    });
}

}  // namespace

PanelMoves moves_of_panel(int first, std::span<const int> swaps) {
    std::map<int, int> sources;
    auto source = [&](int row) -> int& { return sources.try_emplace(row, row).first->second; };
    int end = first + static_cast<int>(swaps.size());
    for (int k = first; k < end; ++k)
        std::swap(source(k), source(swaps[static_cast<std::size_t>(k - first)]));
    PanelMoves moves;
    for (auto [to, from] : sources) {
        if (to < end)
            moves.sources.push_back(from);
        else if (to != from)
            moves.down.push_back({to, from});
    }
    return moves;
}

template <class T>
void RowExchange<T>::gather(const std::vector<int>& rows, MatrixView<T> to,
                            const std::vector<int>& positions) {
    if (rows.empty()) return;
    Stream& stream = blas_.stream();
    DeviceArray<int> from_rows(stream, rows), to_rows(stream, positions);
    auto copy = [&](MatrixView<const T> from, MatrixView<T> part) {
        TL_DISPATCH(stream.device(),
                    copy_rows<T>(stream, from, from_rows.view(), part, to_rows.view()));
    };
    auto a = a_.local.view();
    copy(a.columns(0, end_left_), to.columns(0, end_left_));
    copy(a.columns(first_right(), n_right()), to.columns(end_left_, n_right()));
}

template <class T>
void RowExchange<T>::scatter(MatrixView<T> from, const std::vector<int>& positions,
                             const std::vector<int>& rows) {
    if (rows.empty()) return;
    Stream& stream = blas_.stream();
    DeviceArray<int> from_rows(stream, positions), to_rows(stream, rows);
    auto copy = [&](MatrixView<const T> part, MatrixView<T> to) {
        TL_DISPATCH(stream.device(),
                    copy_rows<T>(stream, part, from_rows.view(), to, to_rows.view()));
    };
    auto a = a_.local.view();
    copy(from.columns(0, end_left_), a.columns(0, end_left_));
    copy(from.columns(end_left_, n_right()), a.columns(first_right(), n_right()));
}

template <class T>
std::vector<typename RowExchange<T>::Packet> RowExchange<T>::incoming(
    const PanelMoves& moves) const {
    std::vector<Packet> packets(static_cast<std::size_t>(grid_.rows()));
    for (std::size_t i = 0; i < moves.sources.size(); ++i) {
        auto& packet = packets[static_cast<std::size_t>(a_.rows.owner(moves.sources[i]))];
        packet.rows.push_back(moves.sources[i]);
        packet.positions.push_back(static_cast<int>(i));
    }
    return packets;
}

template <class T>
std::vector<typename RowExchange<T>::Packet> RowExchange<T>::outgoing(
    const PanelMoves& moves) const {
    std::vector<Packet> packets(static_cast<std::size_t>(grid_.rows()));
    for (auto [to, from] : moves.down) {
        auto& packet = packets[static_cast<std::size_t>(a_.rows.owner(to))];
        packet.rows.push_back(to);
        packet.positions.push_back(from - first_);
    }
    return packets;
}

template <class T>
void RowExchange<T>::start_send(Packet& packet) {
    packet.memory.to_host(blas_.stream());
    packet.request = grid_.in_column.start_send(packet.memory.host(), packet.memory.bytes(),
                                                packet.partner, kRowsTag);
}

template <class T>
void RowExchange<T>::start_receive(Packet& packet) {
    auto count = packet.rows.size() * static_cast<std::size_t>(n_moved());
    packet.memory.resize_discard(blas_.stream(), count);
    packet.request = grid_.in_column.start_receive(packet.memory.host(), packet.memory.bytes(),
                                                   packet.partner, kRowsTag);
}

template <class T>
void RowExchange<T>::receive(Packet& packet) {
    grid_.in_column.wait(packet.request);
    packet.memory.to_device(blas_.stream());
}

/// Sends the rows of this rank that move up, and receives those that move down.
template <class T>
void RowExchange<T>::exchange_with_top(const PanelMoves& moves, int top) {
    auto row = static_cast<std::size_t>(grid_.row());
    Packet up = std::move(incoming(moves)[row]), down = std::move(outgoing(moves)[row]);
    // The same number of rows leaves and arrives.
    if (up.rows.empty()) return;
    up.partner = down.partner = top;
    auto local = [&](std::vector<int> rows) {
        for (int& r : rows) r = a_.rows.count_before(r);
        return rows;
    };
    auto order = first_numbers(up.rows.size());
    int count = static_cast<int>(order.size());
    start_receive(down);
    up.memory.resize_discard(blas_.stream(), order.size() * static_cast<std::size_t>(n_moved()));
    gather(local(up.rows), buffer(up.memory.device(), count), order);
    start_send(up);
    receive(down);
    scatter(buffer(down.memory.device(), count), order, local(down.rows));
    grid_.in_column.wait(up.request);
}

/// Moves rows between the rank's own, after other ranks' rows of the panel have been packed. A row
/// below the panel that becomes one of U is replaced at once, while it is in the cache.
template <class T>
void RowExchange<T>::take_own_rows(const PanelMoves& moves) {
    auto row = static_cast<std::size_t>(grid_.row());
    auto up = std::move(incoming(moves)[row]), down = std::move(outgoing(moves)[row]);
    if (up.rows.empty()) return;
    std::vector<int> replacements(up.rows.size(), -1);
    for (std::size_t i = 0; i < up.rows.size(); ++i) {
        auto replaced = std::ranges::find(down.rows, up.rows[i]) - down.rows.begin();
        if (auto at = static_cast<std::size_t>(replaced); at < down.rows.size())
            replacements[i] = a_.rows.count_before(first_ + down.positions[at]);
        up.rows[i] = a_.rows.count_before(up.rows[i]);
    }
    Stream& stream = blas_.stream();
    DeviceArray<int> rows(stream, up.rows), from(stream, replacements), to(stream, up.positions);
    auto take = [&](MatrixView<T> columns, MatrixView<T> u) {
        TL_DISPATCH(stream.device(), take_and_replace_rows<T>(stream, columns, rows.view(),
                                                              from.view(), u, to.view()));
    };
    auto a = a_.local.view(), u = buffer(u_.device(), width_);
    take(a.columns(0, end_left_), u.columns(0, end_left_));
    take(a.columns(first_right(), n_right()), u.columns(end_left_, n_right()));
}

/// Receives the rows of U from all ranks of the column, and sends them those that U dispositions.
template <class T>
void RowExchange<T>::exchange_with_partners(RankPanel<T>& panel, const PanelMoves& moves) {
    auto ups = incoming(moves), downs = outgoing(moves);
    for (std::size_t row = 0; row < ups.size(); ++row) {
        ups[row].partner = downs[row].partner = static_cast<int>(row);
        if (static_cast<int>(row) == grid_.row() || ups[row].rows.empty()) continue;
        start_receive(ups[row]);
        auto& down = downs[row];
        auto order = first_numbers(down.rows.size());
        down.memory.resize_discard(blas_.stream(),
                                   order.size() * static_cast<std::size_t>(n_moved()));
        auto displaced = down.positions;
        for (int& r : displaced) r = a_.rows.count_before(first_ + r);
        gather(displaced, buffer(down.memory.device(), static_cast<int>(order.size())), order);
        start_send(down);
    }
    take_own_rows(moves);
    Stream& stream = blas_.stream();
    for (auto& up : ups) {
        if (up.partner == grid_.row() || up.rows.empty()) continue;
        receive(up);
        DeviceArray<int> from(stream, first_numbers(up.rows.size())), to(stream, up.positions);
        auto rows = buffer(up.memory.device(), static_cast<int>(up.rows.size()));
        TL_DISPATCH(stream.device(), copy_rows<T>(stream, rows, from.view(),
                                                  buffer(u_.device(), width_), to.view()));
    }
    finish_top(panel);
    for (auto& down : downs) grid_.in_column.wait(down.request);
}

/// Computes U of the columns at right, and stores all rows of U in the matrix.
template <class T>
void RowExchange<T>::finish_top(RankPanel<T>& panel) {
    solve_lower<T>(blas_, panel.device().block(0, 0, width_, width_), right(u_.device()));
    // These rows lie together.
    Stream& stream = blas_.stream();
    auto rows = a_.local.view().block(a_.rows.count_before(first_), 0, width_, a_.local.cols());
    auto copy = [&](MatrixView<const T> from, MatrixView<T> to) {
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, from, to));
    };
    copy(buffer(u_.device(), width_).columns(0, end_left_), rows.columns(0, end_left_));
    copy(right(u_.device()), rows.columns(first_right(), n_right()));
}

template <class T>
void RowExchange<T>::run(RankPanel<T>& panel) {
    first_ = panel.first();
    width_ = panel.width();
    end_left_ = a_.cols.count_before(first_);
    n_own_ = a_.cols.count_before(first_ + width_) - end_left_;
    if (n_moved() == 0) return;
    auto& stream = blas_.stream();
    u_.resize_discard(stream,
                      static_cast<std::size_t>(width_) * static_cast<std::size_t>(n_moved()));
    auto moves = moves_of_panel(first_, panel.swaps());
    int top = a_.rows.owner(first_);
    if (panel.has_top())
        exchange_with_partners(panel, moves);
    else
        exchange_with_top(moves, top);
    if (grid_.rows() == 1 || n_right() == 0) return;
    if (panel.has_top()) u_.to_host(stream);
    auto u = right(u_.host());
    auto bytes = sizeof(T) * static_cast<std::size_t>(u.rows) * static_cast<std::size_t>(u.cols);
    grid_.in_column.broadcast(u.data, bytes, top);
    if (!panel.has_top()) u_.to_device(stream);
}

template class RowExchange<float>;
template class RowExchange<double>;

}  // namespace tl
