// Threads make the primary rays that they trace, as in the renderers' kernels, with the tracer of
// the tree's layout. Counts are the same with any tracer.
#include "renderer/probe/ray_probes.h"

#include "accel/bvh/traversal/any_tracer.h"
#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"
#include "accel/parallel/random.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

namespace {

/// Rays per CPU task: a tile.
constexpr std::uint32_t kGrain = PixelOrder::kTile * PixelOrder::kTile;

/// Primary rays, generated in the kernel.
struct MadeRays {
    CameraRays camera;
    PixelOrder order;

    explicit MadeRays(const PrimaryProbe& probe)
        : camera(probe.camera, probe.extent), order(probe.extent) {}
    [[nodiscard]] std::uint32_t count() const { return order.n_items; }
    TL_D bool get(std::uint32_t i, Ray& ray) const {
        std::uint32_t x, y;
        if (!order.pixel(i, x, y)) return false;
        ray = camera.through(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f);
        return true;
    }
};

/// Rays read from memory.
struct ReadRays {
    View<const Ray> rays;

    [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(rays.size); }
    TL_D bool get(std::uint32_t i, Ray& ray) const {
        ray = rays[i];
        return true;
    }
};

struct WriteHit {
    View<ProbeHit> hits;
    template <class Tracer>
    TL_D void trace(const Tracer& tracer, std::uint32_t i, const Ray& ray) const {
        Hit hit = tracer.closest(ray);
        hits[i] = {hit.t, hit.primitive};
    }
};

template <bool kAnyHit>
struct WriteSteps {
    View<ProbeSteps> steps;
    template <class Tracer>
    TL_D void trace(const Tracer& tracer, std::uint32_t i, const Ray& ray) const {
        RayStats stats;
        if (kAnyHit)
            tracer.occluded(ray, stats);
        else
            tracer.closest(ray, stats);
        steps[i] = {stats.n_nodes, stats.n_primitives};
    }
};

/// A kernel for each kind of tracer: traces rays from `Source` and passes the results to `Sink`.
template <class Source, class Sink>
struct ProbePass {
    Stream& stream;
    const char* name;
    Source source;
    Sink sink;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        // Copies, since a lambda for the device captures no members.
        Source source = this->source;
        Sink sink = this->sink;
        parallel_for(
            stream, name, source.count(),
            TL_LAMBDA(std::uint32_t i) {
                Ray ray;
                if (source.get(i, ray)) sink.trace(tracer, i, ray);
            },
            kGrain);
    }
};

template <class Source, class Sink>
void probe_any_layout(Stream& stream, const char* name, const TreeView& tree, Source source,
                      Sink sink) {
    visit_any_tracer(tree, ProbePass<Source, Sink>{stream, name, source, sink});
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

struct WriteFullHit {
    View<Hit> hits;
    template <class Tracer>
    TL_D void trace(const Tracer& tracer, std::uint32_t i, const Ray& ray) const {
        hits[i] = tracer.closest(ray);
    }
};

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
        shadow.from = diffuse.from = s.place;
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

void probe_primary(Stream& stream, const TreeView& tree, const PrimaryProbe& rays,
                   View<ProbeHit> hits) {
    visit_tracer(tree,
                 ProbePass<MadeRays, WriteHit>{stream, "primary rays", MadeRays(rays), {hits}});
}

void count_primary(Stream& stream, const TreeView& tree, const PrimaryProbe& rays,
                   View<ProbeSteps> steps) {
    probe_any_layout(stream, "count primary rays", tree, MadeRays(rays), WriteSteps<false>{steps});
}

void count_closest(Stream& stream, const TreeView& tree, View<const Ray> rays,
                   View<ProbeSteps> steps) {
    probe_any_layout(stream, "count closest hits", tree, ReadRays{rays}, WriteSteps<false>{steps});
}

void count_occluded(Stream& stream, const TreeView& tree, View<const Ray> rays,
                    View<ProbeSteps> steps) {
    probe_any_layout(stream, "count shadow rays", tree, ReadRays{rays}, WriteSteps<true>{steps});
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
    parallel_for(
        stream, "clear hits", n, TL_LAMBDA(std::uint32_t i) { hits[i] = Hit{}; });
    probe_any_layout(stream, "secondary rays' origins", scene.tree, primary, WriteFullHit{hits});
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
