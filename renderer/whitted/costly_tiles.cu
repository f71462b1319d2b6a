#include "renderer/whitted/costly_tiles.h"

#include "accel/bvh/atomics.h"
#include "accel/parallel/operators.h"
#include "accel/parallel/parallel_for.h"

TL_DEVICE_BEGIN

namespace {

/// Pixels that go in step: they cost as much as the one with the most rays.
constexpr std::uint32_t kInStep = 32;
/// Keys are costs in 16 bits, which halves the sort.
constexpr std::uint32_t kMostCost = 0xffff;

/// Times the mean cost, above which a tile stands out. Only those are moved: tiles of all kinds
/// side by side make better use of a GPU than the heavier half of a picture and then the lighter
/// one.
constexpr float kStandsOut = 2;

struct TileCosts {
    PixelOrder order;
    FilmView film;
    View<std::uint32_t> costs;

    TL_D void add(std::uint32_t group) const {
        std::uint32_t most = 0;
        for (std::uint32_t k = 0; k < kInStep; ++k) {
            std::uint32_t x, y, item = group * kInStep + k;
            if (item >= order.n_items || !order.pixel(item, x, y)) continue;
            std::uint32_t n_rays =
                film.ray_count[y * static_cast<std::uint32_t>(film.extent.width) + x];
            most = most > n_rays ? most : n_rays;
        }
        // No tile's groups together take more than there is.
        constexpr std::uint32_t kMostOfGroup = kMostCost * kInStep / kTileItems;
        if (most > kMostOfGroup) most = kMostOfGroup;
        atomic_add(&costs[group * kInStep / kTileItems], most);
    }
};

/// Taken from `scratch`.
View<const std::uint32_t> costly_tiles_first(Scratch& scratch, const PixelOrder& order,
                                             const FilmView& film) {
    auto& stream = scratch.stream();
    std::uint32_t n_tiles = (order.n_items + kTileItems - 1) / kTileItems;
    auto costs = scratch.take<std::uint32_t>(n_tiles), total = scratch.take<std::uint32_t>(1);
    Pairs<std::uint32_t> tiles{scratch.take<std::uint32_t>(n_tiles),
                               scratch.take<std::uint32_t>(n_tiles)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n_tiles),
                               scratch.take<std::uint32_t>(n_tiles)};
    stream.device().fill_zero(stream, costs.data, n_tiles * sizeof(costs[0]));
    TileCosts tile_costs{order, film, costs};
    parallel_for(
        stream, "costs of tiles", n_tiles * (kTileItems / kInStep),
        TL_LAMBDA(std::uint32_t group) { tile_costs.add(group); });
    reduce<std::uint32_t>(scratch, costs, total);
    parallel_for(
        stream, "tiles that stand out", n_tiles, TL_LAMBDA(std::uint32_t i) {
            float mean = static_cast<float>(total[0]) / static_cast<float>(n_tiles);
            bool stands_out = static_cast<float>(costs[i]) > kStandsOut * mean;
            tiles.keys[i] = kMostCost - (stands_out ? costs[i] : 0);
            tiles.values[i] = i;
        });
    return sort_pairs(scratch, tiles, spare, 0, 16).values;
}

}  // namespace

View<const std::uint32_t> CostlyTiles::next(Scratch& scratch, const PixelOrder& order,
                                            const FilmView& film) {
    if (order.extent != extent_ || order.curve != curve_) {
        extent_ = order.extent;
        curve_ = order.curve;
        n_frames_ = 0;
    }
    // The first frame has no other before it.
    if (n_frames_++ == 0) return {};
    if (n_frames_ % kFrames == 2) {
        Scratch::Scope scope(scratch);
        auto tiles = costly_tiles_first(scratch, order, film);
        auto& stream = scratch.stream();
        tiles_.resize_discard(stream, tiles.size);
        stream.device().copy(stream, tiles_.data(), tiles.data, tiles.size * sizeof(tiles[0]));
    }
    return tiles_.view();
}

TL_DEVICE_END
