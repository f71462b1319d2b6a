#include "renderer/photon/thesis/gather_thesis.h"

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
                                  this->filter(point.position, point.normal(), point.depth()),
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
        vec3 sum = caustics(team, storage, ray, h, at);
        if (this->light.with_indirect)
            sum += wide_lobe_albedo(at, sampler_of(ray), kAlbedoDirections) / kPi *
                   this->indirect(team, storage, h.surface.position, at.lit.normal);
        if (Team::rank() == 0) sums[ray.pixel] += vec4(ray.throughput * h.transmittance * sum, 0);
    }
    TL_D Sampler sampler_of(const PathRay& ray) const {
        return {frame.pattern, frame.seed, ray.pixel, frame.sample, ~ray.path_id};
    }
    TL_D vec3 caustics(const Team& team, Storage& storage, const PathRay& ray, const PathHit& h,
                       const SurfaceInteraction& at) const {
        if (!this->light.with_caustics) return vec3(0);
        vec3 sum(0);
        this->search.for_each(team, storage.photons, this->light.caustic,
                              this->filter(h.surface.position, h.geometric_normal, ray.depth()),
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
void add_light(Stream& stream, const PathTracerFrame& frame, const PhotonLookup<Search>& at,
               const GatherQueue& queue, const WaveCounts* counts, View<vec4> sums) {
    using Storage = typename PhotonLookup<Search>::Storage;
    auto most = static_cast<std::uint32_t>(queue.rays.size);
    for_each_search<Storage>(stream, "light at Lambertian points", &counts->n_lambertian, most,
                             GatherAtLambertian<Search>{at, queue.lambertian, sums});
    for_each_search<Storage>(stream, "light at other places", &counts->n_others, most,
                             GatherAtOthers<Search>{at, frame, queue.rays, queue.hits, sums});
}

}  // namespace

void ThesisGather::look_up(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                           View<vec4> sums) const {
    float most = light_.caustic_reach * light_.caustic_reach;
    if (!light_.with_caustics && !light_.with_indirect) return;
    if (search_ == PhotonSearch::nearest)
        add_light<NearestSearch>(stream, frame_, {light_, {light_.k, most}}, queue, counts, sums);
    else
        add_light<HistogramSearch>(stream, frame_, {light_, {light_.k, most}}, queue, counts, sums);
}

TL_DEVICE_END
