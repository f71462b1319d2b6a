// The gain of MSAC (Torr and Zisserman 2000) of the models of RANSAC's samples: the sum of 1 -
// (error / threshold)^2 over the inliers. Scoring ends early for models that are clearly worse than
// the best one (after Chum and Matas 2008).
#pragma once

#include <bit>

#include "solvers/pose/ransac/ransac_samples.h"

TL_DEVICE_BEGIN

namespace pose {

/// Whether scoring of a model with this gain after the first `n_seen` of all matches ends. A model
/// as good as the best so far falls that far below its mean once in 30,000 times.
TL_D inline bool is_hopeless(float gain, float best_gain, std::uint32_t n_seen,
                             std::uint32_t count) {
    float expected = best_gain * static_cast<float>(n_seen) / static_cast<float>(count);
    return gain < expected - 4 * sqrtf(expected);
}

/// A gain and a number in one, which sort by the gain, and by the lower number where these are
/// equal. Gains are not negative.
TL_D inline std::uint64_t gain_key(float gain, std::uint32_t number) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(gain)} << 32 | (~number & 0xffffffffu);
}
TL_D inline float gain_of_key(std::uint64_t key) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32));
}
TL_D inline std::uint32_t number_of_key(std::uint64_t key) {
    return ~static_cast<std::uint32_t>(key);
}

/// Number of matches per step of a sum of gains; scoring can end after each step.
inline constexpr std::uint32_t kScored = 128;

/// The gain of matches c under a model; 0 for outliers and where a coordinate is NaN.
template <class Problem>
TL_D Lanes<float> gain_of(const float* model, const MatchView& matches, std::uint32_t i,
                          float inverse) {
    Lanes<float> c[Problem::kCoordinates];
    for (int k = 0; k < Problem::kCoordinates; ++k)
        c[k] = load_lanes(matches.rounded.data + k * matches.stride + i);
    Lanes<float> gain =
        Lanes<float>(1.0f) - Problem::squared_error(model, c) * Lanes<float>(inverse);
    return eigen::select(gain > Lanes<float>(0.0f), gain, Lanes<float>(0.0f));
}

#if defined(__CUDACC__)

constexpr unsigned kScoreThreads = 256;

/// A warp for each sample.
template <class Problem>
__global__ void __launch_bounds__(kScoreThreads)
    score_samples_kernel(SampleMemory<Problem> memory, View<std::uint64_t> bests, MatchView matches,
                         float inverse) {
    const StateOf<Problem>& state = memory.state.data[0];
    std::uint32_t sample = blockIdx.x * (kScoreThreads / 32) + threadIdx.x / 32;
    std::uint32_t lane = threadIdx.x % 32;
    if (sample >= state.n_now) return;
    std::uint64_t best = 0;
    std::uint32_t n_models = memory.n_models.data[sample];
    for (std::uint32_t k = 0; k < n_models; ++k) {
        float model[Problem::kModel];
        for (int j = 0; j < Problem::kModel; ++j) model[j] = memory.model(sample, k)[j];
        float total = 0;
        for (std::uint32_t from = 0; from < matches.count; from += kScored) {
            float sum = 0;
            for (std::uint32_t i = from + lane; i < from + kScored && i < matches.count; i += 32)
                sum += gain_of<Problem>(model, matches, i, inverse);
            for (int offset = 16; offset; offset /= 2) sum += __shfl_xor_sync(~0u, sum, offset);
            total += sum;
            if (is_hopeless(total, state.raw_gain, from + kScored, matches.count)) break;
        }
        std::uint64_t key = gain_key(total, k);
        best = key > best ? key : best;
    }
    if (lane == 0) bests.data[sample] = best;
}

#else

template <class Problem>
std::uint64_t score_sample(const SampleMemory<Problem>& memory, const MatchView& matches,
                           float inverse, std::uint32_t sample) {
    constexpr auto kStep = static_cast<std::uint32_t>(kLanes<float>);
    const float raw_gain = memory.state.data[0].raw_gain;
    std::uint64_t best = 0;
    for (std::uint32_t k = 0; k < memory.n_models.data[sample]; ++k) {
        const float* model = memory.model(sample, k);
        float total = 0;
        for (std::uint32_t from = 0; from < matches.count; from += kScored) {
            Lanes<float> sum(0.0f);
            std::uint32_t end = std::min(from + kScored, matches.count);
            for (std::uint32_t i = from; i < end; i += kStep)
                sum += gain_of<Problem>(model, matches, i, inverse);
            total += sum_of_lanes(sum);
            if (is_hopeless(total, raw_gain, from + kScored, matches.count)) break;
        }
        best = std::max(best, gain_key(total, k));
    }
    return best;
}

#endif

/// The best gain of each sample of a round, which has at most `capacity`, and its model, as
/// `bests`.
template <class Problem>
void score_samples(Stream& stream, const SampleMemory<Problem>& memory, const MatchView& matches,
                   double threshold, std::uint32_t capacity, View<std::uint64_t> bests) {
    auto inverse = static_cast<float>(1 / (threshold * threshold));
#if defined(__CUDACC__)
    launch(stream, "score models", blocks_for(capacity, kScoreThreads / 32), kScoreThreads,
           score_samples_kernel<Problem>, memory, bests, matches, inverse);
#else
    (void)capacity;
    constexpr std::uint32_t kGrain = 8;
    parallel_for(
        stream, "score models", memory.state.data[0].n_now,
        [=](std::uint32_t sample) {
            bests.data[sample] = score_sample(memory, matches, inverse, sample);
        },
        kGrain);
#endif
}

}  // namespace pose

TL_DEVICE_END
