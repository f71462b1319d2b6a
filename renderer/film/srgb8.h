// Encodes linear light as 8-bit sRGB without pow(), for tone mapping on the CPU.
#pragma once

#include <bit>
#include <cstdint>

#include "renderer/images/srgb.h"

namespace tl {

/// Maps every float in [0, 1] to the nearest of 256 levels, up to rounding in the formula. The
/// float's exponent and first seven mantissa bits select an interval with at most one change of
/// level, whose position is in the table.
class Srgb8Table {
  public:
    Srgb8Table() {
        for (std::uint32_t i = 0; i < kEntries; ++i) {
            std::uint32_t first = kFirst + i, bits = first << kShift;
            std::uint32_t end = (first + 1) << kShift;
            entries_[i].level = level_of(bits);
            // Search for the first float of the interval at the higher level, if any.
            std::uint32_t lo = bits, hi = end;
            while (lo < hi) {
                std::uint32_t middle = lo + (hi - lo) / 2;
                if (level_of(middle) > entries_[i].level)
                    hi = middle;
                else
                    lo = middle + 1;
            }
            entries_[i].next = std::bit_cast<float>(lo);
        }
    }
    /// Level of `x` in [0, 1].
    [[nodiscard]] std::uint32_t level(float x) const {
        std::uint32_t interval = std::bit_cast<std::uint32_t>(x) >> kShift;
        if (interval < kFirst) return 0;
        const Entry& entry = entries_[interval - kFirst];
        return entry.level + (x >= entry.next ? 1 : 0);
    }

  private:
    static constexpr int kShift = 16;
    /// Floats below 2^-13 are level 0; 1 has an interval of its own.
    static constexpr std::uint32_t kFirst = std::bit_cast<std::uint32_t>(0x1p-13f) >> kShift;
    static constexpr std::uint32_t kEntries =
        (std::bit_cast<std::uint32_t>(1.0f) >> kShift) - kFirst + 1;
    struct Entry {
        float next;
        std::uint32_t level;
    };
    static std::uint32_t level_of(std::uint32_t bits) {
        return static_cast<std::uint32_t>(srgb_from_linear(std::bit_cast<float>(bits)) * 255.0f +
                                          0.5f);
    }

    Entry entries_[kEntries];
};

}  // namespace tl
