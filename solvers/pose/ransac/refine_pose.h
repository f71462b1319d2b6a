// Refines a pose on all matches: Levenberg and Marquardt's steps on the gain of MSAC (Torr and
// Zisserman 2000), the sum of 1 - (error / threshold)^2 of all inliers, by the threads of a block.
#pragma once

#include "core/device/block.h"
#include "solvers/pose/lanes.h"
#include "solvers/pose/ransac/ransac_kernels.h"

TL_DEVICE_BEGIN

namespace pose {

#if defined(__CUDACC__)
inline constexpr int kRefineThreads = 256;
#else
inline constexpr int kRefineThreads = 1;
#endif

template <class Problem>
struct RefineSizes {
    static constexpr int kParameters = Problem::kParameters;
    static constexpr int kProducts = kParameters * (kParameters + 1) / 2;
    /// The gain, the number of inliers, J' r, and the lower triangle of J' J.
    static constexpr int kSums = 2 + kParameters + kProducts;
    /// Sums of a linear fit: the lower triangle of the products of nine unknowns.
    static constexpr int kLinearSums = Problem::kHasLinear ? 45 : 0;
    static constexpr int kMost = kSums > kLinearSums ? kSums : kLinearSums;
};

/// Shared memory of a block.
template <class Problem>
struct RefineShared {
    static constexpr int kMostWarps = 8;
    double of_warps[RefineSizes<Problem>::kMost * kMostWarps];
    double sums[RefineSizes<Problem>::kMost];   ///< at `pose`
    double trial[RefineSizes<Problem>::kMost];  ///< at `next`, or of a linear fit
    typename Problem::Pose pose, next;
    typename Problem::Frame frame;
    double damping;
    bool done;
};

/// Adds up sums of all threads of the block, which calls and leaves it together.
template <class Problem, int kSums, class Block>
TL_D void sum_block([[maybe_unused]] const Block& block,
                    [[maybe_unused]] RefineShared<Problem>& shared, const Lanes<double>* sums,
                    double* result) {
#if defined(__CUDACC__)
    constexpr int kWarps = Block::size / 32;
    static_assert(kWarps <= RefineShared<Problem>::kMostWarps);
    for (int k = 0; k < kSums; ++k) {
        double sum = sums[k];
        for (int offset = 16; offset; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
        if (block.rank % 32 == 0) shared.of_warps[k * kWarps + block.rank / 32] = sum;
    }
    block.sync();
    for (auto k = block.rank; k < kSums; k += Block::size) {
        double sum = 0;
        for (int w = 0; w < kWarps; ++w) sum += shared.of_warps[k * kWarps + w];
        result[k] = sum;
    }
    block.sync();
#else
    for (int k = 0; k < kSums; ++k) result[k] = sum_of_lanes(sums[k]);
#endif
}

/// The sums over all matches at the frame in `shared`; called and left by the whole block.
template <class Problem, bool kExact, bool kDerivatives, class Block>
TL_D void sum_matches(const Block& block, RefineShared<Problem>& shared, const MatchView& matches,
                      double threshold, double* result) {
    using Real = Lanes<double>;
    constexpr int kParameters = Problem::kParameters;
    constexpr int kSums = kDerivatives ? RefineSizes<Problem>::kSums : 2;
    constexpr auto kStep = static_cast<std::uint32_t>(kLanes<double>);
    Real sums[kSums];
    for (auto& sum : sums) sum = Real(0.0);
    const Real inverse(1 / (threshold * threshold));
    for (std::uint32_t i = block.rank * kStep; i < matches.count; i += Block::size * kStep) {
        Real c[Problem::kCoordinates], r[Problem::kResiduals];
        Real j[Problem::kResiduals * kParameters];
        for (int k = 0; k < Problem::kCoordinates; ++k)
            c[k] = load_lanes(matches.exact.data + k * matches.stride + i);
        Problem::template residual<kExact, kDerivatives>(shared.frame, c, r, j);
        Real gain(1.0);
        for (int k = 0; k < Problem::kResiduals; ++k) gain -= r[k] * r[k] * inverse;
        auto inlier = gain > Real(0.0);  // never where a coordinate is NaN
        sums[0] += eigen::select(inlier, gain, Real(0.0));
        sums[1] += eigen::select(inlier, Real(1.0), Real(0.0));
        if constexpr (kDerivatives) {
            for (int k = 0; k < Problem::kResiduals; ++k) {
                Real own = eigen::select(inlier, r[k], Real(0.0));
                Real* row = j + k * kParameters;
                int at = 2 + kParameters;
                for (int p = 0; p < kParameters; ++p) {
                    row[p] = eigen::select(inlier, row[p], Real(0.0));
                    sums[2 + p] += row[p] * own;
                    for (int q = 0; q <= p; ++q) sums[at++] += row[p] * row[q];
                }
            }
        }
    }
    sum_block<Problem, kSums>(block, shared, sums, result);
}

/// Solves (J' J + damping * diagonal) step = -J' r by Cholesky's factors. False where the system is
/// singular.
template <class Problem>
TL_D bool solve_normal(const double* sums, double damping, double* step) {
    constexpr int n = Problem::kParameters;
    double l[n * n];
    const double* products = sums + 2 + n;
    for (int i = 0, at = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j, ++at) {
            double sum = products[at] * (i == j ? 1 + damping : 1);
            for (int k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
            if (i > j) {
                l[i * n + j] = sum / l[j * n + j];
                continue;
            }
            if (!(sum > 0)) return false;
            l[i * n + i] = sqrt(sum);
        }
    for (int i = 0; i < n; ++i) {
        double sum = -sums[2 + i];
        for (int k = 0; k < i; ++k) sum -= l[i * n + k] * step[k];
        step[i] = sum / l[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        double sum = step[i];
        for (int k = i + 1; k < n; ++k) sum -= l[k * n + i] * step[k];
        step[i] = sum / l[i * n + i];
    }
    return true;
}

/// Improves shared.pose by up to `most_steps` steps; shared.sums are those at the result.
template <class Problem, bool kExact, class Block>
TL_D void refine(const Block& block, RefineShared<Problem>& shared, const MatchView& matches,
                 double threshold, int most_steps) {
    if (block.rank == 0) {
        shared.frame = Problem::frame_of(shared.pose);
        shared.damping = 1e-4;
        shared.done = false;
    }
    block.sync();
    sum_matches<Problem, kExact, true>(block, shared, matches, threshold, shared.sums);
    for (int i = 0; i < most_steps; ++i) {
        if (block.rank == 0) {
            double step[Problem::kParameters] = {};
            bool solved = solve_normal<Problem>(shared.sums, shared.damping, step);
            double squares = 0, promised = 0;
            for (int k = 0; k < Problem::kParameters; ++k) {
                squares += step[k] * step[k];
                promised -= step[k] * shared.sums[2 + k] / (threshold * threshold);
            }
            // Rejects a step that is zero, too large or not a number, or whose promised gain is
            // negligible beside the inliers' squared errors.
            double lost = shared.sums[1] - shared.sums[0];
            shared.done =
                !solved || !(squares > 1e-22) || !(squares < 1e6) || promised < 1e-7 * lost;
            if (!shared.done) {
                shared.next = Problem::stepped(shared.pose, step);
                shared.frame = Problem::frame_of(shared.next);
            }
        }
        block.sync();
        if (shared.done) break;
        sum_matches<Problem, kExact, true>(block, shared, matches, threshold, shared.trial);
        bool better = shared.trial[0] > shared.sums[0];
        bool little = shared.trial[0] < shared.sums[0] * (1 + 1e-9);
        block.sync();
        if (better) {
            for (auto k = block.rank; k < RefineSizes<Problem>::kSums; k += Block::size)
                shared.sums[k] = shared.trial[k];
            if (block.rank == 0) {
                shared.pose = shared.next;
                shared.damping = shared.damping / 10;
            }
            block.sync();
            if (little) break;
        } else {
            bool hopeless = shared.damping > 1e3;
            block.sync();
            if (hopeless) break;
            constexpr double kLeastDamping = 1e-3, kGrowth = 100;
            if (block.rank == 0) shared.damping = fmax(shared.damping * kGrowth, kLeastDamping);
        }
    }
}

}  // namespace pose

TL_DEVICE_END
