#include "renderer/form_factors/instance_areas.h"

#include <tbb/parallel_for.h>

namespace tl {

InstanceAreas::InstanceAreas(Stream& stream, const SceneView& view, const Scene& scene,
                             const HostTriangles& triangles)
    : triangles_(triangles), placed_(scene.instances.size()), areas_(scene.instances.size()) {
    stream.device().download(stream, placed_.data(), view.instances,
                             placed_.size() * sizeof(InstanceShading));
    for (auto& instance : scene.instances)
        n_triangles_.push_back(scene.meshes[instance.mesh].triangles.size());
    tbb::parallel_for(std::size_t(0), areas_.size(), [this](std::size_t i) {
        for (std::size_t t = 0; t < n_triangles_[i]; ++t) areas_[i] += triangle(i, t).area();
    });
}

WorldTriangle InstanceAreas::triangle(std::size_t instance, std::size_t number) const {
    auto t = triangles_.triangles[placed_[instance].first_triangle + number];
    auto& to_world = placed_[instance].object_to_world;
    auto& p = triangles_.positions;
    return {to_world.point(p[t.x]), to_world.point(p[t.y]), to_world.point(p[t.z])};
}

SurfaceSample InstanceAreas::sample(std::size_t instance, double place, float r0, float r1) {
    if (listed_ != instance) {
        listed_ = instance;
        table_ = {};
        for (std::size_t t = 0; t < n_triangles_[instance]; ++t)
            table_.add(triangle(instance, t).area());
    }
    return triangle(instance, table_.find(place).index).point(r0, r1);
}

}  // namespace tl
