#include "core/device/parallel_for.h"
#include "renderer/scene/live/live_points.h"

TL_DEVICE_BEGIN

void collect_surfels(Stream& stream, const SceneView& scene, const PointCounts& counts,
                     View<Surfel> surfels) {
    SceneView view = scene;
    PointCounts n = counts;
    parallel_for(
        stream, "points", n.all(), TL_LAMBDA(std::uint32_t i) {
            Surfel surfel;
            if (i < n.spheres) {
                surfel.position = view.spheres[i].center;
            } else if (i < n.spheres + n.splats) {
                auto& splat = view.splats.splats[i - n.spheres];
                surfel = {splat.center, kPi * splat.radius * splat.radius, splat.normal, 0};
            } else {
                surfel.position = view.positions[i - n.spheres - n.splats];
            }
            surfels[i] = surfel;
        });
}

TL_DEVICE_END
