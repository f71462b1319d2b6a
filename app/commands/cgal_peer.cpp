#include "app/commands/cgal_peer.h"

#if defined(TL_HAS_CGAL)

#include <CGAL/AABB_traits.h>
#include <CGAL/AABB_tree.h>
#include <CGAL/AABB_triangle_primitive.h>
#include <CGAL/Simple_cartesian.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <cmath>

namespace tl {
namespace {

using Kernel = CGAL::Simple_cartesian<double>;
using Triangles = std::vector<Kernel::Triangle_3>;
using CgalPrimitive = CGAL::AABB_triangle_primitive<Kernel, Triangles::const_iterator>;
using CgalTree = CGAL::AABB_tree<CGAL::AABB_traits<Kernel, CgalPrimitive>>;

Kernel::Point_3 cgal_point(const vec3& p) {
    return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}
Kernel::Ray_3 cgal_ray(const Ray& ray) {
    return {cgal_point(ray.origin), cgal_point(ray.direction) - CGAL::ORIGIN};
}

/// The triangles with an area, without which CGAL computes no distances.
Triangles cgal_triangles(const BenchGeometry& geometry) {
    Triangles triangles;
    for (const auto& f : geometry.triangles) {
        const Kernel::Triangle_3 t(cgal_point(geometry.positions[f.x]),
                                   cgal_point(geometry.positions[f.y]),
                                   cgal_point(geometry.positions[f.z]));
        if (t.squared_area() > 0) triangles.push_back(t);
    }
    return triangles;
}

/// Sets distances[i] = query(i) repeatedly, on all cores; infinite ones have found nothing.
template <class Query>
QueryMeasurement measure_all(const char* name, std::size_t n, WorkTimer& timer, int repeat,
                             const Query& query) {
    std::vector<double> distances(n);
    QueryMeasurement m;
    m.name = std::string("cgal: ") + name;
    m.n_queries = static_cast<double>(n);
    m.ms = timer.time(repeat, [&] {
        tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n, 256), [&](const auto& range) {
            for (std::size_t i = range.begin(); i < range.end(); ++i) distances[i] = query(i);
        });
    });
    for (double distance : distances) {
        if (!std::isfinite(distance)) continue;
        ++m.n_found;
        m.sum += distance;
    }
    return m;
}

constexpr double kNotFound = std::numeric_limits<double>::infinity();

/// The distance of the first hit, in multiples of the ray's direction.
double first_hit(const CgalTree& tree, const Ray& ray) {
    const Kernel::Ray_3 query = cgal_ray(ray);
    const auto hit = tree.first_intersection(query);
    if (!hit) return kNotFound;
    const auto* at = boost::get<Kernel::Point_3>(&hit->first);
    if (!at) return 0;
    const Kernel::Vector_3 d = query.to_vector();
    return (*at - query.source()) * d / d.squared_length();
}

double any_hit(const CgalTree& tree, const Ray& ray) {
    const Kernel::Ray_3 query = cgal_ray(ray);
    if (!std::isfinite(ray.t_max)) return tree.do_intersect(query) ? 0 : kNotFound;
    const auto d = query.to_vector();
    const Kernel::Segment_3 part(query.source() + static_cast<double>(ray.t_min) * d,
                                 query.source() + static_cast<double>(ray.t_max) * d);
    return tree.do_intersect(part) ? 0 : kNotFound;
}

}  // namespace

std::vector<QueryMeasurement> measure_cgal(const BenchGeometry& geometry, const BenchRays& rays,
                                           const std::vector<vec3>& points, WorkTimer& timer,
                                           int repeat) {
    const Triangles triangles = cgal_triangles(geometry);
    CgalTree tree(triangles.begin(), triangles.end());
    tree.build();
    tree.accelerate_distance_queries();
    auto first = [&](const char* name, const std::vector<Ray>& of) {
        return measure_all(name, of.size(), timer, repeat,
                           [&](std::size_t i) { return first_hit(tree, of[i]); });
    };
    return {first("camera", rays.primary), first("diffuse", rays.diffuse),
            measure_all("occluded", rays.shadow.size(), timer, repeat,
                        [&](std::size_t i) { return any_hit(tree, rays.shadow[i]); }),
            measure_all("closest points", points.size(), timer, repeat, [&](std::size_t i) {
                return std::sqrt(tree.squared_distance(cgal_point(points[i])));
            })};
}

}  // namespace tl

#else

namespace tl {

std::vector<QueryMeasurement> measure_cgal(const BenchGeometry&, const BenchRays&,
                                           const std::vector<vec3>&, WorkTimer&, int) {
    return {};
}

}  // namespace tl

#endif
