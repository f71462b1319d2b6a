// The viewer's loop over a window or an offscreen context: input, camera, frame, presenting,
// interface. Everything that touches GL or a device runs in the thread that calls it.
#pragma once

#include <chrono>
#include <deque>

#include "accel/parallel/run_ahead.h"
#include "app/viewer/gl/gl_timer.h"
#include "app/viewer/gl/line_renderer.h"
#include "app/viewer/gl/presenter.h"
#include "app/viewer/gl/preview_texture.h"
#include "app/viewer/imgui/imgui_bridge.h"
#include "app/viewer/input_router.h"
#include "app/viewer/viewer_model.h"

namespace tl {

class Viewer {
  public:
    /// Context, session and preferences are used until the viewer is gone; the context must be
    /// current.
    Viewer(GlContext& context, Session& session, Preferences& preferences,
           const SessionOptions& session_options, const ViewerOptions& options,
           ViewerInterface interface);

    /// Goes on until the window is closed or the wanted frames are done, then writes what the
    /// options ask for. Throws UserError when that cannot be written.
    void run();
    /// One turn of the loop. It waits a little for input while there is nothing to do. False once
    /// the viewer should close.
    bool step();

    [[nodiscard]] ViewerModel& model() { return model_; }
    /// Frames made so far. Without vsync, not all of them are put on the screen.
    [[nodiscard]] std::uint64_t frames() const { return frames_; }

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool busy() const;
    [[nodiscard]] InputCapture capture() const;
    [[nodiscard]] bool last_frame() const;
    [[nodiscard]] bool section_active() const;
    [[nodiscard]] bool due_on_screen() const;
    void show(Extent window, float seconds, float scale);
    void take_input(bool visible);
    void draw_frame(Extent window);
    void advance_motion(float seconds);
    void render(float seconds, bool seen);
    void take_times();
    void render_session(Session& session, Presenter& presenter, bool sample, bool seen);
    void render_second(bool sample, bool seen);
    void read_numbers();
    void update_previews();
    void draw_boxes(int window_height);
    void draw_control_net(int window_height);
    void count_rays();
    void look_around();

    ViewerModel model_;
    Presenter presenter_;
    std::unique_ptr<Presenter> second_presenter_;  // while two trees are compared
    std::array<LineRenderer, 2> lines_;            // boxes of the session's tree, and the second's
    LineRenderer net_lines_;                       // control nets of patches
    struct ShownPreview {
        PreviewTexture texture;
        std::uint64_t version = 0;
    };
    std::vector<ShownPreview> previews_;  // of the interface's states
    ImguiBridge imgui_;
    InputRouter router_;
    FramePacer pacer_;          // of the frames on the screen
    RunAhead frames_ahead_{2};  // and of all of them

    std::deque<InputEvent> events_;  // not yet handled
    Camera rendered_;                // the camera of the film's samples
    float rendered_time_ = 0;        // and the moment of the scene's motion
    std::string shown_message_;
    int redraw_ = 3;       // frames that the interface needs to settle
    bool unseen_ = false;  // the newest frame is not on the screen yet
    std::uint64_t frames_ = 0, shown_frames_ = 0;
    std::uint64_t timed_frames_ = 0;  // of the session's timer, as it was last read
    double refresh_seconds_ = 0;
    std::uint64_t boxes_drawn_ = 0;  // search whose boxes lines_ has
    bool hidden_drawn_ = true;
    std::uint64_t nets_drawn_ = 0;  // likewise, of net_lines_
    bool hidden_nets_drawn_ = true;
    Clock::time_point last_frame_, last_shown_, last_look_, last_rays_, last_numbers_;
    bool numbers_stale_ = true;  // read before the newest sample
};

}  // namespace tl
