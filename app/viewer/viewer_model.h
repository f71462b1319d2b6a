// The viewer's state, which commands change, panels show and the loop reads. No GL, no ImGui.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <typeinfo>
#include <vector>

#include "accel/bvh/inspect/end_point_overlap.h"
#include "accel/bvh/inspect/tree_stats.h"
#include "app/commands/commands.h"
#include "app/jobs/frame_statistics.h"
#include "app/jobs/scene_loading.h"
#include "app/jobs/time_left.h"
#include "app/viewer/actions/closing.h"
#include "app/viewer/actions/unsaved_edits.h"
#include "app/viewer/files/browser_state.h"
#include "app/viewer/files/file_watch.h"
#include "app/viewer/files/picture_writer.h"
#include "app/viewer/files/preferences.h"
#include "app/viewer/imgui/layout.h"
#include "app/viewer/messages.h"
#include "app/viewer/session_gate.h"
#include "app/viewer/viewer_interface.h"
#include "app/viewer/views/camera_controller.h"
#include "app/viewer/views/compare_state.h"
#include "app/viewer/views/edit_history.h"
#include "app/viewer/views/film_histogram.h"
#include "app/viewer/views/motion_resolution.h"
#include "app/viewer/views/pixel_probe.h"
#include "app/viewer/views/tree_view_state.h"
#include "app/viewer/window/gl_context.h"
#include "renderer/scene/scene_document.h"
#include "session/session.h"

namespace tl {

/// The viewer's options from the command line.
struct ViewerOptions {
    std::uint64_t frames = 0;   ///< close after this number of frames; 0: never
    std::uint32_t stop_at = 0;  ///< samples per pixel to stop at; 0: no limit
    /// Scene that is loaded in the background while an empty scene is shown; "": the session's own
    /// scene is the first.
    std::string first_scene{};
    std::string screenshot_folder = ".";
    std::string screenshot{};       ///< file for the film at the end
    std::string screenshot_ui{};    ///< file for the whole window at the end
    std::string report{};           ///< JSON file for the times at the end
    std::string panel_tab{};        ///< id of a PanelTab; "": as in the preferences
    bool show_every_frame = false;  ///< also those beyond the display's refresh rate
    float ui_scale = 0;             ///< 0: the display's own scale
    static constexpr int kNoBoxes = -2;
    int box_level = kNoBoxes;  ///< level of the boxes to show at the start; kAllLeaves: all leaves
    bool control_net = false;  ///< show the control nets of patches at the start
    bool points = false;       ///< show the renderer's points at the start
    /// Pixel of the picture to be pinned at the start, with the links of its group of points;
    /// empty: none.
    std::vector<int> links_at{};
    std::optional<SideChoices> compare_with{};  ///< side B of a comparison from the start
    CompareMode compare_mode = CompareMode::split;
    bool play = false;   ///< the scene's motion starts at once
    bool watch = false;  ///< load the scene again when its files change
    /// slow frames run in another thread, so that the interface continues
    bool frames_apart = false;
    bool first_hint = false;     ///< show the most useful keys at the start
    bool coarse_motion = false;  ///< reduce the resolution of slow frames while the view moves
    /// Add samples to a picture until the display is due, also while the view or the scene moves;
    /// not in a run of a fixed number of frames.
    bool gather_samples = true;
};

/// Transfer method of the presenter, the reason for it, and its time.
struct PresentState {
    std::string way, reason;
    float gl_milliseconds = 0;
};

/// Object, material or light that was clicked, to be edited.
struct Selection {
    std::optional<std::uint32_t> material{}, light{};
    std::optional<ObjectId> object{};
    std::uint32_t primitive = 0;  ///< index as in ProbedPixel

    [[nodiscard]] bool empty() const { return !material && !light && !object; }
};

/// The files of the scene that was read last, and whether they are watched.
struct SceneWatch {
    bool on = false;
    std::string path;  ///< of the scene, whether or not it could be loaded
    std::vector<ReadFile> read;
    FileWatch changes{};
};

/// Surface and film value under the cursor, up to some tenths of a second old.
struct PixelView {
    ProbedPixel at_cursor;
    Camera shown{};  ///< camera of the picture on show
    /// A clicked position in the picture, to be probed as soon as there is a frame.
    struct Click {
        vec2 at;        ///< framebuffer pixel
        Camera camera;  ///< of the picture that was clicked
    };
    std::optional<Click> clicked{};   ///< the camera will turn about its surface
    std::optional<Click> selected{};  ///< its object will be selected
    std::optional<vec2> pinned{};  ///< framebuffer pixel that is examined instead of the cursor's
    bool wanted = false;           ///< a section of the panel shows a pixel
};

/// Values that a session's frames change, read between two frames.
struct MeasuredSession {
    std::string finished{};  ///< finished_text() of the session
    std::size_t scene_bytes = 0, scratch_bytes = 0;
    std::uint32_t n_primitives = 0;
    bool has_points = false;  ///< the renderer stores points
};
[[nodiscard]] MeasuredSession measure(Session& session);

/// State of the side panel.
struct PanelView {
    PanelTab tab = PanelTab::render;
    std::optional<PanelTab> drawn_tab{};  ///< the tab that was drawn last
    std::string revealed{};               ///< id of a section to open and scroll to
    int reveal_frames = 0;                ///< remaining frames in which to do so
    std::string search{};                 ///< what is searched for; "": the tabs are shown
    bool search_starts = false;           ///< the search's field is to get the keyboard
    bool results_start = false;           ///< the first result is to get the keyboard
    bool keyboard = false;                ///< arrow keys, Enter and Space work in the panel
    std::string opened_menu{};            ///< title of a menu to open; "": none
};

/// The last measurement of a tree's quality, and the tree it belongs to.
struct TreeReport {
    /// Fewer triangles than `bench trees` samples, since frames wait for the measurement.
    static constexpr std::size_t kOverlapSamples = 5'000;
    std::optional<TreeStats> stats;
    EndPointOverlap overlap;
    const Scene* scene = nullptr;
    const Device* device = nullptr;
    std::string settings;    ///< tree_choices() of the session at that time
    float time = 0;          ///< of the scene's motion
    float milliseconds = 0;  ///< duration of the measurement
    std::chrono::steady_clock::time_point measured_at{};
    [[nodiscard]] float seconds_old() const {
        return std::chrono::duration<float>(std::chrono::steady_clock::now() - measured_at).count();
    }
};

struct ViewerModel {
    GlContext& context;
    Session& session;
    Preferences& preferences;
    SessionOptions session_options;
    ViewerOptions options;
    ViewerInterface interface;

    SessionGate gate{};
    EditHistory history{};
    SceneDocument document{};  ///< of the session's scene, where that can be edited
    Selection selection{};
    /// work as saved in the file that was opened or saved
    SceneWork saved{};
    /// path that the scene was last saved as; "": none yet
    std::string saved_path{};
    std::optional<UnsavedQuestion> question{};  ///< open question to the user
    std::optional<SceneWork> given_up{};        ///< work that the user has agreed to lose
    std::optional<Closing> closing{};           ///< request to close that is not fulfilled yet
    bool may_close = false;                     ///< nothing would be lost or left unfinished
    CameraController camera{};
    SceneLoading loading{};
    SceneWatch watch{};
    Messages messages{};
    PictureWriter pictures{[&context = context] { context.wake(); }};
    FrameStatistics statistics{};
    PresentState present{};
    BrowserState browser{};
    TreeReport tree{};
    BoxView boxes{};
    NetView net{};
    PointView points{};
    CompareView compare{};
    LegendView legend{};
    HistogramView histogram{};
    PixelTreeView pixel_tree{};
    PixelView pixel{};
    std::vector<FrameCount> counts{};      ///< of the renderer; up to some tenths of a second old
    std::vector<PictureFigure> figures{};  ///< of the picture; up to some tenths of a second old
    MeasuredSession measured{};            ///< of the session; up to some tenths of a second old
    TimeLeft time_left{};                  ///< of the session's sampling
    MotionResolution resolution{};
    PanelView panel{};
    MemoryStats memory{};  ///< of the session's device; up to some tenths of a second old
    Layout layout{};
    vec2 cursor{-1};  ///< framebuffer pixels

    bool bringing_back = false;  ///< an undo or redo makes edits, which are no steps
    bool first_view = true;      ///< no scene has been opened yet
    bool sampling = true;        ///< the frame that runs in another thread adds samples
    bool interface_visible = true;
    bool help_open = false;
    bool log_open = false;
    bool first_hint = false;                  ///< show the most useful keys
    std::vector<std::string> notes_shown{};   ///< newest result of picture_notes()
    std::vector<std::string> closed_notes{};  ///< notes that the user has read
    bool paused = false;
    bool playing = false;       ///< the scene's motion advances with every frame
    float play_speed = 1;       ///< seconds of motion per second of real time
    bool picture_stale = true;  ///< tone mapping changed: show the film again
    /// Extensions of the screenshots that wait for a picture at full resolution.
    std::vector<std::string> awaited_screenshot{};
    std::size_t n_screenshots_taken = 0;  ///< screenshots whose copies wait for the frame's end
    std::string stopped_by{};             ///< the error that stopped rendering, or ""
    std::string gl_renderer{}, gl_version{};
    std::string renderer_before = "whitted";  ///< the renderer that the heat map replaced

    /// The section state of type State. Throws std::bad_cast if there is none.
    template <class State>
    [[nodiscard]] State& state() const {
        for (auto& state : interface.states)
            if (auto* found = dynamic_cast<State*>(state.get())) return *found;
        throw std::bad_cast();
    }
    /// Whether the scene is animated.
    [[nodiscard]] bool moves() const { return session.scene().duration > 0; }
    /// Whether a session of the viewer needs more samples. Only while the gate is open.
    [[nodiscard]] bool wants_samples(Session& of) const {
        bool wanted = !paused || of.samples() == 0;
        bool more = options.stop_at == 0 || of.samples() < options.stop_at;
        return wanted && more && !of.finished() && stopped_by.empty();
    }
    /// Whether either side needs more samples. Only while the gate is open.
    [[nodiscard]] bool wants_any_samples() const {
        return wants_samples(session) ||
               (compare.second && wants_samples(compare.second->session()));
    }
    /// Whether sampling has ended before the denoiser has seen all samples. Only while the gate is
    /// open.
    [[nodiscard]] bool awaits_denoising() const {
        auto awaits = [this](Session& of) { return !wants_samples(of) && of.awaits_denoising(); };
        return stopped_by.empty() &&
               (awaits(session) || (compare.second && awaits(compare.second->session())));
    }
    /// Whether more samples will be added, to either side if two are compared.
    [[nodiscard]] bool accumulating() const { return gate.open() ? wants_any_samples() : sampling; }
};

}  // namespace tl
