// Tiles of a picture whose rays cost much more than others' some frames before start first, so that
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
    bool costly_first = true;

    [[nodiscard]] Settings settings() {
        return {{"costly-first", costly_first,
                 "the single kernel on a GPU, or ray by ray: tiles that took many more rays than "
                 "others some frames before start first; else all start as they lie"}};
    }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// The order in which tiles start, from frame to frame: those whose cost stands out first, the
    /// others as they lie. Costs change slowly and ordering takes some launches of its own: it is
    /// done anew every kFrames frames.
    class CostlyTiles {
      public:
        static constexpr std::uint32_t kFrames = 8;

        /// Tile t of the launch is to be tile [t] of `order`'s items; empty where nothing is known
        /// yet: in the first frame of a size. The film's ray counts are those of the frame before;
        /// what they are decides when a tile starts and nothing else.
        [[nodiscard]] View<const std::uint32_t> next(Scratch& scratch, const PixelOrder& order,
                                                     const FilmView& film);

      private:
        Extent extent_;
        PixelCurve curve_ = PixelCurve::morton;
        std::uint32_t n_frames_ = 0;  ///< of this extent and curve
        DeviceArray<std::uint32_t> tiles_;
    };
)
// clang-format on
