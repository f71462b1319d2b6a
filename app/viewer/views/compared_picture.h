// Two pictures shown as one: side by side, as their difference, or as their FLIP error map.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "renderer/images/image_io.h"

namespace tl {

enum class CompareMode { split, difference, flip };

struct CompareModeRow {
    const char* id;     ///< for flags: "split"
    const char* title;  ///< for people
    const char* help;
};
/// In the order of CompareMode.
inline constexpr std::array<CompareModeRow, 3> kCompareModes{{
    {"split", "split", "A left of a line, which can be dragged, and B right of it"},
    {"difference", "difference", "how far their display colours are apart, times a factor"},
    {"flip", "FLIP", "where a viewer who flips between them sees a change, in false colours"},
}};
[[nodiscard]] std::optional<CompareMode> find_compare_mode(const std::string& id);
[[nodiscard]] inline const CompareModeRow& row_of(CompareMode mode) {
    return kCompareModes[static_cast<std::size_t>(mode)];
}

/// Pixels of `a` left of the fraction `at` of the width, and those of `b` right of it. Both
/// pictures have the same size, here and below.
[[nodiscard]] Image8 split_picture(const Image8& a, const Image8& b, float at);
/// The same of two pictures of 16 bits.
[[nodiscard]] Image16 split_picture(const Image16& a, const Image16& b, float at);
/// Absolute difference of their colours times `gain`.
[[nodiscard]] Image8 difference_picture(const Image8& a, const Image8& b, float gain);

}  // namespace tl
