#include "renderer/photon/vcm/camera_paths.h"

#include <algorithm>

#include "renderer/photon/vcm/join_vertices.h"
#include "renderer/photon/vcm/shadow_links.h"
#include "renderer/photon/vcm/sources.h"

TL_DEVICE_BEGIN

namespace {

/// State of a camera sub-path's ray besides PathRay. Aligned, so that it is loaded and stored in
/// words of 16 bytes.
struct alignas(16) CameraPathHistory {
    vec3 lit_from;            ///< position of the last next-event estimation
    float pdf;                ///< density of the ray's direction, 1/sr; 0: a specular direction
    vec3 lit_normal;          ///< normal at `lit_from`
    std::uint32_t two_sided;  ///< whether light from both sides counted there
    SubPathSums sums;
    float compression;  ///< factor by which refraction has scaled radiance along the path
    /// Term of `sums.rest` for merging at the ray's origin; added at its hit, once emission there
    /// has been weighted.
    float merges = 0;
};
static_assert(sizeof(CameraPathHistory) == 48);

struct CameraQueue {
    View<PathRay> rays;
    View<CameraPathHistory> histories;

    CameraQueue(Scratch& scratch, std::uint32_t n)
        : rays(scratch.take<PathRay>(n)), histories(scratch.take<CameraPathHistory>(n)) {}
    TL_D void store(std::uint32_t i, const PathRay& ray, const CameraPathHistory& history) const {
        store_vectorized(rays[i], ray);
        store_vectorized(histories[i], history);
    }
};

/// One bounce of one camera sub-path.
struct MeetSeen {
    VcmPass pass;
    CameraQueue from;
    View<const Hit> hits;
    CameraQueue to;
    View<PathVertex> vertices;
    View<vec4> sums;
    CameraCounts* counts;  ///< lengths for this bounce; the next bounce's follow them

    TL_D void operator()(std::uint32_t i) const {
        PathRay ray = load_vectorized(from.rays[i]);
        CameraPathHistory history = load_vectorized(from.histories[i]);
        Hit hit = hits[i];
        vec4& sum = sums[ray.pixel];
        if (!hit.found()) {
            sum += vec4(ray.throughput * missed(ray, history), 1);
            return;
        }
        const PathTracerFrame& frame = pass.frame;
        const SceneView& scene = frame.scene;
        PathHit h = path_hit(scene, ray, hit);
        sum += vec4(ray.throughput * h.transmittance * emitted(ray, history, hit, h), 1);
        if (ray.depth() >= static_cast<std::uint32_t>(frame.limits.max_depth)) return;
        history.sums.rest += history.merges;
        history.merges = 0;
        PathNumbers numbers(frame.pattern, frame.seed, ray.pixel, frame.sample, ray.path_id);
        if (is_smooth_specular(scene, *h.surface.material)) return turn(ray, history, h, numbers);
        SurfaceInteraction at = surface_interaction(scene, ray, hit, h, false);
        if (at.face.is_real) return scatter(ray, history, hit, h, at, numbers);
        history.sums = history.sums.turned(1);
        history.pdf = 0;
        continue_path(
            bounced_ray(ray, h, {ray.direction, h.transmittance, 1, at.face.beyond, h.cone}),
            history, numbers);
    }
    [[nodiscard]] TL_D vec3 missed(const PathRay& ray, const CameraPathHistory& history) const {
        const SceneView& scene = pass.frame.scene;
        vec3 radiance = background_radiance(scene, ray.direction);
        if (radiance == vec3(0) || ray.depth() == 0) return radiance;
        return radiance * weight(ray, history, surrounding_source(scene), kInfinity);
    }
    [[nodiscard]] TL_D vec3 emitted(const PathRay& ray, const CameraPathHistory& history,
                                    const Hit& hit, const PathHit& h) const {
        const SceneView& scene = pass.frame.scene;
        vec3 radiance = h.emitted(scene, hit);
        if (radiance == vec3(0) || ray.depth() == 0) return radiance;
        std::int32_t light = any_light_of(scene, hit, h.surface);
        if (light < 0) return radiance;
        return radiance * weight(ray, history, static_cast<std::uint32_t>(light), hit.t);
    }
    [[nodiscard]] TL_D float weight(const PathRay& ray, const CameraPathHistory& history,
                                    std::uint32_t source, float distance) const {
        const SceneView& scene = pass.frame.scene;
        float direct = 0;
        if (history.pdf > 0)
            direct = direct_density(scene, source, history.lit_from, history.lit_normal,
                                    history.two_sided, ray.direction, distance);
        float spread = history.sums.rest > 0
                           ? inverse_emission_density(scene, *pass.around, source, -ray.direction)
                           : 1.0f;
        return weight_of_hit(history.sums, history.pdf, direct, spread);
    }
    TL_D void scatter(const PathRay& ray, const CameraPathHistory& history, const Hit& hit,
                      const PathHit& h, const SurfaceInteraction& at,
                      const PathNumbers& numbers) const {
        const SceneView& scene = pass.frame.scene;
        PathVertex v = vertex_at(scene, ray, hit, h, at);
        v.sums = history.sums.arrived(hit.t * hit.t, cosine_at(v, v.to_previous));
        store_vectorized(vertices[atomic_append(&counts->n_vertices)], v);
        VertexSide seen(scene, v, v.to_previous);
        BsdfSample s;
        if (!seen.sample(numbers.choice(), numbers.direction(), s)) return;
        bool through = fused_dot(v.geometric, s.direction) < 0;
        float reverse = VertexSide(scene, v, s.direction).pdf(v.to_previous);
        CameraPathHistory next;
        next.lit_from = v.position;
        next.pdf = s.pdf;
        next.lit_normal = v.shading;
        next.two_sided = is_two_sided(scene, v);
        float cosine = cosine_at(v, s.direction);
        next.sums = v.sums.scattered(pass.balance, 0, cosine, s.pdf, reverse);
        next.merges = cosine / s.pdf * pass.balance.merges;
        next.compression = history.compression * (through ? v.eta * v.eta : 1.0f);
        continue_path({v.origin_towards(s.direction), ray.pixel, s.direction,
                       next_path_id(ray.path_id, through ? 1 : 0), v.throughput * s.weight,
                       (ray.depth() + 1) << Media::kBits | v.media_towards(s.direction).bits,
                       PackedCone::of(h.cone), v.on_patch},
                      next, numbers);
    }
    TL_D void turn(const PathRay& ray, CameraPathHistory history, const PathHit& h,
                   const PathNumbers& numbers) const {
        BouncedRay bounced;
        float eta;
        if (!choose_turn(pass.frame.scene, ray, h, numbers.choice(), bounced, eta)) return;
        bounced.weight *= eta * eta;
        history.compression *= eta * eta;
        history.sums = history.sums.turned(eta);
        history.pdf = 0;
        continue_path(bounced_ray(ray, h, bounced), history, numbers);
    }
    /// Russian roulette by throughput without the refraction factor, which is undone when the path
    /// leaves the medium.
    TL_D void continue_path(PathRay next, const CameraPathHistory& history,
                            const PathNumbers& numbers) const {
        if (next.depth() > static_cast<std::uint32_t>(pass.frame.limits.roulette_from)) {
            constexpr float kMaxSurvival = 0.98f;
            float keep = minimum(largest(next.throughput) / history.compression, kMaxSurvival);
            if (!(numbers.roulette() < keep)) return;
            next.throughput /= keep;
        }
        if (largest(next.throughput) > 0) to.store(atomic_append(&counts[1].n_rays), next, history);
    }
};

/// Most shadow rays of one batch.
constexpr std::uint32_t kMostShadows = 1u << 23;

struct CameraWaves {
    Scratch& scratch;
    const VcmPass& pass;
    const PathJob& job;
    PixelOrder order;
    std::uint32_t n_shadows;  ///< most shadow rays of a vertex
    std::uint32_t capacity;   ///< sub-paths of one batch
    CameraQueue queues[2];
    CameraVertices vertices;
    View<Hit> hits;
    View<CameraCounts> counts;  ///< lengths for each bounce
    View<vec4> sums;            ///< per pixel: radiance of the sample, and number of rays

    CameraWaves(Scratch& scratch, const VcmPass& pass, const PathJob& job)
        : scratch(scratch),
          pass(pass),
          job(job),
          order(job.film.extent, job.film.tiles, job.film.n_tiles),
          n_shadows(pass.balance.connections > 0
                        ? static_cast<std::uint32_t>(std::max(pass.frame.limits.max_depth, 1))
                        : 1),
          capacity(std::min(order.n_items, kMostShadows / n_shadows)),
          queues{{scratch, capacity}, {scratch, capacity}},
          vertices(scratch, capacity, capacity * n_shadows),
          hits(scratch.take<Hit>(capacity)),
          counts(scratch.take<CameraCounts>(static_cast<std::size_t>(pass.frame.limits.max_depth) +
                                            2)),
          sums(scratch.take<vec4>(job.film.extent.pixels())) {}

    void render(const LightVertices& list, const PhotonGridView& grid, const Splats& splats) {
        for (std::uint32_t first = 0; first < order.n_items; first += capacity) {
            std::uint32_t n = std::min(capacity, order.n_items - first);
            auto& stream = scratch.stream();
            stream.device().fill_zero(stream, counts.data, counts.size * sizeof(CameraCounts));
            start(first, n);
            for (std::uint32_t level = 0; level + 1 < counts.size; ++level)
                bounce(level, list, grid);
            write_film(first, n, splats);
        }
    }
    void start(std::uint32_t first, std::uint32_t n) {
        VcmPass pass = this->pass;
        PixelOrder order = this->order;
        CameraRays camera = job.camera;
        FilmView film = job.film;
        CameraQueue queue = queues[0];
        auto counts = this->counts;
        auto sums = this->sums;
        parallel_for(
            scratch.stream(), "camera rays", n, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t x, y;
                if (!order.pixel(first + i, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                sums[pixel] = vec4(0);
                if (film.is_done(pixel)) return;
                PathRay ray = camera_ray(camera, pass.frame, x, y, pixel);
                CameraPathHistory history{vec3(0), 0, vec3(0), 0, {}, 1};
                history.sums =
                    SubPathSums::of_camera(pass.balance, pass.plane.density(ray.direction));
                queue.store(atomic_append(&counts[0].n_rays), ray, history);
            });
    }
    void bounce(std::uint32_t level, const LightVertices& list, const PhotonGridView& grid) {
        auto& stream = scratch.stream();
        const CameraQueue &from = queues[level % 2], &to = queues[(level + 1) % 2];
        CameraCounts* here = &counts[level];
        trace_rays(from, &here->n_rays, level == 0);
        const MeetSeen meet{pass, from, hits, to, vertices.vertices, sums, here};
        for_each_entry_in_step<256, 2>(stream, "camera path hits", &here->n_rays, capacity, meet);
        connect_vertices(stream, pass, list, vertices, here);
        trace_shadow_rays(scratch, pass.frame.scene, vertices.shadows, &here->n_shadows);
        add_connections(stream, vertices, here, sums);
        if (pass.balance.merges > 0) merge_vertices(stream, pass, list, grid, vertices, here, sums);
    }
    void trace_rays(const CameraQueue& from, const std::uint32_t* count, bool is_first) {
        trace_path_rays(scratch, "camera path rays", pass.frame.scene, from.rays, count, hits,
                        is_first ? RayLaunch::each : RayLaunch::queue);
    }
    void write_film(std::uint32_t first, std::uint32_t n, const Splats& splats) {
        PixelOrder order = this->order;
        FilmView film = job.film;
        std::uint32_t sample = pass.frame.sample;
        Splats from = splats;
        auto sums = this->sums;
        parallel_for(
            scratch.stream(), "write film", n, TL_LAMBDA(std::uint32_t i) {
                std::uint32_t x, y;
                if (!order.pixel(first + i, x, y)) return;
                std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
                vec4 sum = sums[pixel];
                film.ray_count[pixel] = static_cast<std::uint32_t>(sum.w);
                if (!film.is_done(pixel)) film.add(pixel, sample, vec3(sum) + from.of(pixel));
            });
    }
};

}  // namespace

void trace_camera_paths(Scratch& scratch, const VcmPass& pass, const PathJob& job,
                        const LightVertices& list, const PhotonGridView& grid,
                        const Splats& splats) {
    Scratch::Scope scope(scratch);
    CameraWaves(scratch, pass, job).render(list, grid, splats);
}

TL_DEVICE_END
