// One thread per pair of samples; those of a column are adjacent, so that rays of a warp end at one
// point.
#include "renderer/form_factors/form_factors.h"

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

namespace {

/// Form factor without occlusion.
TL_D double unoccluded(const SurfaceSample& a, const SurfaceSample& b) {
    constexpr double kGrazing = 1e-6;  // below it the rounding of positions dominates
    glm::dvec3 way = glm::dvec3(b.position) - glm::dvec3(a.position);
    double square = glm::dot(way, way);
    if (!(square > 0)) return 0;
    double along_a = fabs(glm::dot(glm::dvec3(a.normal), way));
    double along_b = fabs(glm::dot(glm::dvec3(b.normal), way));
    double least = kGrazing * sqrt(square);
    if (along_a < least || along_b < least) return 0;
    constexpr double kPiDouble = 3.14159265358979323846;
    return along_a * along_b / (kPiDouble * square * square) * static_cast<double>(b.area);
}

/// Visibility ray from just off one surface to just off the other.
TL_D Ray ray_between(const SurfaceSample& a, const SurfaceSample& b) {
    vec3 way = b.position - a.position;
    Ray ray{};
    ray.origin =
        fused(glm::dot(a.normal, way) < 0 ? -a.clearance : a.clearance, a.normal, a.position);
    vec3 end =
        fused(glm::dot(b.normal, way) > 0 ? -b.clearance : b.clearance, b.normal, b.position);
    way = end - ray.origin;
    // Ends short of the other surface by the rounding of the distance.
    constexpr float kShort = 1 - 0x1p-18f;
    float length = glm::length(way);
    ray.t_max = kShort * length;
    ray.direction = length > 0 ? way / length : a.normal;
    return ray;
}

struct FormFactorPass {
    Stream& stream;
    View<const SurfaceSample> from, to;
    View<double> f;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // A device lambda captures no members.
        auto from = this->from, to = this->to;
        auto f = this->f;
        constexpr std::uint32_t kGrain = 256;  // rays to a task of the CPU
        parallel_for<kBlocksFor<Tracer>>(
            stream, "form factors", static_cast<std::uint32_t>(f.size),
            TL_LAMBDA(std::uint32_t k) {
                const SurfaceSample& a = from[k % from.size];
                const SurfaceSample& b = to[k / from.size];
                double value = unoccluded(a, b);
                if (value > 0 && tracer.occluded(ray_between(a, b))) value = 0;
                f[k] = value;
            },
            kGrain);
    }
};

}  // namespace

void form_factors(Stream& stream, const TreeView& tree, View<const SurfaceSample> from,
                  View<const SurfaceSample> to, View<double> f) {
    visit_any_tracer(tree, FormFactorPass{stream, from, to, f});
}

TL_DEVICE_END
