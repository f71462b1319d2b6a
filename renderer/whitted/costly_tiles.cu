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

/// Times the mean cost, above which a tile stands out.
constexpr float kStandsOut = 1.5f;
/// Tiles that stand out are spread over this part of the launch. Costly rays go all ways and cheap
/// ones side by side: together they make better use of a GPU than the ones first and then the
/// others.
constexpr float kSpread = 0.75f;

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

/// Where tile `k` of those by their cost starts, of which the first `n_costly` of `n` stand out.
TL_HD std::uint32_t place_in_launch(std::uint32_t k, std::uint32_t n_costly, std::uint32_t n) {
    if (n_costly == 0) return k;
    auto step =
        static_cast<std::uint32_t>(kSpread * static_cast<float>(n) / static_cast<float>(n_costly));
    if (step < 2) return k;
    if (k < n_costly) return k * step;
    std::uint32_t other = k - n_costly;
    return other < n_costly * (step - 1) ? other / (step - 1) * step + 1 + other % (step - 1) : k;
}

void order_tiles(Scratch& scratch, const PixelOrder& order, const FilmView& film,
                 View<std::uint32_t> launch) {
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(launch.size);
    auto costs = scratch.take<std::uint32_t>(n), total = scratch.take<std::uint32_t>(1),
         n_costly = scratch.take<std::uint32_t>(1);
    Pairs<std::uint32_t> tiles{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    stream.device().fill_zero(stream, costs.data, n * sizeof(costs[0]));
    stream.device().fill_zero(stream, n_costly.data, sizeof(n_costly[0]));
    TileCosts tile_costs{order, film, costs};
    parallel_for(
        stream, "costs of tiles", n * (kTileItems / kInStep),
        TL_LAMBDA(std::uint32_t group) { tile_costs.add(group); });
    reduce<std::uint32_t>(scratch, costs, total);
    parallel_for(
        stream, "tiles that stand out", n, TL_LAMBDA(std::uint32_t i) {
            float mean = static_cast<float>(total[0]) / static_cast<float>(n);
            bool stands_out = static_cast<float>(costs[i]) > kStandsOut * mean;
            if (stands_out) atomic_add(n_costly.data, 1u);
            tiles.keys[i] = kMostCost - (stands_out ? costs[i] : 0);
            tiles.values[i] = i;
        });
    auto by_cost = sort_pairs(scratch, tiles, spare, 0, 16).values;
    parallel_for(
        stream, "spread costly tiles", n,
        TL_LAMBDA(std::uint32_t k) { launch[place_in_launch(k, n_costly[0], n)] = by_cost[k]; });
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
        tiles_.resize_discard(scratch.stream(), (order.n_items + kTileItems - 1) / kTileItems);
        order_tiles(scratch, order, film, tiles_.view());
    }
    return tiles_.view();
}

TL_DEVICE_END
