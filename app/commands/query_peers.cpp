#include "app/commands/query_peers.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cmath>

#include "app/commands/cgal_peer.h"
#include "app/commands/embree_peer.h"
#include "app/commands/nanoflann_peer.h"
#include "core/base/error.h"

#if defined(TL_HAS_EMBREE)
#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif
#endif

namespace tl {

void require_query_peers() {
    if (!has_embree_peer() || !has_nanoflann_peer())
        throw UserError(
            "--peers: this build has no Embree or no nanoflann: install libembree-dev and "
            "libnanoflann-dev, and configure again");
}

#if defined(TL_HAS_EMBREE)

namespace {

/// The closest point of a triangle to `p`, after Ericson 2005, section 5.1.5.
vec3 closest_point(vec3 p, vec3 a, vec3 b, vec3 c) {
    vec3 ab = b - a, ac = c - a, ap = p - a, bp = p - b, cp = p - c;
    float d1 = glm::dot(ab, ap), d2 = glm::dot(ac, ap);
    if (d1 <= 0 && d2 <= 0) return a;
    float d3 = glm::dot(ab, bp), d4 = glm::dot(ac, bp);
    if (d3 >= 0 && d4 <= d3) return b;
    float d5 = glm::dot(ab, cp), d6 = glm::dot(ac, cp);
    if (d6 >= 0 && d5 <= d6) return c;
    float vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return a + d1 / (d1 - d3) * ab;
    float vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return a + d2 / (d2 - d6) * ac;
    float va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 >= d3 && d5 >= d6) return b + (d4 - d3) / (d4 - d3 + (d5 - d6)) * (c - b);
    float scale = 1 / (va + vb + vc);
    return a + vb * scale * ab + vc * scale * ac;
}

struct ClosestSoFar {
    const BenchGeometry* geometry;
    float distance = kInfinity;
};

bool offer_triangle(RTCPointQueryFunctionArguments* arguments) {
    auto& closest = *static_cast<ClosestSoFar*>(arguments->userPtr);
    const auto& geometry = *closest.geometry;
    const auto& f = geometry.triangles[arguments->primID];
    vec3 p(arguments->query->x, arguments->query->y, arguments->query->z);
    vec3 at =
        closest_point(p, geometry.positions[f.x], geometry.positions[f.y], geometry.positions[f.z]);
    float distance = glm::length(at - p);
    if (!(distance < closest.distance)) return false;
    closest.distance = arguments->query->radius = distance;
    return true;
}

/// Closest points by rtcPointQuery.
QueryMeasurement measure_point_queries(const BenchGeometry& geometry,
                                       const std::vector<vec3>& points, WorkTimer& timer,
                                       int repeat) {
    RTCDevice device = rtcNewDevice(nullptr);
    if (!device) throw UserError("Embree does not start on this machine");
    RTCScene scene = rtcNewScene(device);
    RTCGeometry triangles = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    rtcSetSharedGeometryBuffer(triangles, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                               geometry.positions.data(), 0, sizeof(vec3),
                               geometry.positions.size());
    rtcSetSharedGeometryBuffer(triangles, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                               geometry.triangles.data(), 0, sizeof(glm::uvec3),
                               geometry.triangles.size());
    rtcSetGeometryPointQueryFunction(triangles, offer_triangle);
    rtcCommitGeometry(triangles);
    rtcAttachGeometry(scene, triangles);
    rtcReleaseGeometry(triangles);
    rtcCommitScene(scene);
    std::vector<float> distances(points.size());
    QueryMeasurement m;
    m.name = "embree: closest points";
    m.n_queries = static_cast<double>(points.size());
    m.ms = timer.time(repeat, [&] {
        tbb::parallel_for(
            tbb::blocked_range<std::size_t>(0, points.size(), 256), [&](const auto& range) {
                for (std::size_t i = range.begin(); i < range.end(); ++i) {
                    RTCPointQuery query{points[i].x, points[i].y, points[i].z, 0, kInfinity};
                    RTCPointQueryContext context;
                    rtcInitPointQueryContext(&context);
                    ClosestSoFar closest{&geometry};
                    rtcPointQuery(scene, &query, &context, nullptr, &closest);
                    distances[i] = closest.distance;
                }
            });
    });
    for (float distance : distances) {
        ++m.n_found;
        m.sum += static_cast<double>(distance);
    }
    rtcReleaseScene(scene);
    rtcReleaseDevice(device);
    return m;
}

QueryMeasurement row_of(const std::string& name, const RayMeasurement& rays) {
    QueryMeasurement m;
    m.name = "embree: " + name;
    m.ms = rays.ms;
    m.n_queries = static_cast<double>(rays.n_rays);
    m.n_found = static_cast<double>(rays.n_hits);
    m.sum = rays.sum_of_distances;
    return m;
}

}  // namespace

std::vector<QueryMeasurement> measure_query_peers(const TreeBench& trees,
                                                  const QueryBenchPlan& plan, int repeat,
                                                  const ReadProgress& progress) {
    auto stream = find_device("cpu").create_stream();
    WorkTimer timer(*stream, repeat, 0, progress);
    const BenchGeometry geometry = trees.geometry();
    const auto points =
        points_near(geometry.positions, static_cast<std::size_t>(plan.points), plan.distance, 1);
    std::vector<QueryMeasurement> rows;
    const auto of_embree = measure_embree(trees, repeat);
    const auto& medium = of_embree[1];
    rows.push_back(row_of("camera", medium.primary));
    rows.push_back(row_of("diffuse", medium.diffuse));
    rows.push_back(row_of("occluded", medium.shadow));
    rows.push_back(measure_point_queries(geometry, points, timer, repeat));
    const auto of_cgal = measure_cgal(geometry, trees.rays(), points, timer, repeat);
    rows.insert(rows.end(), of_cgal.begin(), of_cgal.end());
    const auto cloud = measure_nanoflann(geometry.positions, points, plan.distance, plan.neighbours,
                                         repeat, progress);
    QueryMeasurement nearest;
    nearest.name = "nanoflann: nearest " + std::to_string(plan.neighbours);
    nearest.ms = cloud.nearest_ms;
    nearest.n_queries = static_cast<double>(points.size());
    nearest.sum = cloud.sum_of_farthest;
    rows.push_back(nearest);
    return rows;
}

#else

std::vector<QueryMeasurement> measure_query_peers(const TreeBench&, const QueryBenchPlan&, int,
                                                  const ReadProgress&) {
    require_query_peers();
    return {};
}

#endif

}  // namespace tl
