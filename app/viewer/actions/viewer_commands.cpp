#include "app/viewer/actions/viewer_commands.h"

#include <utility>

#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/examples.h"
#include "app/viewer/actions/gizmo_actions.h"
#include "app/viewer/actions/menu_commands.h"
#include "app/viewer/actions/menu_entries.h"
#include "app/viewer/actions/part_commands.h"
#include "app/viewer/actions/patch_views.h"
#include "app/viewer/actions/point_views.h"
#include "app/viewer/actions/region_actions.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/base/paths.h"
#include "renderer/scene/loaders/data_files.h"

namespace tl {
namespace {

constexpr float kExposureStep = 0.5f;

void next_tone(ViewerModel& m) {
    auto settings = m.session.settings().film();
    auto& tone = find_setting(settings, "tone", "film");
    change_setting(m, "film", "tone", next_of(tone->choices, tone.text()));
}
void close_first_hint(ViewerModel& m) {
    m.view.first_hint = false;
    m.preferences.knows_keys = true;
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
    else if (!m.document.selection.empty())
        select(m, {});
    else if (m.view.first_hint)
        close_first_hint(m);
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
constexpr const char* kNoPatches = "this scene has no patches";

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
                    {{Key::unknown, {}, static_cast<char>('1' + i)}},
                    show_tab<static_cast<PanelTab>(i)>},
                   [](const ViewerModel& m) {
                       return m.view.interface_visible &&
                              m.view.panel.tab == static_cast<PanelTab>(i);
                   })...};
}

}  // namespace

std::vector<ViewerCommand> viewer_commands() {
    using namespace modifiers;
    std::vector<ViewerCommand> file{
        {"Open...",
         "Choose a scene or model file.",
         {{Key::o, kControl}},
         [](ViewerModel& m) { browse(m, ""); }},
        submenu("Open recent", "Open a file again that was opened before.", recent_files,
                "no file was opened yet"),
        submenu("Examples", "Open a scene of the gallery.", example_entries, kNoExamples),
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
         "Close menu, dialog, help, messages or search; else end picking, unpin, select nothing, "
         "close First steps.",
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
    add_menu(commands, "Camera", camera_commands());
    add_menu(commands, "View", view);
    add_menu(commands, "View",
             within_submenu("Tabs of the panel",
                            tab_commands(std::make_index_sequence<kPanelTabs.size()>())));
    add_menu(commands, "Render", render_commands());
    add_menu(commands, "Tree", tree_commands());
    add_menu(commands, "Help", help);
    return commands;
}

}  // namespace tl
