#include "app/viewer/actions/viewer_commands.h"

#include <utility>

#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/gizmo_actions.h"
#include "app/viewer/actions/menu_entries.h"
#include "app/viewer/actions/part_commands.h"
#include "app/viewer/actions/patch_views.h"
#include "app/viewer/actions/point_views.h"
#include "app/viewer/actions/region_actions.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/paths.h"
#include "core/device/registry.h"
#include "renderer/scene/loaders/data_files.h"

namespace tl {
namespace {

constexpr Modifiers kNone{}, kShift{.shift = true}, kControl{.control = true},
    kControlShift{.shift = true, .control = true}, kAlt{.alt = true},
    kShiftAlt{.shift = true, .alt = true}, kControlAlt{.control = true, .alt = true};
constexpr float kExposureStep = 0.5f;

void next_renderer(ViewerModel& m) {
    auto ids = ids_on(m.session.device().kind(), renderers());
    choose_renderer(m, next_of(ids, m.session.renderer_id()));
}
void next_device(ViewerModel& m) {
    std::vector<std::string> ids;
    for (auto& choice : device_choices()) ids.push_back(choice.ids);
    if (ids.size() == 1)
        m.status.messages.info("the CPU is the only device: " + cuda_absence());
    else
        choose_device(m, next_of(ids, ids_of(m.session.devices())));
}
void next_tone(ViewerModel& m) {
    auto settings = m.session.settings().film();
    auto& tone = find_setting(settings, "tone", "film");
    change_setting(m, "film", "tone", next_of(tone->choices, tone.text()));
}
void close_overlay(ViewerModel& m) {
    if (!m.status.messages.dialog_title().empty())
        m.status.messages.close_dialog();
    else if (m.document.question)
        answer(m, UnsavedAnswer::cancel);
    else if (m.view.browser.open)
        close_browser(m.view.browser);
    else if (m.view.region.awaits_drag)
        stop_drawing_region(m);
    else if (m.view.help_open)
        m.view.help_open = false;
    else if (m.view.log_open)
        m.view.log_open = false;
    else if (m.view.about_open)
        m.view.about_open = false;
    else if (!m.view.panel.search.empty())
        m.view.panel.search.clear();
    else if (m.view.panel.keyboard)
        m.view.panel.keyboard = false;
    else if (m.view.pixel.picks != PickPurpose::none)
        stop_picking(m);
    else if (m.view.pixel.pinned)
        m.view.pixel.pinned.reset();
    else
        select(m, {});
}

/// Menu title of undo or redo: the verb and the step's name; `otherwise` if there is none.
std::string step_name(const std::string* name, const char* verb, const char* otherwise) {
    return name ? verb + *name : otherwise;
}

void start_search(ViewerModel& m) {
    m.view.interface_visible = true;
    m.view.panel.search_starts = true;
}
void toggle_panel_keyboard(ViewerModel& m) {
    m.view.panel.keyboard = !m.view.panel.keyboard || !m.view.interface_visible;
    m.view.interface_visible = true;
}

/// Tells the path of the manual, and puts it on the clipboard.
void tell_manual(ViewerModel& m) {
    auto path = find_data_file("docs/viewer.md");
    if (path.empty())
        return m.status.messages.warning(
            "the manual is not beside the program: its pages are in docs/ of the sources");
    path = absolute_path(path).string();
    m.context.set_clipboard(path);
    m.status.messages.wrote("the manual, whose path is copied:", path);
}

bool has_patches(const ViewerModel& m) {
    return m.session.scene().patch_count() > 0;
}
bool has_motion(const ViewerModel& m) {
    return m.moves();
}
constexpr const char *kNoPatches = "this scene has no patches",
                     *kNoMotion = "nothing moves in this scene";

std::string box_state(const ViewerModel& m) {
    if (!m.view.boxes.shown) return "off";
    return m.view.boxes.leaves ? "leaves" : "level " + std::to_string(m.view.boxes.level);
}
std::string compare_state(const ViewerModel& m) {
    if (!m.view.compare.second) return "off";
    auto text = text_of(m.view.compare.choices);
    return text.empty() ? "with the same" : "with " + text;
}
template <CompareMode mode>
bool shows(const ViewerModel& m) {
    return m.view.compare.second && m.view.compare.mode == mode;
}

/// A command that opens a submenu.
ViewerCommand submenu(std::string title, std::string help,
                      std::vector<MenuEntry> (*entries)(const ViewerModel&), const char* none) {
    ViewerCommand command{std::move(title), std::move(help), {}, nullptr};
    command.entries = entries;
    command.reason = none;
    return command;
}

template <PanelTab tab>
void show_tab(ViewerModel& m) {
    m.view.interface_visible = true;
    open_tab(m, tab);
}

/// One command for each tab, bound to its number key.
template <std::size_t... i>
std::vector<ViewerCommand> tab_commands(std::index_sequence<i...>) {
    return {toggle({std::string("Tab ") + kPanelTabs[i].title,
                    "Show this tab of the side panel.",
                    {{Key::unknown, kNone, static_cast<char>('1' + i)}},
                    show_tab<static_cast<PanelTab>(i)>},
                   [](const ViewerModel& m) {
                       return m.view.interface_visible &&
                              m.view.panel.tab == static_cast<PanelTab>(i);
                   })...};
}

constexpr Key digit_key(std::size_t digit) {
    return static_cast<Key>('0' + digit);
}

/// Two commands for each of the bookmarks that have keys.
template <std::size_t... i>
std::vector<ViewerCommand> bookmark_commands(std::index_sequence<i...>) {
    auto number = [](std::size_t k) { return std::to_string(k + 1); };
    return {{"Go to bookmark " + number(i),
             "Return to the camera that was kept.",
             {{digit_key(i + 1), kAlt}},
             [](ViewerModel& m) { go_to_bookmark(m, i + 1); },
             [](const ViewerModel& m) {
                 auto* found = find_bookmark(m.document.scene.bookmarks, i + 1);
                 return !found ? "none" : found->name.empty() ? "kept" : found->name;
             },
             {},
             [](const ViewerModel& m) {
                 return find_bookmark(m.document.scene.bookmarks, i + 1) != nullptr;
             },
             nullptr,
             "no camera is kept as bookmark " + number(i) + "; Ctrl+" + number(i) +
                 " keeps this one"}...,
            {"Keep as bookmark " + number(i),
             "Keep this camera, to return to it.",
             {{digit_key(i + 1), kControl}},
             [](ViewerModel& m) { store_bookmark(m, i + 1); }}...};
}

/// One command for each standard view, by Alt and its first letter.
template <std::size_t... i>
std::vector<ViewerCommand> side_commands(std::index_sequence<i...>) {
    constexpr Key kKeys[] = {Key::f, Key::k, Key::l, Key::r, Key::t, Key::b, Key::i};
    return {{std::string(kViewSides[i].title) + " view",
             kViewSides[i].help,
             {{kKeys[i], kAlt}},
             [](ViewerModel& m) { show_side(m, static_cast<ViewSide>(i)); }}...};
}

}  // namespace

std::vector<ViewerCommand> viewer_commands() {
    std::vector<ViewerCommand> file{
        {"Open...",
         "Choose a scene or model file.",
         {{Key::o, kControl}},
         [](ViewerModel& m) { browse(m, ""); }},
        submenu("Open recent", "Open a file again that was opened before.", recent_files,
                "no file was opened yet"),
        submenu("Generate", "Open a procedural scene with its defaults.", generated_scenes, ""),
        below_line(only_if([](const ViewerModel& m) { return !m.session.scene().path.empty(); },
                           "this scene does not come from a file",
                           {"Reload",
                            "Load the file again; the camera stays.",
                            {{Key::f5, kNone}},
                            reload_scene,
                            [](const ViewerModel& m) { return m.session.scene().name; }})),
        toggle({"Watch files",
                "Load the scene again whenever one of its files changes; the camera stays.",
                {{Key::f5, kShift}},
                toggle_watch},
               [](const ViewerModel& m) { return m.document.watch.on; }),
        below_line({"Screenshot",
                    "Write the picture as PNG.",
                    {{Key::f12, kNone}},
                    [](ViewerModel& m) { take_screenshot(m, {}); }}),
        {"Screenshot, linear",
         "Write the picture's radiance as HDR.",
         {{Key::f12, kShift}},
         [](ViewerModel& m) { take_screenshot(m, {PictureFormat::hdr}); }},
        {"Save picture as...",
         "Choose name, folder and format of a screenshot: PNG, JPEG, OpenEXR or HDR.",
         {{Key::s, kAlt}},
         ask_to_save_picture},
        {"Open picture for comparison...",
         "Show a picture from a file beside this one, as side B.",
         {{Key::o, kControlShift}},
         ask_for_compared_picture},
        below_line({"Save scene",
                    "Write the scene with all changes to the file that it was saved as.",
                    {{Key::s, kControl}},
                    [](ViewerModel& m) { save_scene(m); },
                    [](const ViewerModel& m) { return m.document.saved_path; }}),
        {"Save scene as...",
         "Write the scene with all changes as a scene file.",
         {{Key::s, kControlShift}},
         [](ViewerModel& m) { ask_to_save(m); }},
        below_line({kQuit, "Close the viewer.", {{Key::q, kControl}}, quit}),
    };
    std::vector<ViewerCommand> edit{
        {"Undo",
         "Take back the last change of a setting or of the scene; the camera stays.",
         {{Key::z, kControl}},
         undo,
         [](const ViewerModel& m) {
             return step_name(m.document.history.undo_name(), "", "nothing");
         },
         {},
         [](const ViewerModel& m) { return m.document.history.undo_name() != nullptr; },
         [](const ViewerModel& m) {
             return step_name(m.document.history.undo_name(), "Undo: ", "Undo");
         },
         "there is nothing to undo"},
        {"Redo",
         "Make the change again that was taken back.",
         {{Key::y, kControl}, {Key::z, kControlShift}},
         redo,
         [](const ViewerModel& m) {
             return step_name(m.document.history.redo_name(), "", "nothing");
         },
         {},
         [](const ViewerModel& m) { return m.document.history.redo_name() != nullptr; },
         [](const ViewerModel& m) {
             return step_name(m.document.history.redo_name(), "Redo: ", "Redo");
         },
         "there is nothing to redo"},
    };
    std::vector<ViewerCommand> camera{
        {"Copy camera",
         "Put the camera on the clipboard as flags.",
         {{Key::c, kControl}},
         copy_camera},
        {"Paste camera",
         "Take the camera from flags on the clipboard.",
         {{Key::v, kControl}},
         paste_camera},
        below_line(
            toggle({"Pick target",
                    "Orbit what the next click hits; the view does not turn.",
                    {{Key::t, kControl}},
                    [](ViewerModel& m) { toggle_picking(m, PickPurpose::target); }},
                   [](const ViewerModel& m) { return m.view.pixel.picks == PickPurpose::target; })),
        toggle({"Pick focus",
                "Set the focus distance to what the next click hits.",
                {{Key::t, kControlShift}},
                [](ViewerModel& m) { toggle_picking(m, PickPurpose::focus); }},
               [](const ViewerModel& m) { return m.view.pixel.picks == PickPurpose::focus; }),
    };
    std::vector<ViewerCommand> view{
        {"Frame all",
         "Show the whole scene from this side.",
         {{Key::f, kNone}},
         [](ViewerModel& m) { frame_all(m.view); }},
        {"Home",
         "Return to the scene's own camera.",
         {{Key::home, kNone}},
         [](ViewerModel& m) { m.view.camera.home(); }},
        below_line({"Brighter",
                    "Half a stop more exposure.",
                    {{Key::page_up, kNone}},
                    [](ViewerModel& m) { change_exposure(m, kExposureStep); }}),
        {"Darker",
         "Half a stop less exposure.",
         {{Key::page_down, kNone}},
         [](ViewerModel& m) { change_exposure(m, -kExposureStep); }},
        {"Reset exposure",
         "Set the exposure to 0.",
         {{Key::page_up, kControl}},
         [](ViewerModel& m) { change_exposure(m, 0); }},
        submenu("Tone curve", "Choose how radiance becomes display values.", tone_entries, ""),
        {"Next tone curve",
         "Switch between linear, Reinhard, ACES, AgX and neutral.",
         {{Key::t, kNone}},
         next_tone,
         [](const ViewerModel& m) {
             auto settings = m.session.settings().film();
             return find_setting(settings, "tone", "film").text();
         }},
        below_line(toggle(only_if(has_patches, kNoPatches,
                                  {"Control net",
                                   "Draw the control nets of patches over the picture.",
                                   {{Key::n, kNone}},
                                   toggle_control_net}),
                          [](const ViewerModel& m) { return m.view.net.shown; })),
        only_if(has_patches, kNoPatches,
                {"Lines of equal u and v",
                 "Draw them on patches, with the renderer 'Bezier patches'.",
                 {{Key::n, kShift}},
                 toggle_uv_lines}),
        toggle({"Photons",
                "Draw the photons that the renderer has stored over the picture.",
                {{Key::y, kNone}},
                toggle_points},
               [](const ViewerModel& m) { return m.view.points.shown; }),
        {"Colours of photons",
         "Colour photons by their path through surfaces, or by flux.",
         {{Key::y, kShift}},
         toggle_point_colors,
         [](const ViewerModel& m) {
             return std::string(m.view.points.by_value ? "flux" : "surfaces met");
         }},
        toggle(
            {"Clipped pixels",
             "Mark pixels that are too dark (blue), too bright (red) or not finite (magenta).",
             {{Key::l, kNone}},
             [](ViewerModel& m) { m.view.histogram.marks_shown = !m.view.histogram.marks_shown; }},
            [](const ViewerModel& m) { return m.view.histogram.marks_shown; }),
        below_line({"Search",
                    "Find settings and commands by name or help.",
                    {{Key::f, kControl}},
                    start_search}),
        toggle({"Panel",
                "Hide or show menus, side panel and status line.",
                {{Key::tab, kNone}},
                [](ViewerModel& m) { m.view.interface_visible = !m.view.interface_visible; }},
               [](const ViewerModel& m) { return m.view.interface_visible; }),
        toggle({"Keyboard in the panel",
                "Tab, arrows, Enter and Space work in the panel, until Esc or F6.",
                {{Key::f6, kNone}},
                toggle_panel_keyboard},
               [](const ViewerModel& m) { return m.view.panel.keyboard; }),
        {"Menus by keys",
         "Open the first menu; arrows move, also to other menus, Enter chooses, Esc closes.",
         {{Key::f10, kNone}},
         [](ViewerModel& m) {
             m.view.interface_visible = true;
             m.view.panel.opened_menu = m.interface.commands.front().menu;
         }},
        below_line(
            submenu("Interface scale", "Choose the size of texts and widgets.", scale_entries, "")),
        submenu("Theme", "Choose dark or light colours of the interface.", theme_entries, ""),
        toggle({"Fullscreen",
                "Fill the monitor, or return to the window.",
                {{Key::f11, kNone}},
                [](ViewerModel& m) { m.context.set_fullscreen(!m.context.fullscreen()); }},
               [](const ViewerModel& m) { return m.context.fullscreen(); }),
    };
    std::vector<ViewerCommand> render{
        toggle({"Pause", "Pause or resume adding samples.", {{Key::space, kNone}}, toggle_pause},
               [](const ViewerModel& m) { return m.view.paused; }),
        {"Restart", "Discard the samples and start again.", {{Key::r, kNone}}, restart_all},
        toggle({"Render region",
                "Draw a rectangle: only its pixels are sampled, and the others stay as they are.",
                {{Key::b, kShiftAlt}},
                draw_region},
               [](const ViewerModel& m) { return m.view.region.chosen.has_value(); }),
        only_if([](const ViewerModel& m) { return m.view.region.chosen.has_value(); },
                "there is no render region",
                {"Clear render region",
                 "Sample the whole picture again.",
                 {{Key::b, kControlAlt}},
                 clear_region}),
        below_line(toggle(only_if(has_motion, kNoMotion,
                                  {"Play",
                                   "Start or stop the motion of a scene that moves.",
                                   {{Key::p, kNone}},
                                   toggle_motion}),
                          [](const ViewerModel& m) { return m.view.playing; })),
        only_if(has_motion, kNoMotion,
                {"Back to the start",
                 "Go to the start of the motion.",
                 {{Key::p, kShift}},
                 [](ViewerModel& m) { set_motion_time(m, 0); }}),
        only_if(has_motion, kNoMotion,
                {"Step forward",
                 "Advance by a sixtieth of a second.",
                 {{Key::unknown, kNone, '.'}},
                 [](ViewerModel& m) { step_motion(m, 1); }}),
        only_if(has_motion, kNoMotion,
                {"Step back",
                 "Go back by a sixtieth of a second.",
                 {{Key::unknown, kNone, ','}},
                 [](ViewerModel& m) { step_motion(m, -1); }}),
        below_line(submenu("Renderer", "Choose the renderer.", renderer_entries, "")),
        submenu("Tree builder", "Choose the builder of the tree.", builder_entries, ""),
        submenu("Device", "Choose the device that computes.", device_entries, ""),
        {"Next renderer",
         "Switch to the next renderer in the table.",
         {{Key::r, kControl}},
         next_renderer,
         [](const ViewerModel& m) { return m.session.renderer_id(); }},
        {"Next tree builder",
         "Switch to the next builder in the table.",
         {{Key::b, kControl}},
         [](ViewerModel& m) { choose_builder(m, next_builder(m.session)); },
         [](const ViewerModel& m) { return m.session.builder_id(); }},
        only_if([](const ViewerModel&) { return devices().size() > 1; },
                "the CPU is the only device: " + cuda_absence(),
                {"Next device",
                 "Switch to the next device: the CPU, a GPU, or all GPUs together.",
                 {{Key::d, kControl}},
                 next_device,
                 [](const ViewerModel& m) { return ids_of(m.session.devices()); }}),
        below_line(
            toggle({"Compare two sides",
                    "Show the picture of the path tracer, or of other settings, beside this one.",
                    {{Key::c, kNone}},
                    toggle_comparison,
                    compare_state},
                   [](const ViewerModel& m) { return m.view.compare.second != nullptr; })),
        toggle({"Difference",
                "Show how the colours of both sides differ.",
                {{Key::x, kNone}},
                [](ViewerModel& m) { toggle_compare_mode(m, CompareMode::difference); }},
               shows<CompareMode::difference>),
        toggle({"FLIP",
                "Show where a viewer sees both sides differ.",
                {{Key::x, kShift}},
                [](ViewerModel& m) { toggle_compare_mode(m, CompareMode::flip); }},
               shows<CompareMode::flip>),
    };
    std::vector<ViewerCommand> tree{
        toggle({"Heat map",
                "Show what camera rays cost in the tree, or the picture again.",
                {{Key::h, kNone}},
                toggle_heat_map},
               [](const ViewerModel& m) { return m.session.renderer_id() == "heat-map"; }),
        {"Next heat map",
         "Count node visits, primitive tests or both.",
         {{Key::h, kShift}},
         next_heat_map_count},
        toggle({"Boxes",
                "Draw the boxes of the tree over the picture.",
                {{Key::b, kNone}},
                toggle_boxes,
                box_state},
               [](const ViewerModel& m) { return m.view.boxes.shown; }),
        {"One level down",
         "Draw the boxes one level further down.",
         {{Key::unknown, kNone, '+'}},
         [](ViewerModel& m) { change_box_level(m.view.boxes, 1); }},
        {"One level up",
         "Draw the boxes one level further up.",
         {{Key::unknown, kNone, '-'}},
         [](ViewerModel& m) { change_box_level(m.view.boxes, -1); }},
        toggle({"Boxes of all leaves",
                "Draw all leaves, or one level again.",
                {{Key::b, kShift}},
                toggle_leaf_boxes},
               [](const ViewerModel& m) { return m.view.boxes.shown && m.view.boxes.leaves; }),
        toggle({"Boxes of the octree",
                "Draw the boxes of an octree over the scene's points, or those of its tree again.",
                {{Key::b, kControlShift}},
                toggle_octree_boxes},
               [](const ViewerModel& m) { return m.view.boxes.shown && m.view.boxes.octree; }),
    };
    std::vector<ViewerCommand> help{
        toggle({"Keys and mouse",
                "Show or hide all keys and what the mouse does.",
                {{Key::f1, kNone}, {Key::unknown, kNone, '?'}},
                [](ViewerModel& m) { m.view.help_open = !m.view.help_open; }},
               [](const ViewerModel& m) { return m.view.help_open; }),
        toggle({"Messages",
                "Show all messages so far, with their times.",
                {{Key::l, kControl}},
                [](ViewerModel& m) { m.view.log_open = !m.view.log_open; }},
               [](const ViewerModel& m) { return m.view.log_open; }),
        toggle({"First steps",
                "Show what the program is for, and the most useful keys.",
                {},
                [](ViewerModel& m) { m.view.first_hint = !m.view.first_hint; }},
               [](const ViewerModel& m) { return m.view.first_hint; }),
        {"Manual", "Say where the manual is, and copy its path.", {}, tell_manual},
        {"Close what is open",
         "Close menu, dialog, help, messages or search; else end picking, unpin, select nothing.",
         {{Key::escape, kNone}},
         close_overlay},
        below_line(toggle({"About Treelight",
                           "Show version, device, and the licences of the packages in use.",
                           {},
                           [](ViewerModel& m) { m.view.about_open = !m.view.about_open; }},
                          [](const ViewerModel& m) { return m.view.about_open; })),
    };
    std::vector<ViewerCommand> commands;
    add_menu(commands, "File", file);
    add_menu(commands, "Edit", edit);
    add_menu(commands, "Edit", part_commands());
    add_menu(commands, "Edit", gizmo_commands());
    add_menu(commands, "Add", add_commands());
    add_menu(commands, "Camera", camera);
    add_menu(commands, "Camera",
             within_submenu("Standard views",
                            side_commands(std::make_index_sequence<std::size(kViewSides)>())));
    add_menu(commands, "Camera",
             within_submenu("Bookmarks", bookmark_commands(std::make_index_sequence<9>())));
    add_menu(commands, "View", view);
    add_menu(commands, "View",
             within_submenu("Tabs of the panel",
                            tab_commands(std::make_index_sequence<kPanelTabs.size()>())));
    add_menu(commands, "Render", render);
    add_menu(commands, "Tree", tree);
    add_menu(commands, "Help", help);
    return commands;
}

}  // namespace tl
