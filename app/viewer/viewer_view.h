// State of the display: camera, overlays, comparison, interface, motion. No GL, no ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/viewer/files/browser_state.h"
#include "app/viewer/imgui/layout.h"
#include "app/viewer/panel_tabs.h"
#include "app/viewer/views/camera_controller.h"
#include "app/viewer/views/compare_state.h"
#include "app/viewer/views/film_histogram.h"
#include "app/viewer/views/gizmo_view.h"
#include "app/viewer/views/motion_resolution.h"
#include "app/viewer/views/pixel_probe.h"
#include "app/viewer/views/region_view.h"
#include "app/viewer/views/tree_view_state.h"

namespace tl {

/// Part of the camera that the next click in the picture sets.
enum class PickPurpose { none, target, focus };

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
    PickPurpose picks = PickPurpose::none;
    std::optional<Click> picked{};  ///< its surface will be used as `picks` says
    std::optional<vec2> pinned{};   ///< framebuffer pixel that is examined instead of the cursor's
    bool wanted = false;            ///< a section of the panel shows a pixel
};

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

/// State of the outliner, the list of the scene's parts.
struct OutlinerView {
    std::string search{};
    std::string renamed{};      ///< row whose name is being typed: "sphere 3"; "": none
    std::string typed{};        ///< the name typed so far
    bool takes_focus = false;   ///< the field of the name is to get the keyboard
    std::string revealed{};     ///< row to open and scroll to; "": none
    float height = 0;           ///< of all rows, in the last frame
    std::uint64_t n_edits = 0;  ///< number of edits that were asked for
};

/// The picture and the interface on show.
struct ViewerView {
    CameraController camera{};
    CompareView compare{};
    BoxView boxes{};
    NetView net{};
    PointView points{};
    LegendView legend{};
    GizmoView gizmo{};
    HistogramView histogram{};
    PixelView pixel{};
    PixelTreeView pixel_tree{};
    RegionView region{};
    MotionResolution resolution{};
    bool picture_stale = true;                ///< tone mapping changed: show the film again
    std::string renderer_before = "whitted";  ///< the renderer that the heat map replaced

    bool paused = false;   ///< a picture gets no sample after its first
    bool playing = false;  ///< the scene's motion advances with every frame
    float play_speed = 1;  ///< seconds of motion per second of real time

    Layout layout{};
    vec2 cursor{-1};  ///< framebuffer pixels
    PanelView panel{};
    OutlinerView outliner{};
    BrowserState browser{};
    bool interface_visible = true;
    bool help_open = false;
    bool log_open = false;
    bool about_open = false;
    bool first_hint = false;  ///< show the most useful keys
};

}  // namespace tl
