#include "renderer/photon/thesis/photon_estimate.h"

#include "renderer/photon/thesis/photon_search.h"

TL_DEVICE_BEGIN

namespace {

template <class Search, PhotonKernel kKernel>
struct EstimateAtPlaces {
    Search search;
    PhotonTreeView photons;
    std::uint32_t most_met;
    View<Photon> places;

    TL_D void operator()(const Team& team, typename Search::Storage& storage,
                         std::uint32_t i) const {
        Photon place = load_whole(places[i]);
        const PhotonFilter filter{place.position, Photon::normal(place.surface), most_met};
        float reach;
        place.power = irradiance_at<kKernel>(team, storage, search, photons, filter, reach);
        place.direction = bits_of_float(reach);
        if (Team::rank() == 0) store_whole(places[i], place);
    }
};

template <class Search>
void estimate_by(Stream& stream, const PhotonTreeView& photons, const PhotonEstimate& estimate,
                 View<Photon> places, const std::uint32_t* count) {
    const Search search{estimate.k, estimate.reach * estimate.reach};
    auto most = static_cast<std::uint32_t>(places.size);
    using Storage = typename Search::Storage;
    if (estimate.smooth)
        for_each_search<Storage>(stream, "irradiance of photons", count, most,
                                 EstimateAtPlaces<Search, PhotonKernel::smooth>{
                                     search, photons, estimate.most_met, places});
    else
        for_each_search<Storage>(stream, "irradiance of photons", count, most,
                                 EstimateAtPlaces<Search, PhotonKernel::even>{
                                     search, photons, estimate.most_met, places});
}

}  // namespace

void estimate_irradiance(Stream& stream, const PhotonTreeView& photons,
                         const PhotonEstimate& estimate, View<Photon> places,
                         const std::uint32_t* count) {
    if (estimate.search == PhotonSearch::nearest)
        estimate_by<NearestSearch>(stream, photons, estimate, places, count);
    else
        estimate_by<HistogramSearch>(stream, photons, estimate, places, count);
}

TL_DEVICE_END
