#include "renderer/photon/thesis/final_gather.h"

#include "accel/bvh/traversal/trace_rays.h"
#include "core/device/block.h"
#include "renderer/photon/gather/drawn_part.h"
#include "renderer/photon/gather/photon_edges.h"
#include "renderer/photon/thesis/narrow_rays.h"
#include "renderer/photon/thesis/photon_search.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint64_t kGatherNumbers = 0x676174686572;

/// Generates the gather rays of each seed. Directions are cosine distributed, evenly spread, and
/// differ from frame to frame.
struct StartGather {
    PathTracerFrame frame;
    GatherPlaces places;
    std::uint32_t n_rays;  ///< per seed
    SharpQueue queue;
    View<vec4> gathered;

    TL_D void operator()(std::uint32_t i) const {
        std::uint32_t seed = i / n_rays, number = i % n_rays;
        gathered[i] = vec4(0);
        if (places.seeds[seed] == ~0u) return;
        ShadingPoint point = load_vectorized(places.points[places.seeds[seed]]);
        SamplePair directions = Sampler(frame.pattern, frame.seed, seed, 0).next_pair();
        vec3 direction = cosine_direction(point.shading_normal(),
                                          directions.point(frame.sample * n_rays + number));
        if (!(fused_dot(unpack_direction<16>(point.horizon_normal), direction) > 0)) return;
        queue.append({point.origin, i, direction, 1, vec3(1), point.media, PackedCone::of({0, 0}),
                      point.on_patch});
    }
};

/// Step of a gather ray at a hit: it continues, or requests an irradiance lookup.
struct MeetGathered {
    PathTracerFrame frame;
    View<LambertianPoint> lookups;
    std::uint32_t* n_lookups;
    View<vec4> gathered;  ///< per ray: radiance; w: one over the distance, 1/m

    TL_D bool operator()(const PathRay& ray, const Hit& hit, const PathHit& h,
                         PathRay& next) const {
        if (ray.depth() == 0) gathered[ray.pixel].w = 1 / maximum(hit.t, 1e-20f);
        SurfaceInteraction at;
        PathNumbers numbers(frame.pattern, frame.seed, ray.pixel, frame.sample, ray.path_id);
        NarrowStep step = narrow_step(frame, ray, hit, h, numbers, at, next);
        if (step != NarrowStep::arrived) return step == NarrowStep::continues;
        vec3 albedo = at.bsdf.albedo, side = h.geometric_normal;
        if (!at.bsdf.is_wide_lambert() || at.bsdf.has_narrow()) {
            // Estimates the albedo by one BSDF sample, whose mean is all reflected light.
            BsdfSample s;
            if (!at.bsdf.sample(at.lit.to_viewer, numbers.choice(), numbers.direction(), s) ||
                !is_open(h, at, s.direction))
                return false;
            auto part = draw_part(at.bsdf.narrow_share(at.lit.to_viewer, s), numbers.light());
            albedo = part.weight * s.weight;
            if (part.is_narrow) {
                next = scattered_ray(ray, h, at, s, albedo);
                return true;
            }
            if (fused_dot(at.lit.normal, s.direction) <= 0) side = -side;
        }
        LambertianPoint point{h.surface.position, LambertianPoint::surface_of(side, 0),
                              ray.throughput * h.transmittance * albedo / kPi, ray.pixel};
        store_vectorized(lookups[atomic_append(n_lookups)], point);
        return false;
    }
};

/// Looks up the irradiance of the nearest photon of about the same orientation.
struct LookUpRadiance {
    PhotonTreeView radiance;
    RadianceRadius limit;
    View<const LambertianPoint> lookups;
    View<vec4> gathered;
    View<Ray> visibility_rays;  ///< per lookup: visibility ray to the photon

    /// Visibility ray, lifted above the query point by a part of the distance. Empty where photon
    /// and query point coincide.
    TL_D static Ray visibility_ray_of(const LambertianPoint& point, vec3 photon) {
        vec3 lift = BoundaryPoint::kLift * glm::length(photon - point.position) * point.normal();
        vec3 eye =
            fused(point_clearance(point.position, point.normal()), point.normal(), point.position) +
            lift;
        Ray ray = visibility_ray(eye, photon);
        if (lift == vec3(0)) ray.t_max = 0;
        return ray;
    }

    TL_D void operator()(const Team& team, NoStorage&, std::uint32_t i) const {
        LambertianPoint point = load_vectorized(lookups[i]);
        const PhotonFilter filter{point.position, point.normal(), ~0u};
        float own = limit.radius * limit.radius, least = own;
        std::uint32_t nearest = ~0u;
        const PointTreeView& tree = radiance.tree;
        for_each_leaf_near(
            tree, point.position, [&] { return least; },
            [&](std::uint32_t first, std::uint32_t count) {
                for (std::uint32_t k = first + Team::rank(); k < first + count;
                     k += Team::kThreads) {
                    vec3 at = load_vectorized(tree.points[k]).position;
                    float square = square_distance(point.position, at);
                    if (!(square < own) || !filter.accepts(radiance.surfaces[k], at, square))
                        continue;
                    own = square;
                    nearest = k;
                }
                least = team_minimum(team, own);
            });
        // Selects one of several equally near photons.
        std::uint32_t chosen = team_least(team, own == least ? nearest : ~0u);
        if (Team::rank() != 0) return;
        visibility_rays[i].t_max = 0;
        if (chosen == ~0u) return;
        PhotonLight light = load_vectorized(radiance.lights[chosen]);
        if (least > limit.largest_ratio() * float_of_bits(light.direction)) return;
        vec3 found = point.throughput * light.power;
        vec4& sum = gathered[point.pixel];
        sum = vec4(found, sum.w);
        store_vectorized(visibility_rays[i],
                         visibility_ray_of(point, load_vectorized(tree.points[chosen]).position));
    }
};

/// Removes the light of photons that are occluded, such as those on the floor of the next room.
void hide_radiance(Scratch& scratch, const SceneView& scene, View<const LambertianPoint> lookups,
                   const std::uint32_t* n_lookups, View<const Ray> visibility_rays,
                   View<vec4> gathered) {
    Scratch::Scope scope(scratch);
    auto hidden = scratch.take<std::uint8_t>(visibility_rays.size);
    RayRecords records(visibility_rays);
    records.count = n_lookups;
    trace_any(scratch, "photons in sight", scene.tree, records, {{}, {}, hidden});
    for_each_entry(
        scratch.stream(), "photons in sight", n_lookups,
        static_cast<std::uint32_t>(visibility_rays.size), TL_LAMBDA(std::uint32_t i) {
            if (!hidden[i]) return;
            vec4& sum = gathered[lookups[i].pixel];
            sum = vec4(vec3(0), sum.w);
        });
}

/// Sums the gather rays of a seed.
struct SumGathered {
    static constexpr int kThreads = 64;
    struct Shared {
        vec4 of_thread[kThreads];
    };
    GatherPlaces places;
    std::uint32_t first_seed, n_rays;
    View<const vec4> gathered;
    View<IrradianceSeed> seeds;

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        std::uint32_t k = first_seed + block.index, first = k * n_rays;
        if (places.seeds[k] == ~0u) return;
        vec4 sum(0);
        for (std::uint32_t i = block.rank; i < n_rays; i += block.size) sum += gathered[first + i];
        shared.of_thread[block.rank] = sum;
        block.sync();
        if (block.rank > 0) return;
        for (std::uint32_t t = 1; t < block.size; ++t) sum += shared.of_thread[t];
        const ShadingPoint& point = places.points[places.seeds[k]];
        auto n = static_cast<float>(n_rays);
        store_vectorized(seeds[k],
                         IrradianceSeed{point.position, point.normal, vec3(sum) * (kPi / n),
                                        sum.w > 0 ? n / sum.w : kInfinity});
    }
};

}  // namespace

void IrradianceSeeds::gather(Scratch& scratch, const PathTracerFrame& frame,
                             const PhotonTreeView& radiance, const RadianceRadius& radius,
                             const GatherPlaces& places, std::uint32_t rays, PhotonShare* share) {
    auto& stream = scratch.stream();
    auto n_seeds = static_cast<std::uint32_t>(places.seeds.size);
    seeds_.resize_discard(stream, n_seeds);
    count_.resize_discard(stream, 1);
    Scratch::Scope scope(scratch);
    PathTracerFrame own = frame;
    own.seed ^= kGatherNumbers;
    std::uint64_t key = hash_64(own.seed ^ std::uint64_t{n_seeds} << 32 ^ rays) ^ own.sample;
    if (share && !share->begin_pass(stream, key)) share = nullptr;
    const SharedRange range = share ? share->range(n_seeds) : SharedRange{0, n_seeds};
    std::uint32_t first = range.begin * rays, n = (range.end - range.begin) * rays;
    SharpWaves waves(scratch, frame.scene, n);
    auto gathered = scratch.take<vec4>(n_seeds * rays);  // those of the range are used
    auto lookups = scratch.take<LambertianPoint>(n);
    auto n_lookups = scratch.take<std::uint32_t>(1);
    stream.device().fill_zero(stream, n_lookups.data, sizeof(std::uint32_t));
    const StartGather start{own, places, rays, waves.first(), gathered};
    parallel_for(
        stream, "gather directions", n, TL_LAMBDA(std::uint32_t i) { start(first + i); });
    waves.run("gather rays", std::max(frame.limits.max_depth, 1),
              MeetGathered{own, lookups, n_lookups.data, gathered});
    auto visibility_rays = scratch.take<Ray>(n);
    for_each_search<NoStorage>(
        stream, "radiance at hits", n_lookups.data, n,
        LookUpRadiance{radiance, radius, lookups, gathered, visibility_rays});
    hide_radiance(scratch, frame.scene, lookups, n_lookups.data, visibility_rays, gathered);
    launch_blocks<SumGathered::kThreads>(
        stream, "sum of gather rays", range.end - range.begin,
        SumGathered{places, range.begin, rays, gathered, seeds_.view()});
    if (share) share->complete(stream, {seeds_.data(), sizeof(IrradianceSeed)}, n_seeds);
    auto count = count_.view();
    GatherPlaces given = places;
    parallel_for(
        stream, "count seeds", 1,
        TL_LAMBDA(std::uint32_t) { count[0] = given.seeds[0] == ~0u ? 0 : n_seeds; });
}

void IrradianceSeeds::build_tree(Scratch& scratch) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto n = static_cast<std::uint32_t>(seeds_.size());
    auto positions = scratch.take<vec3>(n);
    auto seeds = seeds_.view();
    auto count = count_.view();
    parallel_for(
        stream, "places of seeds", n, TL_LAMBDA(std::uint32_t k) {
            if (k < count[0]) positions[k] = seeds[k].position;
        });
    tree_.build(scratch, positions, count_.data());
}

TL_DEVICE_END
