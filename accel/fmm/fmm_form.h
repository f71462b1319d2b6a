// Form and order of the expansions of the fast multipole method.
#pragma once

#include "accel/parallel/enum_names.h"

namespace tl {

/// Representation of a node's expansion.
enum class FmmExpansion : int {
    interpolation,  ///< values at Chebyshev points in the box of its points
    harmonics,      ///< a series of solid harmonics about its middle
};
[[nodiscard]] constexpr auto names_of(FmmExpansion) {
    return std::to_array<EnumName<FmmExpansion>>(
        {{FmmExpansion::interpolation, "interpolation"}, {FmmExpansion::harmonics, "harmonics"}});
}

struct FmmForm {
    FmmExpansion expansion = FmmExpansion::interpolation;
    /// Points along each axis, or the number of degrees of the series.
    int order = 3;
};

/// Single precision leaves nothing to gain by higher orders of interpolation.
struct FmmOrder {
    static constexpr int kLeast = 2, kMost = 6, kMostHarmonics = 8;
};

}  // namespace tl
