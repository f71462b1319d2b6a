// The settings of the tree builder `octree`.
#pragma once

#include "core/base/settings.h"

namespace tl {

struct OctreeTreeConfig {
    int cell_size = 4;     ///< most centroids of boxes in a cell
    float references = 3;  ///< capacity, per primitive

    [[nodiscard]] static const SettingsOf<OctreeTreeConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

}  // namespace tl
