// Exchange of pivot candidates between the blocks of a cluster. Every block writes its best
// candidate, with the whole row, into the shared memory of all blocks (st.async). Each block waits
// for the number of bytes that it is to receive. No other order is enforced, so that no thread
// waits for its own writes to memory. Only files compiled by nvcc include this header.
#pragma once

#include <cooperative_groups.h>

#include "core/device/warp.h"

namespace tl::cuda {

inline constexpr int kMostBlocks = 16;  ///< most blocks of a cluster

// Parts of the cluster, which older GPUs do not have.
__device__ __forceinline__ int cluster_rank() {
#if __CUDA_ARCH__ >= 900
    return static_cast<int>(cooperative_groups::this_cluster().block_rank());
#else
    return 0;
#endif
}
/// Synchronises all threads of the cluster; their earlier writes are then visible to all.
__device__ __forceinline__ void cluster_sync() {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().sync();
#endif
}
/// Synchronises the cluster in two parts, between which a thread may do work that the others need
/// not see.
__device__ __forceinline__ void cluster_arrive() {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().barrier_arrive();
#endif
}
__device__ __forceinline__ void cluster_wait() {
#if __CUDA_ARCH__ >= 900
    cooperative_groups::this_cluster().barrier_wait();
#endif
}
/// The same variable of another block's shared memory.
template <class V>
__device__ __forceinline__ V* in_block(V* shared, int rank) {
#if __CUDA_ARCH__ >= 900
    return cooperative_groups::this_cluster().map_shared_rank(shared, rank);
#else
    return shared;
#endif
}

__device__ __forceinline__ std::uint32_t shared_address(const void* shared) {
    return static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
}
/// Copies one element from memory to shared memory without waiting for it.
template <class T>
__device__ __forceinline__ void fetch(T* to, const T* from) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared_address(to)), "l"(from),
                 "n"(sizeof(T))
                 : "memory");
#else
    *to = *from;
#endif
}
/// Waits for the elements that this thread fetched.
__device__ __forceinline__ void wait_for_fetched() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// A barrier in a block's shared memory, at which its threads wait for bytes that blocks send.
struct Inbox {
    std::uint64_t barrier;

    /// Called by one thread; all threads of the cluster synchronise afterwards.
    __device__ void init() {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&barrier))
                     : "memory");
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#endif
    }
    /// Sets the number of bytes that will arrive; called by one thread, once for each wait. Some
    /// may have arrived already.
    __device__ __forceinline__ void expect([[maybe_unused]] std::uint32_t bytes) {
#if __CUDA_ARCH__ >= 900
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                         shared_address(&barrier)),
                     "r"(bytes)
                     : "memory");
#endif
    }
    /// Returns when all bytes have arrived. `parity`: that of the number of waits before this one.
    __device__ __forceinline__ void wait([[maybe_unused]] std::uint32_t parity) {
#if __CUDA_ARCH__ >= 900
        for (std::uint32_t done = 0; done == 0;)
            asm volatile(
                "{\n.reg .pred done;\n"
                "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [%1], %2;\n"
                "selp.u32 %0, 1, 0, done;\n}"
                : "=r"(done)
                : "r"(shared_address(&barrier)), "r"(parity)
                : "memory");
#endif
    }
};

/// Writes 16 bytes to `to` in the block of that rank, and counts them in its inbox.
__device__ __forceinline__ void send([[maybe_unused]] void* to, [[maybe_unused]] uint4 bytes,
                                     [[maybe_unused]] Inbox* inbox, [[maybe_unused]] int rank) {
#if __CUDA_ARCH__ >= 900
    std::uint32_t there = 0, box = 0;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(shared_address(to)), "r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(box) : "r"(shared_address(inbox)), "r"(rank));
    asm volatile(
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
        "[%5];" ::"r"(there),
        "r"(bytes.x), "r"(bytes.y), "r"(bytes.z), "r"(bytes.w), "r"(box)
        : "memory");
#endif
}

/// A candidate's magnitude as an unsigned number of the same order; 0: no candidate. NaN, which
/// only an overflow makes, is the largest.
struct Key {
    std::uint32_t high, low;
    std::uint32_t row;

    __device__ static Key none() { return {0, 0, kNoRow}; }
    __device__ static Key of(double value, std::uint32_t row) {
        return {(static_cast<std::uint32_t>(__double2hiint(value)) & 0x7fffffffu) + 1,
                static_cast<std::uint32_t>(__double2loint(value)), row};
    }
    __device__ static Key of(float value, std::uint32_t row) {
        return {(static_cast<std::uint32_t>(__float_as_int(value)) & 0x7fffffffu) + 1, 0, row};
    }
    __device__ bool operator>(const Key& other) const {
        return high > other.high || (high == other.high && low > other.low);
    }
    static constexpr std::uint32_t kNoRow = 0xffffffffu;
};

/// Returns the lane of the warp with the largest key; of equal keys the one with the upper row.
template <class T>
__device__ __forceinline__ int best_lane(const Key& key) {
    bool among = key.high == warp_maximum(key.high);
    unsigned lanes = __ballot_sync(kWholeWarp, among);
    // Seldom, the same for all lanes.
    if ((lanes & (lanes - 1)) != 0) {
        if constexpr (sizeof(T) == 8) {
            std::uint32_t low = warp_maximum(among ? key.low : 0u);
            among = among && key.low == low;
        }
        std::uint32_t row = warp_minimum(among ? key.row : Key::kNoRow);
        lanes = __ballot_sync(kWholeWarp, among && key.row == row);
    }
    return __ffs(static_cast<int>(lanes)) - 1;
}

/// 1 / value without branches, by Newton steps from the processor's estimate, so that it overlaps
/// with other instructions. 0 where the reciprocal is subnormal, infinite or undefined; such pivots
/// divide.
__device__ __forceinline__ double reciprocal_or_0(double value) {
    double x;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(x) : "d"(value));
    x = fma(x, fma(-value, x, 1.0), x);
    x = fma(x, fma(-value, x, 1.0), x);
    double size = fabs(value);
    return size >= 1e-307 && size <= 1e307 ? x : 0.0;
}
__device__ __forceinline__ float reciprocal_or_0(float value) {
    float x;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(x) : "f"(value));
    x = fmaf(x, fmaf(-value, x, 1.0f), x);
    float size = fabsf(value);
    return size >= 2e-38f && size <= 8e37f ? x : 0.0f;
}

/// A candidate with its row, from the column that is eliminated on.
template <class T, int kCols>
struct alignas(16) Offer {
    std::uint32_t number;  ///< row in the panel; Key::kNoRow: no candidate
    T reciprocal;          ///< reciprocal of the first element, or 0
    alignas(16) T row[kCols];

    [[nodiscard]] __device__ Key key() const {
        return number == Key::kNoRow ? Key::none() : Key::of(row[0], number);
    }
    /// Parts of 16 bytes that have the first `left` elements.
    __device__ static int parts(int left) {
        constexpr int kInPart = 16 / static_cast<int>(sizeof(T));
        return 1 + (left + kInPart - 1) / kInPart;
    }
};

/// The candidates of a step, double-buffered. No block overwrites a buffer before all have read it,
/// since each step waits for the candidates of all blocks.
template <class T, int kCols, int kWarps>
struct Offers {
    Offer<T, kCols> from_block[2][kMostBlocks];
    Offer<T, kCols> from_warp[2][kWarps];
    Inbox inbox[2];
};

}  // namespace tl::cuda
