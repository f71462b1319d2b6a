#include "renderer/photon/photon_grid.h"

#include <algorithm>
#include <bit>

#include "accel/parallel/atomics.h"
#include "accel/parallel/operators/operators.h"
#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

void PhotonGrid::build(Scratch& scratch, const PhotonList& list, const PhotonNumbers& numbers,
                       float radius, const PhotonShares& shares) {
    // About a slot for four photons: each occupied cell holds several.
    constexpr std::uint32_t kFewestSlots = 1u << 12;
    auto& stream = scratch.stream();
    std::uint32_t n_tables = shares.caustic ? 2 : 1;
    auto [n_most, n_ids, n_about] = numbers;
    n_slots_ = std::max(kFewestSlots, std::bit_ceil(n_about / 4 + 1));
    std::uint32_t n_slots = n_slots_ * n_tables;  // of all tables
    radius_ = radius;
    shares_ = shares;
    places_.resize_discard(stream, n_most);
    lights_.resize_discard(stream, n_most);
    order_.resize_discard(stream, n_most);
    slots_.resize_discard(stream, n_slots);
    slots_.fill_zero(stream);
    is_used_.resize_discard(stream, 2);
    is_used_.fill_zero(stream);

    Scratch::Scope scope(scratch);
    int id_bits = std::bit_width(n_ids), slot_bits = std::bit_width(n_slots);
    Pairs<std::uint64_t> pairs{scratch.take<std::uint64_t>(n_most),
                               scratch.take<std::uint32_t>(n_most)};
    Pairs<std::uint64_t> spare{scratch.take<std::uint64_t>(n_most),
                               scratch.take<std::uint32_t>(n_most)};
    PhotonGridView grid = view(), caustic = caustic_view();
    auto is_used = is_used_.view();
    PhotonList from = list;
    parallel_for(
        stream, "photon cells", n_most, TL_LAMBDA(std::uint32_t i) {
            bool exists = i < *from.count;
            std::uint64_t slot = n_slots;
            if (exists) {
                PhotonPlace place{from.photons[i].position, from.photons[i].surface};
                bool apart = n_tables == 2 && Photon::is_caustic(place.surface);
                slot = apart ? n_slots / 2 + caustic.scaled().slot_at(place.position)
                             : grid.scaled().slot_at(place.position);
                if (!is_used[apart]) atomic_or(&is_used[apart], 1);
            }
            pairs.keys[i] = slot << id_bits | (exists ? from.ids[i] : 0);
            pairs.values[i] = i;
        });
    Pairs<std::uint64_t> sorted = sort_pairs(scratch, pairs, spare, 0, id_bits + slot_bits);
    auto places = places_.view();
    auto lights = lights_.view();
    auto order = order_.view();
    auto slots = slots_.view();
    parallel_for(
        stream, "sort photons", n_most, TL_LAMBDA(std::uint32_t i) {
            auto slot_at = [&](std::uint32_t k) {
                return static_cast<std::uint32_t>(sorted.keys[k] >> id_bits);
            };
            std::uint32_t slot = slot_at(i);
            if (slot == n_slots) return;
            Photon photon = load_whole(from.photons[sorted.values[i]]);
            store_whole(places[i], PhotonPlace{photon.position, photon.surface});
            store_whole(lights[i], PhotonLight{photon.power, photon.direction});
            order[i] = sorted.values[i];
            if (i == 0 || slot_at(i - 1) != slot) slots[slot].first = i;
            if (i + 1 == n_most || slot_at(i + 1) != slot) slots[slot].end = i + 1;
        });
}

PhotonGridView PhotonGrid::table(std::size_t k, const float* share) const {
    return {places_.data(),     lights_.data(), order_.data(),     slots_.data() + k * n_slots_,
            n_slots_ - 1,       radius_,        1 / (2 * radius_), share,
            is_used_.data() + k};
}

TL_DEVICE_END
