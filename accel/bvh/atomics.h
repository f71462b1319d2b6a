// Atomics and fresh loads that builders climb by, and floats in an order that integer atomics keep.
#pragma once

#include <cstdint>
#include <cstring>

#include "accel/bvh/binary_tree.h"

#if !defined(__CUDACC__)
#include <atomic>
#endif

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
/// What this thread wrote before is seen by whoever reads `value`, and what the writer of the old
/// value wrote is seen by this thread, if it loads with load_fresh().
__device__ inline std::uint32_t atomic_exchange(std::uint32_t* at, std::uint32_t value) {
    __threadfence();
    std::uint32_t old = atomicExch(at, value);
    __threadfence();
    return old;
}
__device__ inline std::uint64_t atomic_exchange(std::uint64_t* at, std::uint64_t value) {
    __threadfence();
    auto old = atomicExch(reinterpret_cast<unsigned long long*>(at), value);
    __threadfence();
    return old;
}
__device__ inline std::uint32_t atomic_add(std::uint32_t* at, std::uint32_t value) {
    return atomicAdd(at, value);
}
__device__ inline void atomic_or(std::uint32_t* at, std::uint32_t bits) {
    atomicOr(at, bits);
}
/// A node or a word that another SM may have written: past the L1 cache, which is not coherent.
__device__ inline BinaryNode load_fresh(const BinaryNode* at) {
    float4 quads[2] = {__ldcg(reinterpret_cast<const float4*>(at)),
                       __ldcg(reinterpret_cast<const float4*>(at) + 1)};
    BinaryNode node;
    memcpy(&node, quads, sizeof node);
    return node;
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
inline void atomic_or(std::uint32_t* at, std::uint32_t bits) {
    std::atomic_ref(*at).fetch_or(bits, std::memory_order_relaxed);
}
inline BinaryNode load_fresh(const BinaryNode* at) {
    return *at;
}
inline std::uint64_t load_fresh(const std::uint64_t* at) {
    return *at;
}
#endif

/// Floats as unsigned integers of the same order, for atomic minima and maxima.
TL_HD inline std::uint32_t ordered_from_float(float value) {
    std::uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits & 0x80000000u ? ~bits : bits | 0x80000000u;
}
TL_HD inline float float_from_ordered(std::uint32_t ordered) {
    std::uint32_t bits = ordered & 0x80000000u ? ordered & 0x7fffffffu : ~ordered;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

TL_DEVICE_END
