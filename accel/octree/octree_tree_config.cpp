#include "accel/octree/octree_tree_config.h"

#include "accel/octree/octree.h"

namespace tl {

const SettingsOf<OctreeTreeConfig>& OctreeTreeConfig::declared_settings() {
    static const SettingsOf<OctreeTreeConfig> all{
        {"cell-size", &OctreeTreeConfig::cell_size, 1, OctreeConfig::kMostLeafSize, "middles",
         "largest number of box centroids in a cell"},
        {"references", &OctreeTreeConfig::references, 1, 8, "per primitive",
         "capacity for references of boxes that overlap several cells"},
    };
    return all;
}

}  // namespace tl
