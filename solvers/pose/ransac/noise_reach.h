// Estimates the radius of the inliers' noise. MSAC's threshold is chosen before anything is known
// of the noise. If it is narrower than the noise, the refinement of the best pose loses inliers; if
// it is wider, outliers take part.
#pragma once

#include "solvers/pose/ransac/refine_pose.h"

TL_DEVICE_BEGIN

namespace pose {

/// Radius in standard deviations of normal noise in one direction or two. The errors within it keep
/// 94 % of the information of inliers about a pose.
template <int kDirections>
inline constexpr double kNoiseReach = kDirections == 1 ? 2.7 : 3;
/// Variance of the errors within this radius, as a fraction of the variance of all.
template <int kDirections>
inline constexpr double kVarianceWithin = kDirections == 1 ? 0.9433 : 0.9494;

/// Sets result[0] to the number of matches within `reach` of the frame in `shared`, result[1] to
/// the sum of their squared errors, and result[2] to the number from `from` to `to` away. The whole
/// block calls and leaves it together.
template <class Problem, class Block>
TL_D void count_near(const Block& block, RefineShared<Problem>& shared, const MatchView& matches,
                     double reach, double from, double to, double* result) {
    using Real = Lanes<double>;
    constexpr auto kStep = static_cast<std::uint32_t>(kLanes<double>);
    constexpr int kSums = 3;
    Real sums[kSums] = {Real(0.0), Real(0.0), Real(0.0)};
    for (std::uint32_t i = block.rank * kStep; i < matches.count; i += Block::size * kStep) {
        Real c[Problem::kCoordinates], r[Problem::kResiduals], squares(0.0);
        for (int k = 0; k < Problem::kCoordinates; ++k)
            c[k] = load_lanes(matches.exact.data + k * matches.stride + i);
        Problem::template residual<false, false>(shared.frame, c, r, static_cast<Real*>(nullptr));
        for (int k = 0; k < Problem::kResiduals; ++k) squares += r[k] * r[k];
        auto near = squares < Real(reach * reach);  // never where a coordinate is NaN
        auto beside = (squares > Real(from * from)) & (squares < Real(to * to));
        sums[0] += eigen::select(near, Real(1.0), Real(0.0));
        sums[1] += eigen::select(near, squares, Real(0.0));
        sums[2] += eigen::select(beside, Real(1.0), Real(0.0));
    }
    sum_block<Problem, kSums>(block, shared, sums, result);
}

/// Radius of the noise of matches around shared.pose: kNoiseReach standard deviations, limited to a
/// range of multiples of `threshold`. The deviation follows from the errors within that radius,
/// less those of outliers. Outliers have uniform density; they are counted from two to four
/// thresholds away. Returns `threshold` where too few matches are within the radius.
template <class Problem, class Block>
TL_D double noise_reach(const Block& block, RefineShared<Problem>& shared, const MatchView& matches,
                        double threshold) {
    constexpr int kDirections = Problem::kResiduals, kMostPasses = 8;
    constexpr double kLeast = 1. / 32, kMost = 3, kFrom = 2, kTo = 4, kEnough = 4;
    if (block.rank == 0) shared.frame = Problem::frame_of(shared.pose);
    block.sync();
    double reach = threshold;
    for (int pass = 0; pass < kMostPasses; ++pass) {
        count_near(block, shared, matches, reach, kFrom * threshold, kTo * threshold, shared.trial);
        auto volume = [](double radius) {
            return kDirections == 1 ? radius : radius * radius;  // up to the factor 2 or pi
        };
        double wrong =
            shared.trial[2] * volume(reach) / (volume(kTo * threshold) - volume(kFrom * threshold));
        double right = shared.trial[0] - wrong;
        double squares = shared.trial[1] - wrong * reach * reach * kDirections / (kDirections + 2);
        // The fitted pose takes kParameters degrees of freedom.
        double freedom = right * kDirections - Problem::kParameters;
        block.sync();
        if (!(freedom > kEnough * Problem::kParameters)) return threshold;
        double variance = fmax(squares, 0.0) / freedom / kVarianceWithin<kDirections>;
        double next = fmin(fmax(kNoiseReach<kDirections> * sqrt(variance), kLeast * threshold),
                           kMost * threshold);
        bool last = fabs(next - reach) < 0.05 * reach;
        reach = next;
        if (last) break;
    }
    return reach;
}

}  // namespace pose

TL_DEVICE_END
