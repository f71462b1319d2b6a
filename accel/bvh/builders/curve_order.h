// Sorts primitives along a Morton curve: the first step of every bottom-up builder.
#pragma once

#include "accel/tree_builder.h"
#include "core/base/enum_names.h"

namespace tl {

/// Number of bits of the Morton codes, divided among the axes by the extents of the scene.
enum class CodeBits : int {
    bits30,
    bits63,
    automatic,  ///< 23 up to kFewPrimitives, which saves one of four sorting passes; else 30
};
[[nodiscard]] constexpr auto names_of(CodeBits) {
    return std::to_array<EnumName<CodeBits>>(
        {{CodeBits::bits30, "30"}, {CodeBits::bits63, "63"}, {CodeBits::automatic, "auto"}});
}
/// Most primitives that CodeBits::automatic gives 23 bits: twenty cells per primitive on average.
inline constexpr std::size_t kFewPrimitives = 400'000;

/// Initial value of a node's visit word, in builders that climb from the leaves: neither child has
/// arrived yet.
inline constexpr std::uint64_t kUnvisited = ~0ull;

/// Sorted Morton codes, with those of invalid boxes at the end. Distances between neighbours give
/// the order of merges. Two positions are the farther apart, the higher the first bit in which
/// their codes differ. Equal codes are compared by their positions instead.
struct CurveOrder {
    View<const std::uint32_t> codes30;  ///< codes of up to 30 bits; empty if codes63 is set
    View<const std::uint64_t> codes63;  ///< codes of 63 bits; empty if codes30 is set

    /// Distance between positions i and i + 1.
    struct Distance {
        std::uint64_t of_codes;
        std::uint32_t of_places;
    };
    [[nodiscard]] TL_HD Distance distance(std::uint32_t i) const {
        std::uint64_t of_codes =
            codes63.empty() ? codes30[i] ^ codes30[i + 1] : codes63[i] ^ codes63[i + 1];
        return {of_codes, i ^ (i + 1)};
    }
    /// Whether the node over positions [first, last] of `n` is the left child of its parent. The
    /// parent's number is the last position of its left child: `last` if this is the left child,
    /// else first - 1.
    [[nodiscard]] TL_HD bool is_left_child(std::uint32_t first, std::uint32_t last,
                                           std::uint32_t n) const {
        if (first == 0) return true;
        if (last + 1 == n) return false;
        Distance a = distance(last), b = distance(first - 1);
        return a.of_codes != b.of_codes ? a.of_codes < b.of_codes : a.of_places < b.of_places;
    }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sorts the boxes by the Morton codes of their centres. Sets tree.order and the header's
    /// n_valid and n_dropped. Returns the sorted codes in scratch memory of the caller's scope.
    CurveOrder sort_along_curve(Scratch& scratch, const BuildInput& input, BinaryTree& tree,
                                CodeBits bits);
)
// clang-format on
