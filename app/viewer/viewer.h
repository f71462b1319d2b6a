// The viewer's loop over a window or an offscreen context: input, camera, frame, presenting,
// interface. All GL calls are made in the calling thread; slow frames run in another one.
#pragma once

#include <chrono>
#include <deque>
#include <functional>

#include "app/viewer/actions/input_router.h"
#include "app/viewer/frame_maker.h"
#include "app/viewer/gl/preview_texture.h"
#include "app/viewer/imgui/imgui_bridge.h"
#include "app/viewer/memory_trimmer.h"
#include "app/viewer/picture_overlays.h"
#include "app/viewer/viewer_model.h"

namespace tl {

class Viewer {
  public:
    /// Context, session and preferences must outlive the viewer; the context must be current.
    Viewer(GlContext& context, Session& session, Preferences& preferences,
           const SessionOptions& session_options, const ViewerOptions& options,
           ViewerInterface interface);

    /// Runs until the window is closed or the requested frames are rendered, then writes the files
    /// that the options name. Throws UserError if one cannot be written. `after_step`: called after
    /// each step.
    void run(const std::function<void()>& after_step = {});
    /// Runs one iteration of the loop; waits briefly for input if there is nothing to do. Returns
    /// false once the viewer should close.
    bool step();

    [[nodiscard]] ViewerModel& model() { return model_; }
    /// Whether no frame, loading or other work is in progress.
    [[nodiscard]] bool idle() const { return !frames_.running() && !working(); }
    [[nodiscard]] MemoryTrimmer& memory() { return memory_; }
    /// Bytes of host memory held for the histogram of the picture's values.
    [[nodiscard]] std::size_t histogram_bytes() const { return histogram_.bytes(); }
    /// Frames begun so far. Not all of them are displayed.
    [[nodiscard]] std::uint64_t frames() const { return n_frames_; }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr int kSettleFrames = 3;  // ImGui updates its layout in the frame after a change

    [[nodiscard]] static float seconds_since(Clock::time_point then) {
        return std::chrono::duration<float>(Clock::now() - then).count();
    }
    [[nodiscard]] bool busy() const;
    [[nodiscard]] InputCapture capture() const;
    [[nodiscard]] bool last_frame() const;
    [[nodiscard]] bool section_active() const;
    [[nodiscard]] bool due_on_screen() const;
    [[nodiscard]] bool gathering() const;
    void show(Extent window, float seconds, float scale);
    void take_input(bool visible);
    void draw_frame(Extent window);
    void draw_beside(Extent window, float scale);
    [[nodiscard]] bool working() const;
    bool advance_view(float seconds);
    void advance_motion(float seconds);
    void read_numbers();
    bool find_figures();
    bool find_histogram();
    [[nodiscard]] bool navigates() const;
    void find_last_figures();
    [[nodiscard]] SplitView split_view();
    void update_previews();
    void read_pixels();
    std::optional<ProbedPixel> take_click(std::optional<PixelView::Click>& click);
    void turn_to_clicked();
    void select_clicked();
    void use_picked_pixel();
    void count_rays();
    void look_around();
    void look_at_memory();
    [[nodiscard]] bool closes();
    void update_title();
    void return_memory();
    [[nodiscard]] bool trim_histogram();

    ViewerModel model_;
    FrameMaker frames_;
    PictureOverlays overlays_;
    PreviewTexture flip_texture_;   // FLIP of both sides
    std::uint64_t flip_shown_ = 0;  // version of it in CompareFigures
    FilmHistogramFinder histogram_;
    PreviewTexture marks_;           // clipped pixels
    std::uint64_t marks_shown_ = 0;  // version of them in HistogramView
    struct ShownPreview {
        PreviewTexture texture;
        std::uint64_t version = 0;
    };
    std::vector<ShownPreview> previews_;  // of the interface's section states
    ImguiBridge imgui_;
    InputRouter router_;
    FramePacer pacer_;  // for displayed frames
    MemoryTrimmer memory_;

    std::deque<InputEvent> events_;  // not yet handled
    std::string shown_message_;
    std::string titled_, title_;  // scene in the window's title; the title
    int redraw_ = 3;              // frames to draw until the interface has settled
    bool unseen_ = false;         // the newest frame is not displayed yet
    bool ran_apart_ = false;      // the newest frame was made in another thread
    Extent framed_window_{};      // size of the window that the newest frame was made for
    bool rested_ = true;          // the viewer has been idle since the newest frame
    std::uint64_t n_frames_ = 0, n_shown_ = 0;
    double refresh_seconds_ = 0;
    double gather_seconds_ = 0;  // seconds for which samples of a picture are gathered; 0: none
    float frame_seconds_ = 0;    // seconds of a frame without its display
    float held_seconds_ = 0;     // seconds since the view and the scene last moved
    Clock::time_point last_frame_, last_shown_, last_swap_, last_look_, last_rays_, last_numbers_,
        last_moved_, last_title_;
    bool numbers_stale_ = true;  // older than the newest sample
};

}  // namespace tl
