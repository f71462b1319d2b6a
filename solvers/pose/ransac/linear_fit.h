// Fits a matrix between two views to all its inliers by linear least squares: the normalised
// eight-point algorithm (Hartley 1997) and the normalised direct linear transformation, by the
// threads of a block.
#pragma once

#include "solvers/pose/ransac/refine_pose.h"

TL_DEVICE_BEGIN

namespace pose {

/// The unit vector x of n with the least x' A x, by inverse iteration. A is symmetric and not
/// negative: its lower triangle, row by row, is replaced by Cholesky's factor.
template <int n>
TL_D void least_eigenvector(double* a, double* x) {
    auto at = [&](int i, int j) -> double& { return a[i * (i + 1) / 2 + j]; };
    double trace = 0;
    for (int i = 0; i < n; ++i) trace += at(i, i);
    // The shift keeps the pivots of a singular matrix positive.
    constexpr double kShift = 1e-14;
    for (int i = 0; i < n; ++i) {
        at(i, i) += kShift * trace;
        for (int j = 0; j <= i; ++j) {
            double sum = at(i, j);
            for (int k = 0; k < j; ++k) sum -= at(i, k) * at(j, k);
            at(i, j) = i > j ? sum / at(j, j) : sqrt(fmax(sum, 1e-3 * kShift * trace));
        }
        x[i] = 1;
    }
    constexpr int kSteps = 8;
    for (int step = 0; step < kSteps; ++step) {
        double squares = 0;
        for (int i = 0; i < n; ++i) {
            for (int k = 0; k < i; ++k) x[i] -= at(i, k) * x[k];
            x[i] /= at(i, i);
        }
        for (int i = n - 1; i >= 0; --i) {
            for (int k = i + 1; k < n; ++k) x[i] -= at(k, i) * x[k];
            x[i] /= at(i, i);
            squares += x[i] * x[i];
        }
        for (int i = 0; i < n; ++i) x[i] /= sqrt(squares);
    }
}

/// Adds up `sums` over the matches nearer to the frame in `shared` than `threshold`;
/// add(c, sums) adds a match, whose coordinates are 0 where it is farther away.
template <int kSums, class Problem, class Block, class Add>
TL_D void sum_inliers(const Block& block, RefineShared<Problem>& shared, const MatchView& matches,
                      double threshold, double* result, const Add& add) {
    using Real = Lanes<double>;
    constexpr auto kStep = static_cast<std::uint32_t>(kLanes<double>);
    Real sums[kSums];
    for (auto& sum : sums) sum = Real(0.0);
    for (std::uint32_t i = block.rank * kStep; i < matches.count; i += Block::size * kStep) {
        Real c[Problem::kCoordinates], r[Problem::kResiduals], squares(0.0);
        for (int k = 0; k < Problem::kCoordinates; ++k)
            c[k] = load_lanes(matches.exact.data + k * matches.stride + i);
        Problem::template residual<false, false>(shared.frame, c, r, static_cast<Real*>(nullptr));
        for (int k = 0; k < Problem::kResiduals; ++k) squares += r[k] * r[k];
        auto near = squares < Real(threshold * threshold);  // never where a coordinate is NaN
        for (Real& x : c) x = eigen::select(near, x, Real(0.0));
        add(eigen::select(near, Real(1.0), Real(0.0)), c, sums);
    }
    sum_block<Problem, kSums>(block, shared, sums, result);
}

/// The centres of the inliers in both views, and their root mean square distances from them; the
/// whole block calls it. The number of inliers is left in shared.trial[0].
template <class Problem, class Block>
TL_D ViewScaling scaling_of_inliers(const Block& block, RefineShared<Problem>& shared,
                                    const MatchView& matches, double threshold) {
    using Real = Lanes<double>;
    sum_inliers<7>(block, shared, matches, threshold, shared.trial,
                   [](Real near, const Real* c, Real* sums) {
                       sums[0] += near;
                       for (int k = 0; k < 4; ++k) {
                           sums[1 + k] += c[k];
                           sums[5 + k / 2] += c[k] * c[k];
                       }
                   });
    ViewScaling scaling;
    const double* sums = shared.trial;
    for (int view = 0; view < 2; ++view) {
        double squares = sums[5 + view] / sums[0];
        for (int k = 2 * view; k < 2 * view + 2; ++k) {
            scaling.center[k] = sums[1 + k] / sums[0];
            squares -= scaling.center[k] * scaling.center[k];
        }
        scaling.scale[view] = squares > 0 ? sqrt(squares) : 1;
    }
    return scaling;
}

/// Fits shared.pose to the matches nearer than `threshold`, and keeps the result if its gain is
/// higher. The whole block calls and leaves it together.
template <class Problem, class Block>
TL_D void fit_linear(const Block& block, RefineShared<Problem>& shared, const MatchView& matches,
                     double threshold) {
    using Real = Lanes<double>;
    if (block.rank == 0) shared.frame = Problem::frame_of(shared.pose);
    block.sync();
    const auto scaling = scaling_of_inliers(block, shared, matches, threshold);
    const bool enough = shared.trial[0] > Problem::kSample;
    block.sync();
    if (!enough) return;
    sum_inliers<RefineSizes<Problem>::kLinearSums>(
        block, shared, matches, threshold, shared.trial, [&](Real near, const Real* c, Real* sums) {
            Real scaled[4], rows[9 * Problem::kLinearRows];
            for (int k = 0; k < 4; ++k)
                scaled[k] = (c[k] - Real(scaling.center[k])) * Real(1 / scaling.scale[k / 2]);
            Problem::linear_rows(scaled, rows);
            for (int row = 0; row < Problem::kLinearRows; ++row)
                for (int p = 0, at = 0; p < 9; ++p) {
                    Real own = near * rows[9 * row + p];
                    for (int q = 0; q <= p; ++q) sums[at++] += own * rows[9 * row + q];
                }
        });
    if (block.rank == 0) {
        double elements[9];
        least_eigenvector<9>(shared.trial, elements);
        shared.next = Problem::from_linear(elements, scaling);
    }
    sum_matches<Problem, false, false>(block, shared, matches, threshold, shared.sums);
    block.sync();
    if (block.rank == 0) shared.frame = Problem::frame_of(shared.next);
    block.sync();
    sum_matches<Problem, false, false>(block, shared, matches, threshold, shared.trial);
    block.sync();
    if (block.rank == 0 && shared.trial[0] > shared.sums[0]) shared.pose = shared.next;
    block.sync();
}

}  // namespace pose

TL_DEVICE_END
