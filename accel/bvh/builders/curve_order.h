// Primitives along a Morton curve: the first half of every builder that works bottom-up.
#pragma once

#include "accel/tree_builder.h"

namespace tl {

/// Bits of the codes that a curve is cut into; the axes share them by the extents of the scene.
enum class CodeBits : int {
    bits30,
    bits63,
    automatic,  ///< 23 up to kFewPrimitives, which saves one of four passes of the sort; else 30
};
/// Twenty cells to a primitive on average at 23 bits.
inline constexpr std::size_t kFewPrimitives = 400'000;

/// In the place of a node's first visitor, where builders that climb from the leaves had none yet.
inline constexpr std::uint64_t kUnvisited = ~0ull;

/// Sorted codes, those of boxes that are not valid at the end. Distances between neighbours order
/// the merges of the tree: the higher the first bit in which two codes differ, the farther they
/// are; equal codes are told apart by their places.
struct CurveOrder {
    View<const std::uint32_t> codes30;  ///< up to 30 bits; one of the two is empty
    View<const std::uint64_t> codes63;

    /// How far place i is from i + 1.
    struct Distance {
        std::uint64_t of_codes;
        std::uint32_t of_places;
    };
    [[nodiscard]] TL_HD Distance distance(std::uint32_t i) const {
        std::uint64_t of_codes =
            codes63.empty() ? codes30[i] ^ codes30[i + 1] : codes63[i] ^ codes63[i + 1];
        return {of_codes, i ^ (i + 1)};
    }
    /// Whether the node over places [first, last] of `n` is the left child of its parent, which is
    /// numbered by the last place of its left half: last if this is the left child, else first - 1.
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
    /// Sets tree.order and the header's n_valid and n_dropped, and returns the sorted codes in
    /// scratch memory of the caller's scope.
    CurveOrder sort_along_curve(Scratch& scratch, const BuildInput& input, BinaryTree& tree,
                                CodeBits bits);
)
// clang-format on
