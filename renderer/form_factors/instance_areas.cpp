#include "renderer/form_factors/instance_areas.h"

#include <tbb/parallel_for.h>

#include "renderer/form_factors/triangle_point.h"

namespace tl {

InstanceAreas::InstanceAreas(Stream& stream, const SceneView& view, const Scene& scene,
                             const HostTriangles& triangles)
    : triangles_(triangles), placed_(scene.instances.size()), areas_(scene.instances.size()) {
    stream.device().download(stream, placed_.data(), view.instances,
                             placed_.size() * sizeof(InstanceShading));
    for (std::size_t i = 0; i < placed_.size(); ++i) {
        auto& mesh = scene.meshes[scene.instances[i].mesh];
        runs_.push_back(
            {placed_[i].first_triangle, static_cast<std::uint32_t>(mesh.triangles.size())});
    }
    tbb::parallel_for(std::size_t(0), areas_.size(), [this](std::size_t i) {
        for (std::uint32_t t = 0; t < runs_[i].count; ++t) areas_[i] += area_of(i, t);
    });
}

InstanceAreas::Corners InstanceAreas::corners_of(std::size_t instance, std::size_t triangle) const {
    auto t = triangles_.triangles[runs_[instance].first + triangle];
    auto& to_world = placed_[instance].object_to_world;
    auto& p = triangles_.positions;
    return {to_world.point(p[t.x]), to_world.point(p[t.y]), to_world.point(p[t.z])};
}

double InstanceAreas::area_of(std::size_t instance, std::size_t triangle) const {
    auto [a, b, c] = corners_of(instance, triangle);
    return triangle_area(a, b, c);
}

SurfaceSample InstanceAreas::sample(std::size_t instance, double place, float r0, float r1) {
    if (listed_ != instance) {
        listed_ = instance;
        table_ = {};
        for (std::uint32_t t = 0; t < runs_[instance].count; ++t) table_.add(area_of(instance, t));
    }
    auto [a, b, c] = corners_of(instance, table_.find(place).index);
    return triangle_point(a, b, c, r0, r1);
}

}  // namespace tl
