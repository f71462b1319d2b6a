#include "renderer/photon/thesis/caustic_neighbors.h"

#include <algorithm>

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::uint32_t kMeasured = 1024;  // gather points whose lists are checked

/// Lists of the nearest photons, k for each point.
struct NeighborLists {
    std::uint32_t k;
    View<std::uint32_t> indices;
    View<float> squares;
};

void clear_lists(Stream& stream, const NeighborLists& lists, View<float> farthest) {
    parallel_for(
        stream, "no photons", static_cast<std::uint32_t>(farthest.size),
        TL_LAMBDA(std::uint32_t i) {
            farthest[i] = 0;
            for (std::uint32_t j = 0; j < lists.k; ++j)
                lists.indices[std::size_t(i) * lists.k + j] = ~0u;
        });
}

/// Adds to found[0] the entries of lists that are among the k nearest, and to found[1] the photons
/// that these are. `most`: square of the search radius; exact, farthest: of an exact search.
void count_found(Stream& stream, const NeighborLists& lists, View<const float> exact,
                 View<const float> farthest, float most, View<std::uint32_t> found) {
    parallel_for(
        stream, "recall of caustic photons", static_cast<std::uint32_t>(farthest.size),
        TL_LAMBDA(std::uint32_t i) {
            std::uint32_t n_found = 0, n_exact = 0;
            for (std::uint32_t j = 0; j < lists.k; ++j) {
                std::size_t at = std::size_t(i) * lists.k + j;
                n_exact += exact[at] < most ? 1 : 0;
                n_found += lists.indices[at] != ~0u && lists.squares[at] < most &&
                                   lists.squares[at] <= farthest[i]
                               ? 1
                               : 0;
            }
            atomic_add(&found[0], n_found);
            atomic_add(&found[1], n_exact);
        });
}

}  // namespace

void CausticNeighbors::update(Scratch& scratch, const PhotonTreeView& photons, std::uint32_t n,
                              float reach, const PhotonConfig& config, std::uint64_t version) {
    auto& stream = scratch.stream();
    bool is_other = !structure_ || made_for_ != config.thesis_search;
    if (is_other) {
        structure_ = make_point_structure(name_of(config.thesis_search), stream.device());
        exact_ = make_point_structure("kd-tree", stream.device());
        made_for_ = config.thesis_search;
    }
    k_ = config.thesis_neighbors;
    auto n_listed = static_cast<std::size_t>(kBatch) * static_cast<std::size_t>(k_);
    queries_.resize_discard(stream, kBatch);
    indices_.resize_discard(stream, n_listed);
    squares_.resize_discard(stream, n_listed);
    farthest_.resize_discard(stream, kBatch);
    if (!is_other && version_ == version && reach_ == reach) return;
    version_ = version;
    reach_ = reach;
    n_photons_ = n;
    is_measured_ = false;
    positions_.resize_discard(stream, n);
    if (n == 0) return;
    View<vec3> positions = positions_.view();
    View<const TreePoint> points = photons.tree.points;
    parallel_for(
        stream, "positions of caustic photons", n,
        TL_LAMBDA(std::uint32_t i) { positions[i] = points[i].position; });
    structure_->build(scratch, positions, reach);
    exact_->build(scratch, positions, reach);
}

ListedSearch CausticNeighbors::find(Stream& stream, std::uint32_t n) {
    const ListedSearch lists{k_, indices_.data(), squares_.data(), farthest_.data()};
    if (n_photons_ == 0) {
        clear_lists(stream, {static_cast<std::uint32_t>(k_), indices_.view(), squares_.view()},
                    {farthest_.data(), n});
        return lists;
    }
    View<const vec3> queries{queries_.data(), n};
    structure_->find_nearest(stream, queries, k_, reach_,
                             {indices_.view(), squares_.view(), farthest_.view()});
    if (!is_measured_) measure_recall(stream, n);
    return lists;
}

void CausticNeighbors::measure_recall(Stream& stream, std::uint32_t n) {
    is_measured_ = true;
    n = std::min(n, kMeasured);
    exact_farthest_.resize_discard(stream, n);
    found_.resize_discard(stream, 2);
    found_.fill_zero(stream);
    auto k = static_cast<std::uint32_t>(k_);
    DeviceArray<float> exact_squares(stream, std::size_t(n) * k);
    exact_->find_nearest(stream, {queries_.data(), n}, k_, reach_,
                         {{}, exact_squares.view(), exact_farthest_.view()});
    count_found(stream, {k, indices_.view(), squares_.view()}, exact_squares.view(),
                exact_farthest_.view(), reach_ * reach_, found_.view());
}

double CausticNeighbors::recall(Stream& stream) const {
    if (!is_measured_) return 1;
    auto found = found_.download(stream);
    return found[1] == 0 ? 1 : double(found[0]) / double(found[1]);
}

TL_DEVICE_END
