#include "app/commands/embree_peer.h"

#include "core/base/error.h"

#if defined(TL_HAS_EMBREE)

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <chrono>
#include <cstring>

#include "app/jobs/statistics.h"

namespace tl {
namespace {

constexpr std::size_t kGrain = 256;

template <class Work>
Timing time_on_host(int repeat, Work&& work) {
    std::vector<double> samples;
    work();
    for (int i = 0; i < repeat; ++i) {
        auto start = std::chrono::steady_clock::now();
        work();
        std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
        samples.push_back(ms.count());
    }
    return {median(samples), p95(samples)};
}

/// The geometry as an Embree scene.
class EmbreeScene {
  public:
    EmbreeScene(RTCDevice device, const BenchGeometry& geometry, RTCBuildQuality quality)
        : scene_(rtcNewScene(device)) {
        rtcSetSceneBuildQuality(scene_, quality);
        add_triangles(device, geometry, quality);
        if (!geometry.spheres.empty()) add_spheres(device, geometry, quality);
        if (!geometry.splats.empty()) add_splats(device, geometry, quality);
    }
    ~EmbreeScene() { rtcReleaseScene(scene_); }
    EmbreeScene(const EmbreeScene&) = delete;
    EmbreeScene& operator=(const EmbreeScene&) = delete;

    void build() { rtcCommitScene(scene_); }

    [[nodiscard]] ProbeHit closest(const Ray& ray) const {
        RTCRayHit query{};
        query.ray = embree_ray(ray);
        query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
#if RTC_VERSION_MAJOR >= 4
        rtcIntersect1(scene_, &query, nullptr);
#else
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect1(scene_, &context, &query);
#endif
        if (query.hit.geomID == RTC_INVALID_GEOMETRY_ID) return {};
        return {query.ray.tfar, query.hit.primID};
    }
    [[nodiscard]] bool occluded(const Ray& ray) const {
        RTCRay query = embree_ray(ray);
#if RTC_VERSION_MAJOR >= 4
        rtcOccluded1(scene_, &query, nullptr);
#else
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcOccluded1(scene_, &context, &query);
#endif
        return query.tfar < 0;
    }

  private:
    static RTCRay embree_ray(const Ray& ray) {
        RTCRay r{};
        std::memcpy(&r.org_x, &ray.origin, sizeof(vec3));
        std::memcpy(&r.dir_x, &ray.direction, sizeof(vec3));
        r.tnear = ray.t_min;
        r.tfar = ray.t_max;
        r.mask = 0xffffffffu;
        return r;
    }
    void attach(RTCGeometry geometry, RTCBuildQuality quality) {
        rtcSetGeometryBuildQuality(geometry, quality);
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene_, geometry);
        rtcReleaseGeometry(geometry);
    }
    void add_triangles(RTCDevice device, const BenchGeometry& from, RTCBuildQuality quality) {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
        void* vertices =
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                    sizeof(vec3), from.positions.size());
        std::memcpy(vertices, from.positions.data(), from.positions.size() * sizeof(vec3));
        void* indices =
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                    sizeof(glm::uvec3), from.triangles.size());
        std::memcpy(indices, from.triangles.data(), from.triangles.size() * sizeof(glm::uvec3));
        attach(geometry, quality);
    }
    void add_spheres(RTCDevice device, const BenchGeometry& from, RTCBuildQuality quality) {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_SPHERE_POINT);
        auto* points = static_cast<vec4*>(
            rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT4,
                                    sizeof(vec4), from.spheres.size()));
        std::memcpy(points, from.spheres.data(), from.spheres.size() * sizeof(vec4));
        attach(geometry, quality);
    }

    void add_splats(RTCDevice device, const BenchGeometry& from, RTCBuildQuality quality) {
        RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_ORIENTED_DISC_POINT);
        auto add = [&](RTCBufferType kind, RTCFormat format, const auto& values) {
            std::size_t stride = sizeof values[0];
            void* to = rtcSetNewGeometryBuffer(geometry, kind, 0, format, stride, values.size());
            std::memcpy(to, values.data(), values.size() * stride);
        };
        add(RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT4, from.splats);
        add(RTC_BUFFER_TYPE_NORMAL, RTC_FORMAT_FLOAT3, from.splat_normals);
        attach(geometry, quality);
    }

    RTCScene scene_;
};

/// Sets results[i] = query(rays[i]) repeatedly, on all cores, and stores number and time in `m`.
template <class Result, class Query>
void trace_all(const std::vector<Ray>& rays, int repeat, std::vector<Result>& results,
               RayMeasurement& m, Query query) {
    results.resize(rays.size());
    m.n_rays = rays.size();
    m.ms = time_on_host(repeat, [&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, rays.size(), kGrain),
                          [&](const auto& range) {
                              for (std::size_t i = range.begin(); i < range.end(); ++i)
                                  results[i] = query(rays[i]);
                          });
    });
}

void trace_closest(const EmbreeScene& scene, const std::vector<Ray>& rays, int repeat,
                   RayMeasurement& m) {
    std::vector<ProbeHit> hits;
    trace_all(rays, repeat, hits, m, [&](const Ray& ray) { return scene.closest(ray); });
    m.count(hits);
}

void trace_occluded(const EmbreeScene& scene, const std::vector<Ray>& rays, int repeat,
                    RayMeasurement& m) {
    std::vector<std::uint8_t> occluded;
    trace_all(rays, repeat, occluded, m, [&](const Ray& ray) { return scene.occluded(ray); });
    for (auto bit : occluded) m.n_hits += bit;
}

}  // namespace

bool has_embree_peer() {
    return true;
}

std::vector<PeerMeasurement> measure_embree(const TreeBench& bench, int repeat) {
    const std::pair<const char*, RTCBuildQuality> qualities[] = {
        {"low", RTC_BUILD_QUALITY_LOW},
        {"medium", RTC_BUILD_QUALITY_MEDIUM},
        {"high", RTC_BUILD_QUALITY_HIGH}};
    BenchGeometry geometry = bench.geometry();
    BenchRays rays = bench.rays();
    RTCDevice device = rtcNewDevice(nullptr);
    if (!device) throw UserError("Embree does not start on this machine");
    std::vector<PeerMeasurement> measured;
    for (auto& [name, quality] : qualities) {
        PeerMeasurement m;
        m.name = std::string("embree ") + RTC_VERSION_STRING + " " + name;
        std::vector<double> builds;
        for (int i = 0; i < repeat; ++i) {
            EmbreeScene scene(device, geometry, quality);
            auto start = std::chrono::steady_clock::now();
            scene.build();
            std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - start;
            builds.push_back(ms.count());
        }
        m.build_ms = {median(builds), p95(builds)};
        EmbreeScene scene(device, geometry, quality);
        scene.build();
        trace_closest(scene, rays.primary, repeat, m.primary);
        trace_occluded(scene, rays.shadow, repeat, m.shadow);
        trace_closest(scene, rays.diffuse, repeat, m.diffuse);
        measured.push_back(std::move(m));
    }
    rtcReleaseDevice(device);
    return measured;
}

}  // namespace tl

#else

namespace tl {

bool has_embree_peer() {
    return false;
}

std::vector<PeerMeasurement> measure_embree(const TreeBench&, int) {
    throw UserError("this build has no Embree: install libembree-dev and configure again");
}

}  // namespace tl

#endif
