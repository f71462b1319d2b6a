#include "renderer/photon/thesis/thesis_maps.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"
#include "accel/parallel/stage_timer.h"
#include "renderer/photon/photon_radius.h"
#include "renderer/photon/thesis/photon_search.h"
#include "renderer/photon/trace_photons.h"
#include "renderer/scene/live/live_scene.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint64_t kMapNumbers = 0x74686573697331;

/// Most photons that know the irradiance: an even share of all.
constexpr std::uint32_t kMostRadiance = 1u << 16;

/// Within which photons are sought, m: the setting's radius, or several times as wide as would hold
/// as many as are wanted if photons lay evenly.
float most_reach_of(const PhotonConfig& config, const Box& bounds) {
    if (config.radius > 0) return config.radius;
    constexpr double kExpected = 30, kWider = 4;  // first_radius expects as many
    return static_cast<float>(kWider * first_radius(config, bounds) *
                              std::sqrt(config.thesis_neighbors / kExpected));
}

/// Photons in the order of their ids, which does not depend on when they were stored.
View<const Photon> sorted(Scratch& scratch, const PhotonList& list, std::uint32_t n_most,
                          std::uint32_t n_ids) {
    auto& stream = scratch.stream();
    auto photons = scratch.take<Photon>(n_most);
    Scratch::Scope scope(scratch);
    Pairs<std::uint32_t> pairs{scratch.take<std::uint32_t>(n_most),
                               scratch.take<std::uint32_t>(n_most)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n_most),
                               scratch.take<std::uint32_t>(n_most)};
    PhotonList from = list;
    parallel_for(
        stream, "photon ids", n_most, TL_LAMBDA(std::uint32_t i) {
            pairs.keys[i] = i < *from.count ? from.ids[i] : n_ids;
            pairs.values[i] = i;
        });
    Pairs<std::uint32_t> by_id = sort_pairs(scratch, pairs, spare, 0, std::bit_width(n_ids));
    parallel_for(
        stream, "sort photons", n_most, TL_LAMBDA(std::uint32_t i) {
            if (i < *from.count) store_whole(photons[i], load_whole(from.photons[by_id.values[i]]));
        });
    return photons;
}

/// The indices of the photons that mirrors and glass alone have turned.
View<const std::uint32_t> choose_caustic(Scratch& scratch, View<const Photon> photons,
                                         const std::uint32_t* count, View<std::uint32_t> n_chosen) {
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(photons.size);
    auto chosen = scratch.take<std::uint32_t>(n);
    Scratch::Scope scope(scratch);
    auto all = scratch.take<std::uint32_t>(n), flags = scratch.take<std::uint32_t>(n);
    parallel_for(
        stream, "caustic photons", n, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t surface = i < *count ? photons[i].surface : 0;
            all[i] = i;
            flags[i] = Photon::is_caustic(surface) && Photon::n_met(surface) > 1 ? 1 : 0;
        });
    compact<std::uint32_t>(scratch, all, flags, chosen, n_chosen);
    return chosen;
}

template <class Search>
struct EstimateAtPhotons {
    Search search;
    PhotonTreeView all;
    View<const Photon> photons;
    const std::uint32_t* n_photons;
    std::uint32_t most_met;
    View<Photon> estimates;

    using Storage = typename Search::Storage;

    /// Of every so many photons one is chosen.
    [[nodiscard]] TL_D std::uint32_t step() const { return n_all() / kMostRadiance + 1; }
    [[nodiscard]] TL_D std::uint32_t n_all() const {
        auto most = static_cast<std::uint32_t>(photons.size);
        return *n_photons < most ? *n_photons : most;
    }

    /// The photon itself counts too: a place that looks up the nearest of these estimates has none
    /// closer by, which on the mean takes away the one that the choice of the place has added.
    TL_D void operator()(const Team& team, Storage& storage, std::uint32_t i) const {
        Photon photon = load_whole(photons[i * step()]);
        const PhotonFilter filter{photon.position, Photon::normal(photon.surface), most_met};
        float reach;
        photon.power = irradiance_at<PhotonKernel::even>(team, storage, search, all, filter, reach);
        photon.direction = bits_of_float(reach);
        if (Team::rank() == 0) store_whole(estimates[i], photon);
    }
};

template <class Search>
void estimate_at_photons(Stream& stream, const EstimateAtPhotons<Search>& estimate,
                         std::uint32_t* count) {
    parallel_for(
        stream, "count estimates", 1, TL_LAMBDA(std::uint32_t) {
            std::uint32_t step = estimate.step();
            *count = (estimate.n_all() + step - 1) / step;
        });
    for_each_search<typename Search::Storage>(stream, "irradiance at photons", count,
                                              static_cast<std::uint32_t>(estimate.estimates.size),
                                              estimate);
}

}  // namespace

void ThesisMaps::update(const FrameContext& context, const SceneView& scene,
                        const PhotonConfig& config) {
    const Frame& frame = context.frame;
    const Versions& now = context.versions;
    float reach = most_reach_of(config, context.scene.bounds_at_rest());
    PassKey key{now.scene, now.lights, now.settings, frame.sample, frame.seed, reach};
    if (key == key_) return;
    key_ = {};
    auto& scratch = context.scratch;
    auto& stream = context.stream();
    Scratch::Scope scope(scratch);
    counts_.resize_discard(stream, 3);
    bounds_.resize_discard(stream, 1);
    constexpr std::size_t kBytes = 6 * sizeof(Photon);  // lists, trees, and what builds them
    std::uint32_t room = room_.most(stream.device(), config, kBytes, true);
    std::uint32_t* count = counts_.data();
    const PhotonList list{scratch.take<Photon>(room), scratch.take<std::uint32_t>(room), count};
    const PhotonPass pass{scene,
                          frame.sampling.pattern,
                          frame.seed ^ kMapNumbers,
                          frame.sample,
                          static_cast<std::uint32_t>(config.photons),
                          static_cast<std::uint32_t>(config.max_depth),
                          config.guide,
                          bounds_.data(),
                          true};
    {
        StageTimer::Scope stage(context.timer, "trace photons", StageKind::trace);
        find_photon_bounds(stream, context.scene.tree(), bounds_.view());
        trace_photons(scratch, pass, list);
    }
    if (context.cancelled()) return;
    StageTimer::Scope stage(context.timer, "photon maps", StageKind::trace);
    std::uint32_t n_most = std::clamp(about_global_.most(stream, count, now.settings), 1u, room);
    auto photons = sorted(scratch, list, n_most, pass.n_ids());
    global_.build(scratch, photons, count);

    auto chosen = choose_caustic(scratch, photons, count, {count + 1, 1});
    std::uint32_t most_caustic =
        std::clamp(about_caustic_.most(stream, count + 1, now.settings), 1u, n_most);
    auto caustic = scratch.take<Photon>(most_caustic);
    parallel_for(
        stream, "caustic photons", most_caustic, TL_LAMBDA(std::uint32_t i) {
            if (i < count[1]) store_whole(caustic[i], load_whole(photons[chosen[i]]));
        });
    caustic_.build(scratch, caustic, count + 1);

    auto estimates = scratch.take<Photon>(std::min(n_most, kMostRadiance));
    // Of the surfaces on the way of light, the one that gathers is still to come.
    auto most_met = static_cast<std::uint32_t>(std::max(config.max_depth - 1, 0));
    if (config.thesis_search == PhotonSearch::nearest)
        estimate_at_photons<NearestSearch>(stream,
                                           {{config.thesis_neighbors, reach * reach},
                                            global_.view(),
                                            photons,
                                            count,
                                            most_met,
                                            estimates},
                                           count + 2);
    else
        estimate_at_photons<HistogramSearch>(stream,
                                             {{config.thesis_neighbors, reach * reach},
                                              global_.view(),
                                              photons,
                                              count,
                                              most_met,
                                              estimates},
                                             count + 2);
    radiance_.build(scratch, estimates, count + 2);
    key_ = key;
}

TL_DEVICE_END
