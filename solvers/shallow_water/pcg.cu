// The semi-implicit scheme with one system of five points. The system is solved for the change of
// the level, in floats. Its residual carries over to the next step, since the new level follows
// from the flows. So the volume is conserved however far the iteration has converged.
#include "solvers/shallow_water/pcg.h"

#include "solvers/shallow_water/momentum.h"
#include "solvers/shallow_water/pcg_loops.h"
#include "solvers/shallow_water/water_terms.h"

TL_DEVICE_BEGIN

using namespace pcg;

namespace {

constexpr float kDamping = 0.8f;  // damping of Jacobi's smoother
constexpr int kCoarsestSweeps = 24;
/// Less than this below the bed is rounding, m.
constexpr double kDryRounding = 1e-12;
constexpr int kMostDrySweeps = 1000;

/// Calls op(l, s, t) for all faces of one direction.
template <class Op>
void for_faces(Stream& stream, const char* name, const WaterLines& lines, Op op) {
    WaterLines l = lines;
    bool rows = l.step == 1;
    parallel_for(
        stream, name, static_cast<std::uint32_t>(l.n + 1) * static_cast<std::uint32_t>(l.m),
        TL_LAMBDA(std::uint32_t i) {
            int inner = rows ? l.n + 1 : l.m;
            int s = static_cast<int>(i) % inner, t = static_cast<int>(i) / inner;
            if (!rows) s = static_cast<int>(i) / inner, t = static_cast<int>(i) % inner;
            op(l, s, t);
        });
}

/// Off-diagonal elements and known flows of all faces of one direction.
void set_faces(Stream& stream, const WaterLines& lines, float* a, double* flow) {
    for_faces(
        stream, "faces", lines, TL_LAMBDA(const WaterLines& l, int s, int t) {
            FaceTerms face = face_terms<false>(l, l.advection, s, t);
            int at = l.cell(s, t);
            a[at] = static_cast<float>(face.a);
            flow[at] = face.a * face.e * l.over_kappa + l.drop_along * flow_along(l, s, t);
        });
}

/// The change of the level by known flows, rain and the slope of the level at(i, j).
template <class At>
TL_D TL_ALWAYS_INLINE double change_of(const PcgStep& step, const WaterGrid& g, int i, int j,
                                       At&& at) {
    int k = i + j * g.pitch;
    double rest = step.x.rest;
    double known =
        step.rain - (step.u_new[k + 1] - step.u_new[k]) - (step.v_new[k + g.pitch] - step.v_new[k]);
    return known - spread(g, i, j, at(i, j) - rest, [&](int p, int q) { return at(p, q) - rest; });
}

/// Grids below the first: elements of faces are those of the finer faces, over twice the distance.
void set_coarse(const Run& run, const std::vector<WaterGrid>& grids) {
    for (std::size_t k = 0; k < grids.size(); ++k) {
        WaterGrid g = grids[k];
        if (k > 0) {
            WaterGrid f = grids[k - 1];
            parallel_for(
                run.stream, "coarse faces", static_cast<std::uint32_t>((g.nx + 1) * (g.ny + 1)),
                TL_LAMBDA(std::uint32_t index) {
                    int i = static_cast<int>(index) % (g.nx + 1);
                    int j = static_cast<int>(index) / (g.nx + 1);
                    int x = 2 * i < f.nx ? 2 * i : f.nx, y = 2 * j < f.ny ? 2 * j : f.ny;
                    int at = i + j * g.pitch;
                    if (j < g.ny)
                        g.ax[at] =
                            0.5f * (f.ax[x + 2 * j * f.pitch] +
                                    (2 * j + 1 < f.ny ? f.ax[x + (2 * j + 1) * f.pitch] : 0));
                    if (i < g.nx)
                        g.ay[at] = 0.5f * (f.ay[2 * i + y * f.pitch] +
                                           (2 * i + 1 < f.nx ? f.ay[2 * i + 1 + y * f.pitch] : 0));
                });
        }
        run.over(
            "diagonal", g, false, TL_LAMBDA(int i, int j) {
                int at = i + j * g.pitch;
                g.inverse[at] = 1 / (mass_of(g, i, j) + g.ax[at] + g.ax[at + 1] + g.ay[at] +
                                     g.ay[at + g.pitch]);
                return 0.0;
            });
    }
}

/// A sweep of Jacobi's smoother from 0, and its residual, summed over each cell of the next grid.
void go_down(const Run& run, const WaterGrid& f, const WaterGrid& c) {
    run.over(
        "restrict", c, false, TL_LAMBDA(int i, int j) {
            auto smoothed = [&](int p, int q) {
                int at = p + q * f.pitch;
                return kDamping * f.inverse[at] * f.r[at];
            };
            float sum = 0;
            for (int y = 2 * j; y < 2 * j + 2 && y < f.ny; ++y)
                for (int x = 2 * i; x < 2 * i + 2 && x < f.nx; ++x) {
                    float here = smoothed(x, y);
                    sum += f.r[x + y * f.pitch] - mass_of(f, x, y) * here -
                           spread(f, x, y, here, smoothed);
                }
            c.r[i + j * c.pitch] = sum;
            return 0.0;
        });
}

/// Adds the coarser grid's correction to the first sweep, and sweeps once more. Sums r x.
void go_up(const Run& run, const WaterGrid& f, const WaterGrid& c, bool sums) {
    run.over(
        "prolong", f, sums, TL_LAMBDA(int i, int j) {
            auto smoothed = [&](int p, int q) {
                int at = p + q * f.pitch;
                return kDamping * f.inverse[at] * f.r[at] + c.x[p / 2 + q / 2 * c.pitch];
            };
            int at = i + j * f.pitch;
            float here = smoothed(i, j), r = f.r[at];
            float left = r - mass_of(f, i, j) * here - spread(f, i, j, here, smoothed);
            float x = here + kDamping * f.inverse[at] * left;
            f.x[at] = x;
            return double(r) * double(x);
        });
}

/// The coarsest grid, in one block: many sweeps.
struct SmoothCoarsest {
    static constexpr int kMost = 128;
    struct Shared {
        float x[2][kMost];
    };
    WaterGrid g;
    const PcgScalars* scalars;

    template <class B>
    TL_D void operator()(const B& block, Shared& shared) const {
        if (scalars->done) return;
        int n = g.nx * g.ny;
        for (int k = int(block.rank); k < n; k += int(B::size)) shared.x[0][k] = 0;
        block.sync();
        int now = 0;
        for (int sweep = 0; sweep < kCoarsestSweeps; ++sweep, now ^= 1) {
            for (int k = int(block.rank); k < n; k += int(B::size)) {
                int i = k % g.nx, j = k / g.nx, at = i + j * g.pitch;
                float here = shared.x[now][k];
                auto x = [&](int p, int q) { return shared.x[now][p + q * g.nx]; };
                float left = g.r[at] - mass_of(g, i, j) * here - spread(g, i, j, here, x);
                shared.x[now ^ 1][k] = here + kDamping * g.inverse[at] * left;
            }
            block.sync();
        }
        for (int k = int(block.rank); k < n; k += int(B::size))
            g.x[k % g.nx + k / g.nx * g.pitch] = shared.x[now][k];
    }
};

/// x = M r on the finest grid: one V-cycle, the same up as down, so that M is symmetric.
void precondition(const Run& run, const std::vector<WaterGrid>& grids) {
    for (std::size_t k = 0; k + 1 < grids.size(); ++k) go_down(run, grids[k], grids[k + 1]);
    launch_blocks<64>(run.stream, "coarsest grid", 1, SmoothCoarsest{grids.back(), run.scalars});
    for (std::size_t k = grids.size() - 1; k-- > 0;) go_up(run, grids[k], grids[k + 1], k == 0);
}

void iterate(const Run& run, PcgMemory& memory) {
    WaterGrid g = memory.grids[0];
    const PcgScalars* s = run.scalars;
    precondition(run, memory.grids);
    finish(run, g, Sum::rz);
    const float* p = memory.p;
    float *p_next = memory.p_next, *q = memory.q, *e = memory.e;
    run.over(
        "direction", g, true, TL_LAMBDA(int i, int j) {
            float beta = s->beta;
            auto direction = [&](int x, int y) {
                int at = x + y * g.pitch;
                return g.x[at] + beta * p[at];
            };
            int at = i + j * g.pitch;
            float here = direction(i, j);
            float product = mass_of(g, i, j) * here + spread(g, i, j, here, direction);
            p_next[at] = here;
            q[at] = product;
            return double(here) * double(product);
        });
    finish(run, g, Sum::pq);
    run.over(
        "update", g, true, TL_LAMBDA(int i, int j) {
            int at = i + j * g.pitch;
            e[at] += s->alpha * p_next[at];
            float r = g.r[at] - s->alpha * q[at];
            g.r[at] = r;
            return double(r) * double(r);
        });
    finish(run, g, Sum::rr);
    std::swap(memory.p, memory.p_next);
}

/// Difference of the new level across face s of line t; e is the level's change.
TL_D TL_ALWAYS_INLINE double rise_at(const WaterLines& l, const float* e, int s, int t) {
    bool wraps = l.border == WaterBorder::periodic;
    auto level = [&](int at) {
        if (wraps) at = at < 0 ? l.n - 1 : at == l.n ? 0 : at;
        if (at < 0 || at == l.n) return l.rest;
        int cell = l.cell(at, t);
        return l.z[cell] + double(e[cell]);
    };
    return level(s) - level(s - 1);
}

/// The cell that a flow through face s of line t leaves; -1 beyond a border.
TL_D TL_ALWAYS_INLINE int giver_of(const WaterLines& l, int s, int t, double flow) {
    int giver = flow > 0 ? s - 1 : s;
    if (giver < 0 || giver == l.n) {
        if (l.border != WaterBorder::periodic) return -1;
        giver = giver < 0 ? l.n - 1 : 0;
    }
    return l.cell(giver, t);
}
/// The flow through a face, reduced by the factor of the cell that it leaves.
TL_D TL_ALWAYS_INLINE double given_flow(const WaterLines& l, int s, int t, const double* flow,
                                        const double* given) {
    double whole = flow[l.cell(s, t)];
    int giver = giver_of(l, s, t, whole);
    return giver < 0 ? whole : whole * given[giver];
}

/// The flows of a step. Each cell's flows out are reduced by a factor.
struct GivenFlows {
    WaterLines x, y;
    double rain;
    const double *flow_x, *flow_y;

    /// Calls op(flow into the cell, reduced flow into the cell) for its faces.
    template <class Op>
    TL_D TL_ALWAYS_INLINE void inwards(int i, int j, const double* given, Op&& op) const {
        op(flow_x[x.cell(i, j)], given_flow(x, i, j, flow_x, given));
        op(-flow_x[x.cell(i + 1, j)], -given_flow(x, i + 1, j, flow_x, given));
        op(flow_y[y.cell(j, i)], given_flow(y, j, i, flow_y, given));
        op(-flow_y[y.cell(j + 1, i)], -given_flow(y, j + 1, i, flow_y, given));
    }
    /// The level that results from the reduced flows.
    [[nodiscard]] TL_D double level(int i, int j, const double* given) const {
        double change = rain;
        inwards(i, j, given, [&](double, double part) { change += part; });
        return x.z[x.cell(i, j)] + change;
    }
    /// The factor of the cell, given those of its neighbours.
    [[nodiscard]] TL_D double share(int i, int j, const double* given) const {
        int cell = x.cell(i, j);
        double has = x.z[cell] - x.bed[cell] + rain, out = 0;
        inwards(i, j, given, [&](double whole, double part) {
            has += larger(part, 0.0);
            out += larger(-whole, 0.0);
        });
        if (!(has - given[cell] * out < -kDryRounding)) return given[cell];
        return smaller(given[cell], larger(0.0, has / out));
    }
};

/// Finds the factors by which cells reduce their flows out so that no level falls below the bed: 1,
/// and less where all flows would take more than the water. Then neighbours get less, so sweeps are
/// repeated until no cell lacks water. Factors only fall, so the result is the least change.
/// `given` and `next` are equal at the end, unless sweeps have run out. Waits.
void find_shares(const Run& run, const WaterGrid& g, const GivenFlows& flows, double* given,
                 double* next) {
    PcgScalars scalars;
    scalars.most = kMostDrySweeps;
    Device& device = run.stream.device();
    device.upload(run.stream, run.scalars, &scalars, sizeof scalars);
    run.over(
        "all is given", g, false, TL_LAMBDA(int i, int j) {
            given[i + j * g.pitch] = 1;
            return 0.0;
        });
    // Most steps need one sweep, which reduces no flow.
    for (int n = 1; !scalars.done; n = 8) {
        for (int k = 0; k < n; ++k, std::swap(given, next)) {
            run.over(
                "keep depths", g, true, TL_LAMBDA(int i, int j) {
                    int at = i + j * g.pitch;
                    double share = flows.share(i, j, given);
                    next[at] = share;
                    return share < given[at] ? 1.0 : 0.0;
                });
            finish(run, g, Sum::lacks);
        }
        device.download(run.stream, &scalars, run.scalars, sizeof scalars);
    }
}

/// Stores the reduced flows of one direction.
void keep_flows(Stream& stream, const WaterLines& lines, const double* flow, const double* given,
                double* kept) {
    for_faces(
        stream, "given flows", lines, TL_LAMBDA(const WaterLines& l, int s, int t) {
            kept[l.cell(s, t)] = given_flow(l, s, t, flow, given);
        });
}

/// Replaces the flows of one direction by its velocities, from the change of the level.
void set_velocities(Stream& stream, const WaterLines& lines, const float* e, const double* given,
                    double* w_new) {
    for_faces(
        stream, "velocities", lines, TL_LAMBDA(const WaterLines& l, int s, int t) {
            FaceTerms face = face_terms<false>(l, l.advection, s, t);
            int giver = giver_of(l, s, t, w_new[l.cell(s, t)]);
            double share = giver < 0 ? 1 : given[giver];
            w_new[l.cell(s, t)] = share * face.r * (face.e - l.kappa * rise_at(l, e, s, t));
        });
}

}  // namespace

WaterStep pcg_step(Stream& stream, const PcgStep& given, PcgMemory& memory) {
    PcgStep step = given;
    for (auto& grid : memory.grids) {
        grid.ring_x = step.x.border == WaterBorder::periodic;
        grid.ring_y = step.y.border == WaterBorder::periodic;
    }
    WaterGrid g = memory.grids[0];
    PcgScalars scalars;
    scalars.tolerance = double(step.tolerance);
    scalars.most = step.most_iterations;
    Device& device = stream.device();
    device.upload(stream, memory.scalars.data(), &scalars, sizeof scalars);
    Run run{stream, memory.scalars.data(), memory.partial.data()};
    device.fill_zero(stream, memory.e, g.size() * sizeof(float));
    set_faces(stream, step.x, g.ax, step.u_new);
    set_faces(stream, step.y, g.ay, step.v_new);
    set_coarse(run, memory.grids);
    run.over(
        "residual", g, true, TL_LAMBDA(int i, int j) {
            const double* z = step.x.z;
            auto r = static_cast<float>(
                change_of(step, g, i, j, [&](int p, int q) { return z[p + q * g.pitch]; }));
            g.r[i + j * g.pitch] = r;
            return double(r) * double(r);
        });
    finish(run, g, Sum::start);
    int launched = 0;
    do {
        int n = launched > 0 ? 4 : memory.guess;
        for (int k = 0; k < n; ++k) iterate(run, memory);
        launched += n;
        device.download(stream, &scalars, memory.scalars.data(), sizeof scalars);
    } while (!scalars.done);
    memory.guess = scalars.iterations > 2 ? scalars.iterations : 2;

    const float* e = memory.e;
    auto add_driven = [&](const WaterLines& lines, const float* a, double* flow) {
        for_faces(
            stream, "flows", lines, TL_LAMBDA(const WaterLines& l, int s, int t) {
                int at = l.cell(s, t);
                flow[at] -= double(a[at]) * rise_at(l, e, s, t);
            });
    };
    add_driven(step.x, g.ax, step.u_new);
    add_driven(step.y, g.ay, step.v_new);
    GivenFlows flows{step.x, step.y, step.rain, step.u_new, step.v_new};
    find_shares(run, g, flows, step.given, step.z_new);
    parallel_for(
        stream, "levels", static_cast<std::uint32_t>(g.nx) * static_cast<std::uint32_t>(g.ny),
        TL_LAMBDA(std::uint32_t index) {
            int i = static_cast<int>(index) % g.nx, j = static_cast<int>(index) / g.nx;
            step.z_new[i + j * g.pitch] = flows.level(i, j, step.given);
        });
    if (step.flows_x) {
        keep_flows(stream, step.x, step.u_new, step.given, step.flows_x);
        keep_flows(stream, step.y, step.v_new, step.given, step.flows_y);
    }
    set_velocities(stream, step.x, e, step.given, step.u_new);
    set_velocities(stream, step.y, e, step.given, step.v_new);
    if (step.flows_x) {
        keep_momentum(stream, step.x, {step.flows_x, step.flows_y}, step.z_new, step.u_new);
        keep_momentum(stream, step.y, {step.flows_y, step.flows_x}, step.z_new, step.v_new);
    }
    // The residual is NaN where a number is not finite.
    double start = scalars.rr_start;
    return {scalars.iterations, start == 0 ? 0.0 : std::sqrt(scalars.rr / start)};
}

TL_DEVICE_END
