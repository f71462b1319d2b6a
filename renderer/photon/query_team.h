// The threads that look up photons for one place together, so that a place in the focus of a lens,
// with thousands of photons, does not keep all others waiting: eight neighbours in a warp of a GPU,
// one on the CPU.
#pragma once

#include "accel/parallel/macros.h"
#include "accel/parallel/math.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)

class QueryTeam {
  public:
    static constexpr std::uint32_t kThreads = 8;

    [[nodiscard]] __device__ static std::uint32_t rank() { return threadIdx.x % kThreads; }
    /// What the thread of that rank gives.
    [[nodiscard]] __device__ std::uint32_t from(std::uint32_t value, int rank) const {
        return __shfl_sync(mask_, value, rank, kThreads);
    }
    /// Whether no thread of lower rank gives the same.
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

  private:
    unsigned mask_ = 0xffu << (threadIdx.x % 32 / kThreads * kThreads);
};

#else

struct QueryTeam {
    static constexpr std::uint32_t kThreads = 1;

    [[nodiscard]] static std::uint32_t rank() { return 0; }
    [[nodiscard]] static vec3 sum(vec3 v) { return v; }
};

#endif

TL_DEVICE_END
