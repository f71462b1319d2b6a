#include "solvers/dense/ranks/rank_lu.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cmath>

#include "solvers/dense/matmul/matmul.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"
#include "solvers/dense/ranks/row_exchange.h"

namespace tl {
namespace {

/// Calls `work`, and adds its seconds.
template <class Work>
void timed(double& seconds, Work&& work) {
    auto start = std::chrono::steady_clock::now();
    work();
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Global row and column of an element.
struct GlobalPlace {
    int row = INT_MAX, col = INT_MAX;
};

/// The first element of a rank's part that is not finite; INT_MAX: all are.
template <class T>
GlobalPlace first_not_finite(Stream& stream, const CyclicMatrix<T>& a) {
    if (all_finite<T>(stream, a.local.view())) return {};
    auto elements = a.local.download(stream);
    auto bad = std::ranges::find_if(elements, [](T x) { return !std::isfinite(x); });
    auto index = bad - elements.begin();
    auto row = static_cast<int>(index % a.local.rows());
    auto col = static_cast<int>(index / a.local.rows());
    return {a.rows.global(row), a.cols.global(col)};
}

template <class T>
void require_finite(Stream& stream, RankGrid& grid, const CyclicMatrix<T>& a) {
    struct Record {
        MpiCandidate head;
        GlobalPlace place, unused;
    } record{};
    record.place = first_not_finite(stream, a);
    bool is_finite = record.place.row == INT_MAX;
    record.head = {is_finite ? 0.0 : 1.0, grid.all.rank(), 0};
    grid.all.choose_largest(&record, sizeof record);
    if (record.head.size > 0)
        throw RankError("lu: element (" + std::to_string(record.place.row) + ", " +
                        std::to_string(record.place.col) +
                        "), counted from 0, is not finite: the matrix has no factors");
}

template <class T>
class RankFactorisation {
  public:
    RankFactorisation(Stream& stream, RankGrid& grid, CyclicMatrix<T>& a,
                      const RankLuConfig& config, RankLuTimes& times)
        : stream_(stream),
          grid_(grid),
          a_(a),
          mode_(config.mode),
          times_(times),
          blas_(make_blas(stream)),
          multiplier_(make_multiplier(config.product, stream.device())),
          exchange_(*blas_, grid, a),
          steps_(std::min(a.rows.extent, a.cols.extent)) {}

    std::vector<int> run() {
        begin_panel(now_, 0);
        if (owns(now_)) load_and_factorise(now_);
        end_panel(now_);
        while (true) {
            take_swaps(now_);
            timed(times_.exchanges, [&] { exchange_.run(now_); });
            int next = now_.first() + now_.width();
            if (next == steps_) break;
            begin_panel(next_, next);
            if (mode_ == RankLuMode::look_ahead)
                update_and_look_ahead();
            else
                update_then_factorise();
            end_panel(next_);
            std::swap(now_, next_);
        }
        timed(times_.updates, [&] { update(0, exchange_.n_right()); });
        stream_.synchronize();
        return swaps_;
    }

  private:
    [[nodiscard]] bool owns(const RankPanel<T>& panel) const { return a_.cols.owns(panel.first()); }
    void begin_panel(RankPanel<T>& panel, int first) {
        panel.resize(stream_, a_.rows, first, std::min(a_.cols.block, steps_ - first));
    }
    /// The panel's rows and columns in the matrix.
    [[nodiscard]] MatrixView<T> in_matrix(const RankPanel<T>& panel) {
        int row = a_.rows.count_before(panel.first());
        auto columns = a_.columns(panel.first(), panel.first() + panel.width());
        return columns.block(row, 0, columns.rows - row, columns.cols);
    }
    void load(RankPanel<T>& panel) {
        TL_DISPATCH(stream_.device(), copy_matrix<T>(stream_, in_matrix(panel), panel.device()));
        panel.to_host(stream_);
    }
    void factorise(RankPanel<T>& panel) {
        timed(times_.panels, [&] {
            if (mode_ == RankLuMode::thesis)
                factorise_panel_locally(panel, a_.rows, grid_.in_column);
            else
                factorise_panel(panel, a_.rows, grid_.in_column);
        });
    }
    void load_and_factorise(RankPanel<T>& panel) {
        load(panel);
        factorise(panel);
    }
    void start_broadcast(RankPanel<T>& panel) {
        sending_ = panel.start_broadcast(grid_.in_row, a_.cols.owner(panel.first()));
    }
    /// Waits for the panel, whose broadcast may have started, and stores it in the matrix.
    void end_panel(RankPanel<T>& panel) {
        if (sending_.parts.empty() && !is_sent_) start_broadcast(panel);
        timed(times_.waits, [&] { grid_.in_row.wait(sending_); });
        is_sent_ = false;
        panel.to_device(stream_);
        if (owns(panel))
            TL_DISPATCH(stream_.device(),
                        copy_matrix<T>(stream_, panel.device(), in_matrix(panel)));
    }

    void take_swaps(RankPanel<T>& panel) {
        auto swaps = panel.swaps();
        auto bad = std::ranges::find(swaps, RankPanel<T>::kNoPivot);
        if (bad != swaps.end())
            throw RankError("lu: column " + std::to_string(panel.first() + (bad - swaps.begin())) +
                            ", counted from 0, has no pivot in the rows of its rank: take --mode "
                            "lookahead, which takes pivots from whole columns");
        swaps_.insert(swaps_.end(), swaps.begin(), swaps.end());
    }

    /// Subtracts L U from `count` local columns, counted from the panel's right end.
    void update(int first, int count) {
        int below = a_.rows.count_before(now_.first() + now_.width());
        auto c =
            a_.local.view().block(below, exchange_.first_right() + first, now_.n_below(), count);
        if (c.empty()) return;
        auto l = now_.device().block(now_.n_top(), 0, now_.n_below(), now_.width());
        multiplier_->multiply(stream_, Transpose::no, Transpose::no, T(-1), l,
                              exchange_.u().columns(first, count), T(1), c);
    }
    /// The same on the CPU while a panel travels, which needs calls of MPI now and then.
    void update_in_strips(int first, int count) {
        constexpr int kStrip = 512;
        for (int end = first + count; first < end; first += kStrip) {
            update(first, std::min(kStrip, end - first));
            (void)grid_.in_row.is_done(sending_);
        }
    }

    void update_then_factorise() {
        timed(times_.updates, [&] { update(0, exchange_.n_right()); });
        if (owns(next_)) load_and_factorise(next_);
    }

    /// Updates and factorises the next panel before it updates the rest. A GPU updates the rest
    /// while the host factorises.
    void update_and_look_ahead() {
        bool is_own = owns(next_), is_cpu = stream_.device().kind() == DeviceKind::cpu;
        int ahead = is_own ? next_.width() : 0, rest = exchange_.n_right() - ahead;
        timed(times_.updates, [&] { update(0, ahead); });
        if (is_own) load(next_);
        if (!is_cpu) timed(times_.updates, [&] { update(ahead, rest); });
        if (is_own) factorise(next_);
        start_broadcast(next_);
        is_sent_ = true;
        if (is_cpu) timed(times_.updates, [&] { update_in_strips(ahead, rest); });
    }

    Stream& stream_;
    RankGrid& grid_;
    CyclicMatrix<T>& a_;
    RankLuMode mode_;
    RankLuTimes& times_;
    std::unique_ptr<Blas> blas_;
    std::unique_ptr<Multiplier> multiplier_;
    RowExchange<T> exchange_;
    RankPanel<T> now_, next_;
    RankRequest sending_;
    bool is_sent_ = false;  ///< the broadcast of the next panel has started
    int steps_;
    std::vector<int> swaps_;
};

}  // namespace

template <class T>
std::vector<int> factorise_over_ranks(Stream& stream, RankGrid& grid, CyclicMatrix<T>& a,
                                      const RankLuConfig& config, RankLuTimes* times) {
    require_finite(stream, grid, a);
    if (a.rows.extent == 0 || a.cols.extent == 0) return {};
    RankLuTimes unused;
    return RankFactorisation<T>(stream, grid, a, config, times ? *times : unused).run();
}

template <class T>
int first_zero_pivot_over_ranks(Stream& stream, RankGrid& grid, CyclicMatrix<T>& lu) {
    MpiCandidate first{-HUGE_VAL, INT_MAX, 0};
    for (int k = 0; k < std::min(lu.rows.extent, lu.cols.extent) && first.index == INT_MAX; ++k) {
        if (!lu.rows.owns(k) || !lu.cols.owns(k)) continue;
        auto pivot = lu.local.view().block(lu.rows.count_before(k), lu.cols.count_before(k), 1, 1);
        T value = 0;
        stream.device().download(stream, &value, pivot.data, sizeof value);
        if (value == T(0)) first = {-static_cast<double>(k), k, 0};
    }
    grid.all.choose_largest(&first, sizeof first);
    return first.index == INT_MAX ? -1 : first.index;
}

#define TL_INSTANTIATE(T)                                                                \
    template std::vector<int> factorise_over_ranks(Stream&, RankGrid&, CyclicMatrix<T>&, \
                                                   const RankLuConfig&, RankLuTimes*);   \
    template int first_zero_pivot_over_ranks(Stream&, RankGrid&, CyclicMatrix<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
