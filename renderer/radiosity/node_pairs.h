// Pairs of nodes in a queue, and what has been found out about them.
#pragma once

#include <cstdint>

#include "accel/parallel/macros.h"

TL_DEVICE_BEGIN

/// Two nodes in a queue, the one of lower index in the upper half of a word.
struct NodePair {
    static constexpr std::uint32_t kNear = 1u << 31, kSeen = 1u << 30;

    std::uint32_t a, b;
    std::uint32_t flags;  ///< kNear: to be summed point by point; kSeen: known to see each other

    TL_HD NodePair(std::uint32_t one, std::uint32_t other, std::uint32_t flags)
        : a(one < other ? one : other), b(one < other ? other : one), flags(flags) {}
    TL_HD explicit NodePair(std::uint64_t word)
        : a(static_cast<std::uint32_t>(word >> 32)),
          b(static_cast<std::uint32_t>(word) & ~(kNear | kSeen)),
          flags(static_cast<std::uint32_t>(word) & (kNear | kSeen)) {}
    [[nodiscard]] TL_HD bool is_near() const { return flags & kNear; }
    [[nodiscard]] TL_HD bool is_seen() const { return flags & kSeen; }
    [[nodiscard]] TL_HD std::uint64_t word() const { return std::uint64_t(a) << 32 | b | flags; }
};

/// What becomes of a pair.
enum class Sight : std::uint8_t {
    visible,  ///< linked as it is
    fraction,
    partial,
    split,  ///< replaced by pairs of children, which see each other in part
    few,    ///< replaced likewise, since they have few points
    hidden,
};

/// What rays tell of a pair.
struct Seen {
    float fraction;
    std::uint16_t n_rays;
    Sight sight;
    bool is_clear;  ///< every ray has passed
};
static_assert(sizeof(Seen) == 8);

TL_DEVICE_END
