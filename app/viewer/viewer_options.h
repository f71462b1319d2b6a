// The viewer's options. No GL, no ImGui.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/viewer/views/compared_picture.h"
#include "app/viewer/views/side_choices.h"

namespace tl {

/// The viewer's options from the command line.
struct ViewerOptions {
    std::uint64_t frames = 0;   ///< close after this number of frames; 0: never
    std::uint32_t stop_at = 0;  ///< samples per pixel to stop at; 0: no limit
    /// Scene that is loaded in the background while an empty scene is shown; "": the session's own
    /// scene is the first.
    std::string first_scene{};
    std::string screenshot_folder = ".";
    bool opens_folders = true;      ///< in the desktop's file manager; random input must not
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

}  // namespace tl
