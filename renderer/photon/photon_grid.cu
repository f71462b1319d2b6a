#include "renderer/photon/photon_grid.h"

#include <algorithm>
#include <bit>

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/photon/trace/photon_culling.h"

#if !defined(__CUDACC__)
#include <atomic>
#endif

TL_DEVICE_BEGIN

namespace {

/// Sets bits that other threads set as well. Most threads find them set already.
TL_D void set_bits(std::uint32_t& word, std::uint32_t bits) {
#if defined(__CUDACC__)
    std::uint32_t now = word;
#else
    std::uint32_t now = std::atomic_ref(word).load(std::memory_order_relaxed);
#endif
    if ((now & bits) != bits) atomic_or(&word, bits);
}

/// Finds the slot of a photon among the slots of all tables.
struct SlotFinder {
    PhotonList from;
    PhotonGridView grid, caustic;
    bool is_apart;  ///< caustics have tables of their own
    /// Ratio of the search radius of caustics without a kernel of their own.
    const float* radius_ratio;
    View<std::uint32_t> is_used, sizes;

    TL_D std::uint32_t operator()(std::uint32_t i) const {
        Photon photon = load_vectorized(from.photons[i]);
        if (!is_apart || !Photon::is_caustic(photon.surface)) {
            use(0);
            return grid.with_search_radius().slot_at(photon.position);
        }
        use(1);
        int k = 0;
        if (!from.shapes.empty()) {
            float reach = shape_of(photon.surface, i).reach;
            k = caustic.level_of(reach);
            caustic.for_each_reached(photon.position, reach,
                                     [&](std::uint32_t cell) { set_bits(sizes[cell], 1u << k); });
        }
        std::uint32_t n_before =
            grid.slot_mask + 1 + static_cast<std::uint32_t>(k) * (caustic.slot_mask + 1);
        return n_before + (from.shapes.empty() ? caustic.with_search_radius() : caustic.level(k))
                              .slot_at(photon.position);
    }
    [[nodiscard]] TL_D PhotonShape shape_of(std::uint32_t surface, std::uint32_t i) const {
        PhotonShape shape = load_vectorized(from.shapes[i]);
        return shape.reach > 0
                   ? shape
                   : PhotonShape::disc(Photon::normal(surface), *radius_ratio * grid.radius);
    }

  private:
    TL_D void use(int table) const { set_bits(is_used[table], 1); }
};

/// Moves the photons of the slots that some gather point may search to the front. Returns an upper
/// bound of their number. `spare`: memory of the size of `pairs`, swapped with it.
std::uint32_t keep_needed(Scratch& scratch, const SlotFinder& finder, std::uint32_t n_slots,
                          int id_bits, PhotonCulling& culling, Pairs<std::uint64_t>& pairs,
                          Pairs<std::uint64_t>& spare) {
    auto& stream = scratch.stream();
    Scratch::Scope scope(scratch);
    const std::uint32_t n_first = finder.grid.slot_mask + 1;
    const SlotFinder given = finder;
    View<const std::uint32_t> marks = culling.marks();
    Pairs<std::uint64_t> from = pairs, to = spare;
    auto n_all = static_cast<std::uint32_t>(from.keys.size);
    View<std::uint32_t> reaching;
    if (!finder.from.shapes.empty()) {
        // Whether a kernel of any of a slot's photons may reach a cell that contains a gather
        // point.
        reaching = scratch.take<std::uint32_t>(n_slots / 32);
        stream.device().fill_zero(stream, reaching.data, reaching.size * sizeof(std::uint32_t));
        parallel_for(
            stream, "kernels in sight", n_all, TL_LAMBDA(std::uint32_t i) {
                auto slot = static_cast<std::uint32_t>(from.keys[i] >> id_bits);
                if (slot < n_first || slot == n_slots) return;
                const PhotonGridView& cells = given.caustic;
                auto size = static_cast<int>((slot - n_first) / (cells.slot_mask + 1));
                Photon photon = load_vectorized(given.from.photons[i]);
                cells.for_each_reached(photon.position, cells.level(size).radius,
                                       [&](std::uint32_t cell) {
                                           if (PhotonCulling::has(marks, n_first + cell))
                                               PhotonCulling::add(reaching, slot);
                                       });
            });
    }
    auto flags = scratch.take<std::uint32_t>(n_all);
    parallel_for(
        stream, "photons in use", n_all, TL_LAMBDA(std::uint32_t i) {
            auto slot = static_cast<std::uint32_t>(from.keys[i] >> id_bits);
            bool has_kernels = slot >= n_first && !reaching.empty();
            View<const std::uint32_t> bits =
                has_kernels ? View<const std::uint32_t>(reaching) : marks;
            flags[i] = slot < n_slots && PhotonCulling::has(bits, slot);
        });
    View<std::uint32_t> count = culling.n_kept();
    compact<std::uint32_t>(scratch, from.values, flags, to.values, count);
    std::uint32_t most = std::min(n_all, culling.most_kept(stream));
    parallel_for(
        stream, "keep photons", most, TL_LAMBDA(std::uint32_t i) {
            to.keys[i] = i < count[0] ? from.keys[to.values[i]] : std::uint64_t{n_slots} << id_bits;
        });
    for (auto* each : {&pairs, &spare}) each->keys.size = each->values.size = most;
    std::swap(pairs, spare);
    return most;
}

}  // namespace

void PhotonGrid::plan(Stream& stream, const PhotonNumbers& numbers, float radius,
                      const PhotonRadiusRatios& ratios, bool with_shapes) {
    // About one slot for four photons: each occupied cell holds several.
    constexpr std::uint32_t kFewestSlots = 1u << 12;
    has_shapes_ = with_shapes;
    bool is_apart = ratios.caustic != nullptr;
    n_slots_ = std::max(kFewestSlots, std::bit_ceil(numbers.n_about / 4 + 1));
    n_caustic_slots_ = n_slots_;
    n_caustic_tables_ = !is_apart ? 0 : has_shapes_ ? PhotonGridView::kLevels : 1;
    radius_ = radius;
    ratios_ = ratios;
    if (has_shapes_) sizes_.resize_discard(stream, n_caustic_slots_);
}

void PhotonGrid::build(Scratch& scratch, const PhotonList& list, const PhotonNumbers& numbers,
                       float radius, const PhotonRadiusRatios& ratios, PhotonCulling* culling) {
    auto& stream = scratch.stream();
    plan(stream, numbers, radius, ratios, !list.shapes.empty());
    std::uint32_t n_slots = n_slots_ + n_caustic_tables_ * n_caustic_slots_;
    slots_.resize_discard(stream, n_slots);
    slots_.fill_zero(stream);
    is_used_.resize_discard(stream, 2);
    is_used_.fill_zero(stream);
    if (has_shapes_) sizes_.fill_zero(stream);

    Scratch::Scope scope(scratch);
    auto [n_most, last_id, n_about] = numbers;
    int id_bits = std::bit_width(last_id), slot_bits = std::bit_width(n_slots);
    auto take_pairs = [&] {
        return Pairs<std::uint64_t>{scratch.take<std::uint64_t>(n_most),
                                    scratch.take<std::uint32_t>(n_most)};
    };
    Pairs<std::uint64_t> pairs = take_pairs(), spare = take_pairs();
    const SlotFinder finder{list,           view(),          caustic_view(), n_caustic_tables_ > 0,
                            ratios.caustic, is_used_.view(), sizes_.view()};
    parallel_for(
        stream, "photon cells", n_most, TL_LAMBDA(std::uint32_t i) {
            bool exists = i < *finder.from.count;
            std::uint64_t slot = exists ? finder(i) : n_slots;
            pairs.keys[i] = slot << id_bits | (exists ? finder.from.ids[i] : 0);
            pairs.values[i] = i;
        });
    if (culling) n_most = keep_needed(scratch, finder, n_slots, id_bits, *culling, pairs, spare);
    Pairs<std::uint64_t> sorted = sort_pairs(scratch, pairs, spare, 0, id_bits + slot_bits);
    places_.resize_discard(stream, n_most);
    lights_.resize_discard(stream, n_most);
    if (has_shapes_) shapes_.resize_discard(stream, n_most);
    order_.resize_discard(stream, n_most);
    auto places = places_.view();
    auto lights = lights_.view();
    auto shapes = has_shapes_ ? shapes_.view() : View<PhotonShape>{};
    auto order = order_.view();
    auto slots = slots_.view();
    parallel_for(
        stream, "sort photons", n_most, TL_LAMBDA(std::uint32_t i) {
            auto slot_at = [&](std::uint32_t k) {
                return static_cast<std::uint32_t>(sorted.keys[k] >> id_bits);
            };
            std::uint32_t slot = slot_at(i), from = sorted.values[i];
            if (slot == n_slots) return;
            Photon photon = load_vectorized(finder.from.photons[from]);
            store_vectorized(places[i], PhotonPosition{photon.position, photon.surface});
            store_vectorized(lights[i], PhotonLight{photon.power, photon.direction});
            if (!shapes.empty() && Photon::is_caustic(photon.surface))
                store_vectorized(shapes[i], finder.shape_of(photon.surface, from));
            order[i] = from;
            if (i == 0 || slot_at(i - 1) != slot) slots[slot].first = i;
            if (i + 1 == n_most || slot_at(i + 1) != slot) slots[slot].end = i + 1;
        });
}

PhotonGridView PhotonGrid::view() const {
    return {places_.data(), lights_.data(),    order_.data(),    slots_.data(),  n_slots_ - 1,
            radius_,        1 / (2 * radius_), ratios_.indirect, is_used_.data()};
}

PhotonGridView PhotonGrid::caustic_view() const {
    PhotonGridView grid = view();
    grid.slots += n_slots_;
    grid.slot_mask = n_caustic_slots_ - 1;
    grid.is_used += 1;
    grid.radius_ratio = has_shapes_ ? nullptr : ratios_.caustic;
    grid.shapes = has_shapes_ ? shapes_.data() : nullptr;
    grid.sizes = has_shapes_ ? sizes_.data() : nullptr;
    return grid;
}

TL_DEVICE_END
