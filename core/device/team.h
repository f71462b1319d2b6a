// Teams of threads that answer one query together, such as the photons around a point. One query
// with thousands of results then does not delay all others. A team is eight neighbouring lanes of a
// warp on a GPU, a wide team a whole warp; on the CPU both are one thread.
#pragma once

#include "core/base/macros.h"
#include "core/base/math.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

/// Lanes [k kLanes, (k + 1) kLanes) of a warp, kLanes = 8 or 32. Code for both devices uses only
/// rank(), sum() and kThreads; the other members are those of a GPU.
template <std::uint32_t kLanes>
class TeamOf {
  public:
    static constexpr std::uint32_t kThreads = kLanes;

    [[nodiscard]] __device__ static std::uint32_t rank() { return threadIdx.x % kThreads; }
    /// Returns the `value` of the thread of that rank.
    [[nodiscard]] __device__ std::uint32_t from(std::uint32_t value, int rank) const {
        return __shfl_sync(mask_, value, rank, kThreads);
    }
    /// Bit r is set where the thread of rank r votes true.
    [[nodiscard]] __device__ unsigned ballot(bool vote) const {
        return (__ballot_sync(mask_, vote) & mask_) >> (threadIdx.x % 32 / kThreads * kThreads);
    }
    /// Whether no thread of lower rank has the same value.
    [[nodiscard]] __device__ bool is_first_of(std::uint32_t value) const {
        unsigned same = __match_any_sync(mask_, value);
        return !(same & ((1u << threadIdx.x % 32) - 1));
    }
    /// The sum of all threads' values.
    [[nodiscard]] __device__ vec3 sum(vec3 v) const {
        for (int offset = kThreads / 2; offset; offset /= 2)
            for (int c = 0; c < 3; ++c) v[c] += __shfl_xor_sync(mask_, v[c], offset, kThreads);
        return v;
    }
    [[nodiscard]] __device__ float sum(float v) const {
        for (int offset = kThreads / 2; offset; offset /= 2)
            v += __shfl_xor_sync(mask_, v, offset, kThreads);
        return v;
    }
    [[nodiscard]] __device__ std::uint32_t sum(std::uint32_t v) const {
        for (int offset = kThreads / 2; offset; offset /= 2)
            v += __shfl_xor_sync(mask_, v, offset, kThreads);
        return v;
    }
    [[nodiscard]] __device__ std::uint32_t minimum_of(std::uint32_t v) const {
        for (int offset = kThreads / 2; offset; offset /= 2)
            v = min(v, __shfl_xor_sync(mask_, v, offset, kThreads));
        return v;
    }
    [[nodiscard]] __device__ std::uint32_t maximum_of(std::uint32_t v) const {
        return ~minimum_of(~v);
    }
    /// Synchronises the team: writes to shared memory by one of its threads are then visible to the
    /// others.
    __device__ void sync() const { __syncwarp(mask_); }

  private:
    unsigned mask_ = (~0u >> (32 - kThreads)) << (threadIdx.x % 32 / kThreads * kThreads);
};
using Team = TeamOf<8>;
using WideTeam = TeamOf<32>;

/// Calls op(team, i) for i in [0, n), from every thread of a team.
template <class Op>
void for_each_team(Stream& stream, const char* name, std::uint32_t n, Op op) {
    parallel_for(
        stream, name, n * Team::kThreads,
        TL_LAMBDA(std::uint32_t thread) { op(Team(), thread / Team::kThreads); });
}

#else

struct Team {
    static constexpr std::uint32_t kThreads = 1;

    [[nodiscard]] static std::uint32_t rank() { return 0; }
    [[nodiscard]] static vec3 sum(vec3 v) { return v; }
    [[nodiscard]] static float sum(float v) { return v; }
    [[nodiscard]] static std::uint32_t sum(std::uint32_t v) { return v; }
};
using WideTeam = Team;

template <class Op>
void for_each_team(Stream& stream, const char* name, std::uint32_t n, Op op) {
    parallel_for(
        stream, name, n, [=](std::uint32_t i) { op(Team(), i); }, 64);
}

#endif

TL_DEVICE_END
