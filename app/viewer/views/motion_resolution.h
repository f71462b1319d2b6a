// A coarser picture while the view moves, so that a slow frame does not make the camera stutter.
#pragma once

#include "accel/parallel/math.h"
#include "accel/parallel/stage_timer.h"

namespace tl {

/// Chooses by how much, a whole number from 1, from what the last frames took.
class MotionResolution {
  public:
    static constexpr int kCoarsest = 8;
    static constexpr float kBudget = 1000.0f / 30;  ///< ms
    static constexpr float kRest = 0.25f;  ///< seconds that a view stands still before it is fine

    bool enabled = true;
    float budget = kBudget;  ///< ms that a frame of a moving view may take

    /// Stages of a finished frame; the newest may be some frames old.
    void add_frame(const std::vector<StageTime>& stages);
    /// Before a frame: the view differs from that of the last one, which began `seconds` ago.
    void advance(bool moved, float seconds);
    /// The next frame is fine, whatever moves.
    void demand_fine() { fine_demanded_ = true; }
    /// Pixels of the window that a pixel of the film covers, in width and in height.
    [[nodiscard]] int factor() const { return factor_; }
    /// Waits to become fine again, so frames must go on.
    [[nodiscard]] bool settling() const { return factor_ > 1; }
    /// Size of the film for a picture of this size.
    [[nodiscard]] Extent film_extent(Extent picture) const;

  private:
    /// The least factor that a frame is expected to be in time with, leaving `slack` of it.
    [[nodiscard]] int wanted(float slack) const;

    // Times of frames under way when the factor changed tell nothing of the new one.
    static constexpr int kFramesUnderWay = 3;

    int factor_ = 1;
    bool fine_demanded_ = false;
    int stale_frames_ = 0;
    float still_ = 0;         // seconds
    float scene_ms_ = 0;      // of a frame, whatever its size
    float full_size_ms_ = 0;  // of the rest, for a film as large as the picture
};

}  // namespace tl
