#include "accel/octree/octree_tree_config.h"

#include "accel/octree/octree.h"

namespace tl {

const SettingsOf<OctreeTreeConfig>& OctreeTreeConfig::declared_settings() {
    static const SettingsOf<OctreeTreeConfig> all{
        {"cell-size", &OctreeTreeConfig::cell_size, 1, OctreeConfig::kMostLeafSize, "middles",
         "most middles of boxes in a cell"},
        {"references", &OctreeTreeConfig::references, 1, 8, "per primitive",
         "room for the references of boxes that meet several cells"},
    };
    return all;
}

}  // namespace tl
