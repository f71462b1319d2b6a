// Atomics and uncached loads for bottom-up builders, and an integer encoding of ordered floats.
#pragma once

#include <cstdint>

#include "core/base/math.h"

#if !defined(__CUDACC__)
#include <atomic>
#endif

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
/// Swaps in `value` with acquire-release order: a thread that reads `value` sees what this thread
/// (or its warp, before a __syncwarp) wrote, and this thread sees what the writer of the old value
/// wrote. Two full fences around the swap were measured at several times its cost.
__device__ inline std::uint32_t atomic_exchange(std::uint32_t* at, std::uint32_t value) {
    std::uint32_t old;
    asm volatile("atom.acq_rel.gpu.global.exch.b32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(at), "r"(value)
                 : "memory");
    return old;
}
__device__ inline std::uint64_t atomic_exchange(std::uint64_t* at, std::uint64_t value) {
    std::uint64_t old;
    asm volatile("atom.acq_rel.gpu.global.exch.b64 %0, [%1], %2;"
                 : "=l"(old)
                 : "l"(at), "l"(value)
                 : "memory");
    return old;
}
/// An exchange without memory order, for values that publish no other writes.
__device__ inline std::uint32_t atomic_exchange_relaxed(std::uint32_t* at, std::uint32_t value) {
    return atomicExch(at, value);
}
/// Follows a relaxed exchange: writes that the writer of the old value released are visible from
/// here on.
__device__ inline void acquire_fence() {
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
}
__device__ inline std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value) {
    return atomicAdd(at, value);
}
/// Adds 1 and returns the old value, with acquire-release order, as atomic_exchange(): the last of
/// those that arrive sees what all others wrote before.
__device__ inline std::uint32_t atomic_arrive(std::uint32_t* at) {
    std::uint32_t old;
    asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(at) : "memory");
    return old;
}
/// Adds 1 and returns the old value; the active threads of a warp share one atomic operation.
__device__ inline std::uint32_t atomic_append(std::uint32_t* at) {
    unsigned lanes = __activemask();
    unsigned lane = threadIdx.x % 32;
    int leader = __ffs(static_cast<int>(lanes)) - 1;
    std::uint32_t first = 0;
    if (static_cast<int>(lane) == leader)
        first = atomicAdd(at, static_cast<std::uint32_t>(__popc(lanes)));
    first = __shfl_sync(lanes, first, leader);
    return first + static_cast<std::uint32_t>(__popc(lanes & ((1u << lane) - 1)));
}
__device__ inline void atomic_or(std::uint32_t* at, std::uint32_t bits) {
    atomicOr(at, bits);
}
/// Loads a struct of 16-byte words, or one word, that another SM may have written; bypasses the L1
/// cache, which is not coherent.
template <class T>
__device__ inline T load_fresh(const T* at) {
    constexpr int kWords = sizeof(T) / 16;
    static_assert(sizeof(T) == 16 * kWords);
    float4 words[kWords];
    for (int k = 0; k < kWords; ++k) words[k] = __ldcg(reinterpret_cast<const float4*>(at) + k);
    T value;
    memcpy(&value, words, sizeof value);
    return value;
}
__device__ inline std::uint64_t load_fresh(const std::uint64_t* at) {
    return __ldcg(reinterpret_cast<const unsigned long long*>(at));
}
#else
inline std::uint32_t atomic_exchange(std::uint32_t* at, std::uint32_t value) {
    return std::atomic_ref(*at).exchange(value, std::memory_order_acq_rel);
}
inline std::uint64_t atomic_exchange(std::uint64_t* at, std::uint64_t value) {
    return std::atomic_ref(*at).exchange(value, std::memory_order_acq_rel);
}
inline std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value) {
    return std::atomic_ref(*at).fetch_add(value, std::memory_order_relaxed);
}
inline std::uint32_t atomic_arrive(std::uint32_t* at) {
    return std::atomic_ref(*at).fetch_add(1, std::memory_order_acq_rel);
}
inline std::uint32_t atomic_append(std::uint32_t* at) {
    return atomic_add(at, 1);
}
inline void atomic_or(std::uint32_t* at, std::uint32_t bits) {
    std::atomic_ref(*at).fetch_or(bits, std::memory_order_relaxed);
}
template <class T>
inline T load_fresh(const T* at) {
    return *at;
}
#endif

#if defined(__CUDACC__)
/// Loads a struct of 16-byte words through the read-only cache.
template <class T>
__device__ inline T load_words(const T* at) {
    constexpr int kWords = sizeof(T) / 16;
    static_assert(sizeof(T) == 16 * kWords);
    float4 words[kWords];
    for (int k = 0; k < kWords; ++k) words[k] = __ldg(reinterpret_cast<const float4*>(at) + k);
    T value;
    memcpy(&value, words, sizeof value);
    return value;
}
#else
template <class T>
inline const T& load_words(const T* at) {
    return *at;
}
#endif

/// Adds to a sum that no other thread reads or changes concurrently. A GPU with atomic additions of
/// four numbers does not wait for the result.
TL_D inline void add_to_sum(vec4& sum, vec4 value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    atomicAdd(reinterpret_cast<float4*>(&sum), make_float4(value.x, value.y, value.z, value.w));
#else
    sum += value;
#endif
}

/// Floats as unsigned integers of the same order, for atomic minima and maxima.
TL_HD inline std::uint32_t ordered_from_float(float value) {
    std::uint32_t bits = bits_of_float(value);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
TL_HD inline float float_from_ordered(std::uint32_t ordered) {
    return float_of_bits(ordered & 0x80000000u ? ordered & 0x7fffffffu : ~ordered);
}

TL_DEVICE_END
