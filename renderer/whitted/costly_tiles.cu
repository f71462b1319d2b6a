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

struct TileCosts {
    PixelOrder order;
    FilmView film;
    View<std::uint32_t> keys;  ///< of tiles: what is left of kMostCost

    TL_D void subtract(std::uint32_t group) const {
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
        atomic_add(&keys[group * kInStep / kTileItems], 0u - most);
    }
};

}  // namespace

View<const std::uint32_t> costly_tiles_first(Scratch& scratch, const PixelOrder& order,
                                             const FilmView& film) {
    auto& stream = scratch.stream();
    std::uint32_t n_tiles = (order.n_items + kTileItems - 1) / kTileItems;
    Pairs<std::uint32_t> tiles{scratch.take<std::uint32_t>(n_tiles),
                               scratch.take<std::uint32_t>(n_tiles)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n_tiles),
                               scratch.take<std::uint32_t>(n_tiles)};
    parallel_for(
        stream, "tiles as they lie", n_tiles, TL_LAMBDA(std::uint32_t i) {
            tiles.keys[i] = kMostCost;
            tiles.values[i] = i;
        });
    TileCosts costs{order, film, tiles.keys};
    parallel_for(
        stream, "costs of tiles", n_tiles * (kTileItems / kInStep),
        TL_LAMBDA(std::uint32_t group) { costs.subtract(group); });
    return sort_pairs(scratch, tiles, spare, 0, 16).values;
}

TL_DEVICE_END
