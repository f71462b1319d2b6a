// Counts, which are the same with any tracer, and secondary rays.
#include "accel/bvh/traversal/any_tracer.h"
#include "core/base/random.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/probe/made_rays.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

namespace {

/// Counts the traversal steps of rays, for the closest hit or any hit.
template <bool kAnyHit>
struct CountPass {
    Stream& stream;
    View<const Ray> rays;
    View<ProbeSteps> steps;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        View<const Ray> rays = this->rays;
        View<ProbeSteps> steps = this->steps;
        parallel_for<kBlocksFor<Tracer>>(
            stream, "count steps", static_cast<std::uint32_t>(rays.size),
            TL_LAMBDA(std::uint32_t i) {
                RayStats stats;
                if (kAnyHit)
                    tracer.occluded(rays[i], stats);
                else
                    tracer.closest(rays[i], stats);
                steps[i] = {stats.n_nodes, stats.n_primitives};
            },
            PixelOrder::kTileItems);
    }
};

/// The primary rays in memory. Those outside the image are infinite, so that no tracer traverses
/// them.
View<Ray> primary_rays(Scratch& scratch, const MadeRays& primary) {
    auto rays = scratch.take<Ray>(primary.count());
    MadeRays from = primary;
    parallel_for(
        scratch.stream(), "make primary rays", primary.count(), TL_LAMBDA(std::uint32_t i) {
            Ray ray;
            if (!from.get(i, ray)) ray.direction = vec3(kInfinity);
            rays[i] = ray;
        });
    return rays;
}

/// A direction about `normal` whose density is proportional to its cosine. Malley's method on the
/// basis of Duff et al. 2017 ("Building an orthonormal basis, revisited").
TL_D vec3 cosine_direction(vec3 normal, float r0, float r1) {
    float sign = copysignf(1.0f, normal.z);
    float a = -1 / (sign + normal.z), b = normal.x * normal.y * a;
    vec3 u(1 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x);
    vec3 v(b, sign + normal.y * normal.y * a, -normal.y);
    float radius = sqrtf(r0), angle = 2 * kPi * r1;
    return glm::normalize(radius * (cosf(angle) * u + sinf(angle) * v) + sqrtf(1 - r0) * normal);
}

/// Makes the secondary rays of primary hits.
struct SecondaryRays {
    SceneView scene;
    MadeRays primary;
    vec3 light;
    std::uint64_t seed;

    TL_D void make(std::uint32_t item, const Hit& hit, Ray& shadow, Ray& diffuse) const {
        Ray ray;
        primary.get(item, ray);
        Surface s = surface_at(scene, ray, hit);
        vec3 normal = s.geometric_normal;
        if (glm::dot(normal, ray.direction) > 0) normal = -normal;
        shadow = diffuse = Ray{};
        shadow.origin = diffuse.origin = start_of_rays(s, s.position, normal);
        shadow.on_patch = diffuse.on_patch = s.on_patch;
        vec3 to_light = light - shadow.origin;
        float distance = glm::length(to_light);
        shadow.direction = distance > 0 ? to_light / distance : normal;
        shadow.t_max = distance;
        RandomStream random(seed, item, 0);
        float r0 = random.next(), r1 = random.next();
        diffuse.direction = cosine_direction(normal, r0, r1);
    }
};

}  // namespace

void count_primary(Scratch& scratch, const TreeView& tree, const PrimaryProbe& rays,
                   View<ProbeSteps> steps) {
    Scratch::Scope scope(scratch);
    count_closest(scratch.stream(), tree, primary_rays(scratch, MadeRays(rays)), steps);
}

void count_closest(Stream& stream, const TreeView& tree, View<const Ray> rays,
                   View<ProbeSteps> steps) {
    visit_any_tracer(tree, CountPass<false>{stream, rays, steps});
}

void count_occluded(Stream& stream, const TreeView& tree, View<const Ray> rays,
                    View<ProbeSteps> steps) {
    visit_any_tracer(tree, CountPass<true>{stream, rays, steps});
}

void make_secondary_rays(Scratch& scratch, const SceneView& scene, const PrimaryProbe& rays,
                         vec3 light, std::uint64_t seed, View<Ray> shadow, View<Ray> diffuse,
                         View<std::uint32_t> count) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    MadeRays primary(rays);
    std::uint32_t n = primary.count();
    auto hits = scratch.take<Hit>(n);
    auto flags = scratch.take<std::uint32_t>(n);
    auto places = scratch.take<std::uint32_t>(n);
    trace_closest(scratch, "secondary rays' origins", scene.tree, primary_rays(scratch, primary),
                  {hits, {}, {}});
    parallel_for(
        stream, "flag hits", n,
        TL_LAMBDA(std::uint32_t i) { flags[i] = hits[i].found() ? 1u : 0u; });
    exclusive_scan<std::uint32_t>(scratch, flags, places);
    exclusive_scan_tail<std::uint32_t>(stream, flags, places, count);
    SecondaryRays secondary{scene, primary, light, seed};
    parallel_for(
        stream, "secondary rays", n, TL_LAMBDA(std::uint32_t i) {
            if (flags[i]) secondary.make(i, hits[i], shadow[places[i]], diffuse[places[i]]);
        });
}

TL_DEVICE_END
