// Reduces the resolution while the view moves, so that slow frames do not make the camera stutter.
#pragma once

#include <map>
#include <string>

#include "core/base/math.h"
#include "core/device/stage_timer.h"

namespace tl {

/// Chooses an integer reduction factor >= 1 from the times of the last frames. Each part of a frame
/// is modelled as a fixed time plus a time per pixel. Stages that update the scene are fixed. For
/// the others, the fixed fraction follows from times at two resolutions, and is 0 until these are
/// known.
class MotionResolution {
  public:
    static constexpr int kCoarsest = 12;
    static constexpr float kBudget = 1000.0f / 30;  ///< ms
    static constexpr float kRest = 0.25f;           ///< seconds at rest until full resolution
    /// A full resolution that is expected to take longer, ms, follows on a frame of this factor.
    static constexpr float kLong = 1000;
    static constexpr int kBetween = 3;
    /// Pixels may take this fraction of the fixed time of a frame even beyond the budget, since
    /// fewer pixels would then save little.
    static constexpr float kLeastGain = 0.25f;

    bool enabled = true;
    float budget = kBudget;  ///< ms for a frame of a moving view

    /// Adds the stages of a finished frame, which may be some frames old, unless it is the
    /// `newest`; of all sessions, if there are several.
    void add_frame(const std::vector<StageTime>& stages, bool newest = false);
    /// Adds a frame that was cancelled. `milliseconds`: time spent on its pixels. `scene`: time of
    /// the stages before, in ms; 0: unknown.
    void add_cancelled(float milliseconds, float scene = 0);
    /// Forgets earlier times, and assumes that the next frames may be slow.
    void expect_slow();
    /// Call before a frame. `moved`: the view differs from that of the last frame, which began
    /// `seconds` ago. `changed`: something else differs, so that the picture restarts; a slow
    /// picture is then coarse for one frame.
    void advance(bool moved, float seconds, bool changed = false);
    /// Renders the next frame at full resolution, even if the view moves.
    void demand_fine() { fine_demanded_ = true; }
    /// Width and height of a film pixel, in window pixels.
    [[nodiscard]] int factor() const { return factor_; }
    /// Milliseconds of a frame that do not depend on the resolution.
    [[nodiscard]] float fixed_milliseconds() const { return fixed_ms_; }
    /// True until full resolution is restored; frames must continue until then.
    [[nodiscard]] bool settling() const { return factor_ > 1; }
    /// Film size for a picture of this size.
    [[nodiscard]] Extent film_extent(Extent picture) const;

  private:
    /// Times of a part of a frame.
    struct Part {
        float fixed_share = 0;  // fixed fraction of its time at full resolution, 0 to 1
        int factor = 0;         // reduction factor of the newest frame; 0: none to compare with
        float milliseconds = 0;
    };
    /// Splits the time of a part of the newest frame, and adds it to fixed_ms_ and full_size_ms_.
    void add_part(const std::string& name, float milliseconds);
    /// Smallest factor for which the expected time of a frame is within the budget, less `slack`.
    [[nodiscard]] int wanted(float slack) const;
    [[nodiscard]] float area() const { return static_cast<float>(factor_ * factor_); }

    // Times of frames that were in flight when the factor changed do not belong to the new factor.
    static constexpr int kFramesUnderWay = 3;

    static constexpr float kSlow = 2000;  ///< ms assumed for a frame of unknown time

    int factor_ = 1;
    bool preview_ = false;  // the last frame was coarse because something had changed
    bool fine_demanded_ = false;
    int stale_frames_ = 0;
    float still_ = 0;         // seconds
    float fixed_ms_ = 0;      // of a frame, independent of its size
    float full_size_ms_ = 0;  // of the remaining time, at full resolution
    std::map<std::string, Part> parts_;
};

}  // namespace tl
