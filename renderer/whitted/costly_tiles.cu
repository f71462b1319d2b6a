#include "renderer/whitted/costly_tiles.h"

#include <cstring>

#include "accel/parallel/operators.h"
#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Bits of a float that tell times apart well enough, and halve the sort.
constexpr int kKeyBits = 16;

/// What is left of the greatest key when a tile's is taken off. A tile takes as long as its slowest
/// group; groups start anew.
TL_D std::uint32_t take_key(View<std::uint32_t> groups, std::uint32_t tile) {
    constexpr std::uint32_t kGroups = kTileItems / kGroupItems;
    std::uint32_t most = 0;
    for (std::uint32_t i = tile * kGroups; i < (tile + 1) * kGroups; ++i) {
        most = most > groups[i] ? most : groups[i];
        groups[i] = 0;
    }
    auto time = static_cast<float>(most);
    std::uint32_t bits;
    memcpy(&bits, &time, sizeof bits);
    return (1u << kKeyBits) - 1 - (bits >> (32 - kKeyBits));
}

void order_tiles(Scratch& scratch, View<std::uint32_t> groups, View<std::uint32_t> launch) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(launch.size);
    Pairs<std::uint32_t> tiles{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    parallel_for(
        stream, "times of tiles", n, TL_LAMBDA(std::uint32_t i) {
            tiles.keys[i] = take_key(groups, i);
            tiles.values[i] = i;
        });
    auto ordered = sort_pairs(scratch, tiles, spare, 0, kKeyBits).values;
    stream.device().copy(stream, launch.data, ordered.data, n * sizeof(launch[0]));
}

}  // namespace

TileLaunch CostlyTiles::next(Scratch& scratch, const PixelOrder& order) {
    auto& stream = scratch.stream();
    if (order.extent != extent_ || order.curve != curve_) {
        extent_ = order.extent;
        curve_ = order.curve;
        n_frames_ = 0;
        std::size_t n_tiles = (order.n_items + kTileItems - 1) / kTileItems;
        tiles_.resize_discard(stream, n_tiles);
        times_.resize_discard(stream, n_tiles * (kTileItems / kGroupItems));
        stream.device().fill_zero(stream, times_.data(), times_.bytes());
    }
    if (n_frames_ > 0 && n_frames_ % kFrames == 1)
        order_tiles(scratch, times_.view(), tiles_.view());
    // The first frame has no other before it.
    return {n_frames_++ ? tiles_.view() : View<std::uint32_t>{}, times_.view()};
}

TL_DEVICE_END
