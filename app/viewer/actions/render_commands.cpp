// The menus Render and Tree: sampling, motion, renderers, devices, comparison, views of trees.
#include <string>
#include <vector>

#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/menu_commands.h"
#include "app/viewer/actions/menu_entries.h"
#include "app/viewer/actions/region_actions.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "core/device/registry.h"

namespace tl {
namespace {

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
bool has_motion(const ViewerModel& m) {
    return m.moves();
}
constexpr const char* kNoMotion = "nothing moves in this scene";

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

}  // namespace

std::vector<ViewerCommand> render_commands() {
    using namespace modifiers;
    return {
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
}

std::vector<ViewerCommand> tree_commands() {
    using namespace modifiers;
    return {
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
}

}  // namespace tl
