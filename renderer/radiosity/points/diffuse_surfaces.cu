#include "renderer/radiosity/points/diffuse_surfaces.h"

#include "core/operators/operators.h"
#include "renderer/path/wide_lobe_albedo.h"
#include "renderer/radiosity/points/passed_surfaces.h"
#include "renderer/radiosity/points/source_light.h"

TL_DEVICE_BEGIN

namespace {

/// Normal and wide-lobe albedo at a shading point.
struct DiffuseSurface {
    vec3 normal;  ///< shading normal
    vec3 albedo;  ///< of wide lobes; 0 where the surface has none
};

/// Computes normal and albedo at a hit. Not inlined, so that all kernels share its code.
TL_D TL_NO_INLINE DiffuseSurface diffuse_surface(const SceneView& scene, const PathRay& ray,
                                                 const Hit& hit, const PathHit& h,
                                                 const Sampler& sampler,
                                                 std::uint32_t n_directions) {
    SurfaceInteraction at = surface_interaction(scene, ray, hit, h, false);
    bool is_wide_lobe = at.face.is_real && at.bsdf.has_wide();
    return {at.lit.normal, is_wide_lobe ? wide_lobe_albedo(at, sampler, n_directions) : vec3(0)};
}

/// Evaluates the hit of the ray onto one side of a sample.
struct LookAtSide {
    PathTracerFrame frame;
    View<const PathRay> rays;
    View<const Hit> hits;
    float lift;  ///< distance of the rays' origins from the samples, m
    SampleSides sides;
    std::uint32_t first;  ///< index of the first ray's side

    TL_D void operator()(std::uint32_t k) const {
        constexpr float kMostOff = 0.5f;  // largest distance of hit and sample, in units of lift
        constexpr float kLeastCosine = 0.5f;
        const SceneView& scene = frame.scene;
        PathRay ray = load_vectorized(rays[k]);
        Hit hit = hits[k];
        std::uint32_t i = first + k;
        bool is_point = sides.marks[i] == SampleSides::kPoint;
        sides.albedo[i] = vec3(0);
        if (!hit.found()) return;
        vec3 start = sides.points[i].position;  // of the sample, or of an existing point
        if (glm::length(ray.origin + hit.t * ray.direction - start) > kMostOff * lift) return;
        PathHit h = path_hit(scene, ray, hit);
        if (glm::dot(h.geometric_normal, -ray.direction) < kLeastCosine) return;
        const Surface& s = h.surface;
        if (!is_point) point(i, h);
        if (is_smooth_specular(scene, *s.material)) return;
        constexpr std::uint32_t kDirections = 64;
        Sampler sampler(frame.pattern, frame.seed, i, 0);
        sides.albedo[i] =
            glm::min(diffuse_surface(scene, ray, hit, h, sampler, kDirections).albedo, vec3(1));
        if (!is_point && sides.albedo[i] != vec3(0)) sides.marks[i] = SampleSides::kDark;
    }

  private:
    TL_D void point(std::uint32_t i, const PathHit& h) const {
        // Rays between points start a little higher than others, to clear curved surfaces.
        constexpr float kLiftOfRays = 0.02f;
        const Surface& s = h.surface;
        sides.points[i].position = s.position;
        sides.points[i].normal = fused_dot(s.normal, h.geometric_normal) < 0 ? -s.normal : s.normal;
        sides.starts[i] = start_of_rays(s.on_patch.exists() ? PatchPosition{} : s.on_patch,
                                        s.position, h.geometric_normal) +
                          kLiftOfRays * lift * h.geometric_normal;
    }
};

struct MakeLambertian {
    PathTracerFrame frame;
    GatherQueue queue;

    TL_D void operator()(std::uint32_t i) const {
        constexpr std::uint32_t kDirections = 4;
        PathRay ray = load_vectorized(queue.rays[i]);
        Hit hit = queue.hits[i];
        PathHit h = path_hit(frame.scene, ray, hit);
        Sampler sampler(frame.pattern, frame.seed, ray.pixel, frame.sample, ~ray.path_id);
        DiffuseSurface at = diffuse_surface(frame.scene, ray, hit, h, sampler, kDirections);
        store_vectorized(queue.lambertian[i],
                         {h.surface.position, LambertianPoint::surface_of(at.normal, 0),
                          ray.throughput * h.transmittance * at.albedo / kPi, ray.pixel});
    }
};

}  // namespace

void look_at_sides(Scratch& scratch, const PathTracerFrame& frame, View<const Surfel> samples,
                   float lift, const SampleSides& sides) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n_sides = static_cast<std::uint32_t>(2 * samples.size);
    std::uint32_t most = std::min(n_sides, kRaysAtOnce);
    auto rays = scratch.take<PathRay>(most);
    auto hits = scratch.take<Hit>(most);
    auto count = scratch.take<std::uint32_t>(1);
    for (std::uint32_t first = 0; first < n_sides; first += most) {
        std::uint32_t n = std::min(most, n_sides - first);
        fill<std::uint32_t>(stream, count, n);
        SampleSides to = sides;
        parallel_for(
            stream, "rays onto sides", n, TL_LAMBDA(std::uint32_t k) {
                std::uint32_t i = first + k;
                Surfel sample = load_vectorized(samples[i / 2]);
                vec3 side = i % 2 ? -sample.normal : sample.normal;
                if (to.marks[i] != SampleSides::kPoint) {
                    to.marks[i] = 0;
                    to.points[i] = sample;
                }
                store_vectorized(rays[k],
                                 PathRay{sample.position + lift * side, i, -side, 1, vec3(1), 0,
                                         PackedCone::of({sqrtf(sample.area), 0})});
            });
        trace_path_rays(scratch, "surfaces at points", frame.scene, rays, count.data, hits,
                        launch_of_scattered_rays(frame.scene));
        pass_surfaces(scratch, frame.scene, Passed::lamps, 1, rays, count.data, hits);
        const LookAtSide look{frame, rays, hits, lift, sides, first};
        parallel_for(
            stream, "surfaces at points", n, TL_LAMBDA(std::uint32_t k) { look(k); }, 64);
    }
}

void make_lambertian(Stream& stream, const PathTracerFrame& frame, const GatherQueue& queue,
                     WaveCounts* counts) {
    for_each_entry(stream, "other gather points", &counts->n_others,
                   static_cast<std::uint32_t>(queue.rays.size), MakeLambertian{frame, queue});
}

CameraHits look_at_pixels(Scratch& scratch, const PathJob& job, const PixelOrder& order,
                          std::uint32_t first, std::uint32_t n) {
    auto& stream = scratch.stream();
    auto rays = scratch.take<PathRay>(n);
    auto hits = scratch.take<Hit>(n);
    CameraHits seen{scratch.take<LambertianPoint>(n), scratch.take<std::uint32_t>(1)};
    stream.device().fill_zero(stream, seen.count.data, sizeof(std::uint32_t));
    PathTracerFrame frame = job.frame;
    CameraRays camera = job.camera;
    FilmView film = job.film;
    CameraHits to = seen;
    parallel_for(
        stream, "camera rays", n, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t x, y;
            if (!order.pixel(first + i, x, y)) return;
            std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
            film.ray_count[pixel] = film.is_done(pixel) ? 0 : 1;
            if (film.is_done(pixel)) return;
            store_vectorized(rays[atomic_append(to.count.data)],
                             camera_ray(camera, frame, x, y, pixel));
        });
    trace_path_rays(scratch, "path rays", frame.scene, rays, seen.count.data, hits,
                    RayLaunch::each);
    for_each_entry(
        stream, "camera hits", seen.count.data, n, TL_LAMBDA(std::uint32_t i) {
            PathRay ray = load_vectorized(rays[i]);
            Hit hit = hits[i];
            LambertianPoint point{vec3(0), 0, vec3(0), ray.pixel};
            if (hit.found()) {
                PathHit h = path_hit(frame.scene, ray, hit);
                point.position = h.surface.position;
                point.surface = LambertianPoint::surface_of(h.normal, 0);
                if (!is_smooth_specular(frame.scene, *h.surface.material))
                    point.throughput = vec3(1);
            }
            store_vectorized(to.points[i], point);
        });
    return seen;
}

TL_DEVICE_END
