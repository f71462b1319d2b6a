#include "app/commands/pcl_peer.h"

#include "core/base/error.h"

#if defined(TL_HAS_PCL)

#include <pcl/octree/octree_pointcloud_pointvector.h>
#include <pcl/octree/impl/octree_pointcloud.hpp>

namespace tl {

bool has_pcl_peer() {
    return true;
}

PclMeasurement measure_pcl(const std::vector<Surfel>& points, int leaf_size, int repeat,
                           const ReadProgress& progress) {
    using Cloud = pcl::PointCloud<pcl::PointXYZ>;
    Cloud::Ptr cloud(new Cloud);
    Box box;
    for (auto& point : points) {
        vec3 p = point.position;
        if (!(largest(glm::abs(p)) <= Surfel::kFarthest) || glm::any(glm::isnan(p))) continue;
        cloud->push_back({p.x, p.y, p.z});
        box.extend(p);
    }
    PclMeasurement m;
    m.n_points = cloud->size();
    if (cloud->empty()) return m;
    // A cube like that of our trees, but for a rim, since PCL's does not hold its upper sides.
    double extent = std::max(double(largest(box.hi - box.lo)) * (1 + 1e-6), 1e-30);
    double cell = extent / (1 << 20);
    auto stream = find_device("cpu").create_stream();
    WorkTimer timer(*stream, repeat, 0, progress);
    m.build_ms = timer.time(repeat, [&] {
        pcl::octree::OctreePointCloudPointVector<pcl::PointXYZ> octree(cell);
        octree.defineBoundingBox(double(box.lo.x), double(box.lo.y), double(box.lo.z),
                                 double(box.lo.x) + extent, double(box.lo.y) + extent,
                                 double(box.lo.z) + extent);
        octree.enableDynamicDepth(static_cast<std::size_t>(leaf_size));
        octree.setInputCloud(cloud);
        octree.addPointsFromInputCloud();
        m.n_leaves = octree.getLeafCount();
        m.n_nodes = m.n_leaves + octree.getBranchCount();
    });
    return m;
}

}  // namespace tl

#else

namespace tl {

bool has_pcl_peer() {
    return false;
}

PclMeasurement measure_pcl(const std::vector<Surfel>&, int, int, const ReadProgress&) {
    throw UserError("--peers: this build has no PCL: install libpcl-dev and configure again");
}

}  // namespace tl

#endif
