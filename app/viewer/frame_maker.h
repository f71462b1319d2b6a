// Makes the frames of the viewer's sessions: a sample of the picture, tone-mapped and passed to GL.
// Frames expected to take too long for the interface run in a thread of their own, as do edits with
// a long preparation; the sessions' gate is closed meanwhile. All functions are called in the
// loop's thread, that of the GL context.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>

#include "app/viewer/actions/overlay_search.h"
#include "app/viewer/gl/presenter.h"
#include "app/viewer/viewer_model.h"
#include "core/base/work_thread.h"
#include "core/device/background.h"
#include "core/device/steps_in_flight.h"

namespace tl {

class FrameMaker {
  public:
    explicit FrameMaker(ViewerModel& model);
    /// Cancels a frame in progress, and waits for it.
    ~FrameMaker();
    FrameMaker(const FrameMaker&) = delete;
    FrameMaker& operator=(const FrameMaker&) = delete;

    struct Wanted {
        float seconds = 0;    ///< since the last frame began
        bool rested = false;  ///< the viewer was idle meanwhile
        bool held = false;    ///< the view stays that of the last frame
        bool seen = true;     ///< the picture will be displayed
        bool last = false;    ///< overlays must be those of exactly this frame
    };
    /// Makes a frame, if the sessions need a sample or the picture is stale; it may continue in
    /// another thread. Must not be called while running().
    void make(const Wanted& wanted);
    /// Whether a frame or a preparation is in progress in another thread.
    [[nodiscard]] bool running() const { return thread_.busy(); }
    /// Takes the results of work that has ended and begins the next preparation. Returns whether
    /// there is a new picture or edit.
    bool take();
    /// Cancels a slow frame in progress if the view has moved since it began.
    void overtake();
    /// Waits for the work in the thread.
    void wait();

    [[nodiscard]] Presenter& picture() { return picture_; }
    /// The picture of side B; null without one.
    [[nodiscard]] Presenter* second_picture() { return second_picture_.get(); }
    /// Camera of the newest picture.
    [[nodiscard]] Camera camera() const { return rendered_.value_or(model_.session.camera); }
    /// Whether a sample was added since the last call.
    [[nodiscard]] bool take_sampled() { return std::exchange(sampled_since_, false); }

  private:
    using Clock = std::chrono::steady_clock;

    /// Work of a frame.
    struct Plan {
        bool sample = false, second_sample = false;  ///< adds a sample
        bool first = false, second = false;          ///< has work to do
        bool search = false;                         ///< searches for overlays of the picture
        bool anew = false;                           ///< has begun another picture
        bool seen = false, apart = false;
        bool last = false;  ///< last frame of a run of a fixed number of frames
        float time = 0;     ///< of the scene's motion
        /// Seconds since the last frame, if that added a sample, too, and the viewer was not idle.
        double seconds_between = 0;
    };
    [[nodiscard]] Plan plan(const Wanted& wanted, bool moved);
    void follow_region();
    void begin();
    void work();
    void conclude();
    void run(Session& session, Presenter& presenter, bool sample);
    void yield_to_interface();
    [[nodiscard]] bool runs_apart(const Plan& plan) const;
    [[nodiscard]] bool is_cancelled() const;
    void take_times();
    void take_cancelled_time();
    void log_frame();
    void prepare_edit();
    void reopen();
    void stop(const std::exception& error);
    [[nodiscard]] float seconds_running() const;

    ViewerModel& model_;
    Presenter picture_;
    std::unique_ptr<Presenter> second_picture_;  // exists while two sides are compared
    StepsInFlight frames_ahead_{2};              // for all frames
    StepsInFlight second_ahead_{2};              // for frames of side B, on a device of its own
    std::unique_ptr<YieldingTeam> team_;         // of the thread, which creates it
    WorkThread thread_;
    OverlaySearch search_;  // after each frame
    /// The film in which the region keeps the pixels around it, and whether all have been sampled.
    struct KeptFilm {
        Extent extent;
        const Device* device = nullptr;
        bool is_whole = false;
    } kept_;

    Plan plan_;
    std::optional<SessionGate::Edit> preparing_;  // prepared in the thread, instead of a frame
    std::string second_error_;                    // of side B in the newest frame, or ""
    std::optional<Camera> rendered_;              // the camera of the film's samples
    float rendered_time_ = 0;                     // time of the scene's motion of these samples
    bool sampled_ = false;                        // the newest frame has added a sample
    bool sampled_since_ = false;                  // a frame has added a sample since take_sampled()
    // the view or the scene has moved up to the newest frame
    bool moving_ = false;
    bool in_motion_ = false;            // the scene, alone or with the view, has moved
    std::optional<float> cost_;         // seconds of the last completed frame
    std::optional<float> search_cost_;  // seconds of the last search
    Clock::time_point began_;           // start of the newest frame
    // frames of the session's timer when it was last read
    std::uint64_t timed_frames_ = 0;
    std::uint64_t n_changes_ = 0;  // changes of scene or settings
};

}  // namespace tl
