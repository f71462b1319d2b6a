// The tiles of a picture by what their rays cost in the frame before, the costliest first, so that
// none starts late and ends alone (Graham 1969, "Bounds on multiprocessing timing anomalies":
// longest processing time first).
#pragma once

#include "accel/parallel/array.h"
#include "accel/parallel/settings.h"
#include "renderer/film/film_view.h"
#include "renderer/shading/camera_rays.h"

namespace tl {

/// Launches take tiles of this many items, whatever the order of pixels.
inline constexpr std::uint32_t kTileItems = PixelOrder::kTile * PixelOrder::kTile;

struct CostlyTilesConfig {
    bool costly_first = false;

    [[nodiscard]] Settings settings() {
        return {{"costly-first", costly_first,
                 "the single kernel on a GPU, or ray by ray: tiles start in the order of how many "
                 "rays they took in the frame before, the most first; else as they lie"}};
    }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Tile t of the launch is to be tile [t] of `order`'s items. The film's ray counts are those of
    /// the frame before; what they are decides when a tile starts and nothing else. Taken from
    /// `scratch`.
    [[nodiscard]] View<const std::uint32_t> costly_tiles_first(
        Scratch& scratch, const PixelOrder& order, const FilmView& film);
)
// clang-format on
