#include "app/viewer/viewer_commands.h"

#include <utility>

#include "accel/parallel/registry.h"
#include "app/viewer/compare_actions.h"
#include "app/viewer/patch_views.h"
#include "app/viewer/point_views.h"
#include "app/viewer/tree_views.h"
#include "app/viewer/viewer_actions.h"

namespace tl {
namespace {

constexpr Modifiers kNone{}, kShift{.shift = true}, kControl{.control = true};
constexpr float kExposureStep = 0.5f;

void next_renderer(ViewerModel& m) {
    auto ids = ids_on(m.session.device().kind(), renderers());
    choose_renderer(m, next_of(ids, m.session.renderer_id()));
}
void next_device(ViewerModel& m) {
    std::vector<std::string> ids;
    for (auto* device : devices()) ids.emplace_back(device_id(device->kind()));
    if (ids.size() == 1)
        m.messages.info("the CPU is the only device: " + cuda_absence());
    else
        choose_device(m, next_of(ids, device_id(m.session.device().kind())));
}
void next_tone(ViewerModel& m) {
    auto settings = m.session.film_settings();
    auto& tone = find_setting(settings, "tone", "film");
    change_setting(m, "film", "tone", next_of(tone.choices, tone.text()));
}
void close_overlay(ViewerModel& m) {
    if (!m.messages.dialog_title().empty())
        m.messages.close_dialog();
    else if (m.browser.open)
        m.browser.open = false;
    else
        m.help_open = false;
}

std::string on_off(bool on) {
    return on ? "on" : "off";
}

std::string box_state(const ViewerModel& m) {
    if (!m.boxes.shown) return "off";
    return m.boxes.leaves ? "leaves" : "level " + std::to_string(m.boxes.level);
}
std::string compare_state(const ViewerModel& m) {
    if (!m.compare.second) return "off";
    auto text = text_of(m.compare.choices);
    return text.empty() ? "with the same" : "with " + text;
}
template <CompareMode mode>
std::string compare_mode_state(const ViewerModel& m) {
    return on_off(m.compare.second && m.compare.mode == mode);
}

template <PanelTab tab>
void show_tab(ViewerModel& m) {
    m.interface_visible = true;
    open_tab(m, tab);
}

/// One command for each tab, bound to its number key.
template <std::size_t... i>
std::vector<ViewerCommand> tab_commands(std::index_sequence<i...>) {
    return {{std::string("Tab ") + kPanelTabs[i].title,
             "Show this tab of the side panel.",
             {{Key::unknown, kNone, static_cast<char>('1' + i)}},
             show_tab<static_cast<PanelTab>(i)>,
             [](const ViewerModel& m) {
                 return on_off(m.interface_visible && m.panel.tab == static_cast<PanelTab>(i));
             }}...};
}

}  // namespace

std::vector<ViewerCommand> viewer_commands() {
    std::vector<ViewerCommand> file{
        {"Open...",
         "Choose a scene or model file.",
         {{Key::o, kControl}},
         [](ViewerModel& m) { browse(m, ""); }},
        {"Reload",
         "Load the file again; the camera stays.",
         {{Key::f5, kNone}},
         reload_scene,
         [](const ViewerModel& m) { return m.session.scene().name; }},
        {"Screenshot",
         "Write the picture as PNG.",
         {{Key::f12, kNone}},
         [](ViewerModel& m) { take_screenshot(m, ".png"); }},
        {"Screenshot, linear",
         "Write the picture's radiance as HDR.",
         {{Key::f12, kShift}},
         [](ViewerModel& m) { take_screenshot(m, ".hdr"); }},
        {"Copy camera",
         "Put the camera on the clipboard as flags.",
         {{Key::c, kControl}},
         copy_camera},
        {"Quit",
         "Close the viewer.",
         {{Key::q, kControl}},
         [](ViewerModel& m) { m.context.request_close(); }},
    };
    std::vector<ViewerCommand> view{
        {"Frame all",
         "Show the whole scene from this side.",
         {{Key::f, kNone}},
         static_cast<void (*)(ViewerModel&)>(frame_all)},
        {"Home",
         "Return to the scene's own camera.",
         {{Key::home, kNone}},
         [](ViewerModel& m) { m.camera.home(); }},
        {"Brighter",
         "Half a stop more exposure.",
         {{Key::page_up, kNone}},
         [](ViewerModel& m) { change_exposure(m, kExposureStep); }},
        {"Darker",
         "Half a stop less exposure.",
         {{Key::page_down, kNone}},
         [](ViewerModel& m) { change_exposure(m, -kExposureStep); }},
        {"Reset exposure",
         "Exposure 0.",
         {{Key::page_up, kControl}},
         [](ViewerModel& m) { change_exposure(m, 0); }},
        {"Next tone curve",
         "Linear, Reinhard, ACES.",
         {{Key::t, kNone}},
         next_tone,
         [](const ViewerModel& m) {
             auto settings = m.session.film_settings();
             return find_setting(settings, "tone", "film").text();
         }},
        {"Control net",
         "Draw the control nets of patches over the picture.",
         {{Key::n, kNone}},
         toggle_control_net,
         [](const ViewerModel& m) { return on_off(m.net.shown); }},
        {"Lines of equal u and v",
         "Draw them on patches, by the Bezier backend.",
         {{Key::n, kShift}},
         toggle_uv_lines},
        {"Photons",
         "Draw the photons that the renderer has stored over the picture.",
         {{Key::y, kNone}},
         toggle_points,
         [](const ViewerModel& m) { return on_off(m.points.shown); }},
        {"Colours of photons",
         "By the surfaces that they have met, or by flux.",
         {{Key::y, kShift}},
         toggle_point_colors,
         [](const ViewerModel& m) {
             return std::string(m.points.by_value ? "flux" : "surfaces met");
         }},
        {"Panel",
         "Hide or show side panel and status line.",
         {{Key::tab, kNone}, {Key::f2, kNone}},
         [](ViewerModel& m) { m.interface_visible = !m.interface_visible; },
         [](const ViewerModel& m) { return on_off(m.interface_visible); }},
        {"Fullscreen",
         "Fill the monitor, or return to the window.",
         {{Key::f11, kNone}},
         [](ViewerModel& m) { m.context.set_fullscreen(!m.context.fullscreen()); },
         [](const ViewerModel& m) { return on_off(m.context.fullscreen()); }},
    };
    std::vector<ViewerCommand> render{
        {"Pause",
         "Pause or resume adding samples.",
         {{Key::space, kNone}},
         toggle_pause,
         [](const ViewerModel& m) { return on_off(m.paused); }},
        {"Play",
         "Start or stop the motion of a scene that moves.",
         {{Key::p, kNone}},
         toggle_motion,
         [](const ViewerModel& m) { return m.moves() ? on_off(m.playing) : "nothing moves"; }},
        {"Back to the start",
         "Go to the start of the motion.",
         {{Key::p, kShift}},
         [](ViewerModel& m) { set_motion_time(m, 0); }},
        {"Step forward",
         "Advance by a sixtieth of a second.",
         {{Key::unknown, kNone, '.'}},
         [](ViewerModel& m) { step_motion(m, 1); }},
        {"Step back",
         "Go back by a sixtieth of a second.",
         {{Key::unknown, kNone, ','}},
         [](ViewerModel& m) { step_motion(m, -1); }},
        {"Restart", "Discard the samples and start again.", {{Key::r, kNone}}, restart_all},
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
        {"Next device",
         "CPU or CUDA.",
         {{Key::d, kControl}},
         next_device,
         [](const ViewerModel& m) { return std::string(device_id(m.session.device().kind())); }},
        {"Compare two sides",
         "Show the picture of other settings beside this one.",
         {{Key::c, kNone}},
         toggle_comparison,
         compare_state},
        {"Difference",
         "Show how the colours of both sides differ.",
         {{Key::x, kNone}},
         [](ViewerModel& m) { toggle_compare_mode(m, CompareMode::difference); },
         compare_mode_state<CompareMode::difference>},
        {"FLIP",
         "Show where a viewer sees both sides differ.",
         {{Key::x, kShift}},
         [](ViewerModel& m) { toggle_compare_mode(m, CompareMode::flip); },
         compare_mode_state<CompareMode::flip>},
    };
    std::vector<ViewerCommand> tree{
        {"Heat map",
         "Show what camera rays cost in the tree, or the picture again.",
         {{Key::h, kNone}},
         toggle_heat_map,
         [](const ViewerModel& m) { return on_off(m.session.renderer_id() == "heat-map"); }},
        {"Next heat map",
         "Node visits, primitive tests, both.",
         {{Key::h, kShift}},
         next_heat_map_count},
        {"Boxes",
         "Draw the boxes of the tree over the picture.",
         {{Key::b, kNone}},
         toggle_boxes,
         box_state},
        {"One level down",
         "Draw the boxes one level further down.",
         {{Key::unknown, kNone, '+'}},
         [](ViewerModel& m) { change_box_level(m, 1); }},
        {"One level up",
         "Draw the boxes one level further up.",
         {{Key::unknown, kNone, '-'}},
         [](ViewerModel& m) { change_box_level(m, -1); }},
        {"Boxes of all leaves",
         "Draw all leaves, or one level again.",
         {{Key::b, kShift}},
         toggle_leaf_boxes},
    };
    std::vector<ViewerCommand> help{
        {"Keys and mouse",
         "Show or hide this page.",
         {{Key::f1, kNone}, {Key::unknown, kNone, '?'}},
         [](ViewerModel& m) { m.help_open = !m.help_open; }},
        {"Close what is open",
         "Close dialog, file browser or help.",
         {{Key::escape, kNone}},
         close_overlay},
    };
    std::vector<ViewerCommand> commands;
    add_menu(commands, "File", file);
    add_menu(commands, "View", view);
    add_menu(commands, "View", tab_commands(std::make_index_sequence<kPanelTabs.size()>()));
    add_menu(commands, "Render", render);
    add_menu(commands, "Tree", tree);
    add_menu(commands, "Help", help);
    return commands;
}

namespace {

std::string key_name(Key key) {
    constexpr std::pair<Key, const char*> kNames[] = {
        {Key::space, "Space"}, {Key::escape, "Esc"},   {Key::tab, "Tab"},
        {Key::home, "Home"},   {Key::page_up, "PgUp"}, {Key::page_down, "PgDn"}};
    for (auto& [named, name] : kNames)
        if (named == key) return name;
    if (key >= Key::f1 && key <= Key::f12)
        return "F" + std::to_string(static_cast<int>(key) - static_cast<int>(Key::f1) + 1);
    return {static_cast<char>(key)};
}

}  // namespace

const ViewerCommand* command_for(const std::vector<ViewerCommand>& commands,
                                 const KeyEvent& event) {
    if (!event.down || event.symbol == Key::unknown) return nullptr;
    for (auto& command : commands)
        for (auto& binding : command.bindings)
            if (binding.key == event.symbol && binding.modifiers == event.modifiers)
                return &command;
    return nullptr;
}

const ViewerCommand* command_for(const std::vector<ViewerCommand>& commands,
                                 const TextEvent& event) {
    for (auto& command : commands)
        for (auto& binding : command.bindings)
            if (binding.character && static_cast<char32_t>(binding.character) == event.character)
                return &command;
    return nullptr;
}

std::string binding_text(const KeyBinding& binding) {
    if (binding.character) return {binding.character};
    auto& m = binding.modifiers;
    return std::string(m.control ? "Ctrl+" : "") + (m.shift ? "Shift+" : "") +
           (m.alt ? "Alt+" : "") + key_name(binding.key);
}

std::vector<HelpRow> help_rows(const std::vector<ViewerCommand>& commands) {
    std::vector<HelpRow> rows;
    for (auto& command : commands) {
        std::string keys;
        for (auto& binding : command.bindings)
            keys += (keys.empty() ? "" : " or ") + binding_text(binding);
        rows.push_back({command.menu, keys, command.title, command.help, &command});
    }
    const char* mouse = "Mouse and flying";
    rows.push_back({mouse, "Left drag", "Orbit", "Turn about the target."});
    rows.push_back({mouse, "Right, middle or Shift+left drag", "Pan", "Move across the view."});
    rows.push_back({mouse, "Wheel", "Zoom", "Move towards or away from the target."});
    rows.push_back({mouse, "W A S D, Q E", "Fly", "Hold the keys; Shift is faster."});
    rows.push_back({mouse, "Drag while flying", "Look", "Turn the view about the eye."});
    rows.push_back({mouse, "Drag the split", "Compare", "Shift it between sides A and B."});
    rows.push_back({mouse, "Drop a file", "Open", "Any file that Open... takes."});
    return rows;
}

}  // namespace tl
