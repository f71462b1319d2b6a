// The viewer's state: what commands change, panels show and the loop acts on. No GL, no ImGui.
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
#include "app/session.h"
#include "app/viewer/folder_listing.h"
#include "app/viewer/imgui/layout.h"
#include "app/viewer/messages.h"
#include "app/viewer/preferences.h"
#include "app/viewer/viewer_interface.h"
#include "app/viewer/views/camera_controller.h"
#include "app/viewer/views/motion_resolution.h"
#include "app/viewer/views/tree_view_state.h"
#include "app/viewer/window/gl_context.h"

namespace tl {

/// What the command line asks of the viewer.
struct ViewerOptions {
    std::uint64_t frames = 0;   ///< close after so many frames; 0: never
    std::uint32_t stop_at = 0;  ///< samples a pixel to stop at; 0: go on
    std::string screenshot_folder = ".";
    std::string screenshot;         ///< film to write at the end
    std::string screenshot_ui;      ///< whole window to write at the end
    std::string report;             ///< times to write at the end, JSON
    std::string panel_tab;          ///< its id; "": as the preferences have it
    bool show_every_frame = false;  ///< also those that the display has no time for
    float ui_scale = 0;             ///< 0: as the display asks
    static constexpr int kNoBoxes = -2;
    int box_level = kNoBoxes;    ///< of the boxes to show from the start; kAllLeaves: all leaves
    bool control_net = false;    ///< show the control nets of patches from the start
    std::string compare_with;    ///< builder of a second tree to show from the start; "": none
    bool difference = false;     ///< show how the two trees' pictures differ
    bool play = false;           ///< the scene's motion starts at once
    bool coarse_motion = false;  ///< slow frames get coarser while the view moves
};

/// How pictures get on the screen, as the presenter says.
struct PresentState {
    std::string way, reason;
    float gl_milliseconds = 0;
};

/// What the file browser shows and what was typed into it.
struct BrowserState {
    bool open = false;
    FolderListing listing;
    std::string typed;
};

/// What the side panel shows.
struct PanelView {
    PanelTab tab = PanelTab::render;
    std::optional<PanelTab> drawn_tab{};  ///< the one that was drawn last
    std::string revealed{};               ///< id of a section to be opened and scrolled to
    int reveal_frames = 0;                ///< frames in which that is still to be done
};

/// The quality of the tree that was last measured, and of which.
struct TreeReport {
    /// Frames wait for the measurement: fewer triangles than `bench trees` takes.
    static constexpr std::size_t kOverlapSamples = 5'000;
    std::optional<TreeStats> stats;
    EndPointOverlap overlap;
    const Scene* scene = nullptr;
    const Device* device = nullptr;
    std::string settings;    ///< tree_choices() of the session then
    float time = 0;          ///< of the scene's motion
    float milliseconds = 0;  ///< what measuring took
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

    CameraController camera{};
    SceneLoading loading{};
    Messages messages{};
    FrameStatistics statistics{};
    PresentState present{};
    BrowserState browser{};
    TreeReport tree{};
    BoxView boxes{};
    NetView net{};
    CompareView compare{};
    LegendView legend{};
    PixelTreeView pixel_tree{};
    MotionResolution resolution{};
    PanelView panel{};
    MemoryStats memory{};  ///< of the session's device, some tenths of a second old
    Layout layout{};
    vec2 cursor{-1};  ///< framebuffer pixels

    bool interface_visible = true;
    bool help_open = false;
    bool paused = false;
    bool playing = false;              ///< the scene's motion goes on with every frame
    float play_speed = 1;              ///< seconds of motion for a second of the user's
    bool picture_stale = true;         ///< tone mapping changed: show the film again
    std::string awaited_screenshot{};  ///< its extension, until a fine picture is there
    std::string stopped_by{};          ///< the error that stopped rendering; "" while all is well
    std::string gl_renderer{}, gl_version{};
    std::string renderer_before = "whitted";  ///< the renderer that the heat map took the place of

    /// The state of the section that keeps a State. Throws std::bad_cast where there is none.
    template <class State>
    [[nodiscard]] State& state() const {
        for (auto& state : interface.states)
            if (auto* found = dynamic_cast<State*>(state.get())) return *found;
        throw std::bad_cast();
    }
    /// The scene can move.
    [[nodiscard]] bool moves() const { return session.scene().duration > 0; }
    /// Samples are still to be added.
    [[nodiscard]] bool accumulating() const {
        bool wanted = !paused || session.samples() == 0;
        bool more = options.stop_at == 0 || session.samples() < options.stop_at;
        return wanted && more && !finished() && stopped_by.empty();
    }
    /// No pixel's error is too large, where errors are asked for.
    [[nodiscard]] bool finished() const {
        return session.finished() && (!compare.second || compare.second->session().finished());
    }
};

}  // namespace tl
