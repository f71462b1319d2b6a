// Pairs of nodes in the queue of the visibility search, and their visibility.
#pragma once

#include <cstdint>

#include "core/base/macros.h"

TL_DEVICE_BEGIN

/// Two nodes in a queue, packed in a word with the lower index in the upper half.
struct NodePair {
    static constexpr std::uint32_t kNear = 1u << 31, kSeen = 1u << 30;

    std::uint32_t a, b;
    std::uint32_t flags;  ///< kNear: summed point by point; kSeen: known to be fully visible

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

/// Classification of a pair by visibility.
enum class NodeVisibility : std::uint8_t {
    visible,   ///< linked with weight 1
    fraction,  ///< linked with the visible fraction as weight
    partial,   ///< leaves linked by visibility bits of their pairs of points
    split,     ///< partially visible, replaced by pairs of children
    few,       ///< visible with few points, replaced by pairs of children
    hidden,    ///< not linked
};

/// Result of a pair's visibility rays.
struct Seen {
    float fraction;        ///< visible fraction of the light
    std::uint16_t n_rays;  ///< number of rays traced
    NodeVisibility visibility;
    bool is_clear;  ///< no ray was occluded
};
static_assert(sizeof(Seen) == 8);

TL_DEVICE_END
