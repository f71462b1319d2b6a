#include "renderer/photon/thesis/thesis_maps.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/device/parallel_for.h"
#include "core/device/stage_timer.h"
#include "core/operators/operators.h"
#include "renderer/photon/gather/photon_radius.h"
#include "renderer/photon/thesis/photon_estimate.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint64_t kMapNumbers = 0x74686573697331, kPlaceNumbers = 0x706c61636573;

/// kMostRadiance: most photons with a precomputed irradiance. kMostForPlaces: most photons emitted
/// for their positions.
constexpr std::uint32_t kMostRadiance = 1u << 15;
constexpr int kMostForPlaces = 1 << 14;

/// Largest search radius, m: the setting's, or twice the radius that would hold the wanted number
/// if photons were evenly spread.
float largest_radius_of(const PhotonConfig& config, const Box& bounds) {
    if (config.radius > 0) return config.radius;
    constexpr double kExpected = 30, kWider = 2;  // first_radius expects as many
    return static_cast<float>(kWider * first_radius(config, bounds) *
                              std::sqrt(config.thesis_neighbors / kExpected));
}

/// Search radius for the nearest photon with a precomputed irradiance, m. These photons are fewer
/// than those of the global map. Their number does not depend on the settings of k and radius.
float radiance_radius_of(PhotonConfig config, const Box& bounds) {
    constexpr double kWider = 2;
    double by_photons = kWider * largest_radius_of(config, bounds);
    config.radius = 0;
    config.photons = std::min(config.photons, kMostForPlaces);
    return static_cast<float>(std::max(by_photons, kWider * first_radius(config, bounds)));
}

/// Photons sorted by id, so that their order does not depend on when they were stored.
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
            if (i < *from.count)
                store_vectorized(photons[i], load_vectorized(from.photons[by_id.values[i]]));
        });
    return photons;
}

/// Indices of the caustic photons.
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

/// Sets count[0] positions to every step-th photon, kMostRadiance at most.
void choose_places(Stream& stream, View<const Photon> photons, const std::uint32_t* n_photons,
                   View<Photon> places, std::uint32_t* count) {
    auto most = static_cast<std::uint32_t>(photons.size);
    parallel_for(
        stream, "places of estimates", static_cast<std::uint32_t>(places.size),
        TL_LAMBDA(std::uint32_t i) {
            std::uint32_t n = *n_photons < most ? *n_photons : most;
            std::uint32_t step = n / kMostRadiance + 1;
            if (i == 0) *count = (n + step - 1) / step;
            if (i * step < n) store_vectorized(places[i], load_vectorized(photons[i * step]));
        });
}

}  // namespace

View<Photon> ThesisMaps::trace_estimate_positions(const FrameContext& context,
                                                  const SceneView& scene, PhotonConfig config) {
    auto& scratch = context.scratch;
    auto& stream = context.stream();
    config.photons = std::min(config.photons, kMostForPlaces);
    auto places = scratch.take<Photon>(kMostRadiance);
    Scratch::Scope scope(scratch);
    auto capacity = static_cast<std::uint32_t>(config.photons * std::max(config.max_depth, 1));
    const PhotonList list{scratch.take<Photon>(capacity), scratch.take<std::uint32_t>(capacity),
                          counts_.data() + 2};
    std::uint32_t n_ids =
        estimate_emitter_.trace(context, scene, config, kPlaceNumbers, true, list);
    choose_places(stream, sorted(scratch, list, capacity, n_ids), list.count, places,
                  counts_.data() + 3);
    return places;
}

void ThesisMaps::update(const FrameContext& context, const SceneView& scene,
                        const PhotonConfig& config) {
    const Box bounds = context.scene.bounds_at_rest();
    float radius = largest_radius_of(config, bounds);
    const PassKey key(context, radius);
    if (key == key_) return;
    key_ = {};
    auto& scratch = context.scratch;
    auto& stream = context.stream();
    Stream::ForAnyView kept(stream);
    Scratch::Scope scope(scratch);
    counts_.resize_discard(stream, 4);
    constexpr std::size_t kBytes = 6 * sizeof(Photon);  // lists, trees, and memory to build them
    std::uint32_t capacity = capacity_.find(stream.device(), config, kBytes, true);
    std::uint32_t* count = counts_.data();
    const PhotonList list{scratch.take<Photon>(capacity), scratch.take<std::uint32_t>(capacity),
                          count};
    std::uint32_t n_ids = emitter_.trace(context, scene, config, kMapNumbers, true, list);
    if (context.cancelled()) return;
    StageTimer::Scope stage(context.timer, "photon maps", StageKind::trace);
    std::uint32_t n_most =
        std::clamp(global_estimate_.next(stream, count, key.settings), 1u, capacity);
    auto photons = sorted(scratch, list, n_most, n_ids);
    global_.build(scratch, photons, count);

    auto chosen = choose_caustic(scratch, photons, count, {count + 1, 1});
    std::uint32_t most_caustic =
        std::clamp(caustic_estimate_.next(stream, count + 1, key.settings), 1u, n_most);
    auto caustic = scratch.take<Photon>(most_caustic);
    parallel_for(
        stream, "caustic photons", most_caustic, TL_LAMBDA(std::uint32_t i) {
            if (i < count[1]) store_vectorized(caustic[i], load_vectorized(photons[chosen[i]]));
        });
    caustic_.build(scratch, caustic, count + 1);

    auto places = trace_estimate_positions(context, scene, config);
    if (context.cancelled()) return;
    // The surface that gathers adds one to the path, so photons may have hit one fewer.
    auto most_met = static_cast<std::uint32_t>(std::max(config.max_depth - 1, 0));
    std::uint32_t pass = hash_bits(static_cast<std::uint32_t>(hash_64(key.seed)) ^ key.pass);
    estimate_irradiance(scratch, global_.view(),
                        {config.thesis_search, config.thesis_neighbors, radius, most_met},
                        {&scene, pass}, places, count + 3, context.photon_share);
    radiance_.build(scratch, places, count + 3);
    radiance_radius_ = {radiance_radius_of(config, bounds), config.thesis_neighbors, count,
                        count + 3};
    key_ = key;
    ++version_;
}

TL_DEVICE_END
