#include "app/commands/query_bench.h"

#include <algorithm>
#include <cmath>

#include "accel/query/closest_point.h"
#include "accel/query/overlaps.h"
#include "accel/query/point_set.h"
#include "accel/query/ray_queries.h"
#include "accel/query/signed_distance.h"
#include "core/base/random.h"

namespace tl {
namespace {

/// Sums of results in host memory.
void count_distances(QueryMeasurement& m, const std::vector<float>& distances) {
    for (float distance : distances) {
        if (!(std::abs(distance) < kInfinity)) continue;
        ++m.n_found;
        m.sum += static_cast<double>(distance);
    }
}

/// Rays as separate arrays on a device.
struct RayArrays {
    DeviceArray<vec3> origins, directions;
    DeviceArray<float> t_max;
    StridedRays rays;

    RayArrays(Stream& stream, const std::vector<Ray>& from, bool coherent) {
        std::vector<vec3> o, d;
        std::vector<float> t;
        for (const Ray& ray : from) {
            o.push_back(ray.origin);
            d.push_back(ray.direction);
            t.push_back(ray.t_max);
        }
        origins.assign(stream, o);
        directions.assign(stream, d);
        t_max.assign(stream, t);
        rays.count = static_cast<std::uint32_t>(from.size());
        rays.origins = StridedFloats::of(origins.view());
        rays.directions = StridedFloats::of(directions.view());
        rays.is_coherent = coherent;
        bool bounded = std::ranges::any_of(t, [](float x) { return x < kInfinity; });
        if (bounded) rays.t_max = StridedFloats::packed(t_max.data(), 1);
    }
};

/// The measurements of one mesh.
class QueryBench {
  public:
    QueryBench(Device& device, const BenchGeometry& geometry, const QueryBenchPlan& plan,
               const TreeBenchPlan& trees, const ReadProgress& progress)
        : geometry_(geometry),
          plan_(plan),
          device_(device),
          repeat_(trees.repeat),
          stream_(device.create_stream()),
          scratch_(*stream_),
          timer_(*stream_, trees.repeat, trees.most_seconds, progress),
          tree_(device, plan.builder) {
        vertices_.assign(*stream_, geometry.positions);
        faces_.assign(*stream_, geometry.triangles);
        shapes_.count = static_cast<std::uint32_t>(geometry.triangles.size());
        shapes_.n_positions = static_cast<std::uint32_t>(geometry.positions.size());
        shapes_.positions = StridedFloats::of(vertices_.view());
        shapes_.faces = &faces_.data()->x;
        for (const vec3& p : geometry.positions) bounds_.extend(p);
    }
    void build() {
        time("build", 0, [&] { tree_.build(scratch_, shapes_, false); });
        time("refit", 0, [&] { tree_.refit(scratch_, shapes_); });
    }
    void trace(const BenchRays& rays) {
        closest("closest hits, camera", rays.primary, true);
        closest("closest hits, diffuse", rays.diffuse, false);
        const RayArrays arrays(*stream_, rays.shadow, true);
        DeviceArray<std::uint8_t> occluded(*stream_, rays.shadow.size());
        auto& m = time("occluded", arrays.rays.count, [&] {
            TL_DISPATCH(device_,
                        find_occluded(scratch_, {tree_.view()}, arrays.rays, occluded.data()));
        });
        for (auto bit : occluded.download(*stream_)) m.n_found += bit;
    }
    void find_points() {
        auto n = static_cast<std::size_t>(plan_.points);
        DeviceArray<vec3> points(*stream_, points_near(geometry_.positions, n, plan_.distance, 1));
        DeviceArray<float> distances(*stream_, n);
        DeviceArray<vec3> positions(*stream_, n);
        DeviceArray<std::uint32_t> primitives(*stream_, n);
        QueryPoints queries;
        queries.points = StridedFloats::of(points.view());
        queries.count = static_cast<std::uint32_t>(n);
        const ClosestPointsOut out{distances.data(), &positions.data()->x, primitives.data(),
                                   nullptr};
        auto& m = time("closest points", plan_.points, [&] {
            TL_DISPATCH(device_,
                        find_closest_points(scratch_, tree_.view(), queries, kInfinity, out));
        });
        count_distances(m, distances.download(*stream_));
        find_neighbours_of(queries);
    }
    void find_signed_distances() {
        time("winding number nodes", 0, [&] { tree_.prepare_winding(scratch_); });
        time("boundary for signs", 0, [&] { tree_.prepare_signs(scratch_); });
        const auto n = static_cast<std::uint32_t>(plan_.grid);
        vec3 extent = bounds_.hi - bounds_.lo, margin = 0.05f * extent;
        auto queries = QueryPoints::grid(glm::uvec3(n), bounds_.lo - margin,
                                         (extent + 2.0f * margin) / (static_cast<float>(n) - 1));
        DeviceArray<float> distances(*stream_, queries.count);
        ClosestPointsOut closest;
        closest.distances = distances.data();
        const std::string size = std::to_string(n) + "^3";
        time("distances of " + size, queries.count, [&] {
            TL_DISPATCH(device_,
                        find_closest_points(scratch_, tree_.view(), queries, kInfinity, closest));
        });
        auto& m = time("signed distances of " + size, queries.count, [&] {
            const WindingTree winding{tree_.view(), tree_.winding_nodes(), kSignAccuracy,
                                      tree_.boundary()};
            TL_DISPATCH(device_,
                        find_signed_distances(scratch_, winding, queries, distances.data()));
        });
        count_distances(m, distances.download(*stream_));
    }
    void find_pairs_with_copy() {
        auto moved = geometry_.positions;
        for (vec3& p : moved) p += 1e-3f * (bounds_.hi - bounds_.lo);
        DeviceArray<vec3> positions(*stream_, moved);
        ShapesView shapes = shapes_;
        shapes.positions = StridedFloats::of(positions.view());
        ShapeTree copy(device_, plan_.builder);
        copy.build(scratch_, shapes, false);
        const std::size_t capacity = 16 * geometry_.triangles.size();
        DeviceArray<std::uint32_t> pairs(*stream_, 2 * capacity);
        DeviceArray<std::uint64_t> count(*stream_, 1);
        auto& m = time("pairs with a moved copy", 0, [&] {
            count.fill_zero(*stream_);
            TL_DISPATCH(device_,
                        find_pairs(*stream_, tree_.view(), copy.view(), copy.tree().order().size,
                                   false, {pairs.data(), capacity, count.data()}));
        });
        m.n_found = static_cast<double>(count.download(*stream_)[0]);
    }
    [[nodiscard]] std::vector<QueryMeasurement> take() { return std::move(rows_); }

  private:
    template <class Work>
    QueryMeasurement& time(const std::string& name, double n_queries, const Work& work) {
        QueryMeasurement m;
        m.name = name;
        m.n_queries = n_queries;
        m.ms = timer_.time(repeat_, work);
        rows_.push_back(m);
        return rows_.back();
    }
    void closest(const std::string& name, const std::vector<Ray>& rays, bool coherent) {
        const RayArrays arrays(*stream_, rays, coherent);
        DeviceArray<float> t(*stream_, rays.size());
        DeviceArray<std::uint32_t> primitives(*stream_, rays.size());
        HitsOut out;
        out.t = t.data();
        out.primitives = primitives.data();
        auto& m = time(name, arrays.rays.count, [&] {
            TL_DISPATCH(device_, find_closest_hits(scratch_, {tree_.view()}, arrays.rays, out));
        });
        count_distances(m, t.download(*stream_));
    }
    void find_neighbours_of(const QueryPoints& queries) {
        auto set = TL_DISPATCH(device_, make_point_set());
        time("build of points", 0,
             [&] { set->build(scratch_, shapes_.positions, shapes_.n_positions); });
        const auto n = queries.count * static_cast<std::size_t>(plan_.neighbours);
        DeviceArray<std::uint32_t> indices(*stream_, n);
        DeviceArray<float> distances(*stream_, n);
        auto& m =
            time("nearest " + std::to_string(plan_.neighbours) + " points", queries.count, [&] {
                TL_DISPATCH(device_, find_neighbours(scratch_, set->view(), queries.points,
                                                     queries.count, plan_.neighbours, kInfinity,
                                                     {indices.data(), distances.data()}));
            });
        count_distances(m, distances.download(*stream_));
    }

    const BenchGeometry& geometry_;
    const QueryBenchPlan& plan_;
    Device& device_;
    int repeat_;
    std::unique_ptr<Stream> stream_;
    Scratch scratch_;
    WorkTimer timer_;
    ShapeTree tree_;
    DeviceArray<vec3> vertices_;
    DeviceArray<glm::uvec3> faces_;
    ShapesView shapes_;
    Box bounds_;
    std::vector<QueryMeasurement> rows_;
};

}  // namespace

std::vector<vec3> points_near(const std::vector<vec3>& vertices, std::size_t n, float distance,
                              std::uint64_t seed) {
    std::vector<vec3> points(n);
    for (std::size_t i = 0; i < n; ++i) {
        Philox4 bits = philox4x32(static_cast<std::uint32_t>(i), 2, 0, 0,
                                  static_cast<std::uint32_t>(seed), 0x71756572);
        const vec3& vertex = vertices[bits.v[3] % vertices.size()];
        for (int axis = 0; axis < 3; ++axis)
            points[i][axis] = vertex[axis] + distance * (2 * to_unit_float(bits.v[axis]) - 1);
    }
    return points;
}

std::vector<QueryMeasurement> measure_queries(Device& device, const BenchGeometry& geometry,
                                              const BenchRays& rays, const QueryBenchPlan& plan,
                                              const TreeBenchPlan& trees,
                                              const ReadProgress& progress) {
    QueryBench bench(device, geometry, plan, trees, progress);
    bench.build();
    bench.trace(rays);
    bench.find_points();
    bench.find_signed_distances();
    bench.find_pairs_with_copy();
    return bench.take();
}

}  // namespace tl
