// How expansions of the fast multipole method are made.
#pragma once

#include "accel/parallel/enum_names.h"

namespace tl {

/// What the expansion of a node is.
enum class FmmExpansion : int {
    interpolation,  ///< values at the places of Chebyshev polynomials in the box of its points
    harmonics,      ///< a series of solid harmonics about its middle
};
[[nodiscard]] constexpr auto names_of(FmmExpansion) {
    return std::to_array<EnumName<FmmExpansion>>(
        {{FmmExpansion::interpolation, "interpolation"}, {FmmExpansion::harmonics, "harmonics"}});
}

struct FmmForm {
    FmmExpansion expansion = FmmExpansion::interpolation;
    /// Places along each axis, or how many degrees the series has.
    int order = 3;
};

/// Single precision leaves nothing to gain by higher orders of interpolation.
struct FmmOrder {
    static constexpr int kLeast = 2, kMost = 6, kMostHarmonics = 8;
};

}  // namespace tl
