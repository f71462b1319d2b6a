// Traversal stacks of the CPU's 8-wide BVH. They hold the children that a ray or a packet has still
// to visit: sorted by distance for the closest hit, unsorted for any hit of a single ray.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "accel/bvh/layouts/bvh8.h"
#include "core/base/macros.h"

TL_DEVICE_BEGIN

/// Stack of pending children, the nearest of each node on top. An entry holds the bits of the entry
/// distance above those of the child's reference. As an integer it sorts by distance, since bit
/// patterns of non-negative floats do.
class Bvh8Stack {
  public:
    /// Sets `ref` to the nearest child that the ray hits and pushes the others. The mask has a bit
    /// for each child that the ray hits, at least one. `entry` holds the distances to the children.
    /// Returns false if the stack is too full for them; `ref` is then any hit child, and the others
    /// are lost.
    TL_ALWAYS_INLINE bool keep_all_but_one(const Bvh8Node& node, unsigned met, __m256 entry,
                                           std::uint32_t& ref) {
        int first = std::countr_zero(met);
        met &= met - 1;
        ref = node.children[first];
        if (met == 0) return true;
        if (top_ > entries_ + kSize - kWide) return false;
        alignas(32) std::uint32_t distances[kWide];
        _mm256_store_ps(reinterpret_cast<float*>(distances), entry);
        auto next = [&] {
            int i = std::countr_zero(met);
            met &= met - 1;
            return std::uint64_t(distances[i]) << 32 | node.children[i];
        };
        std::uint64_t a = std::uint64_t(distances[first]) << 32 | ref, b = next();
        order(a, b);
        if (met == 0) {
            *top_++ = b;
        } else {
            std::uint64_t c = next();
            order(b, c);
            order(a, b);
            if (met == 0) {
                top_[0] = c;
                top_[1] = b;
                top_ += 2;
            } else {
                a = keep_many(a, b, c, met, next);
            }
        }
        ref = static_cast<std::uint32_t>(a);
        return true;
    }
    /// Sets `ref` to the topmost child that is at most `t_max` away, and drops those above it.
    /// Returns false if there is none.
    TL_ALWAYS_INLINE bool pop(float t_max, std::uint32_t& ref) {
        while (top_ != entries_) {
            std::uint64_t last = *--top_;
            ref = static_cast<std::uint32_t>(last);
            if (std::bit_cast<float>(static_cast<std::uint32_t>(last >> 32)) <= t_max) return true;
        }
        return false;
    }

  private:
    static constexpr int kSize = 256;
    TL_ALWAYS_INLINE static void order(std::uint64_t& a, std::uint64_t& b) {
        std::uint64_t near = a < b ? a : b, far = a < b ? b : a;
        a = near;
        b = far;
    }
    /// Sorts four or more children into the stack, farthest first; returns the nearest.
    template <class Next>
    std::uint64_t keep_many(std::uint64_t a, std::uint64_t b, std::uint64_t c, unsigned& met,
                            Next& next) {
        std::uint64_t* bottom = top_;
        top_[0] = c;
        top_[1] = b;
        top_[2] = a;
        top_ += 3;
        do {
            std::uint64_t child = next();
            std::uint64_t* at = top_++;
            for (; at != bottom && at[-1] < child; --at) *at = at[-1];
            *at = child;
        } while (met);
        return *--top_;
    }

    std::uint64_t entries_[kSize];
    std::uint64_t* top_ = entries_;
};

/// Unsorted stack of pending children.
class Bvh8AnyStack {
  public:
    Bvh8AnyStack() { refs_[0] = WideRef::kMissing; }
    /// Sets `ref` to one of the children that the ray hits and pushes the others; pops `ref` if the
    /// ray hits none. The mask has a bit for each child that the ray hits. No branch depends on it,
    /// since half of such branches would be mispredicted. Returns false if the stack is too full;
    /// the children are then lost, and `ref` is popped.
    TL_ALWAYS_INLINE bool go_on(const Bvh8Node& node, unsigned met, std::uint32_t& ref) {
        if (top_ > refs_ + kSize) {
            ref = pop();
            return false;
        }
        int last = std::bit_width(met | 1u) - 1;
        ref = *(met ? node.children + last : top_ - 1);
        __m256i children = _mm256_load_si256(reinterpret_cast<const __m256i*>(node.children));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(top_),
                            _mm256_permutevar8x32_epi32(children, lanes_of(met)));
        top_ += std::popcount(met) - 1;
        return true;
    }
    /// Pops the topmost child; WideRef::kMissing from an empty stack.
    [[nodiscard]] TL_ALWAYS_INLINE std::uint32_t pop() { return *--top_; }

  private:
    static constexpr int kSize = 256;
    /// Returns the numbers of the bits that are set, the lowest first.
    TL_ALWAYS_INLINE static __m256i lanes_of(unsigned bits) {
        std::uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xff;
        return _mm256_cvtepu8_epi32(
            _mm_cvtsi64_si128(static_cast<long long>(_pext_u64(0x0706050403020100u, bytes))));
    }

    std::uint32_t refs_[kSize + kWide + 1];
    std::uint32_t* top_ = refs_ + 1;
};

TL_DEVICE_END
