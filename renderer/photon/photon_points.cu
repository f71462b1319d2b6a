#include "renderer/photon/photon_points.h"

#include <algorithm>
#include <cmath>

#include "accel/bvh/inspect/hidden_lines.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Groups of photons by the number of surfaces hit: 2, 3, ..., then kMostMet or more. Caustic
/// photons form the last group.
constexpr std::uint32_t kFewestMet = 2, kMostMet = 6, kCausticGroup = kMostMet - kFewestMet + 1;

/// Hash of a photon's position and direction. Selecting photons by a limit on it does not depend on
/// the order in which they were stored.
TL_D std::uint32_t number_of(const PhotonPosition& place, const PhotonLight& light) {
    std::uint32_t number = hash_bits(light.direction);
    for (int c = 0; c < 3; ++c) number = hash_bits(number ^ bits_of_float(place.position[c]));
    return number;
}

/// Photons as lines of zero length, for HiddenLines.
struct PhotonLines {
    View<const ScenePoint> points;

    TL_D bool ends(std::uint32_t i, vec3& from, vec3& to) const {
        from = to = points[i].position;
        return true;
    }
    [[nodiscard]] TL_D std::uint32_t n_parts() const { return 1; }
};

/// Selects the photons to be shown: chosen[0..result) receives their indices.
std::uint32_t choose(Scratch& scratch, const PhotonGridView& grid, std::uint32_t n,
                     View<std::uint32_t> chosen) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    // Five standard deviations below the capacity, so that the selection hardly ever exceeds it.
    auto most = static_cast<double>(chosen.size);
    double share = chosen.size >= n ? 1 : std::max(most - 5 * std::sqrt(most), 1.0) / n;
    auto limit = static_cast<std::uint32_t>(std::min(share * 4294967296.0, 4294967295.0));
    auto all = scratch.take<std::uint32_t>(n), flags = scratch.take<std::uint32_t>(n);
    auto kept = scratch.take<std::uint32_t>(n), count = scratch.take<std::uint32_t>(1);
    iota(stream, all);
    parallel_for(
        stream, "choose photons", n, TL_LAMBDA(std::uint32_t i) {
            bool is_chosen = number_of(load_vectorized(grid.places[i]),
                                       load_vectorized(grid.lights[i])) <= limit;
            flags[i] = is_chosen ? 1u : 0u;
        });
    compact<std::uint32_t>(scratch, all, flags, kept, count);
    std::uint32_t n_kept = 0;
    stream.device().download(stream, &n_kept, count.data, sizeof n_kept);
    n_kept = std::min(n_kept, static_cast<std::uint32_t>(chosen.size));
    stream.device().copy(stream, chosen.data, kept.data, n_kept * sizeof(std::uint32_t));
    return n_kept;
}

}  // namespace

PointList PhotonPoints::collect_points(Scratch& scratch, const TreeView& tree, vec3 eye,
                                       std::uint32_t most) {
    PointList list;
    list.value_name = "flux, W";
    for (std::uint32_t n = kFewestMet; n <= kMostMet; ++n)
        list.groups.push_back(std::to_string(n) + (n < kMostMet ? " surfaces" : " or more"));
    list.groups.emplace_back("mirrors and glass alone");
    auto& stream = scratch.stream();
    auto n_stored = static_cast<std::uint32_t>(maps_ ? maps_->n_in_grid(stream) : 0);
    list.n_total = n_stored;
    if (n_stored == 0 || most == 0) return list;
    Scratch::Scope scope(scratch);
    PhotonGridView grid = maps_->photons();
    auto chosen = scratch.take<std::uint32_t>(std::min(most, n_stored));
    std::uint32_t n = choose(scratch, grid, n_stored, chosen);
    if (n == 0) return list;
    auto points = scratch.take<ScenePoint>(n);
    auto hidden = scratch.take<std::uint32_t>(n);
    parallel_for(
        stream, "photon points", n, TL_LAMBDA(std::uint32_t i) {
            PhotonPosition place = load_vectorized(grid.places[chosen[i]]);
            vec3 power = load_vectorized(grid.lights[chosen[i]]).power;
            std::uint32_t n_met = Photon::n_met(place.surface);
            std::uint32_t group = (n_met < kMostMet ? n_met : kMostMet) - kFewestMet;
            if (Photon::is_caustic(place.surface)) group = kCausticGroup;
            points[i] = {place.position, power.x + power.y + power.z, group, 0};
        });
    visit_any_tracer(tree, HiddenLines<PhotonLines>{stream, eye, {points}, hidden});
    parallel_for(
        stream, "hidden photons", n, TL_LAMBDA(std::uint32_t i) { points[i].hidden = hidden[i]; });
    list.points.resize(n);
    stream.device().download(stream, list.points.data(), points.data, n * sizeof(ScenePoint));
    return list;
}

TL_DEVICE_END
