#include "renderer/photon/thesis/photon_estimate.h"

#include "renderer/photon/gather/photon_edges.h"
#include "renderer/photon/thesis/photon_search.h"
#include "renderer/photon/trace/drawn_photon.h"

TL_DEVICE_BEGIN

namespace {

template <class Search>
struct EstimateAtPlaces {
    Search search;
    PhotonTreeView photons;
    std::uint32_t most_met;
    std::uint32_t pass;
    View<Photon> places;
    std::uint32_t first;  ///< index of places[0] in the list that the devices divide
    EdgeQueue edges;  ///< gathers to be corrected for edges, with their index; empty: no correction

    TL_D void operator()(const Team& team, typename Search::Storage& storage,
                         std::uint32_t i) const {
        Photon place = load_vectorized(places[i]);
        vec3 side = Photon::normal(place.surface);
        DrawnPhoton sum(hash_bits(hash_bits(pass) ^ (first + i)));
        float reach = search.for_each(team, storage, photons, {place.position, side, most_met}, i,
                                      [&](std::uint32_t k, float square, float within) {
                                          vec3 power = load_vectorized(photons.lights[k]).power;
                                          sum.add(k, kernel_weight(square, within) * power);
                                      });
        place.power = team.sum(sum.light);
        place.direction = bits_of_float(reach);
        std::uint32_t drawn = sum.of(team);
        if (Team::rank() != 0) return;
        store_vectorized(places[i], place);
        if (edges.places.empty() || drawn == DrawnPhoton::kNone) return;
        edges.add(place.position, side, load_vectorized(photons.tree.points[drawn]).position,
                  sqrtf(reach), sum.random(), {place.power, i});
    }
};

template <class Search>
void estimate_by(Stream& stream, const PhotonTreeView& photons, const PhotonEstimate& estimate,
                 std::uint32_t pass, View<Photon> places, std::uint32_t first,
                 const std::uint32_t* count, const EdgeQueue& edges) {
    for_each_search<typename Search::Storage>(
        stream, "irradiance of photons", count, static_cast<std::uint32_t>(places.size),
        EstimateAtPlaces<Search>{{estimate.k, estimate.reach * estimate.reach},
                                 photons,
                                 estimate.most_met,
                                 pass,
                                 places,
                                 first,
                                 edges});
}

/// Estimates at places[i], i < count[0]; places[0] has the index `first` in the list that the
/// devices divide.
void estimate_part(Scratch& scratch, const PhotonTreeView& photons, const PhotonEstimate& estimate,
                   const PhotonSurroundings& around, View<Photon> places, std::uint32_t first,
                   const std::uint32_t* count) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    auto most = static_cast<std::uint32_t>(places.size);
    EdgeQueue edges;
    if (around.scene) {
        edges = EdgeQueue(scratch, most);
        stream.device().fill_zero(stream, edges.count, sizeof(std::uint32_t));
    }
    if (estimate.search == PhotonSearch::histogram)
        estimate_by<HistogramSearch>(stream, photons, estimate, around.pass, places, first, count,
                                     edges);
    else
        estimate_by<NearestSearch>(stream, photons, estimate, around.pass, places, first, count,
                                   edges);
    if (!around.scene) return;
    auto sums = scratch.take<vec4>(most);
    stream.device().fill_zero(stream, sums.data, most * sizeof(vec4));
    add_open_light(scratch, *around.scene, edges, sums);
    for_each_entry(
        stream, "irradiance of photons", count, most,
        TL_LAMBDA(std::uint32_t i) { places[i].power = vec3(sums[i]); });
}

}  // namespace

void estimate_irradiance(Scratch& scratch, const PhotonTreeView& photons,
                         const PhotonEstimate& estimate, const PhotonSurroundings& around,
                         View<Photon> places, const std::uint32_t* count, PhotonShare* share) {
    auto& stream = scratch.stream();
    std::uint32_t n = 0;
    if (share) stream.device().download(stream, &n, count, sizeof n);
    if (!share || !share->begin_pass(stream, hash_64(std::uint64_t{around.pass} << 32 | n)))
        return estimate_part(scratch, photons, estimate, around, places, 0, count);
    SharedRange range = share->range(n);
    std::uint32_t n_own = range.end - range.begin;
    Scratch::Scope scope(scratch);
    auto own_count = scratch.take<std::uint32_t>(1);
    stream.device().upload(stream, own_count.data, &n_own, sizeof n_own);
    if (n_own > 0)
        estimate_part(scratch, photons, estimate, around, {places.data + range.begin, n_own},
                      range.begin, own_count.data);
    share->complete(stream, {places.data, sizeof(Photon)}, n);
}

TL_DEVICE_END
