// Extra bytes of the points of a LAS file, which a record describes ("Extra Bytes" of the ASPRS'
// LAS specification 1.4, table 24), as CloudCompare and PDAL write normals.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "renderer/scene/loaders/points/las_header.h"

namespace tl {

/// One number of each point.
struct LasDimension {
    std::size_t at = 0;  ///< byte within the point
    int type = 0;        ///< 1 to 10: from an unsigned byte to a double
    double scale = 1, offset = 0;

    /// Value for a point whose bytes hold all of it.
    [[nodiscard]] double value_in(std::string_view point) const;
};

/// Finds NormalX, NormalY and NormalZ, names in any case; none unless all three are described and
/// within the points.
[[nodiscard]] std::optional<std::array<LasDimension, 3>> find_las_normals(std::string_view bytes,
                                                                          const LasHeader& header);

}  // namespace tl
