#include "renderer/photon/gather/photon_edges.h"

#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/optics/directions.h"
#include "renderer/shading/sampler.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

namespace {

/// kMostDraws: most kernel samples per gather point. kLeft: samples still expected where none of
/// them is open, as at a corner, where a quarter of the kernel is open.
constexpr std::uint32_t kMostDraws = 8, kLeft = 4;

/// Gather points and rays of one round of kernel samples.
struct DrawRound {
    View<std::uint32_t> entries;
    View<std::uint32_t> count;
    View<Ray> rays;
    View<Hit> hits;
};

/// Ray towards the surface at a point sampled from Epanechnikov's kernel. It starts as far above
/// the surface as photons count, and ends as far below.
TL_D Ray ray_to_drawn(const BoundaryPoint& place, std::uint32_t round) {
    vec3 side = unpack_direction<12>(place.surface), x, y;
    basis_of(side, x, y);
    std::uint32_t random = hash_bits(place.random + 0x9e3779b9u * (round + 1));
    float square = 1 - sqrtf(1 - to_unit_float(random));
    float angle = 2 * kPi * to_unit_float(hash_bits(random ^ 0x68bc21ebu));
    float distance = place.radius * sqrtf(square);
    Ray ray;
    ray.origin = place.above + distance * (cosf(angle) * x + sinf(angle) * y);
    ray.direction = -side;
    ray.t_max = 2 * BoundaryPoint::kLift * place.radius;
    return ray;
}

/// Whether the ray has hit a surface on which photons would count.
TL_D bool is_surface(const SceneView& scene, const BoundaryPoint& place, const Ray& ray,
                     const Hit& hit) {
    constexpr float kLeastCosine = 0.7f;
    if (!hit.found()) return false;
    Surface met = surface_at(scene, ray, hit);
    vec3 normal = fused_dot(met.geometric_normal, ray.direction) > 0 ? -met.geometric_normal
                                                                     : met.geometric_normal;
    return fused_dot(normal, unpack_direction<12>(place.surface)) >= kLeastCosine;
}

void see_photons(Stream& stream, const EdgeQueue& queue, View<const std::uint8_t> hidden,
                 const DrawRound& round) {
    auto capacity = static_cast<std::uint32_t>(queue.places.size);
    EdgeQueue given = queue;
    DrawRound next = round;
    for_each_entry(
        stream, "photons in sight", queue.count, capacity, TL_LAMBDA(std::uint32_t i) {
            if (hidden[i]) return;
            std::uint32_t k = atomic_append(&next.count[0]);
            next.entries[k] = i;
            store_vectorized(next.rays[k], ray_to_drawn(load_vectorized(given.places[i]), 0));
        });
}

/// Replaces the rays that have hit the surface by visibility rays from the gather point to the hit.
/// Hits of all others are removed.
void look_at_drawn(Stream& stream, const SceneView& scene, const EdgeQueue& queue,
                   const DrawRound& round) {
    auto capacity = static_cast<std::uint32_t>(queue.places.size);
    SceneView seen = scene;
    EdgeQueue given = queue;
    DrawRound drawn = round;
    for_each_entry(
        stream, "drawn places", &round.count[0], capacity, TL_LAMBDA(std::uint32_t j) {
            BoundaryPoint place = load_vectorized(given.places[drawn.entries[j]]);
            Ray ray = load_vectorized(drawn.rays[j]);
            Hit hit = drawn.hits[j];
            if (!is_surface(seen, place, ray, hit)) {
                drawn.hits[j].primitive = Hit::kNone;
                ray.t_max = 0;
                return store_vectorized(drawn.rays[j], ray);
            }
            store_vectorized(drawn.rays[j],
                             visibility_ray(place.above, ray.origin + hit.t * ray.direction));
        });
}

void end_round(Stream& stream, const EdgeQueue& queue, std::uint32_t k, const DrawRound& round,
               View<const std::uint8_t> hidden, const DrawRound& next, View<vec4> sums) {
    auto capacity = static_cast<std::uint32_t>(queue.places.size);
    EdgeQueue given = queue;
    DrawRound drawn = round, later = next;
    for_each_entry(
        stream, "open places", &round.count[0], capacity, TL_LAMBDA(std::uint32_t j) {
            std::uint32_t i = drawn.entries[j];
            bool open = drawn.hits[j].found() && !hidden[j];
            if (!open && k + 1 < kMostDraws) {
                std::uint32_t next_j = atomic_append(&later.count[0]);
                later.entries[next_j] = i;
                store_vectorized(later.rays[next_j],
                                 ray_to_drawn(load_vectorized(given.places[i]), k + 1));
                return;
            }
            ArrivingLight light = load_vectorized(given.light[i]);
            auto n = static_cast<float>(open ? k + 1 : kMostDraws + kLeft);
            sums[light.pixel] += vec4(n * light.radiance, 0);
        });
}

}  // namespace

void add_open_light(Scratch& scratch, const SceneView& scene, const EdgeQueue& queue,
                    View<vec4> sums) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n = queue.places.size;
    auto counts = scratch.take<std::uint32_t>(kMostDraws + 1);
    stream.device().fill_zero(stream, counts.data, counts.size * sizeof(std::uint32_t));
    auto hidden = scratch.take<std::uint8_t>(n);
    auto hits = scratch.take<Hit>(n);
    DrawRound rounds[2];
    for (auto& round : rounds)
        round = {scratch.take<std::uint32_t>(n), counts, scratch.take<Ray>(n), hits};
    auto at = [&](std::uint32_t k) {
        DrawRound round = rounds[k % 2];
        round.count = {&counts[k], 1};
        return round;
    };
    auto records = [](View<Ray> rays, const std::uint32_t* count) {
        RayRecords found(rays);
        found.count = count;
        return found;
    };
    trace_any(scratch, "photons in sight", scene.tree, records(queue.to_photon, queue.count),
              {{}, {}, hidden});
    see_photons(stream, queue, hidden, at(0));
    for (std::uint32_t k = 0; k < kMostDraws; ++k) {
        DrawRound round = at(k);
        trace_closest(scratch, "open places", scene.tree, records(round.rays, &round.count[0]),
                      {hits, {}, {}});
        look_at_drawn(stream, scene, queue, round);
        trace_any(scratch, "open places", scene.tree, records(round.rays, &round.count[0]),
                  {{}, {}, hidden});
        end_round(stream, queue, k, round, hidden, at(k + 1), sums);
    }
}

TL_DEVICE_END
