// Basis and order of the expansions of the fast multipole method.
#pragma once

#include "core/base/enum_names.h"

namespace tl {

/// Representation of a node's expansion.
enum class FmmBasis : int {
    /// Equivalent sources, or field values, at Chebyshev nodes of the bounding box of a node's
    /// points.
    interpolation,
    /// Series of solid harmonics about the centre of that box.
    harmonics,
};
[[nodiscard]] constexpr auto names_of(FmmBasis) {
    return std::to_array<EnumName<FmmBasis>>(
        {{FmmBasis::interpolation, "interpolation"}, {FmmBasis::harmonics, "harmonics"}});
}

/// Basis and order of the expansions of all nodes.
struct FmmExpansion {
    FmmBasis basis = FmmBasis::interpolation;
    /// Chebyshev nodes along each axis, or the number of degrees of the series: 0 to order - 1.
    int order = 3;
};

/// Range of FmmExpansion::order. Above kMost, interpolation gains nothing in single precision.
struct FmmOrder {
    static constexpr int kLeast = 2, kMost = 6, kMostHarmonics = 8;
};

}  // namespace tl
