// Scheduling of a picture's tiles by their render time some frames before. The longest start first,
// so that no long tile starts late and runs alone at the end (Graham 1969, "Bounds on
// multiprocessing timing anomalies": longest processing time first).
#pragma once

#include <memory>

#include "core/device/array.h"
#include "core/device/readback.h"
#include "renderer/film/film_view.h"
#include "renderer/shading/camera_rays.h"

namespace tl {

/// Items of a tile, the unit that launches schedule.
inline constexpr std::uint32_t kTileItems = PixelOrder::kTileItems;
/// Items of a group, a warp, which run in lockstep.
inline constexpr std::uint32_t kGroupItems = 32;

/// Times of a launch's groups, in clock cycles.
struct GroupTimes {
    float longest = 0, sum = 0;

    /// Approximate number of groups that run on a multiprocessor at once.
    static constexpr float kAtOnce = 28;
    /// Even launches become uneven where the longest group takes more than this multiple of the
    /// mean load.
    static constexpr float kUneven = 1.14f;
    /// Uneven launches become even below this multiple. It is larger, since groups of the same
    /// picture take less of the sum in even launches.
    static constexpr float kEven = 1.19f;

    /// Whether one group takes longer than an evenly distributed load, with hysteresis. `were`: the
    /// last result.
    [[nodiscard]] bool are_uneven(int multiprocessors, bool were) const {
        float shares = longest * static_cast<float>(multiprocessors) * kAtOnce;
        return shares > (were ? kEven : kUneven) * sum;
    }
};

/// Order of tiles for a launch, and its time measurements.
struct TileLaunch {
    View<const std::uint32_t> tiles;  ///< in order of their start; empty: in launch order
    View<std::uint32_t> times;        ///< times of groups, cycles, raised by the launch; or empty
    /// Whether one group takes longer than an evenly distributed load. Fewer groups should then run
    /// on its multiprocessor.
    bool uneven = false;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Keeps the order of tiles from frame to frame. Times change slowly and sorting takes several
    /// launches, so that it is repeated only every kFrames frames.
    class CostlyTiles {
      public:
        static constexpr std::uint32_t kFrames = 8;

        /// Returns the tiles for the next frame, whose launch must take the items of `order`. Times
        /// affect only when a tile starts.
        [[nodiscard]] TileLaunch next(Scratch& scratch, const PixelOrder& order);

      private:
        Extent extent_;
        std::uint32_t n_items_ = 0;   ///< of the order
        std::uint32_t n_frames_ = 0;  ///< number of frames of this extent and number of items
        DeviceArray<std::uint32_t> tiles_, times_;
        DeviceArray<GroupTimes> spread_;  ///< one
        std::unique_ptr<Readback<GroupTimes>> readback_;
        bool uneven_ = true;
    };
)
// clang-format on
