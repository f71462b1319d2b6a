// Pending children of a ray's way through the CPU's 8-wide tree, in near-to-far order or in none.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "accel/bvh/layouts/bvh8.h"
#include "accel/parallel/macros.h"

TL_DEVICE_BEGIN

/// Pending children: the bits of the entry distance above those of the reference. Bit patterns of
/// non-negative floats sort like integers.
class Bvh8Stack {
  public:
    /// Returns the nearest child that the ray hits (the set bits of the mask, at least one) and
    /// pushes the others. False if they do not fit on the stack.
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
    /// Pops the next child that is nearer than t_max; false if there is none.
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
    /// For four or more children: sorts them into the stack, farthest first; returns the nearest.
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

/// Pending children in no order.
class Bvh8AnyStack {
  public:
    Bvh8AnyStack() { refs_[0] = WideRef::kMissing; }
    /// Returns one of the children that the ray hits (the set bits of the mask) and pushes the
    /// others; pops where it hits none. No branch depends on the mask, since half of such branches
    /// would be mispredicted. False if the children do not fit on the stack.
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
    /// The next child; in the end WideRef::kMissing.
    [[nodiscard]] TL_ALWAYS_INLINE std::uint32_t pop() { return *--top_; }

  private:
    static constexpr int kSize = 256;
    /// The numbers of the bits that are set, the lowest first.
    TL_ALWAYS_INLINE static __m256i lanes_of(unsigned bits) {
        std::uint64_t bytes = _pdep_u64(bits, 0x0101010101010101u) * 0xff;
        return _mm256_cvtepu8_epi32(
            _mm_cvtsi64_si128(static_cast<long long>(_pext_u64(0x0706050403020100u, bytes))));
    }

    std::uint32_t refs_[kSize + kWide + 1];
    std::uint32_t* top_ = refs_ + 1;
};

TL_DEVICE_END
