// The tiles of a picture in the order of how long they took some frames before, the longest first,
// so that none starts late and ends alone (Graham 1969, "Bounds on multiprocessing timing
// anomalies": longest processing time first).
#pragma once

#include <memory>

#include "accel/parallel/array.h"
#include "accel/parallel/readback.h"
#include "accel/parallel/settings.h"
#include "renderer/film/film_view.h"
#include "renderer/shading/camera_rays.h"

namespace tl {

/// Launches take tiles of this many items, whatever the order of pixels.
inline constexpr std::uint32_t kTileItems = PixelOrder::kTile * PixelOrder::kTile;
/// Items that go in step: a warp's.
inline constexpr std::uint32_t kGroupItems = 32;

struct CostlyTilesConfig {
    bool costly_first = true;

    [[nodiscard]] Settings settings() {
        return {{"costly-first", costly_first,
                 "the single kernel on a GPU: tiles start in the order of how long they took some "
                 "frames before, the longest first; else as they lie"}};
    }
};

/// How groups of a launch took their time, in clock cycles.
struct GroupTimes {
    float longest = 0, sum = 0;

    /// Groups that run on a multiprocessor at once, about.
    static constexpr float kAtOnce = 28;
    /// Times an even share, from where on launches turn uneven and below which they turn even. On
    /// an H200 the forest with glass, which more warps serve better, had 1.0; the dragon and the
    /// toasters of glass, which fewer do, had 1.3 and 1.6.
    static constexpr float kUneven = 1.3f, kEven = 1.12f;

    /// Whether one group takes longer than all would, shared evenly. `were`: of the launch before.
    [[nodiscard]] bool are_uneven(int multiprocessors, bool were) const {
        float shares = longest * static_cast<float>(multiprocessors) * kAtOnce;
        return shares > (were ? kEven : kUneven) * sum;
    }
};

/// What a launch needs of them.
struct TileLaunch {
    View<const std::uint32_t> tiles;  ///< in the order in which they start; empty: as they lie
    View<std::uint32_t> times;        ///< of groups, cycles, raised by the launch; empty: not asked
    /// One group takes longer than all of them would, shared evenly: others on its multiprocessor
    /// should rather be few than many.
    bool uneven = false;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// The order in which tiles start, from frame to frame. Times change slowly and ordering takes
    /// some launches of its own: it is done anew every kFrames frames.
    class CostlyTiles {
      public:
        static constexpr std::uint32_t kFrames = 8;

        /// For the next frame of a picture, whose launch is to take the items of `order`. Times
        /// decide when a tile starts and nothing else.
        [[nodiscard]] TileLaunch next(Scratch& scratch, const PixelOrder& order);

      private:
        void judge(Stream& stream);

        Extent extent_;
        PixelCurve curve_ = PixelCurve::morton;
        std::uint32_t n_frames_ = 0;  ///< of this extent and curve
        DeviceArray<std::uint32_t> tiles_, times_;
        DeviceArray<GroupTimes> spread_;  ///< one
        std::unique_ptr<Readback<GroupTimes>> readback_;
        bool uneven_ = true;
    };
)
// clang-format on
