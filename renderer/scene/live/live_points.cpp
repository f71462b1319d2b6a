#include "renderer/scene/live/live_points.h"

namespace tl {

PointCounts count_points(const Scene& scene) {
    std::size_t n = 0;
    for (auto& mesh : scene.meshes) {
        if (mesh.instanced) continue;
        bool explodes = mesh.animation.kind == AnimationKind::explode;
        n += explodes ? 3 * mesh.triangles.size() : mesh.positions.size();
    }
    auto narrow = [](std::size_t count) { return static_cast<std::uint32_t>(count); };
    return {narrow(scene.spheres.size()), narrow(scene.splats.size()), narrow(n)};
}

void LivePoints::build(Scratch& scratch, const LiveScene& scene) {
    auto& stream = scratch.stream();
    PointCounts counts = count_points(scene.description());
    DeviceArray<Surfel> surfels(stream, counts.all());
    TL_DISPATCH(stream.device(), collect_surfels(stream, scene.view(), counts, surfels.view()));
    auto builder = make_octree_builder("modern", stream.device());
    StageTimer timer(stream);
    timer.enable(false);
    do {
        builder->build(scratch, surfels.view(), {}, octree_, timer);
    } while (octree_.make_room(stream));
}

}  // namespace tl
