#include "app/viewer/view_flags.h"

#include "accel/bvh/inspect/tree_boxes.h"
#include "accel/tree_builder.h"
#include "app/commands/commands.h"
#include "app/commands/flag_groups.h"
#include "app/commands/value_option.h"
#include "app/viewer/panel_tabs.h"
#include "core/base/settings.h"
#include "core/base/text.h"

namespace tl {
namespace {

/// Parses "4" or "leaves".
int parse_box_level(const std::string& text) {
    if (text == "leaves") return kAllLeaves;
    int level = number_in<int>(text).value_or(-1);
    if (level < 0 || level > kMaxTreeBoxLevel)
        throw CLI::ValidationError("--boxes", "'" + text + "' is not a level: use 0 to " +
                                                  std::to_string(kMaxTreeBoxLevel) + ", or leaves");
    return level;
}

void add_comparison_flags(CLI::App& view, ViewFlags& flags) {
    view.add_option(
            "--compare-with", flags.compare_with,
            "show other settings beside this picture, as side B: NAME=VALUE with commas between; "
            "NAME: renderer, builder, device, seed or a setting's flag, such as path-max-depth")
        ->type_name("SETTINGS")
        ->group(kComparisonFlags);
    auto* builder = view.add_option("--compare", flags.compare_builder,
                                    "the same with another tree: the builder's id")
                        ->type_name("ID")
                        ->group(kComparisonFlags);
    std::vector<std::string> builders;
    for (auto& row : tree_builders()) builders.push_back(row.id);
    offer_words(*builder, builders);
    view.add_option("--compare-picture", flags.compare_picture,
                    "show a picture beside this one: .png, .jpg, .exr or .hdr")
        ->type_name("FILE")
        ->group(kComparisonFlags);
    std::vector<std::string> ids;
    std::string help = "what a comparison shows";
    for (auto& mode : kCompareModes) {
        ids.emplace_back(mode.id);
        help += std::string(ids.size() == 1 ? ": " : "; ") + mode.id + ": " + mode.help;
    }
    view.add_option("--compare-view", flags.compare_mode, help)
        ->type_name("ID")
        ->check(CLI::IsMember(ids))
        ->group(kMoreFlags);
    view.add_flag_callback(
            "--difference", [&flags] { flags.compare_mode = row_of(CompareMode::difference).id; },
            "the same as --compare-view difference")
        ->group(kMoreFlags);
}

void add_window_flags(CLI::App& view, ViewFlags& flags) {
    auto& viewer = flags.viewer;
    view.add_flag("--fullscreen", flags.fullscreen, "fill the monitor")->group(kWindowFlags);
    name_number(view.add_option("--ui-scale", viewer.ui_scale, "0.5 to 4; auto: the display's own")
                    ->check(between(0.0f, 4.0f))
                    ->capture_default_str()
                    ->group(kWindowFlags),
                "auto");
    view.add_flag("--hide-panel", flags.hide_panel, "only the picture; Tab brings the panel back")
        ->group(kWindowFlags);
    std::vector<std::string> tabs;
    for (auto& tab : kPanelTabs) tabs.emplace_back(tab.id);
    view.add_option("--panel-tab", viewer.panel_tab,
                    "tab of the panel to open: " + joined(tabs) + "; default: the last one")
        ->type_name("ID")
        ->check(CLI::IsMember(tabs))
        ->group(kWindowFlags);
    view.add_flag("--vsync,!--no-vsync", flags.vsync,
                  "wait for the display (default: on); without, and always with --offscreen, "
                  "frames are made as fast as they can be and the newest is shown as often as "
                  "the display can, offscreen 60 times a second")
        ->group(kMoreFlags);
    view.add_flag("--show-every-frame", viewer.show_every_frame,
                  "without vsync: present every frame, even beyond the display's refresh rate")
        ->group(kMoreFlags);
    view.add_option("--screenshot-dir", viewer.screenshot_folder, "folder for F12")
        ->capture_default_str()
        ->type_name("FOLDER")
        ->group(kMoreFlags);
    view.add_flag("--no-config", flags.no_config, "neither read nor write the user's settings")
        ->group(kMoreFlags);
    view.add_flag("--reset-config", flags.reset_config, "reset the user's settings first")
        ->group(kMoreFlags);
}

/// Flags of runs that a program watches, not a person.
void add_offscreen_flags(CLI::App& view, ViewFlags& flags) {
    auto& viewer = flags.viewer;
    view.add_flag("--offscreen", flags.offscreen,
                  "no window and no X server: draw through EGL; needs --frames")
        ->group(kOffscreenFlags);
    name_number(view.add_option("--frames", viewer.frames, "close after so many frames")
                    ->check(between(0, 1 << 30))
                    ->capture_default_str()
                    ->group(kOffscreenFlags),
                "off");
    view.add_option("--screenshot", viewer.screenshot,
                    "write the picture at the end: .png, .jpg, .exr or .hdr; side B goes beside "
                    "it, as FILE-b")
        ->type_name("FILE")
        ->group(kOffscreenFlags);
    view.add_option("--screenshot-ui", viewer.screenshot_ui,
                    "write the last frame, panel included, as PNG; needs --frames")
        ->type_name("FILE")
        ->group(kOffscreenFlags);
    view.add_option("--report", viewer.report, "write the frames' times as JSON")
        ->type_name("FILE")
        ->group(kOffscreenFlags);
    view.add_option("--random-input", flags.random_input_seed,
                    "give pseudo-random input from this seed for --frames N, then print how the "
                    "interface has stood it; whatever is written goes into a temporary folder")
        ->type_name("SEED")
        ->excludes("--screenshot")
        ->excludes("--screenshot-ui")
        ->excludes("--report")
        ->group(kMoreFlags);
    view.add_option_function<std::uint64_t>("--monkey",
                                            [&flags](const std::uint64_t& seed) {
                                                warn_once("--monkey is now called --random-input");
                                                flags.random_input_seed = seed;
                                            })
        ->group("");  // accepted, but not listed
}

/// Flags of what is drawn over the picture.
void add_overlay_flags(CLI::App& view, ViewFlags& flags) {
    auto& viewer = flags.viewer;
    view.add_option_function<std::string>(
            "--boxes",
            [&viewer](const std::string& text) { viewer.box_level = parse_box_level(text); },
            "draw the boxes of this level of the tree over the picture, 0 for the root's, or of "
            "all leaves")
        ->type_name("LEVEL|leaves")
        ->group(kMoreFlags);
    view.add_flag("--control-net", viewer.control_net,
                  "draw the control nets of patches over the picture")
        ->group(kMoreFlags);
    view.add_flag("--points", viewer.points,
                  "draw the photons that the renderer has stored over the picture")
        ->group(kMoreFlags);
    view.add_option("--links", viewer.links_at,
                    "with the renderer radiosity: pin this pixel of the picture, and draw the "
                    "links of the group of points there")
        ->delimiter(',')
        ->expected(2)
        ->type_name("X,Y")
        ->group(kMoreFlags);
}

/// Flags of the picture while the camera or the scene moves.
void add_motion_flags(CLI::App& view, ViewFlags& flags) {
    auto& viewer = flags.viewer;
    view.add_flag("--play", viewer.play,
                  "start the motion at once; with --frames by 1/60 s a frame");
    view.add_flag("--watch", viewer.watch,
                  "load the scene again whenever one of its files changes; the camera stays");
    view.add_option("--motion-resolution", flags.motion_resolution,
                    "auto: fewer pixels while the view moves, where a frame takes longer than a "
                    "30th of a second; off: all of them; default: as last chosen, else auto")
        ->type_name("auto|off")
        ->check(CLI::IsMember({"auto", "off"}))
        ->group(kMoreFlags);
    view.add_option("--motion-samples", flags.motion_samples,
                    "auto: while a frame takes less than the display's refresh interval, samples "
                    "are added to a picture until it is shown, so that motion is antialiased; 1: "
                    "the view and the scene move with each sample")
        ->type_name("auto|1")
        ->check(CLI::IsMember({"auto", "1"}))
        ->capture_default_str()
        ->group(kMoreFlags);
}

}  // namespace

void add_view_flags(CLI::App& view, ViewFlags& flags) {
    add_session_options(view, flags.session);
    flags.size = view.get_option("--size");
    name_number(view.add_option("--spp", flags.viewer.stop_at, "samples a pixel to stop at")
                    ->check(between(0, 1 << 30))
                    ->capture_default_str(),
                "off");
    add_motion_flags(view, flags);
    add_window_flags(view, flags);
    add_comparison_flags(view, flags);
    add_offscreen_flags(view, flags);
    add_overlay_flags(view, flags);
}

}  // namespace tl
