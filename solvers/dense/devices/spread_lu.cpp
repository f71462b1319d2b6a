#include "solvers/dense/devices/spread_lu.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "core/device/copy_across.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matrix_kernels.h"

namespace tl {
namespace {

/// Panels that a device holds at a time: the one that updates, and those that arrive meanwhile.
constexpr int kSlots = 3;
/// Steps that the host gives to the devices in advance: enough work for them, and few to cancel.
constexpr int kStepsAhead = 8;

/// Panels are padded to whole sectors of memory, so that products read aligned columns.
int panel_stride(int rows) {
    constexpr int kPad = 32;
    return (rows + kPad - 1) / kPad * kPad;
}

/// Bytes of a panel, of which the last four ints a column are its moves.
template <class T>
std::size_t panel_bytes(int rows, int width) {
    return static_cast<std::size_t>(width) *
           (sizeof(T) * static_cast<std::size_t>(panel_stride(rows)) + 4 * sizeof(int));
}

/// Memory for a panel with its moves, which travels in one copy.
struct PanelSlot {
    DeviceArray<std::byte> memory;
    std::unique_ptr<Event> used;  ///< the update by its last panel is done

    PanelSlot(Stream& stream, std::size_t bytes)
        : memory(stream, bytes), used(stream.device().create_event()) {
        used->record(stream);
    }
};

/// Streams and memory of one device beside its part of the matrix. The streams end before the
/// memory.
struct DeviceLane {
    Stream& updates;
    Blas& update_blas;
    std::vector<PanelSlot> slots;
    DeviceArray<int> swaps;  ///< of its own panels, in rows of each, at the panel's first column
    std::unique_ptr<Event> updated;  ///< the columns are updated by all panels but the present one
    std::unique_ptr<Event> arrived;  ///< the present panel is there
    StageTimer timer;
    std::unique_ptr<Stream> panels;
    std::unique_ptr<Blas> panel_blas;

    DeviceLane(Stream& stream, Blas& blas, std::size_t slot_bytes, int steps)
        : updates(stream),
          update_blas(blas),
          swaps(stream, static_cast<std::size_t>(steps)),
          updated(stream.device().create_event()),
          arrived(stream.device().create_event()),
          timer(stream),
          panels(stream.device().create_urgent_stream()),
          panel_blas(make_blas(*panels)) {
        for (int i = 0; i < kSlots; ++i) slots.emplace_back(stream, slot_bytes);
        updated->record(updates);
        updated->hold(*panels);
    }
};

template <class T>
class SpreadFactorisation {
  public:
    SpreadFactorisation(DeviceGroup& group, SpreadMatrix<T>& a, const LuBlocks& blocks,
                        SolverRun& run)
        : a_(a),
          leaf_(blocks.leaf),
          looks_ahead_(blocks.look_ahead),
          run_(run),
          steps_(std::min(a.rows(), a.cols())) {
        for (auto& block : a.blocks())
            if (block.first < steps_) panels_.push_back(block);
        // Columns beyond the last step are no part of its panel.
        auto& last = panels_.back();
        last.width = std::min(last.width, steps_ - last.first);
        for (int d = 0; d < group.size(); ++d)
            lanes_.push_back(std::make_unique<DeviceLane>(
                group.stream(d), group.blas(d), panel_bytes<T>(a.rows(), a.block()), steps_));
        for (auto& event : pace_) event = group.device(0).create_event();
        open_links();
    }
    ~SpreadFactorisation() {
        // Copies read the memory of other lanes, which must not end before.
        try {
            synchronize();
        } catch (const std::exception&) {
            // The error has been thrown before.
        }
    }
    SpreadFactorisation(const SpreadFactorisation&) = delete;
    SpreadFactorisation& operator=(const SpreadFactorisation&) = delete;

    SpreadLuResult factorise() {
        synchronize();
        auto start = std::chrono::steady_clock::now();
        for (auto& lane : lanes_) lane->timer.begin_frame();
        factorise_panel_of(0);
        for (int k = 0; k < n_panels(); ++k) step(k);
        for (auto& lane : lanes_) {
            pass(*lane, *lane->panels, lane->updates);
            lane->timer.end_frame();
        }
        synchronize();
        result_.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        take_swaps();
        take_stages();
        run_.report(1);
        return std::move(result_);
    }

  private:
    [[nodiscard]] int n_panels() const { return static_cast<int>(panels_.size()); }
    [[nodiscard]] int n_devices() const { return static_cast<int>(lanes_.size()); }
    [[nodiscard]] const ColumnBlock& panel(int k) const {
        return panels_[static_cast<std::size_t>(k)];
    }
    [[nodiscard]] DeviceLane& lane(int d) { return *lanes_[static_cast<std::size_t>(d)]; }
    [[nodiscard]] DeviceLane& owner_of(int k) { return lane(panel(k).owner); }
    [[nodiscard]] static PanelSlot& slot_of(DeviceLane& lane, int k) {
        return lane.slots[static_cast<std::size_t>(k % kSlots)];
    }
    [[nodiscard]] int rows_below(int k) const { return a_.rows() - panel(k).first; }

    /// The panel's elements from its first row on, as a matrix of its own.
    [[nodiscard]] MatrixView<T> elements(DeviceLane& lane, int k) {
        auto* data = reinterpret_cast<T*>(slot_of(lane, k).memory.data());
        return {data, rows_below(k), panel(k).width, panel_stride(rows_below(k))};
    }
    [[nodiscard]] RowMoves moves(DeviceLane& lane, int k) {
        auto* end = slot_of(lane, k).memory.data() + panel_bytes<T>(rows_below(k), panel(k).width);
        int width = panel(k).width;
        return {reinterpret_cast<int*>(end) - 4 * static_cast<std::ptrdiff_t>(width), leaf_, width};
    }
    /// The panel, in its owner's part of the matrix.
    [[nodiscard]] MatrixView<T> in_matrix(int k) {
        auto& p = panel(k);
        return a_.view(p.owner).block(p.first, p.local, rows_below(k), p.width);
    }

    /// Copies some bytes between all pairs: the first copy takes long, since memory is mapped.
    void open_links() {
        for (auto& from : lanes_)
            for (auto& to : lanes_)
                if (from != to)
                    copy_across(*from->panels, from->slots[0].memory.data(), *to->panels,
                                to->slots[1].memory.data(), sizeof(int));
    }
    static void pass(DeviceLane& lane, Stream& from, Stream& to) {
        lane.arrived->record(from);
        lane.arrived->hold(to);
    }
    void synchronize() {
        for (auto& lane : lanes_) {
            lane->panels->synchronize();
            lane->updates.synchronize();
        }
    }

    void step(int k) {
        bool has_next = k + 1 < n_panels();
        send_panel(k);
        if (has_next && looks_ahead_) prepare_next(k);
        for (int d = 0; d < n_devices(); ++d) update_rest(d, k);
        if (has_next && !looks_ahead_) factorise_panel_of(k + 1);
        keep_pace(k);
    }

    /// Copies the panel to all other devices, first to the one that has the next panel. Updates of
    /// each wait for its own copy alone.
    void send_panel(int k) {
        int owner = panel(k).owner;
        auto& from = lane(owner);
        pass(from, *from.panels, from.updates);
        for (int i = 1; i < n_devices(); ++i) {
            auto& to = lane((owner + i) % n_devices());
            slot_of(to, k).used->hold(*to.panels);
            copy_across(*from.panels, slot_of(from, k).memory.data(), *to.panels,
                        slot_of(to, k).memory.data(),
                        panel_bytes<T>(rows_below(k), panel(k).width));
            pass(to, *to.panels, to.updates);
        }
    }

    /// Updates the next panel by panel k, and factorises it.
    void prepare_next(int k) {
        auto& next = panel(k + 1);
        auto& lane = owner_of(k + 1);
        lane.updated->hold(*lane.panels);
        StageTimer::OnStream on(lane.timer, *lane.panels);
        StageTimer::Scope stage(lane.timer, "panels");
        eliminate(*lane.panel_blas, next.owner, k, {0, next.local, next.width, false});
        load_and_factorise(lane, k + 1);
    }
    /// Factorises a panel that is updated by all panels before.
    void factorise_panel_of(int k) {
        auto& lane = owner_of(k);
        lane.updated->hold(*lane.panels);
        StageTimer::OnStream on(lane.timer, *lane.panels);
        StageTimer::Scope stage(lane.timer, "panels");
        load_and_factorise(lane, k);
    }
    void load_and_factorise(DeviceLane& lane, int k) {
        auto& stream = *lane.panels;
        auto& p = panel(k);
        slot_of(lane, k).used->hold(stream);
        auto to = elements(lane, k);
        View<int> swaps(lane.swaps.data() + p.first, static_cast<std::size_t>(p.width));
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, in_matrix(k), to));
        TL_DISPATCH(stream.device(),
                    factorise_panel<T>(*lane.panel_blas, to, swaps, moves(lane, k)));
    }

    /// Moves rows by panel k and eliminates it from columns of a device's part.
    void eliminate(Blas& blas, int d, int k, MovedColumns columns) {
        auto& stream = blas.stream();
        int rows = rows_below(k), width = panel(k).width;
        auto a = a_.view(d);
        if (a.cols == 0) return;
        a = a.block(panel(k).first, 0, rows, a.cols);
        auto l = elements(lane(d), k);
        TL_DISPATCH(stream.device(), move_rows<T>(stream, a, moves(lane(d), k), 0, width, columns));
        if (columns.n_right == 0) return;
        auto u = a.block(0, columns.right, width, columns.n_right);
        TL_DISPATCH(stream.device(),
                    solve_by_leaves<T>(blas, l.block(0, 0, width, width), leaf_, u));
        blas.gemm(Transpose::no, Transpose::no, T(-1), l.block(width, 0, rows - width, width), u,
                  T(1), a.block(width, columns.right, rows - width, columns.n_right));
    }

    /// Updates the columns of a device by panel k, except those of a next panel that is updated
    /// ahead. The owner also stores the panel.
    void update_rest(int d, int k) {
        auto& lane = this->lane(d);
        StageTimer::Scope stage(lane.timer, "updates");
        auto& axis = a_.part(d).cols;
        int first = panel(k).first, right = axis.count_before(first + panel(k).width);
        if (looks_ahead_ && k + 1 < n_panels() && panel(k + 1).owner == d)
            right += panel(k + 1).width;
        eliminate(lane.update_blas, d, k,
                  {axis.count_before(first), right, axis.count() - right, false});
        auto& stream = lane.updates;
        if (panel(k).owner == d)
            TL_DISPATCH(stream.device(), copy_matrix<T>(stream, elements(lane, k), in_matrix(k)));
        slot_of(lane, k).used->record(stream);
        lane.updated->record(stream);
    }

    /// Waits where the host is kStepsAhead steps before the first device, from which the others
    /// differ by less than kSlots. Reports progress.
    void keep_pace(int k) {
        auto& event = pace_[static_cast<std::size_t>(k % kStepsAhead)];
        if (k >= kStepsAhead) event->wait();
        event->record(lane(0).updates);
        double left = 1 - static_cast<double>(std::max(k - kStepsAhead, 0)) / n_panels();
        run_.report(1 - left * left * left);
    }

    void take_swaps() {
        result_.swaps.resize(static_cast<std::size_t>(steps_));
        std::vector<std::vector<int>> of_lanes;
        for (auto& lane : lanes_) of_lanes.push_back(lane->swaps.download(lane->updates));
        for (auto& p : panels_)
            for (auto k = static_cast<std::size_t>(p.first); k < std::size_t(p.first + p.width);
                 ++k)
                result_.swaps[k] = p.first + of_lanes[static_cast<std::size_t>(p.owner)][k];
    }
    void take_stages() {
        for (int d = 0; d < n_devices(); ++d) {
            auto& lane = this->lane(d);
            lane.timer.flush();
            for (auto& stage : lane.timer.latest())
                if (stage.name != "frame")
                    result_.stages.push_back({lane.updates.device().id() + " " + stage.name,
                                              stage.milliseconds, stage.kind});
        }
    }

    SpreadMatrix<T>& a_;
    int leaf_;
    bool looks_ahead_;
    SolverRun& run_;
    int steps_;
    std::vector<ColumnBlock> panels_;
    std::vector<std::unique_ptr<DeviceLane>> lanes_;
    std::array<std::unique_ptr<Event>, kStepsAhead> pace_;
    SpreadLuResult result_;
};

}  // namespace

LuBlocks spread_widths(const LuBlocks& asked, int steps, std::size_t element_size) {
    constexpr int kNarrowLeaf = 64;
    auto blocks = asked.chosen(steps, element_size);
    if (asked.leaf == 0 && element_size == sizeof(double)) blocks.leaf = kNarrowLeaf;
    return blocks;
}

template <class T>
SpreadLuResult factorise_over_devices(DeviceGroup& group, SpreadMatrix<T>& a,
                                      const LuBlocks& blocks, SolverRun& run) {
    require_finite(group, a, "lu", "the matrix has no factors");
    auto widths = spread_widths(blocks, std::min(a.rows(), a.cols()), sizeof(T));
    return SpreadFactorisation<T>(group, a, widths, run).factorise();
}

#define TL_INSTANTIATE(T)                                                          \
    template SpreadLuResult factorise_over_devices(DeviceGroup&, SpreadMatrix<T>&, \
                                                   const LuBlocks&, SolverRun&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
