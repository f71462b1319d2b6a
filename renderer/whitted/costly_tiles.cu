#include "renderer/whitted/costly_tiles.h"

#include <cstring>

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Leading bits of a float that distinguish times well enough; 16 instead of 32 halve the sort.
constexpr int kKeyBits = 16;

/// The greatest key minus a time's leading bits, so that long times sort first.
TL_D std::uint32_t key_of(float time) {
    std::uint32_t bits;
    memcpy(&bits, &time, sizeof bits);
    return (1u << kKeyBits) - 1 - (bits >> (32 - kKeyBits));
}

/// Reads and resets the times of a tile's groups. A tile takes as long as its slowest group.
TL_D GroupTimes take_times(View<std::uint32_t> groups, std::uint32_t tile) {
    constexpr std::uint32_t kGroups = kTileItems / kGroupItems;
    GroupTimes times;
    for (std::uint32_t i = tile * kGroups; i < (tile + 1) * kGroups; ++i) {
        auto time = static_cast<float>(groups[i]);
        times.longest = maximum(times.longest, time);
        times.sum += time;
        groups[i] = 0;
    }
    return times;
}

void order_tiles(Scratch& scratch, View<std::uint32_t> groups, View<std::uint32_t> launch,
                 View<GroupTimes> spread) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(launch.size);
    auto longest = scratch.take<float>(n), sums = scratch.take<float>(n);
    Pairs<std::uint32_t> tiles{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    parallel_for(
        stream, "times of tiles", n, TL_LAMBDA(std::uint32_t i) {
            GroupTimes times = take_times(groups, i);
            longest[i] = times.longest;
            sums[i] = times.sum;
            tiles.keys[i] = key_of(times.longest);
            tiles.values[i] = i;
        });
    reduce<float>(scratch, longest, {&spread.data->longest, 1}, Operator::maximum);
    reduce<float>(scratch, sums, {&spread.data->sum, 1});
    auto ordered = sort_pairs(scratch, tiles, spare, 0, kKeyBits).values;
    stream.device().copy(stream, launch.data, ordered.data, n * sizeof(launch[0]));
}

}  // namespace

TileLaunch CostlyTiles::next(Scratch& scratch, const PixelOrder& order) {
    auto& stream = scratch.stream();
    if (order.extent != extent_ || order.n_items != n_items_) {
        extent_ = {};  // stays empty if an allocation throws
        std::size_t n_tiles = (order.n_items + kTileItems - 1) / kTileItems;
        tiles_.resize_discard(stream, n_tiles);
        times_.resize_discard(stream, n_tiles * (kTileItems / kGroupItems));
        stream.device().fill_zero(stream, times_.data(), times_.bytes());
        spread_.resize_discard(stream, 1);
        extent_ = order.extent;
        n_items_ = order.n_items;
        n_frames_ = 0;
    }
    if (n_frames_ > 0 && n_frames_ % kFrames == 1) {
        order_tiles(scratch, times_.view(), tiles_.view(), spread_.view());
        if (!readback_) readback_ = std::make_unique<Readback<GroupTimes>>(stream.device());
        readback_->request(stream, spread_.data(), n_frames_);
    }
    if (auto taken = readback_ ? readback_->take() : std::nullopt)
        uneven_ = taken->value.are_uneven(stream.multiprocessors(), uneven_);
    // The first frame has no times of an earlier one.
    return {n_frames_++ ? tiles_.view() : View<std::uint32_t>{}, times_.view(), uneven_};
}

TL_DEVICE_END
