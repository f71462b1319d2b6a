#include "solvers/shallow_water/water.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "solvers/dense/largest_error.h"
#include "solvers/shallow_water/adi.h"
#include "solvers/shallow_water/drying.h"
#include "solvers/shallow_water/momentum.h"
#include "solvers/shallow_water/pcg.h"
#include "solvers/shallow_water/plu_share.h"
#include "solvers/shallow_water/water_kernels.h"

namespace tl {
namespace {

constexpr const char* kWaterAdvice = "ask for fewer cells";

int pitch_of(int nx) {
    return (nx + 1 + 15) / 16 * 16;  // rows begin at multiples of 128 bytes
}

std::size_t separators_of(int nx, int ny) {
    auto count = [](int n, int m) {
        int segment = SegmentSystems::segment_of(n);
        return static_cast<std::size_t>((n + segment - 1) / segment) * static_cast<std::size_t>(m);
    };
    return std::max(count(nx, ny), count(ny, nx));
}

void check_basin(const Basin& basin) {
    auto refuse = [](const std::string& why) { throw UserError("basin: " + why); };
    constexpr std::size_t kMostCells = 1u << 30;
    if (std::min(basin.nx, basin.ny) < Water::kLeastCells)
        refuse("it has " + std::to_string(basin.nx) + " x " + std::to_string(basin.ny) +
               " cells; at least " + std::to_string(Water::kLeastCells) + " a side are needed");
    if (basin.size() > kMostCells)
        refuse("it has more than " + std::to_string(kMostCells) + " cells; " + kWaterAdvice);
    if (basin.bed.size() != basin.size() || basin.level.size() != basin.size())
        refuse("bed and level must have a number for each cell");
    for (std::size_t i = 0; i < basin.size(); ++i)
        if (!std::isfinite(basin.bed[i]) || !std::isfinite(basin.level[i]) ||
            basin.level[i] < basin.bed[i])
            refuse("at cell " + std::to_string(i % static_cast<std::size_t>(basin.nx)) + ", " +
                   std::to_string(i / static_cast<std::size_t>(basin.nx)) +
                   " a number is not finite, or the water is below its bed");
}

/// The stress of the wind over the density of water, m^2/s^2: a drag coefficient of 1.3e-3, and air
/// 1.2e-3 times as dense as water.
double wind_stress(double along, double across) {
    return 1.3e-3 * 1.2e-3 * std::sqrt(along * along + across * across) * along;
}

/// Rows of a field with gaps, without them.
std::vector<double> without_gaps(const std::vector<double>& field, int nx, int ny, int pitch) {
    std::vector<double> packed;
    packed.reserve(static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny));
    for (int j = 0; j < ny; ++j) {
        auto row = field.begin() + static_cast<std::ptrdiff_t>(j) * pitch;
        packed.insert(packed.end(), row, row + nx);
    }
    return packed;
}

}  // namespace

const SettingsOf<WaterConfig>& WaterConfig::declared_settings() {
    static const SettingsOf<WaterConfig> all{
        {"time-step", &WaterConfig::time_step, 1e-7f, 1e5f, "s", "time step"},
        {"gravity", &WaterConfig::gravity, 1e-3f, 1e3f, "m/s^2", "acceleration of gravity"},
        {"chezy", &WaterConfig::chezy, 0, 1e4f, "m^(1/2)/s",
         "Chezy's coefficient of bottom friction; off (0): none"},
        {"implicitness", &WaterConfig::implicitness, 0.5f, 1, "",
         "weight of the new level in its gradient: 1 damps short waves, 0.5 none"},
        {"advection", &WaterConfig::advection,
         "advection of velocities: along streamlines, momentum-conserving (for dam breaks), or "
         "none"},
        {"border-x", &WaterConfig::border_x,
         "first and last column: wall, open to waves, or a ring"},
        {"border-y", &WaterConfig::border_y, "first and last row, likewise"},
        {"rest-level", &WaterConfig::rest_level, -1e5f, 1e5f, "m",
         "level of the water beyond open borders"},
        {"rain", &WaterConfig::rain, 0, 1e6f, "mm/h", "rain on all cells"},
        {"wind-x", &WaterConfig::wind_x, -200, 200, "m/s", "speed of the wind along rows"},
        {"wind-y", &WaterConfig::wind_y, -200, 200, "m/s", "speed of the wind along columns"},
        {"tolerance", &WaterConfig::tolerance, 1e-7f, 0.1f, "",
         "mode pcg: the residual at the end over that of the old level", kAdvanced},
        {"most-iterations", &WaterConfig::most_iterations, 1, 10000, "",
         "mode pcg: iterations of a step", kAdvanced},
        {"single", &WaterConfig::single_precision,
         "mode plu: factorise floats, as GPUs of 2007 did", kAdvanced},
        {"share", &WaterConfig::share,
         "mode plu: the CPU and the GPU share the systems of rows and columns, by measured costs; "
         "needs both",
         kAdvanced},
    };
    return all;
}

void Basin::resize(int columns, int rows, double cell, double still) {
    nx = columns;
    ny = rows;
    dx = dy = cell;
    bed.assign(size(), 0);
    level.assign(size(), still);
}

void check_water_mode(int nx, int ny, const WaterConfig& config) {
    if (config.mode != WaterMode::plu) return;
    int longest = std::max(nx, ny);
    if (longest > kMostPluCells)
        throw UserError("water mode plu makes a dense matrix of each row and column: of at most " +
                        std::to_string(kMostPluCells) + " cells, and there are " +
                        std::to_string(longest) + "; use mode adi or pcg");
    if (config.share) require_two_devices();
}

std::uint64_t water_bytes(int nx, int ny, WaterMode mode) {
    auto cells = static_cast<std::uint64_t>(pitch_of(nx)) * static_cast<std::uint64_t>(ny + 1);
    std::uint64_t bytes = 11 * cells * sizeof(double);
    if (mode == WaterMode::adi)
        bytes += SegmentSystems::kArrays * separators_of(nx, ny) * sizeof(double);
    // Basins that mode plu does not take are refused when it makes a step.
    if (mode == WaterMode::plu && std::max(nx, ny) <= kMostPluCells) bytes += plu_bytes(nx, ny);
    return bytes + (mode == WaterMode::pcg ? PcgMemory::bytes_for(nx, ny) : 0);
}

struct Water::State {
    WaterConfig config, before;  ///< before: of the last step
    bool is_changed = false;     ///< the level has risen since then
    int nx, ny, pitch;
    double dx, dy, lowest_bed, time = 0;
    DeviceArray<double> bed, start;
    std::array<DeviceArray<double>, 3> z;
    std::array<DeviceArray<double>, 2> u, v;
    /// Indices of z: the level, that of the last half step, and neither.
    int now = 0, half = 1, spare = 2;
    bool has_half = false;
    int flow = 0, flow_v = 0;  ///< the newest of u and of v
    DeviceArray<double> segments;
    std::array<DeviceArray<double>, 2> flows;  ///< solved flows, where momentum is kept
    bool has_flows = false;                    ///< they are of the last step
    PcgMemory pcg;
    std::unique_ptr<PluShare> share;  ///< queues of the devices, once they are needed

    [[nodiscard]] std::size_t size() const { return bed.size(); }

    void allocate_mode(Stream& stream) {
        if (config.mode == WaterMode::adi && segments.empty())
            segments.resize_discard(stream, SegmentSystems::kArrays * separators_of(nx, ny));
        if (config.mode == WaterMode::pcg) pcg.allocate(stream, nx, ny, pitch);
        if (config.advection == Advection::momentum && flows[0].empty())
            for (auto& field : flows) field.resize_discard(stream, size());
    }

    /// Lines along x, or along y, for the newest fields. `share`: of the time step, in which the
    /// level changes by new flows along; `old_share`: by old flows.
    [[nodiscard]] WaterLines lines(bool along_y, double share, double old_share) const {
        WaterLines l;
        double dt = double(config.time_step);
        l.n = along_y ? ny : nx;
        l.m = along_y ? nx : ny;
        l.step = along_y ? pitch : 1;
        l.across = along_y ? 1 : pitch;
        double d = along_y ? dy : dx, dc = along_y ? dx : dy;
        l.border = along_y ? config.border_y : config.border_x;
        l.border_across = along_y ? config.border_x : config.border_y;
        l.advection = config.advection;
        l.z = z[std::size_t(now)].data();
        l.z_before = l.z;
        l.bed = bed.data();
        const double* along_x = u[std::size_t(flow)].data();
        const double* up = v[std::size_t(flow_v)].data();
        l.w = along_y ? up : along_x;
        l.c = along_y ? along_x : up;
        l.courant = dt / d;
        l.courant_across = dt / dc;
        l.g = double(config.gravity);
        double implicitness = double(config.implicitness);
        l.kappa = implicitness * l.g * l.courant;
        l.over_kappa = 1 / l.kappa;
        l.weight = l.kappa * (share * dt) / d;
        l.pull_before = (1 - implicitness) * l.g * l.courant;
        l.drop_along = old_share * dt / d;
        l.drop_across = old_share * dt / dc;
        double chezy = double(config.chezy);
        l.friction = chezy > 0 ? dt * l.g / (chezy * chezy) : 0;
        double wind_x = double(config.wind_x), wind_y = double(config.wind_y);
        l.wind = dt * (along_y ? wind_stress(wind_y, wind_x) : wind_stress(wind_x, wind_y));
        l.rest = double(config.rest_level);
        l.rain = share * rain();
        return l;
    }
    /// Rain that falls in a step, m.
    [[nodiscard]] double rain() const {
        return double(config.rain) / 3.6e6 * double(config.time_step);
    }
    [[nodiscard]] SegmentSystems systems(int n, int m) {
        SegmentSystems s;
        s.segment = SegmentSystems::segment_of(n);
        s.n_segments = (n + s.segment - 1) / s.segment;
        double* next = segments.data();
        auto size = static_cast<std::size_t>(s.n_segments) * static_cast<std::size_t>(m);
        for (double** part : {&s.couple, &s.diagonal, &s.right, &s.back_diagonal, &s.back_right})
            *part = std::exchange(next, next + size);
        return s;
    }

    /// Makes the fields such as steps of this configuration would have left them: nothing flows
    /// through a border that has become another one, and no cell gives more than its water.
    void follow_config(Stream& stream) {
        bool other_x = config.border_x != before.border_x;
        bool other_y = config.border_y != before.border_y;
        WaterLines x = lines(false, 0.5, 0.5), y = lines(true, 0.5, 0.5);
        double *along_x = u[std::size_t(flow)].data(), *along_y = v[std::size_t(flow_v)].data();
        if (other_x) TL_DISPATCH(stream.device(), stop_at_ends(stream, x, along_x));
        if (other_y) TL_DISPATCH(stream.device(), stop_at_ends(stream, y, along_y));
        is_changed |= other_x || other_y || config.mode != before.mode ||
                      config.time_step != before.time_step || config.advection != before.advection;
        // Mode pcg limits all flows of its steps itself.
        if (is_changed && config.mode != WaterMode::pcg)
            TL_DISPATCH(stream.device(), keep_depths(stream, y, z[std::size_t(now)].data(), along_y,
                                                     z[std::size_t(spare)].data()));
        is_changed = false;
        before = config;
    }

    /// The level and one velocity by half a step along lines.
    void half_step(Stream& stream, bool along_y, bool by_tiles) {
        WaterLines l = lines(along_y, 0.5, 0.5);
        if (along_y || has_half)
            l.z_before = z[std::size_t(half)].data();
        else
            l.pull_before =
                0;  // u, which is half a step ahead of the level, has only that half to go
        double* z_new = z[std::size_t(spare)].data();
        double* w_new =
            along_y ? v[std::size_t(1 - flow_v)].data() : u[std::size_t(1 - flow)].data();
        if (config.mode == WaterMode::plu)
            plu_half_step(stream, l, z_new, w_new, config.single_precision,
                          config.share ? share.get() : nullptr);
        else
            TL_DISPATCH(stream.device(),
                        adi_half_step(stream, l, z_new, w_new, systems(l.n, l.m), by_tiles));
        if (config.advection == Advection::momentum)
            keep_half_step(stream, along_y, l, z_new, w_new);
        has_flows = config.advection == Advection::momentum;
        // The level of the half step before this one has been used.
        TL_DISPATCH(stream.device(),
                    keep_depths(stream, l, z_new, w_new, z[std::size_t(half)].data()));
        int old = now;
        now = spare;
        spare = half;
        half = old;
        (along_y ? flow_v : flow) ^= 1;
        has_half = true;
    }

    /// Momentum over the last step of the velocities along, whose flows were solved for in its
    /// second half. Those across were in the first half.
    void keep_half_step(Stream& stream, bool along_y, const WaterLines& l, double* z_new,
                        double* w_new) {
        double* along = flows[along_y ? 1 : 0].data();
        TL_DISPATCH(stream.device(), keep_depths(stream, l, z_new, w_new, along, false));
        TL_DISPATCH(stream.device(), solved_flows(stream, l, w_new, along));
        bool has_before = along_y || (has_half && has_flows);
        WaterFlows all{along, has_before ? flows[along_y ? 0 : 1].data() : nullptr, has_before,
                       true};
        TL_DISPATCH(stream.device(), keep_momentum(stream, l, all, z_new, w_new));
    }

    WaterStep pcg_step_on(Stream& stream) {
        PcgStep step;
        double theta = double(config.implicitness);
        step.x = lines(false, theta, 1 - theta);
        step.y = lines(true, theta, 1 - theta);
        step.rain = rain();
        step.z_new = z[std::size_t(spare)].data();
        step.u_new = u[std::size_t(1 - flow)].data();
        step.v_new = v[std::size_t(1 - flow_v)].data();
        step.given = z[std::size_t(half)].data();
        if (config.advection == Advection::momentum) {
            step.flows_x = flows[0].data();
            step.flows_y = flows[1].data();
        }
        step.tolerance = config.tolerance;
        step.most_iterations = config.most_iterations;
        WaterStep done = TL_DISPATCH(stream.device(), pcg_step(stream, step, pcg));
        std::swap(now, spare);
        has_half = false;
        flow ^= 1;
        flow_v ^= 1;
        return done;
    }
};

Water::Water(Stream& stream, const Basin& basin, const WaterConfig& config)
    : state_(std::make_unique<State>()) {
    check_basin(basin);
    require_memory(stream.device(), water_bytes(basin.nx, basin.ny, config.mode), "shallow water",
                   kWaterAdvice);
    State& s = *state_;
    s.config = s.before = config;
    s.nx = basin.nx;
    s.ny = basin.ny;
    s.pitch = pitch_of(s.nx);
    s.dx = basin.dx;
    s.dy = basin.dy;
    s.lowest_bed = std::ranges::min(basin.bed);
    auto size = static_cast<std::size_t>(s.pitch) * static_cast<std::size_t>(s.ny + 1);
    auto padded = [&](const std::vector<double>& field) {
        std::vector<double> rows(size, 0);
        for (int j = 0; j < s.ny; ++j)
            std::copy_n(field.begin() + static_cast<std::ptrdiff_t>(j) * s.nx, s.nx,
                        rows.begin() + static_cast<std::ptrdiff_t>(j) * s.pitch);
        return rows;
    };
    s.bed.assign(stream, padded(basin.bed));
    s.start.assign(stream, padded(basin.level));
    for (auto& field : s.z) field.resize_discard(stream, size);
    for (auto* pair : {&s.u, &s.v})
        for (auto& field : *pair) field.resize_discard(stream, size);
    s.allocate_mode(stream);
    restart(stream);
}

Water::~Water() = default;
Water::Water(Water&&) noexcept = default;
Water& Water::operator=(Water&&) noexcept = default;

void Water::restart(Stream& stream) {
    State& s = *state_;
    for (auto& field : s.z)
        stream.device().copy(stream, field.data(), s.start.data(), s.size() * sizeof(double));
    for (auto* pair : {&s.u, &s.v})
        for (auto& field : *pair) field.fill_zero(stream);
    s.time = 0;
    s.has_half = false;
}

WaterStep Water::step(Stream& stream) {
    State& s = *state_;
    WaterConfig to_check = s.config;
    // Queues that exist are enough.
    to_check.share &= !s.share;
    check_water_mode(s.nx, s.ny, to_check);
    if (to_check.share && s.config.mode == WaterMode::plu)
        s.share = std::make_unique<PluShare>(water_queues());
    s.allocate_mode(stream);
    s.follow_config(stream);
    WaterStep done;
    if (s.config.mode == WaterMode::pcg) {
        done = s.pcg_step_on(stream);
    } else {
        s.half_step(stream, false, by_tiles);
        s.half_step(stream, true, by_tiles);
    }
    s.time += double(s.config.time_step);
    return done;
}

void Water::drop(Stream& stream, double x, double y, double height, double radius) {
    State& s = *state_;
    WaterDrop drop{x, y, height, radius};
    for (auto& field : s.z)
        TL_DISPATCH(stream.device(), add_drop(stream, fields(), drop, field.data()));
    s.is_changed = true;
}

void Water::share_between(std::vector<std::unique_ptr<Queue>> queues) {
    state_->share = std::make_unique<PluShare>(std::move(queues));
}
std::vector<WaterShare> Water::shares() const {
    return state_->share ? state_->share->shares() : std::vector<WaterShare>();
}

WaterConfig& Water::config() {
    return state_->config;
}
double Water::time() const {
    return state_->time;
}

WaterFields Water::fields() const {
    const State& s = *state_;
    return {s.nx,
            s.ny,
            s.pitch,
            s.dx,
            s.dy,
            s.z[std::size_t(s.now)].data(),
            s.bed.data(),
            s.u[std::size_t(s.flow)].data(),
            s.v[std::size_t(s.flow_v)].data()};
}

WaterTotals Water::totals(Stream& stream) const {
    const State& s = *state_;
    DeviceArray<WaterTotals> rows(stream, static_cast<std::size_t>(s.ny));
    TL_DISPATCH(stream.device(),
                sum_rows(stream, fields(), double(s.config.gravity), s.lowest_bed, rows.view()));
    WaterTotals all;
    all.lowest_depth = HUGE_VAL;
    all.highest_level = -HUGE_VAL;
    for (auto& row : rows.download(stream)) {
        all.volume += row.volume;
        all.energy += row.energy;
        all.lowest_depth = -larger_error(-all.lowest_depth, -row.lowest_depth);
        keep_larger(all.highest_speed, row.highest_speed);
        keep_larger(all.highest_level, row.highest_level);
        all.n_wet += row.n_wet;
    }
    return all;
}

Water::Host Water::download(Stream& stream) const {
    const State& s = *state_;
    return {without_gaps(s.z[std::size_t(s.now)].download(stream), s.nx, s.ny, s.pitch),
            without_gaps(s.u[std::size_t(s.flow)].download(stream), s.nx + 1, s.ny, s.pitch),
            without_gaps(s.v[std::size_t(s.flow_v)].download(stream), s.nx, s.ny + 1, s.pitch)};
}

std::size_t Water::bytes() const {
    const State& s = *state_;
    return 9 * s.bed.bytes() + s.flows[0].bytes() + s.flows[1].bytes() + s.segments.bytes() +
           s.pcg.bytes();
}

}  // namespace tl
