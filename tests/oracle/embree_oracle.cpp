#include "tests/oracle/embree_oracle.h"

#include <tbb/parallel_for.h>

#include <cstring>

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

namespace tl::test {

struct EmbreeOracle::Impl {
    RTCDevice device = rtcNewDevice("threads=1");
    RTCScene scene = rtcNewScene(device);
    ~Impl() {
        rtcReleaseScene(scene);
        rtcReleaseDevice(device);
    }
};

EmbreeOracle::EmbreeOracle(const std::vector<vec3>& positions,
                           const std::vector<glm::uvec3>& triangles)
    : impl_(std::make_unique<Impl>()) {
    RTCGeometry geometry = rtcNewGeometry(impl_->device, RTC_GEOMETRY_TYPE_TRIANGLE);
    auto* vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                             sizeof(vec3), positions.size());
    std::memcpy(vertices, positions.data(), positions.size() * sizeof(vec3));
    auto* indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            sizeof(glm::uvec3), triangles.size());
    std::memcpy(indices, triangles.data(), triangles.size() * sizeof(glm::uvec3));
    rtcCommitGeometry(geometry);
    rtcAttachGeometry(impl_->scene, geometry);
    rtcReleaseGeometry(geometry);
    rtcSetSceneFlags(impl_->scene, RTC_SCENE_FLAG_ROBUST);
    rtcCommitScene(impl_->scene);
}

EmbreeOracle::~EmbreeOracle() = default;

std::vector<Hit> EmbreeOracle::closest(const std::vector<Ray>& rays) const {
    std::vector<Hit> hits(rays.size());
    tbb::parallel_for(std::size_t{0}, rays.size(), [&](std::size_t i) {
        const Ray& ray = rays[i];
        RTCRayHit query{};
        std::memcpy(&query.ray.org_x, &ray.origin, sizeof(vec3));
        std::memcpy(&query.ray.dir_x, &ray.direction, sizeof(vec3));
        query.ray.tnear = ray.t_min;
        query.ray.tfar = ray.t_max;
        query.ray.mask = 0xffffffffu;
        query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
#if RTC_VERSION_MAJOR >= 4
        rtcIntersect1(impl_->scene, &query, nullptr);
#else
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect1(impl_->scene, &context, &query);
#endif
        if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return;
        hits[i] = {query.ray.tfar, query.hit.u, query.hit.v, query.hit.primID};
    });
    return hits;
}

}  // namespace tl::test
