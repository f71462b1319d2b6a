// The system for the level needs the new velocities' momentum before the flows are known, and takes
// it from the old ones. Once the level is solved for, so are the flows: with these, and with the
// new depths, the balance of each face's half cells is a telescoping sum over the faces of a line.
#include "solvers/shallow_water/momentum.h"

#include "core/device/parallel_for.h"
#include "solvers/shallow_water/water_terms.h"

TL_DEVICE_BEGIN

namespace {

/// Calls op(l, s, t) for the faces s of all lines t.
template <class Op>
void for_faces_of_lines(Stream& stream, const char* name, const WaterLines& lines, Op op) {
    WaterLines l = lines;
    bool rows = l.step == 1;
    int n = l.n + 1;
    parallel_for(
        stream, name, static_cast<std::uint32_t>(n) * static_cast<std::uint32_t>(l.m),
        TL_LAMBDA(std::uint32_t i) {
            int inner = rows ? n : l.m;
            int s = static_cast<int>(i) % inner, t = static_cast<int>(i) / inner;
            if (!rows) s = static_cast<int>(i) / inner, t = static_cast<int>(i) % inner;
            op(l, s, t);
        });
}

/// The depth on a face between cells p and q with the level z, which water of this velocity takes.
TL_D inline double depth_between(const WaterLines& l, const double* z, int p, int q,
                                 double velocity) {
    return face_depth(l.advection, z[p], z[q], l.bed[p], l.bed[q], velocity);
}

/// The whole flow through face s of line t, and that through the face below cell s of line t.
TL_D inline double whole_along(const WaterLines& l, const WaterFlows& flows, int s, int t) {
    int at = l.cell(s, t);
    if (!flows.old_along) return flows.along[at];
    auto [left, right] = cells_of_face(l, s);
    double w = l.w[at];
    return flows.along[at] +
           l.drop_along * w * depth_between(l, l.z_before, l.cell(left, t), l.cell(right, t), w);
}
TL_D inline double whole_across(const WaterLines& l, const WaterFlows& flows, int s, int t) {
    double flow = flows.across ? flows.across[l.cell(s, t)] : 0;
    return flows.old_across ? flow + l.drop_across * flow_across(l, s, t) : flow;
}

/// The new velocity of face s of line t.
TL_D inline double balanced_velocity(const WaterLines& l, const WaterFlows& flows,
                                     const double* z_new, int s, int t) {
    bool around = l.border == WaterBorder::periodic;
    bool wraps = l.border_across == WaterBorder::periodic;
    CellPair cells = cells_of_face(l, s);
    int p = l.cell(cells.left, t), q = l.cell(cells.right, t);
    double w = l.w[l.cell(s, t)];
    double c = 0.25 * (l.c[p] + l.c[p + l.across] + l.c[q] + l.c[q + l.across]);
    double depth = depth_between(l, l.z, p, q, w);
    if (!(depth > kDryDepth)) return 0;
    // The mean depth of the half cells at the end, and at the level that the old slope is of.
    double after = larger(0.5 * ((z_new[p] - l.bed[p]) + (z_new[q] - l.bed[q])), 0.25 * depth);
    double before = 0.5 * ((l.z_before[p] - l.bed[p]) + (l.z_before[q] - l.bed[q]));

    int left = s > 0 ? s - 1 : around ? l.n - 1 : 0, right = s < l.n ? s + 1 : around ? 1 : l.n;
    int lower = t > 0 ? t - 1 : wraps ? l.m - 1 : 0, upper = t + 1 < l.m ? t + 1 : wraps ? 0 : t;
    double here = whole_along(l, flows, s, t), over = 0.5 / after;
    double in_left = (whole_along(l, flows, left, t) + here) * over;
    double in_right = -(here + whole_along(l, flows, right, t)) * over;
    auto across = [&](int line) {
        return (whole_across(l, flows, cells.left, line) +
                whole_across(l, flows, cells.right, line)) *
               over;
    };
    // Weights of the neighbouring values, less than 1 in total unless water crosses more than a
    // cell.
    double from_left = larger(in_left, 0.0), from_right = larger(in_right, 0.0);
    double from_below = larger(across(t), 0.0), from_above = larger(-across(t + 1), 0.0);
    double change =
        from_left * (l.w[l.cell(left, t)] - w) + from_right * (l.w[l.cell(right, t)] - w) +
        from_below * (l.w[l.cell(s, lower)] - w) + from_above * (l.w[l.cell(s, upper)] - w);
    double e = w + change / larger(1.0, from_left + from_right + from_below + from_above);
    // The slope's force on the water of its own time; the depth changes much where it falls dry.
    constexpr double kMostChange = 2;
    e -= l.pull_before * smaller(before / after, kMostChange) * (l.z_before[q] - l.z_before[p]);
    return resistance(l, depth, w, c) * (e + wind_push(l, depth) - l.kappa * (z_new[q] - z_new[p]));
}

}  // namespace

void solved_flows(Stream& stream, const WaterLines& lines, const double* w_new, double* along) {
    for_faces_of_lines(
        stream, "flows along", lines, TL_LAMBDA(const WaterLines& l, int s, int t) {
            auto [left, right] = cells_of_face(l, s);
            int at = l.cell(s, t);
            along[at] = l.drop_along * w_new[at] *
                        depth_between(l, l.z, l.cell(left, t), l.cell(right, t), l.w[at]);
        });
}

void keep_momentum(Stream& stream, const WaterLines& lines, const WaterFlows& given,
                   const double* z_new, double* w_new) {
    WaterFlows flows = given;
    for_faces_of_lines(
        stream, "keep momentum", lines, TL_LAMBDA(const WaterLines& l, int s, int t) {
            if ((s == 0 || s == l.n) && l.border != WaterBorder::periodic) return;
            w_new[l.cell(s, t)] = balanced_velocity(l, flows, z_new, s, t);
        });
}

TL_DEVICE_END
