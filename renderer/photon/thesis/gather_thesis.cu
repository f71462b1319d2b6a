#include "renderer/photon/thesis/gather_thesis.h"

#include <algorithm>

#include "core/device/parallel_for.h"
#include "renderer/path/follow_path.h"
#include "renderer/path/wide_lobe_albedo.h"
#include "renderer/photon/thesis/interpolate.h"
#include "renderer/photon/trace/scattered_photon.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kAlbedoDirections = 4;

template <class Search>
struct PhotonLookup {
    /// Storage of the photon search, reused by the seed search.
    union Storage {
        typename Search::Storage photons;
        SeedSearch::Storage seeds;
    };

    ThesisLight light;
    Search search;

    [[nodiscard]] TL_D PhotonFilter filter(vec3 p, vec3 side, std::uint32_t depth) const {
        return {p, side, light.max_met - depth};
    }
    [[nodiscard]] TL_D vec3 indirect(const Team& team, Storage& storage, vec3 p,
                                     vec3 normal) const {
        if (!light.with_indirect) return vec3(0);
        sync_team(team);
        return SeedSearch{light.seeds}.irradiance(team, storage.seeds, p, normal);
    }
};

template <class Search>
struct GatherAtLambertian : PhotonLookup<Search> {
    using Base = PhotonLookup<Search>;
    using typename Base::Storage;
    View<const LambertianPoint> places;
    View<vec4> sums;

    TL_D void operator()(const Team& team, Storage& storage, std::uint32_t i) const {
        LambertianPoint point = load_vectorized(places[i]);
        vec3 sum(0);
        if (this->light.with_caustics) {
            this->search.for_each(team, storage.photons, this->light.caustic,
                                  this->filter(point.position, point.normal(), point.depth()), i,
                                  [&](std::uint32_t k, float square, float reach) {
                                      vec3 power =
                                          load_vectorized(this->light.caustic.lights[k]).power;
                                      sum += kernel_weight(square, reach) * power;
                                  });
            sum = team.sum(sum);
        }
        sum += this->indirect(team, storage, point.position, point.normal());
        if (Team::rank() == 0) sums[point.pixel] += vec4(point.throughput * sum, 0);
    }
};

template <class Search>
struct GatherAtOthers : PhotonLookup<Search> {
    using Base = PhotonLookup<Search>;
    using typename Base::Storage;
    PathTracerFrame frame;
    View<const PathRay> rays;
    View<const Hit> hits;
    View<vec4> sums;

    TL_D void operator()(const Team& team, Storage& storage, std::uint32_t i) const {
        PathRay ray = load_vectorized(rays[i]);
        PathHit h = path_hit(frame.scene, ray, hits[i]);
        SurfaceInteraction at = surface_interaction(frame.scene, ray, hits[i], h, false);
        vec3 sum = caustics(team, storage, i, ray, h, at);
        if (this->light.with_indirect)
            sum += wide_lobe_albedo(at, sampler_of(ray), kAlbedoDirections) / kPi *
                   this->indirect(team, storage, h.surface.position, at.lit.normal);
        if (Team::rank() == 0) sums[ray.pixel] += vec4(ray.throughput * h.transmittance * sum, 0);
    }
    TL_D Sampler sampler_of(const PathRay& ray) const {
        return {frame.pattern, frame.seed, ray.pixel, frame.sample, ~ray.path_id};
    }
    TL_D vec3 caustics(const Team& team, Storage& storage, std::uint32_t i, const PathRay& ray,
                       const PathHit& h, const SurfaceInteraction& at) const {
        if (!this->light.with_caustics) return vec3(0);
        vec3 sum(0);
        this->search.for_each(team, storage.photons, this->light.caustic,
                              this->filter(h.surface.position, h.geometric_normal, ray.depth()), i,
                              [&](std::uint32_t k, float square, float reach) {
                                  PhotonLight photon =
                                      load_vectorized(this->light.caustic.lights[k]);
                                  sum += kernel_weight(square, reach) * photon.power *
                                         scattered_by_wide_lobes(h, at, photon.direction);
                              });
        return team.sum(sum);
    }
};

template <class Search>
void add_at_lambertian(Stream& stream, const PhotonLookup<Search>& at,
                       View<const LambertianPoint> points, const std::uint32_t* count,
                       View<vec4> sums) {
    for_each_search<typename PhotonLookup<Search>::Storage>(
        stream, "light at Lambertian points", count, static_cast<std::uint32_t>(points.size),
        GatherAtLambertian<Search>{at, points, sums});
}

template <class Search>
void add_at_others(Stream& stream, const PathTracerFrame& frame, const PhotonLookup<Search>& at,
                   View<const PathRay> rays, View<const Hit> hits, const std::uint32_t* count,
                   View<vec4> sums) {
    for_each_search<typename PhotonLookup<Search>::Storage>(
        stream, "light at other places", count, static_cast<std::uint32_t>(rays.size),
        GatherAtOthers<Search>{at, frame, rays, hits, sums});
}

template <class Search>
void add_light(Stream& stream, const PathTracerFrame& frame, const PhotonLookup<Search>& at,
               const GatherQueue& queue, WaveCounts* counts, View<vec4> sums) {
    add_at_lambertian<Search>(stream, at, queue.lambertian, &counts->n_lambertian, sums);
    add_at_others<Search>(stream, frame, at, queue.rays, queue.hits, &counts->n_others, sums);
}

void put_positions(Stream& stream, View<const LambertianPoint> points, View<vec3> positions) {
    parallel_for(
        stream, "positions of gather points", static_cast<std::uint32_t>(points.size),
        TL_LAMBDA(std::uint32_t i) { positions[i] = points[i].position; });
}

void put_positions(Stream& stream, const PathTracerFrame& frame, View<const PathRay> rays,
                   View<const Hit> hits, View<vec3> positions) {
    const SceneView scene = frame.scene;
    parallel_for(
        stream, "positions of gather points", static_cast<std::uint32_t>(rays.size),
        TL_LAMBDA(std::uint32_t i) {
            positions[i] = path_hit(scene, load_vectorized(rays[i]), hits[i]).surface.position;
        });
}

/// Calls use(first, n) for runs of at most CausticNeighbors::kBatch of `count` entries.
template <class Use>
void for_each_batch(std::uint32_t count, Use&& use) {
    for (std::uint32_t first = 0; first < count; first += CausticNeighbors::kBatch)
        use(first, std::min(CausticNeighbors::kBatch, count - first));
}

}  // namespace

ListedSearch ThesisGather::listed(Stream& stream, std::uint32_t n) const {
    StageTimer::Scope stage(timer_, "nearest photons");
    return neighbors_.find(stream, n);
}

void ThesisGather::look_up_in_batches(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                                      View<vec4> sums) const {
    WaveCounts lengths;
    stream.device().download(stream, &lengths, counts, sizeof lengths);
    DeviceArray<std::uint32_t> count(stream, 1);
    auto of_batch = [&](std::uint32_t n) {
        stream.device().upload(stream, count.data(), &n, sizeof n);
        return count.data();
    };
    for_each_batch(lengths.n_lambertian, [&](std::uint32_t first, std::uint32_t n) {
        const View<const LambertianPoint> points{queue.lambertian.data + first, n};
        put_positions(stream, points, neighbors_.queries());
        add_at_lambertian<ListedSearch>(stream, {light_, listed(stream, n)}, points, of_batch(n),
                                        sums);
    });
    for_each_batch(lengths.n_others, [&](std::uint32_t first, std::uint32_t n) {
        const View<const PathRay> rays{queue.rays.data + first, n};
        const View<const Hit> hits{queue.hits.data + first, n};
        put_positions(stream, frame_, rays, hits, neighbors_.queries());
        add_at_others<ListedSearch>(stream, frame_, {light_, listed(stream, n)}, rays, hits,
                                    of_batch(n), sums);
    });
}

void ThesisGather::look_up(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                           View<vec4> sums) const {
    float most = light_.caustic_reach * light_.caustic_reach;
    if (!light_.with_caustics && !light_.with_indirect) return;
    if (light_.with_caustics && is_of_structure(search_))
        return look_up_in_batches(stream, queue, counts, sums);
    if (search_ == PhotonSearch::histogram)
        add_light<HistogramSearch>(stream, frame_, {light_, {light_.k, most}}, queue, counts, sums);
    else
        add_light<NearestSearch>(stream, frame_, {light_, {light_.k, most}}, queue, counts, sums);
}

TL_DEVICE_END
