// The viewer's loop over a window or an offscreen context: input, camera, frame, presenting,
// interface. All GL and device calls are made in the calling thread.
#pragma once

#include <chrono>
#include <deque>

#include "accel/parallel/run_ahead.h"
#include "app/viewer/gl/gl_timer.h"
#include "app/viewer/gl/overlay_renderer.h"
#include "app/viewer/gl/presenter.h"
#include "app/viewer/gl/preview_texture.h"
#include "app/viewer/imgui/imgui_bridge.h"
#include "app/viewer/input_router.h"
#include "app/viewer/viewer_model.h"

namespace tl {

class Viewer {
  public:
    /// Context, session and preferences must outlive the viewer; the context must be current.
    Viewer(GlContext& context, Session& session, Preferences& preferences,
           const SessionOptions& session_options, const ViewerOptions& options,
           ViewerInterface interface);

    /// Runs until the window is closed or the requested frames are rendered, then writes the files
    /// that the options name. Throws UserError if one cannot be written.
    void run();
    /// Runs one iteration of the loop; waits briefly for input if there is nothing to do. False
    /// once the viewer should close.
    bool step();

    [[nodiscard]] ViewerModel& model() { return model_; }
    /// Frames rendered so far. Not all of them are displayed.
    [[nodiscard]] std::uint64_t frames() const { return frames_; }

  private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool busy() const;
    [[nodiscard]] InputCapture capture() const;
    [[nodiscard]] bool last_frame() const;
    [[nodiscard]] bool section_active() const;
    [[nodiscard]] bool due_on_screen() const;
    [[nodiscard]] bool gathering() const;
    void show(Extent window, float seconds, float scale);
    void take_input(bool visible);
    void draw_frame(Extent window);
    bool advance_view(float seconds);
    void advance_motion(float seconds);
    void render(float seconds, bool held, bool seen);
    void take_times();
    void render_session(Session& session, Presenter& presenter, bool sample, bool seen);
    void render_second(bool sample, bool seen);
    void read_numbers();
    bool find_figures();
    void find_last_figures();
    [[nodiscard]] SplitView split_view();
    void update_previews();
    void draw_boxes(int window_height);
    void draw_control_net(int window_height);
    void draw_points(int window_height, float scale);
    void draw_on_sides(std::array<OverlayRenderer, 2>& overlays, int window_height);
    void count_rays();
    void look_around();

    ViewerModel model_;
    Presenter presenter_;
    std::unique_ptr<Presenter> second_presenter_;  // exists while two sides are compared
    PreviewTexture flip_texture_;                  // FLIP of both sides
    std::uint64_t flip_shown_ = 0;                 // its version in CompareFigures
    std::array<OverlayRenderer, 2> lines_;         // boxes of the session's tree and of side B's
    OverlayRenderer net_lines_;                    // control nets of patches
    std::array<OverlayRenderer, 2> points_;        // points of the session and of side B
    struct ShownPreview {
        PreviewTexture texture;
        std::uint64_t version = 0;
    };
    std::vector<ShownPreview> previews_;  // of the interface's section states
    ImguiBridge imgui_;
    InputRouter router_;
    FramePacer pacer_;          // for displayed frames
    RunAhead frames_ahead_{2};  // for all frames
    RunAhead second_ahead_{2};  // for those of side B, on a device of its own

    std::deque<InputEvent> events_;  // not yet handled
    Camera rendered_;                // the camera of the film's samples
    float rendered_time_ = 0;        // and the time of the scene's motion
    std::string shown_message_;
    int redraw_ = 3;        // frames to draw until the interface has settled
    bool unseen_ = false;   // the newest frame is not displayed yet
    bool sampled_ = false;  // the newest frame has added a sample
    bool moving_ = false;   // the view or the scene has moved to the newest picture
    std::uint64_t frames_ = 0, shown_frames_ = 0;
    std::uint64_t timed_frames_ = 0;  // of the session's timer when it was last read
    double refresh_seconds_ = 0;
    double gather_seconds_ = 0;      // for which samples of a picture are gathered; 0: one is shown
    float frame_seconds_ = 0;        // that a frame takes without showing it
    float held_seconds_ = 0;         // since the view and the scene last moved
    std::uint64_t boxes_drawn_ = 0;  // found_count of the boxes in lines_
    bool hidden_drawn_ = true;
    std::uint64_t points_drawn_ = 0;  // found_count of the points in points_
    bool hidden_points_drawn_ = false, value_drawn_ = false;
    std::uint64_t nets_drawn_ = 0;  // found_count of the nets in net_lines_
    bool hidden_nets_drawn_ = true;
    Clock::time_point last_frame_, last_shown_, last_swap_, last_look_, last_rays_, last_numbers_;
    bool numbers_stale_ = true;  // older than the newest sample
};

}  // namespace tl
